import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../../session.ts";

let on: Session;
beforeAll(async () => {
  on = await openSession();
});
afterAll(() => on.close());

/** Without a token: what the notes, section 1.8, list as public. */
const open = async (path: string) => {
  const answer = await fetch(`${on.emulator.baseUrl}${path}`);
  expect({ path, status: answer.status }).toEqual({ path, status: 200 });
  return answer.json();
};

test.each([["/regions"], ["/compute/types"], ["/compute/kernels"], ["/images"], ["/regions/availability"]])(
  "%s is public, and each of its items is found by its id",
  async (path) => {
    const { data, results } = (await open(path)) as { data: { id?: string }[]; results: number };
    expect(results).toBe(data.length);
    expect(data.length).toBeGreaterThan(4);
    for (const item of data.filter(({ id }) => id !== undefined))
      expect(await open(`${path}/${encodeURIComponent(item.id as string)}`)).toEqual(item);
  },
);

describe("regions", () => {
  test("differ in what they offer, so that each refusal can be met", async () => {
    const regions = (await on.list("/regions")) as { id: string; capabilities: string[] }[];
    const all = ["Block Storage", "Kubernetes", "VPCs", "Object Storage", "Managed Databases"];
    expect(regions.some(({ capabilities }) => all.every((one) => capabilities.includes(one)))).toBe(true);
    for (const capability of all)
      expect(regions.some(({ capabilities }) => !capabilities.includes(capability))).toBe(true);
    for (const id of ["ap-west", "us-east", "us-iad", "es-mad", "us-southeast"])
      expect(regions.map((region) => region.id)).toContain(id);
  });

  test("tell which plans they have: a list for all, a bare array for one", async () => {
    const all = await on.list("/regions/availability");
    const one = await on.get("/regions/us-west/availability");
    expect(one).toEqual(all.filter(({ region }) => region === "us-west"));
    expect(one).toContainEqual({ region: "us-west", plan: "g7-premium-2", available: false });
    await on.refused(404, "GET", "/regions/atlantis/availability");
    await on.refused(404, "GET", "/regions/atlantis");
  });
});

describe("plans", () => {
  test("have every size of memory that limits volumes", async () => {
    const memories = (await on.list("/compute/types")).map(({ memory }) => memory / 1024);
    for (const memory of [2, 4, 16, 64, 96, 192]) expect(memories).toContain(memory);
  });

  test("are found on page 100, where none is, without an error (notes, section 1.5)", async () => {
    expect(await on.get("/compute/types?page=100")).toMatchObject({ data: [], page: 100, pages: 1 });
    await on.refused(404, "GET", "/compute/types/g6-huge");
  });
});

test("an id with its slash is found encoded and not", async () => {
  expect(await on.get("/images/compute%2Fdebian12")).toEqual(await on.get("/images/compute/debian12"));
  expect(await on.get("/compute/kernels/compute%2Fgrub2")).toEqual(
    await on.get("/compute/kernels/compute/grub2"),
  );
  await on.refused(404, "GET", "/images/compute%2Fbeos");
  await on.refused(404, "GET", "/compute/kernels/compute%2F0.1");
});
