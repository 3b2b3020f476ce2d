import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shapeReader } from "../../../emulator/contract/shape.ts";
import { createBrand } from "../../../emulator/http/brand.ts";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { type Ask, ask } from "../client.ts";

const brand = createBrand("acme");

describe("the word in texts", () => {
  test.each([
    ["compute", "acme"],
    ["compute_id", "acme_id"],
    ["computes", "acmes"],
    ["add_computes", "add_acmes"],
    ["computes:read_write volumes:read_only", "acmes:read_write volumes:read_only"],
    ["compute-settings", "acme-settings"],
    ["compute/debian12", "acme/debian12"],
    ["/v4/compute/instances/5", "/v4/acme/instances/5"],
    ["compute_boot", "acme_boot"],
    ["/dev/disk/by-id/scsi-0Compute_Volume_vol", "/dev/disk/by-id/scsi-0Acme_Volume_vol"],
    ["Compute busy.", "Acme busy."],
    ["Computes", "Acmes"],
    ["computers", "computers"],
    ["recompute", "recompute"],
    ["computeobjects", "computeobjects"],
  ])("%s is %s, and back", (contract, wire) => {
    expect(brand.swap(contract)).toBe(wire);
    expect(brand.swap(wire)).toBe(contract);
  });

  test("only one lower-case word is a brand", () => {
    for (const word of ["", "Acme", "two words", "9lives", "a-b"])
      expect(() => createBrand(word), word).toThrow("the brand must be one word");
    expect(createBrand("compute").plain).toBe(true);
  });
});

describe("the word in bodies", () => {
  const shape = shapeReader({})({
    type: "object",
    properties: {
      compute_id: { type: "integer" },
      image: { type: "string", "x-brand": true },
      images: { type: "array", items: { type: "string", "x-brand": true } },
      label: { type: "string" },
      path: { type: "string", "x-brand": "first" },
      entity: {
        type: "object",
        properties: { type: { type: "string", "x-brand": true }, label: { type: "string" } },
      },
      computes: { type: "array", items: { type: "object", properties: { compute_id: { type: "integer" } } } },
      data: { type: "object" },
    },
  });
  const contract = {
    compute_id: 1,
    image: "compute/debian12",
    images: ["compute/a", "any/all"],
    label: "compute/mine",
    path: "scsi-0Compute_Volume_compute-data",
    entity: { type: "compute", label: "compute" },
    computes: [{ compute_id: 2 }],
    data: { compute_id: "kept" },
  };
  const wire = {
    acme_id: 1,
    image: "acme/debian12",
    images: ["acme/a", "any/all"],
    label: "compute/mine",
    path: "scsi-0Acme_Volume_compute-data",
    entity: { type: "acme", label: "compute" },
    acmes: [{ acme_id: 2 }],
    data: { compute_id: "kept" },
  };

  test("keys and marked values change, what users wrote does not", () => {
    expect(brand.swapBody(shape, contract)).toEqual(wire);
    expect(brand.swapBody(shape, wire)).toEqual(contract);
  });

  test("the contract's own word is foreign on the wire", () => {
    expect(brand.swapBody(shape, { compute_id: 1, image: "compute/debian12" })).toEqual({
      acme_id: 1,
      image: "acme/debian12",
    });
  });
});

