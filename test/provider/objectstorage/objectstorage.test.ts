/** Object Storage: the life of each type, what is peculiar to it, and its functions. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isSecret, reveal, type Value, type ValueMap } from "../../../provider/core/value.ts";
import { type Account, apply, checked, openAccount, resourceNamed, type Saved } from "../deployment.ts";
import { leadsItsLife } from "../lifecycle.ts";
import { cluster, lives } from "../lives/objectstorage.ts";

const bucketType = "plumbline:objectstorage/bucket:Bucket";

for (const life of lives) leadsItsLife(life);

const keyType = "plumbline:objectstorage/key:Key";

describe("a Key", () => {
  let account: Account;
  const resource = resourceNamed(keyType, "app");
  const labels = async () =>
    ((await account.call("GET", "/object-storage/keys"))["data"] as { label: string }[]).map(
      (key) => key.label,
    );
  const create = (inputs: ValueMap, more: object = {}) =>
    account.during(async (provider) =>
      provider.create({
        ...resource,
        inputs: await checked(provider, resource, inputs),
        preview: false,
        ...more,
      }),
    );

  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.close());
  beforeEach(() => account.emulator.reset());

  test("has a secret that is saved at once, kept over refreshes and updates, and shown by no function", async () => {
    let early: ValueMap = {};
    const inputs = { label: "app" };
    const made = await create(inputs, {
      onCreated: (_: string, state: ValueMap) => {
        early = state;
      },
    });
    const secret = made.state["secretKey"];
    expect(isSecret(secret) && secret.value).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(early["secretKey"]).toEqual(secret);
    const read = await account.during((provider) => provider.read({ ...resource, ...made, inputs }));
    expect(read?.state["secretKey"]).toEqual(secret);
    const renamed = await apply(account, resource, { label: "new" }, { ...made, inputs });
    expect(renamed.state["secretKey"]).toEqual(secret);
    const imported = await account.during((provider) => provider.read({ ...resource, id: made.id }));
    expect(imported?.state).not.toHaveProperty("secretKey");
    const token = "plumbline:objectstorage/getKeys:getKeys";
    const all = await account.during((provider) => provider.invoke({ token, args: {}, preview: false }));
    expect(all.result!["keys"]).toMatchObject([{ id: made.id, label: "new", limited: false }]);
    expect(JSON.stringify(all.result)).not.toMatch(/secretKey|REDACTED/);
    const one = "plumbline:objectstorage/getKey:getKey";
    const args = { label: "new" };
    const found = await account.during((provider) => provider.invoke({ token: one, args, preview: false }));
    expect(found.result).toMatchObject({ id: made.id });
  });

  test("whose create lost its answer is revoked and made anew; another of the same label stays", async () => {
    await account.call("POST", "/object-storage/keys", { label: "app" });
    account.emulator.setFaults([{ method: "POST", path: "/object-storage/keys", nth: 1, do: "reset-after" }]);
    const made = await create({ label: "app" });
    expect(isSecret(made.state["secretKey"])).toBe(true);
    expect(made.state["secretKey"]).not.toEqual(made.state["accessKey"]);
    const { data } = await account.call("GET", "/object-storage/keys");
    expect((data as { id: number }[]).map((key) => key.id)).toHaveLength(2);
    expect((data as { id: number }[]).map((key) => String(key.id))).toContain(made.id);
  });

  test("that an interrupted run made is revoked and made anew; those that were there before are left alone", async () => {
    const theirs = await account.call("POST", "/object-storage/keys", { label: "app" });
    const kept = new Map<string, Value>();
    const notes = {
      get: (key: string) => kept.get(key),
      set: async (key: string, note: Value | undefined) => void (note && kept.set(key, note)),
    };
    // The run that is cut off: its request is carried out, and nothing comes back.
    account.emulator.setFaults([
      { method: "POST", path: "/object-storage/keys", nth: 1, do: "reset-after" },
      { method: "GET", path: "/object-storage/keys", nth: 2, do: "status", status: 403, times: 9 },
    ]);
    await expect(create({ label: "app" }, { notes })).rejects.toThrow();
    account.emulator.setFaults([]);
    expect(await labels()).toEqual(["app", "app"]);
    const earlierAttempt = { startedAt: new Date(0).toISOString() };
    const found = await account.during(async (provider) =>
      provider.find!({ ...resource, inputs: { label: "app" }, earlierAttempt, notes }),
    );
    expect(found).toMatchObject({ lost: true });
    expect(found?.id).not.toBe(String(theirs["id"]));
    const again = await create({ label: "app" }, { earlierAttempt, notes });
    expect(isSecret(again.state["secretKey"])).toBe(true);
    const { data } = await account.call("GET", "/object-storage/keys");
    const ids = (data as { id: number }[]).map((key) => String(key.id));
    expect(ids.sort()).toEqual([String(theirs["id"]), again.id].sort());
  });

  test("whose id an interrupted run was told is revoked and made anew", async () => {
    const first = await account.call("POST", "/object-storage/keys", { label: "app" });
    const earlierAttempt = { startedAt: new Date(0).toISOString(), id: String(first["id"]) };
    const again = await create({ label: "app" }, { earlierAttempt });
    expect(isSecret(again.state["secretKey"])).toBe(true);
    expect(again.id).not.toBe(String(first["id"]));
    expect(await labels()).toEqual(["app"]);
  });

  test("that an interrupted run never asked for is made, and nothing is taken for it", async () => {
    await account.call("POST", "/object-storage/keys", { label: "app" });
    const made = await create({ label: "app" }, { earlierAttempt: { startedAt: new Date(0).toISOString() } });
    expect(isSecret(made.state["secretKey"])).toBe(true);
    expect(await labels()).toEqual(["app", "app"]);
  });
});

async function url(account: Account, bucket: string, name: string, method: string, contentType?: string) {
  const body = { name, method, content_type: contentType };
  const path = `/object-storage/buckets/${cluster}/${bucket}/object-url`;
  return String((await account.call("POST", path, body))["url"]);
}

/** Stores an object as anybody with the URL would. */
async function upload(account: Account, bucket: string, name: string, content = "x"): Promise<void> {
  const headers = { "Content-Type": "text/plain" };
  const target = await url(account, bucket, name, "PUT", "text/plain");
  const answer = await fetch(target, { method: "PUT", headers, body: content });
  expect(answer.ok).toBe(true);
}

