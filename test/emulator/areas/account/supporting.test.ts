/** What clients ask of the account beside the contract: public keys, tags, transfer, availability, maintenance, prices by region. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, eventsOf, makeInstance, openSession, type Session } from "../../session.ts";
import { makeBucket } from "../objectstorage/client.ts";

const ed25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJfN2v0c1eH0m1c8uW8Hq2m3k4l5m6n7o8p9q0r1s2t3 me@laptop";
const users = {
  users: [
    { username: "boss", email: "boss@example.com" },
    { username: "helper", email: "helper@example.com", restricted: true },
  ],
  tokens: [
    { token: "boss-token", username: "boss", scopes: "*" },
    { token: "reader-token", username: "boss", scopes: "account:read_only" },
    { token: "helper-token", username: "helper", scopes: "*" },
  ],
};

let all: Session;
let on: Session;
let helper: Session;
beforeAll(async () => {
  all = await openSession({ users });
  on = all.as("boss-token");
  helper = all.as("helper-token");
});
afterAll(() => all.close());

describe("public keys of the profile", () => {
  const base = "/profile/sshkeys";

  test("are added, listed, renamed and removed, and their user tells their labels", async () => {
    const key = await on.post(base, { label: "laptop", ssh_key: `${ed25519}\n` });
    expect(key).toEqual({ id: key.id, label: "laptop", ssh_key: ed25519, created: expect.any(String) });
    expect(await on.get(`${base}/${key.id}`)).toEqual(key);
    expect(await on.list(base, { label: "laptop" })).toEqual([key]);
    expect((await on.get("/account/users/boss")).ssh_keys).toEqual(["laptop"]);
    const renamed = await on.put(`${base}/${key.id}`, { label: "desk", ssh_key: "ignored" });
    expect(renamed).toEqual({ ...key, label: "desk" });
    expect(await on.remove(`${base}/${key.id}`)).toEqual({});
    await on.refused(404, "GET", `${base}/${key.id}`);
    expect((await on.get("/account/users/boss")).ssh_keys).toEqual([]);
    expect((await eventsOf(on, "user_ssh_key", key.id)).map(({ action }) => action)).toEqual([
      "user_ssh_key_add",
      "user_ssh_key_update",
      "user_ssh_key_delete",
    ]);
  });

  test("are each user's own, and stay so under another name", async () => {
    const { id } = await on.post(base, { label: "mine", ssh_key: ed25519 });
    for (const [method, body] of [["GET"], ["PUT", {}], ["DELETE"]] as const)
      await helper.refused(404, method, `${base}/${id}`, body);
    const theirs = await helper.post(base, { label: "theirs", ssh_key: ed25519 });
    expect(await helper.list(base)).toEqual([theirs]);
    await on.put("/account/users/helper", { username: "aide" });
    expect(await helper.list(base)).toEqual([theirs]);
    await on.put("/account/users/aide", { username: "helper" });
    await on.remove(`${base}/${id}`);
  });

  test.each([
    ["no key", { label: "a" }, "ssh_key"],
    ["no label", { ssh_key: ed25519 }, "label"],
    ["an empty label", { label: "", ssh_key: ed25519 }, "label"],
    ["a label of 65 characters", { label: "a".repeat(65), ssh_key: ed25519 }, "label"],
    ["a private key", { label: "a", ssh_key: "-----BEGIN OPENSSH PRIVATE KEY-----" }, "ssh_key"],
    ["an unknown kind", { label: "a", ssh_key: ed25519.replace("ssh-ed25519", "ssh-best") }, "ssh_key"],
    ["two lines", { label: "a", ssh_key: `${ed25519}\n${ed25519}` }, "ssh_key"],
    ["another type", { label: "a", ssh_key: 5 }, "ssh_key"],
  ])("with %s are refused", async (_, body, field) => {
    expect((await on.refused(400, "POST", base, body)).map((reason) => reason.field)).toEqual([field]);
  });

  test("need a token that may write", async () => {
    const reader = all.as("reader-token");
    await reader.refused(401, "POST", base, { label: "a", ssh_key: ed25519 });
    expect(await reader.list(base)).toEqual([]);
  });
});

describe("tags", () => {
  test("are made on what is named, listed, and removed from everything", async () => {
    const domain = await on.post("/domains", {
      domain: "t.example",
      type: "master",
      soa_email: "a@t.example",
      tags: ["old"],
    });
    const volume = await on.post("/volumes", { label: "tagged", region: "us-east" });
    const instance = await on.post("/compute/instances", { region: "us-east", type: "g6-nanode-1" });
    const sent = {
      label: "new tag",
      domains: [domain.id],
      volumes: [volume.id, volume.id],
      computes: [instance.id],
    };
    expect(await on.post("/tags", sent)).toEqual({ label: "new tag" });
    expect((await on.get(`/domains/${domain.id}`)).tags).toEqual(["old", "new tag"]);
    expect((await on.get(`/volumes/${volume.id}`)).tags).toEqual(["new tag"]);
    const carried = await on.list("/tags/New%20Tag");
    expect(carried.map(({ type, data }) => [type, data.id])).toEqual(
      expect.arrayContaining([
        ["domain", domain.id],
        ["volume", volume.id],
        ["compute", instance.id],
      ]),
    );
    expect(await on.remove("/tags/NEW%20tag")).toEqual({});
    expect((await on.get(`/domains/${domain.id}`)).tags).toEqual(["old"]);
    expect((await on.get(`/compute/instances/${instance.id}`)).tags).toEqual([]);
    for (const method of ["GET", "DELETE"]) await on.refused(404, method, "/tags/new%20tag");
    const told = (await on.list("/account/events", { "entity.type": "tag" })).map(({ action }) => action);
    expect(told.toSorted()).toEqual(["tag_create", "tag_delete"]);
  });

  test("that nothing carries are there until they are removed", async () => {
    await on.post("/tags", { label: "bare" });
    expect(await on.list("/tags")).toContainEqual({ label: "bare" });
    expect(await on.list("/tags/bare")).toEqual([]);
    await on.remove("/tags/bare");
    expect(await on.list("/tags")).not.toContainEqual({ label: "bare" });
  });

  test.each([
    ["a label that is used", { label: "OLD" }, "label"],
    ["a label of two characters", { label: "ab" }, "label"],
    ["a label of 51 characters", { label: "a".repeat(51) }, "label"],
    ["an unknown domain", { label: "fresh", domains: [1] }, "domains[0]"],
    ["a volume that is none", { label: "fresh", volumes: ["a"] }, "volumes[0]"],
  ])("with %s are refused, and nothing is tagged", async (_, body, field) => {
    const before = await on.list("/tags");
    expect((await on.refused(400, "POST", "/tags", body)).map((reason) => reason.field)).toEqual([field]);
    expect(await on.list("/tags")).toEqual(before);
  });

  test("are not made nor removed by restricted users", async () => {
    await helper.refused(403, "POST", "/tags", { label: "theirs" });
    await helper.refused(403, "DELETE", "/tags/old");
  });
});

describe("the account", () => {
  test("tells its transfer: what the plans and Object Storage bring, by region where that counts, and what was used", async () => {
    const { quota } = await on.get("/account/transfer");
    const plan = { type: "g6-standard-1" };
    await on.post("/compute/instances", { ...plan, region: "us-east" });
    await on.post("/compute/instances", { ...plan, region: "br-gru" });
    expect(await on.get("/account/transfer")).toEqual({
      billable: 0,
      quota: quota + 2000,
      used: 0,
      region_transfers: [{ id: "br-gru", billable: 0, quota: 2000, used: 0 }],
    });
    await makeBucket(on, "used");
    all.emulator.change({ account: { _objectStorageTransfer: (quota + 2005) * 1e9 } });
    expect(await on.get("/account/transfer")).toMatchObject({ used: quota + 2005, billable: 5 });
    await on.post("/object-storage/cancel");
    expect(await on.get("/account/transfer")).toMatchObject({ quota: quota + 1000 });
  });

  test("tells what it may use in each region", async () => {
    const found = await on.list("/account/availability");
    expect(found).toHaveLength((await on.list("/regions")).length);
    const edge = await on.get("/account/availability/us-den-edge-1");
    expect(found).toContainEqual(edge);
    expect(edge.available).toEqual(["Cloud Firewall", "Computes"]);
    expect(edge.unavailable).toEqual(expect.arrayContaining(["Block Storage", "Kubernetes", "VPCs"]));
    await on.refused(404, "GET", "/account/availability/nowhere");
  });

  test("tells maintenance that the data brings, of instances that the caller may see", async () => {
    expect(await on.list("/account/maintenance")).toEqual([]);
    const { id, label } = await makeInstance(on);
    const data = all.emulator.data() as Answer;
    const planned = { reason: "New kernel", status: "pending", type: "reboot", when: "2030-01-01T00:00:00" };
    data.collections.accountMaintenance = [{ id: 1, compute_id: id, ...planned }];
    all.emulator.setData(data);
    const url = `/v4/compute/instances/${id}`;
    const expected = [{ entity: { id, label, type: "compute", url }, ...planned }];
    expect(await on.list("/account/maintenance", { "entity.id": id })).toEqual(expected);
    expect(await helper.list("/account/maintenance")).toEqual([]);
  });

  test("tells restricted users without its grant nothing of transfer and availability", async () => {
    for (const path of ["transfer", "availability", "availability/us-east"])
      await helper.refused(403, "GET", `/account/${path}`);
  });
});

test("plans and their backups have other prices in some regions, each a region that there is", async () => {
  const regions = new Set((await on.list("/regions")).map(({ id }) => id));
  for (const { price, region_prices, addons } of await on.list("/compute/types")) {
    expect(region_prices.map(({ id }: Answer) => id)).toEqual(["id-cgk", "br-gru"]);
    for (const one of [...region_prices, ...addons.backups.region_prices]) expect(regions).toContain(one.id);
    for (const one of region_prices) {
      expect(one.hourly).toBeGreaterThan(price.hourly);
      expect(one.monthly).toBeGreaterThan(price.monthly);
    }
  }
  expect((await on.get("/compute/types/g6-nanode-1")).region_prices).toContainEqual({
    id: "id-cgk",
    hourly: 0.0084,
    monthly: 6,
  });
});