describe("a whole service under another word", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ brand: "acme", checkAnswers: true });
  });
  afterAll(() => emulator.close());
  const to = (method: string, path: string, options?: Ask) => ask(emulator.port, method, path, options);

  test("paths have the word, and the contract's word is not found", async () => {
    expect((await to("GET", "/v4/acme/types", { token: null })).status).toBe(200);
    expect((await to("GET", "/v4/compute/types", { token: null })).status).toBe(404);
    expect((await to("GET", "/v4/acme/kernels/acme%2Flatest-64bit")).json.id).toBe("acme/latest-64bit");
    expect((await to("GET", "/v4/images/acme/debian12")).json).toMatchObject({
      id: "acme/debian12",
      created_by: "acme",
    });
    expect((await to("GET", "/v4/images/compute%2Fdebian12")).status).toBe(404);
  });

  test("statistics and the log stay in the contract's word", async () => {
    emulator.reset();
    await to("GET", "/v4/acme/types");
    expect(emulator.stats().requests).toEqual({ "GET /compute/types": 1 });
    const [entry] = (await to("GET", "/_emulator/requests")).json;
    expect(entry).toMatchObject({ path: "/v4/acme/types", template: "/compute/types" });
    emulator.setFaults([{ method: "GET", path: "/compute/types", do: "status", status: 500 }]);
    expect((await to("GET", "/v4/acme/types")).status).toBe(500);
  });

  test("scopes, grants and tokens have the word", async () => {
    const told = await to("POST", "/v4/volumes/1/attach", { body: { acme_id: 1 } });
    expect(told.headers["x-accepted-oauth-scopes"]).toBe("volumes:read_write,acmes:read_write");
    const scopes = "acmes:read_write volumes:read_write";
    const made = await to("POST", "/v4/profile/tokens", { body: { scopes } });
    expect(made.json.scopes).toBe(scopes);
    const { token } = made.json;
    const attach = await to("POST", "/v4/volumes/1/attach", { body: { acme_id: 1 }, token });
    expect(attach.headers["x-oauth-scopes"]).toBe(scopes);
    expect(attach.status).toBe(404);
    await to("POST", "/v4/account/users", { body: { username: "bob", email: "bob@example.com" } });
    const grants = await to("PUT", "/v4/account/users/bob/grants", {
      body: { global: { add_acmes: true }, acme: [{ id: 5, permissions: "read_only" }] },
    });
    expect(grants.json.global.add_acmes).toBe(true);
    expect(grants.json.acme).toEqual([{ id: 5, label: "", permissions: "read_only" }]);
  });

  test("reasons and their fields have the word", async () => {
    const whole = await to("POST", "/v4/volumes", { body: { label: "whole", region: "us-east" } });
    const told = await to("POST", `/v4/volumes/${whole.json.id}/attach`, { body: {} });
    expect(told.json.errors).toEqual([{ reason: "acme_id is required", field: "acme_id" }]);
    const volume = await to("POST", "/v4/volumes", { body: { label: "vol" } });
    expect(JSON.stringify(volume.json)).toContain("Acme");
    expect(JSON.stringify(volume.json)).not.toMatch(/compute/i);
  });

  test("volumes, instances, filters and events speak it throughout", async () => {
    const instance = await to("POST", "/v4/acme/instances", {
      body: {
        region: "us-east",
        type: "g6-nanode-1",
        label: "compute-1",
        image: "acme/debian12",
        root_pass: "a-Long-pass-5",
      },
    });
    expect(instance.json).toMatchObject({ label: "compute-1", image: "acme/debian12" });
    const volume = await to("POST", "/v4/volumes", {
      body: { label: "compute-data", acme_id: instance.json.id },
    });
    expect(volume.json).toMatchObject({
      acme_id: instance.json.id,
      acme_label: "compute-1",
      filesystem_path: "/dev/disk/by-id/scsi-0Acme_Volume_compute-data",
    });
    expect((await to("GET", "/v4/volumes", { filter: { acme_id: instance.json.id } })).json.results).toBe(1);
    expect((await to("GET", "/v4/volumes", { filter: { compute_id: 1 } })).json.errors).toEqual([
      { reason: "Cannot filter on compute_id", field: "X-Filter" },
    ]);
    const events = await to("GET", "/v4/account/events", {
      filter: { action: "acme_create", "entity.type": "acme", "entity.id": instance.json.id },
    });
    expect(events.json.data[0]).toMatchObject({
      action: "acme_create",
      entity: { type: "acme", label: "compute-1", url: `/v4/acme/instances/${instance.json.id}` },
    });
    expect(emulator.mismatches).toEqual([]);
  });
});