describe("a Bucket", () => {
  let account: Account;
  const resource = resourceNamed(bucketType, "subject");
  const access = (label: string) => account.call("GET", `/object-storage/buckets/${cluster}/${label}/access`);
  const make = (inputs: ValueMap, saved?: Saved) => apply(account, resource, inputs, saved);
  const remove = ({ id, inputs, state }: Saved) =>
    account.during((provider) => provider.delete({ ...resource, id, oldInputs: inputs, state }));

  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.close());

  test("has the access that is declared, and loses it when it is taken out", async () => {
    const first = await make({ cluster, label: "open", acl: "public-read", corsEnabled: true });
    expect(await access("open")).toMatchObject({ acl: "public-read", cors_enabled: true });
    const second = await make({ cluster, label: "open", acl: "public-read" }, first);
    expect(await access("open")).toMatchObject({ acl: "public-read", cors_enabled: false });
    await make({ cluster, label: "open" }, second);
    expect(await access("open")).toMatchObject({ acl: "private", cors_enabled: false });
  });

  test("that was imported keeps access settings that are not declared, and takes those that are", async () => {
    const body = { cluster, label: "theirs", acl: "public-read", cors_enabled: true };
    await account.call("POST", "/object-storage/buckets", body);
    const imported = await account.during((provider) =>
      provider.read({ ...resource, id: `${cluster}/theirs` }),
    );
    expect(imported?.inputs).toEqual({ cluster, label: "theirs" });
    const same = await make(imported!.inputs, imported);
    expect(same.operation).toBe("same");
    await make({ ...imported!.inputs, corsEnabled: false }, same);
    expect(await access("theirs")).toMatchObject({ acl: "public-read", cors_enabled: false });
    await make({ ...imported!.inputs, acl: "private" }, same);
    expect(await access("theirs")).toMatchObject({ acl: "private" });
  });

  test("that exists already is not taken over silently, neither in a preview nor in a run", async () => {
    await account.call("POST", "/object-storage/buckets", { cluster, label: "present" });
    const inputs = { cluster, label: "present", acl: "public-read" };
    for (const preview of [true, false]) {
      const asked = account.during(async (provider) =>
        provider.create({ ...resource, inputs: await checked(provider, resource, inputs), preview }),
      );
      await expect(asked).rejects.toMatchObject({
        failures: [
          {
            property: "label",
            reason: expect.stringMatching(
              /exists already.*plumbline import plumbline:objectstorage:Bucket subject us-east-1\/present/,
            ),
          },
        ],
      });
    }
    expect(await access("present")).toMatchObject({ acl: "private" });
    const elsewhere = await make({ cluster: "eu-central-1", label: "present" });
    expect(elsewhere.id).toBe("eu-central-1/present");
  });

  test("whose create lost its answer is found again among others, by one create", async () => {
    await account.call("POST", "/object-storage/buckets", { cluster, label: "other" });
    const before = Number((await account.call("GET", "/object-storage/buckets"))["results"]);
    account.emulator.setFaults([
      { method: "POST", path: "/object-storage/buckets", nth: 1, do: "reset-after" },
    ]);
    const made = await make({ cluster, label: "begun", acl: "public-read" });
    expect(made.id).toBe(`${cluster}/begun`);
    expect(await access("begun")).toMatchObject({ acl: "public-read" });
    expect(Number((await account.call("GET", "/object-storage/buckets"))["results"])).toBe(before + 1);
  });

  test("with objects is deleted only by forceDestroy, which must be applied first", async () => {
    const first = await make({ cluster, label: "full" });
    await upload(account, "full", "a/b c.txt");
    await expect(remove(first)).rejects.toThrow(
      `bucket ${cluster}/full still holds objects ("a/b c.txt" is one): delete them, or set forceDestroy: true`,
    );
    const second = await make({ cluster, label: "full", forceDestroy: true }, first);
    expect(second.operation).toBe("update");
    await remove(second);
    expect(await account.during((provider) => provider.read({ ...resource, ...second }))).toBeUndefined();
  });

  test("of 2,500 objects is emptied and deleted by forceDestroy", { timeout: 120_000 }, async () => {
    const saved = await make({ cluster, label: "many", forceDestroy: true });
    const names = Array.from({ length: 2500 }, (_, i) => `folder ${i % 7}/object-${i}`);
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((name) => upload(account, "many", name)));
    await remove(saved);
    expect(await account.during((provider) => provider.read({ ...resource, ...saved }))).toBeUndefined();
  });

  test.each(["Photos", "ab", "-photos", "a..b", "a.-b", "192.0.2.1", "a/b"])(
    "cannot be called %s",
    async (label) => {
      const { failures } = await account.during((provider) =>
        provider.check({ ...resource, newInputs: { cluster, label }, randomSeed: new Uint8Array(32) }),
      );
      expect(failures.map(({ property }) => property)).toContain("label");
    },
  );
});

