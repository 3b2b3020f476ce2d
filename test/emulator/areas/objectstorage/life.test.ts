import { afterEach, describe, expect, test } from "vitest";
import { type Answer, openSession, type Session } from "../../session.ts";
import { base, makeBucket, pathOf, upload } from "./client.ts";

let on: Session;
afterEach(() => on.close());

const events = async () =>
  (await on.list("/account/events", { "+order_by": "id", "+order": "asc" })).filter(
    ({ action }) => action !== "user_create",
  );

describe("a bucket", () => {
  test("is told the same by its creation, its view and both lists", async () => {
    on = await openSession();
    const made = await on.post(`${base}/buckets`, { label: "shop", cluster: "us-east-1" });
    expect(made).toEqual({
      label: "shop",
      cluster: "us-east-1",
      hostname: "shop.us-east-1.computeobjects.invalid",
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      size: 0,
      objects: 0,
    });
    await on.post(`${base}/buckets`, { label: "shop", cluster: "us-iad-1" });
    expect(await on.get(pathOf("shop"))).toEqual(made);
    expect(await on.list(`${base}/buckets/us-east-1`)).toEqual([made]);
    expect((await on.list(`${base}/buckets`)).map(({ cluster }) => cluster)).toEqual([
      "us-east-1",
      "us-iad-1",
    ]);
    expect(await on.list(`${base}/buckets/eu-central-1`)).toEqual([]);
    expect(await on.remove(pathOf("shop"))).toEqual({});
    await on.refused(404, "GET", pathOf("shop"));
    expect(await on.list(`${base}/buckets`)).toHaveLength(1);
  });

  test("that the caller owns is answered unchanged by a second creation (contract section 3)", async () => {
    on = await openSession();
    const bucket = await makeBucket(on, "shop", { acl: "public-read", cors_enabled: true });
    await upload(on, bucket, "a", "12345");
    const [present, access] = [await on.get(bucket), await on.get(`${bucket}/access`)];
    on.emulator.advance(60);
    expect(await on.post(`${base}/buckets`, { label: "shop", cluster: "us-east-1", acl: "private" })).toEqual(
      present,
    );
    expect(present).toMatchObject({ size: 5, objects: 1 });
    expect(await on.get(`${bucket}/access`)).toEqual(access);
  });

  test("bears the brand's word in its host name", async () => {
    on = await openSession({ brand: "acme" });
    expect(await on.post(`${base}/buckets`, { label: "compute", cluster: "us-east-1" })).toMatchObject({
      label: "compute",
      hostname: "compute.us-east-1.acmeobjects.invalid",
    });
    expect(await on.get(`${base}/clusters/us-east-1`)).toMatchObject({
      domain: "us-east-1.acmeobjects.invalid",
    });
  });
});

describe("access settings (readings, section 2.6)", () => {
  const settings = async (bucket: string) => {
    const { acl, cors_enabled } = await on.get(`${bucket}/access`);
    return { acl, cors_enabled };
  };

  test("are private without CORS unless the creation says otherwise", async () => {
    on = await openSession();
    expect(await settings(await makeBucket(on, "one"))).toEqual({ acl: "private", cors_enabled: false });
    const two = await makeBucket(on, "two", { acl: "authenticated-read", cors_enabled: true });
    expect(await on.get(`${two}/access`)).toEqual({
      acl: "authenticated-read",
      acl_xml: expect.stringMatching(/^<AccessControlPolicy .*AuthenticatedUsers.*<\/AccessControlPolicy>$/),
      cors_enabled: true,
      cors_xml: expect.stringMatching(/^<CORSConfiguration .*<\/CORSConfiguration>$/),
    });
  });

  test("change by POST where they are given, and by PUT as a whole", async () => {
    on = await openSession();
    const bucket = await makeBucket(on, "both", { acl: "public-read", cors_enabled: true });
    expect(await on.post(`${bucket}/access`, { acl: "public-read-write" })).toEqual({});
    expect(await settings(bucket)).toEqual({ acl: "public-read-write", cors_enabled: true });
    await on.post(`${bucket}/access`, { cors_enabled: false });
    expect(await settings(bucket)).toEqual({ acl: "public-read-write", cors_enabled: false });
    await on.post(`${bucket}/access`);
    expect(await settings(bucket)).toEqual({ acl: "public-read-write", cors_enabled: false });
    expect(await on.put(`${bucket}/access`, { cors_enabled: true })).toEqual({});
    expect(await settings(bucket)).toEqual({ acl: "private", cors_enabled: true });
    await on.put(`${bucket}/access`, {});
    expect(await settings(bucket)).toEqual({ acl: "private", cors_enabled: false });
  });

  test("may be found custom, though they cannot be set so", async () => {
    on = await openSession();
    const bucket = await makeBucket(on, "strange");
    const data = on.emulator.data() as Answer;
    data.collections.objectStorageBuckets[0].acl = "custom";
    on.emulator.setData(data);
    expect(await settings(bucket)).toEqual({ acl: "custom", cors_enabled: false });
  });
});

