import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, openSession, type Session } from "../session.ts";

let on: Session;
beforeAll(async () => {
  on = await openSession({ brand: "acme", speed: "instant" });
});
afterAll(() => on.close());

describe("under another brand word (notes, section 0)", () => {
  test("scripts have its path, images and entity, and keep their own text", async () => {
    const script = "#!/bin/sh\necho acme/debian12 compute\n";
    const sent = { label: "acme and compute", images: ["acme/debian12", "any/all"], script };
    const made = await on.post("/acme/stackscripts", sent);
    expect(made).toMatchObject(sent);
    const found = await on.list("/acme/stackscripts", { images: "acme/debian12", mine: true });
    expect(found).toEqual([made]);
    const [event] = (await on.list("/account/events")).filter(
      ({ action }: Answer) => action === "stackscript_create",
    );
    expect(event.entity).toMatchObject({
      label: "acme and compute",
      url: `/v4/acme/stackscripts/${made.id}`,
    });
    const refused = await on.refused(400, "PUT", `/acme/stackscripts/${made.id}`, {
      images: ["compute/debian12"],
    });
    expect(refused).toEqual([{ reason: "image is not valid: compute/debian12", field: "images" }]);
    await on.refused(404, "GET", "/compute/stackscripts");
  });

  test("databases have it in their hosts", async () => {
    const fields = { engine: "mysql/8.0.30", region: "us-east", type: "g6-nanode-1" };
    const { id } = await on.post("/databases/mysql/instances", { ...fields, label: "acme-and-compute" });
    const database = await on.get(`/databases/mysql/instances/${id}`);
    expect(database.hosts.primary).toMatch(/\.servers\.acmedb\.invalid$/);
    expect(database.label).toBe("acme-and-compute");
  });

  test("managed settings have it in their path", async () => {
    const plan = { region: "us-east", type: "g6-nanode-1", label: "compute-1" };
    const { id } = await on.post("/acme/instances", plan);
    const expected = { id, label: "compute-1", ssh: { ip: "any" } };
    expect(await on.get(`/managed/acme-settings/${id}`)).toMatchObject(expected);
    expect(await on.list("/managed/acme-settings")).toHaveLength(1);
    await on.refused(404, "GET", "/managed/compute-settings");
  });
});