describe("functions", () => {
  let account: Account;
  const result = (name: string, args: ValueMap) =>
    account.during(async (provider) => {
      const token = `plumbline:objectstorage/${name}:${name}`;
      const answer = await provider.invoke({ token, args, preview: false });
      expect(answer.failures).toEqual([]);
      return answer.result as ValueMap;
    });

  beforeAll(async () => {
    account = await openAccount();
    await account.call("POST", "/object-storage/buckets", { cluster, label: "one" });
    await account.call("POST", "/object-storage/buckets", { cluster: "eu-central-1", label: "two" });
    const names = Array.from({ length: 620 }, (_, i) => `logs/${String(i).padStart(4, "0")}`);
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((name) => upload(account, "one", name)));
    await upload(account, "one", "index.html", "hello");
  });
  afterAll(() => account.close());

  const labels = (found: ValueMap) => (found["buckets"] as ValueMap[]).map((bucket) => bucket["id"]);

  test("getBuckets shows those of the account, or of one cluster; getBucket shows one", async () => {
    expect(labels(await result("getBuckets", {}))).toEqual([`${cluster}/one`, "eu-central-1/two"]);
    expect(labels(await result("getBuckets", { cluster: "eu-central-1" }))).toEqual(["eu-central-1/two"]);
    const one = await result("getBucket", { cluster, label: "one" });
    expect(one).toMatchObject({ id: `${cluster}/one`, cluster, label: "one", objects: 621 });
    await expect(result("getBucket", { cluster, label: "none" })).rejects.toThrow(
      "there is no Bucket us-east-1/none",
    );
  });

  test("getClusters and getCluster show where buckets can be", async () => {
    const { clusters } = (await result("getClusters", {})) as { clusters: ValueMap[] };
    const one = clusters.find(({ id }) => id === cluster);
    expect(one).toMatchObject({ region: "us-east", status: "available" });
    expect(await result("getCluster", { id: cluster })).toEqual(one);
    await expect(result("getCluster", { id: "nowhere-1" })).rejects.toThrow("there is no cluster nowhere-1");
  });

  test("getObjects reads every page, under a prefix, and folder by folder", async () => {
    const at = { cluster, bucket: "one" };
    const names = async (args: ValueMap) =>
      ((await result("getObjects", { ...at, ...args }))["objects"] as ValueMap[]).map(({ name }) => name);
    expect(await names({})).toHaveLength(621);
    expect(await names({ prefix: "logs/001" })).toHaveLength(10);
    expect(await names({ delimiter: "/" })).toEqual(["index.html", "logs/"]);
    await expect(names({ bucket: "none" })).rejects.toThrow("there is no bucket us-east-1/none");
  });

  test("getObjectAcl, getBucketCertificate and getTransfer show what the service says", async () => {
    const at = { cluster, bucket: "one" };
    expect(await result("getObjectAcl", { ...at, name: "index.html" })).toMatchObject({ acl: "private" });
    await expect(result("getObjectAcl", { ...at, name: "none" })).rejects.toThrow(
      'there is no object "none" in bucket us-east-1/one',
    );
    expect(await result("getBucketCertificate", at)).toEqual({ ssl: false });
    expect(await result("getTransfer", {})).toEqual({ used: expect.any(Number) });
  });

  test("getObjectUrl makes URLs that are secret and work, and asks for a type where one must be sent", async () => {
    const at = { cluster, bucket: "one", name: "index.html" };
    const read = await result("getObjectUrl", at);
    expect(read["exists"]).toBe(true);
    expect(isSecret(read["url"])).toBe(true);
    expect(await (await fetch(String(reveal(read["url"]!)))).text()).toBe("hello");
    const token = "plumbline:objectstorage/getObjectUrl:getObjectUrl";
    const { failures } = await account.during((provider) =>
      provider.invoke({ token, args: { ...at, method: "PUT" }, preview: false }),
    );
    expect(failures).toEqual([{ property: "contentType", reason: "is required for PUT" }]);
    const put = await result("getObjectUrl", { ...at, name: "new", method: "PUT", contentType: "text/css" });
    expect(put["exists"]).toBe(false);
  });
});