describe("a key", () => {
  test("tells its secret once (contract section 2.6; notes, section 6)", async () => {
    on = await openSession();
    const made = await on.post(`${base}/keys`, { label: "ci" });
    expect(made).toEqual({
      id: made.id,
      label: "ci",
      access_key: expect.stringMatching(/^[A-Z0-9]{20}$/),
      secret_key: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
      limited: false,
      bucket_access: null,
    });
    const shown = { ...made, secret_key: "[REDACTED]" };
    expect(await on.get(`${base}/keys/${made.id}`)).toEqual(shown);
    expect(await on.list(`${base}/keys`)).toEqual([shown]);
    expect(await on.put(`${base}/keys/${made.id}`, { label: "cd", bucket_access: [] })).toEqual({
      ...shown,
      label: "cd",
    });
    expect(await on.remove(`${base}/keys/${made.id}`)).toEqual({});
    await on.refused(404, "GET", `${base}/keys/${made.id}`);
    const other = await on.post(`${base}/keys`, {});
    expect(other.access_key).not.toBe(made.access_key);
  });

  test("is limited by a list, even an empty one, and echoes it as sent", async () => {
    on = await openSession();
    await makeBucket(on, "b-1");
    const item = { cluster: "us-east-1", bucket_name: "b-1", permissions: "read_only" };
    const twice = [item, { ...item, permissions: "read_write" }];
    expect(await on.post(`${base}/keys`, { bucket_access: twice })).toMatchObject({
      label: "",
      limited: true,
      bucket_access: twice,
    });
    expect(await on.post(`${base}/keys`, { bucket_access: [] })).toMatchObject({
      limited: true,
      bucket_access: [],
    });
    expect(await on.post(`${base}/keys`, { bucket_access: null })).toMatchObject({
      limited: false,
      bucket_access: null,
    });
  });

  test("records an event for each of its steps (contract section 6)", async () => {
    on = await openSession();
    const { id } = await on.post(`${base}/keys`, { label: "ci" });
    await on.put(`${base}/keys/${id}`, { label: "cd" });
    await on.remove(`${base}/keys/${id}`);
    const entity = (label: string) => ({
      id,
      label,
      type: "obj_access_key",
      url: `/v4/object-storage/keys/${id}`,
    });
    expect(await events()).toMatchObject([
      { action: "obj_access_key_create", status: "notification", entity: entity("ci"), username: "owner" },
      { action: "obj_access_key_update", status: "notification", entity: entity("cd") },
      { action: "obj_access_key_delete", status: "notification", entity: entity("cd") },
    ]);
  });
});

