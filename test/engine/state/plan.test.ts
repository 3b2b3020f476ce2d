/** A saved plan is done as it was made or not at all: a state, an object or a target that moved since is refused before anything is done. */

import { expect, test } from "vitest";
import { parsePlan } from "../../../provider/engine/operations/plan.ts";
import { type Block, bench } from "../deployment/program.ts";
import { type World, world, worldProvider } from "../deployment/world.ts";

const block = (name: string, size: number): Block => ({ name, inputs: { label: name, size } });
const before = [block("a", 1), block("b", 1)];
const wanted = [block("a", 3), block("b", 1)];

async function planned(
  blocks: readonly Block[] = wanted,
  how: { refresh?: boolean; targets?: string[] } = {},
) {
  const b = bench(world());
  await b.engine(before).up();
  const { plan } = await b.engine(blocks).preview({ plan: true, ...how });
  // As it comes back from its file.
  return { b, plan: parsePlan(JSON.stringify(plan)) };
}

const object = (of: World, label: string) =>
  [...of.objects.values()].find(({ values }) => values.label === label)!;
const sizes = (of: World) => [...of.objects.values()].map(({ values }) => values.size);

test("what nobody touched is done", async () => {
  const { b, plan } = await planned();
  expect((await b.engine(wanted).up({ plan })).counts).toMatchObject({ update: 1, same: 1 });
  expect(sizes(b.world)).toEqual([3, 1]);
});

test("a state that moved is refused, though the steps would look the same", async () => {
  const { b, plan } = await planned();
  await b.engine([block("a", 2), block("b", 1)]).up();
  b.world.calls.length = 0;
  await expect(b.engine(wanted).up({ plan })).rejects.toMatchObject({
    code: "plan",
    exitCode: 4,
    message: expect.stringContaining("the state has moved since (it was number 1, now it is 2)"),
  });
  expect(sizes(b.world)).toEqual([2, 1]);
  expect(b.world.calls).toEqual([]);
});

test("a run that was killed since is a state that moved", async () => {
  const { b, plan } = await planned();
  const { lineage } = (
    JSON.parse(b.files.get("/state/stacks/shop/dev.json")!) as { plumbline: { lineage: string } }
  ).plumbline;
  const begun = { begin: "updating", slot: 2, at: "2030-01-01T00:00:00Z" };
  b.files.set(
    "/state/stacks/shop/dev.journal",
    `${JSON.stringify({ journal: 1, base: 1, lineage })}\n${JSON.stringify(begun)}\n`,
  );
  await expect(b.engine(wanted).up({ plan })).rejects.toMatchObject({ code: "plan" });
  expect(sizes(b.world)).toEqual([1, 1]);
});

test("an object that moved is refused, and named by what moved", async () => {
  const { b, plan } = await planned();
  const { id } = object(b.world, "a");
  b.world.objects.set(id, { ...object(b.world, "a"), values: { label: "a", size: 8 } });
  await expect(b.engine(wanted).up({ plan })).rejects.toMatchObject({
    code: "plan",
    exitCode: 4,
    message: expect.stringMatching(/::a: the object has another size now$/),
  });
  expect(sizes(b.world)).toEqual([8, 1]);
});

test("an object that is to go and went is refused, and so is one that is there again", async () => {
  const { b, plan } = await planned([block("a", 1)]);
  const kept = object(b.world, "b");
  b.world.objects.delete(kept.id);
  await expect(b.engine([block("a", 1)]).up({ plan })).rejects.toMatchObject({
    message: expect.stringContaining("the object is gone"),
  });
  const { plan: without } = await b.engine([block("a", 1)]).preview({ plan: true });
  b.world.objects.set(kept.id, kept);
  await expect(b.engine([block("a", 1)]).up({ plan: without! })).rejects.toMatchObject({
    message: expect.stringContaining("the object is there again"),
  });
  expect(b.world.objects.size).toBe(2);
});

test("a plan that was made after a refresh, or for some targets, is applied so", async () => {
  const fresh = await planned(before, { refresh: true });
  expect(fresh.plan.steps.every(({ op }) => op === "same")).toBe(true);
  const b = bench(world());
  await b.engine(before).up();
  const { id } = object(b.world, "a");
  b.world.objects.set(id, { ...object(b.world, "a"), values: { label: "a", size: 8 } });
  const { plan } = await b.engine(before).preview({ plan: true, refresh: true });
  expect((await b.engine(before).up({ plan: plan! })).counts).toMatchObject({ update: 1 });
  expect(sizes(b.world)).toEqual([1, 1]);
  const other = [block("a", 5), block("b", 5)];
  const partly = await b.engine(other).preview({ plan: true, targets: ["b"] });
  await b.engine(other).up({ plan: partly.plan! });
  expect(sizes(b.world)).toEqual([1, 5]);
});

test("a plan of a new stack is for the account that it was made on", async () => {
  const b = bench(world());
  const on = (account: string) => ({
    createProvider: () => ({
      ...worldProvider(b.world),
      identify: async () => ({ baseUrl: "https://one.example/v4", account, credential: account }),
    }),
  });
  const { plan } = await b.engine(before, on("first")).preview({ plan: true });
  await expect(b.engine(before, on("second")).up({ plan: plan! })).rejects.toMatchObject({
    code: "target",
    exitCode: 4,
  });
  expect(b.world.objects.size).toBe(0);
  expect((await b.engine(before, on("first")).up({ plan: plan! })).counts).toMatchObject({ create: 2 });
});

test("what is no plan is refused as none", () => {
  for (const text of [
    "",
    "null",
    "[]",
    "7",
    "{}",
    '{"plumblinePlan":1,"steps":[]}',
    '{"plumblinePlan":1,"state":{"digest":"x"},"targets":[],"steps":[null]}',
  ])
    expect(() => parsePlan(text)).toThrow("This is not a plan");
});