describe("the account", () => {
  test("with a negative balance makes neither buckets nor keys (contract section 7)", async () => {
    on = await openSession({ seed: { account: { balance: -0.01 }, requests: [], collections: {} } });
    const refused = [{ reason: "An account with a negative balance cannot use Object Storage" }];
    expect(await on.refused(400, "POST", `${base}/buckets`, { label: "shop", cluster: "us-east-1" })).toEqual(
      refused,
    );
    expect(await on.refused(400, "POST", `${base}/keys`, {})).toEqual(refused);
    expect(await on.list(`${base}/buckets`)).toEqual([]);
  });

  test("loses everything by a cancellation, and begins anew with a bucket or a key", async () => {
    on = await openSession();
    const enrolment = async () => (await on.get("/account/settings")).object_storage;
    const bucket = await makeBucket(on, "shop");
    await upload(on, bucket, "a", "x");
    await on.post(`${base}/keys`, {});
    expect(await enrolment()).toBe("active");
    expect(await on.post(`${base}/cancel`)).toEqual({});
    expect(await enrolment()).toBe("disabled");
    expect([await on.list(`${base}/buckets`), await on.list(`${base}/keys`)]).toEqual([[], []]);
    await makeBucket(on, "shop");
    expect(await enrolment()).toBe("active");
    expect(await on.get(bucket)).toMatchObject({ objects: 0, size: 0 });
    await on.post(`${base}/cancel`);
    await on.post(`${base}/keys`, {});
    expect(await enrolment()).toBe("active");
    expect((await on.get("/account/settings")).managed).toBe(true);
  });

  test("cannot make buckets in a cluster that is unavailable", async () => {
    on = await openSession({
      seed: { account: { _unavailableClusters: ["us-ord-1"] }, requests: [], collections: {} },
    });
    expect(await on.get(`${base}/clusters/us-ord-1`)).toMatchObject({ status: "unavailable" });
    expect(await on.refused(400, "POST", `${base}/buckets`, { label: "shop", cluster: "us-ord-1" })).toEqual([
      { reason: "This cluster is unavailable: try again later", field: "cluster" },
    ]);
    expect(await on.get("/account")).not.toHaveProperty("_unavailableClusters");
  });
});

test("scopes are asked for, and a restricted user needs no grant (contract sections 4.4 and 5)", async () => {
  const token = (name: string, username: string, scopes: string) => ({ token: name, username, scopes });
  on = await openSession({
    users: {
      users: [{ username: "boss" }, { username: "guest", restricted: true }],
      tokens: [
        token("all", "boss", "*"),
        token("reader", "boss", "object_storage:read_only"),
        token("volumes", "boss", "volumes:read_write"),
        token("guest", "guest", "object_storage:read_write"),
      ],
    },
  });
  const bucket = await makeBucket(on.as("guest"), "shop");
  const { id } = await on.post(`${base}/keys`, {});
  const reads = [
    `${base}/buckets`,
    `${base}/buckets/us-east-1`,
    bucket,
    `${bucket}/object-list`,
    `${bucket}/ssl`,
  ];
  for (const path of [
    ...reads,
    `${bucket}/access`,
    `${base}/keys`,
    `${base}/keys/${id}`,
    `${base}/transfer`,
  ]) {
    await on.as("reader").get(path);
    await on.as("volumes").refused(401, "GET", path);
  }
  for (const [method, path] of [
    ["POST", `${base}/buckets`],
    ["DELETE", bucket],
    ["POST", `${bucket}/access`],
    ["PUT", `${bucket}/access`],
    ["PUT", `${bucket}/object-acl`],
    ["POST", `${bucket}/object-url`],
    ["POST", `${bucket}/ssl`],
    ["DELETE", `${bucket}/ssl`],
    ["POST", `${base}/cancel`],
    ["POST", `${base}/keys`],
    ["PUT", `${base}/keys/${id}`],
    ["DELETE", `${base}/keys/${id}`],
  ] as const)
    await on.as("reader").refused(401, method, path, {});
  expect(await on.list(`${base}/buckets`)).toHaveLength(1);
});
