import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeInstance, openSession, type Reason, type Session } from "../../session.ts";

let on: Session;
beforeAll(async () => {
  on = await openSession();
});
afterAll(() => on.close());

const fields = (reasons: readonly Reason[]) => reasons.map(({ field }) => field).sort();
let serial = 0;
const fresh = () => `label-${++serial}`;

describe("a contact (contract section 2.8; notes, section 8)", () => {
  test("may be made of nothing", async () => {
    const made = await on.post("/managed/contacts");
    expect(made).toMatchObject({
      name: "",
      email: "",
      phone: { primary: null, secondary: null },
      group: null,
    });
  });

  test.each([
    ["name", "a", "Length must be 2-64 characters"],
    ["name", "a".repeat(65), "Length must be 2-64 characters"],
    ["name", "Jo.Doe", /^Must only use ASCII/],
    ["name", "Jörg", /^Must only use ASCII/],
    ["group", "g", "Length must be 2-50 characters"],
    ["group", "g".repeat(51), "Length must be 2-50 characters"],
    ["group", 5, "Must be of type String"],
    ["email", "nobody", "Must be a valid email address"],
    ["email", "a@b", "Must be a valid email address"],
    ["email", "a b@example.org", "Must be a valid email address"],
    ["email", "a@-example.org", "Must be a valid email address"],
    ["email", "", "Must be a valid email address"],
    ["phone", "123-456", "Must be of type Object"],
  ])("with %s %j is refused, made or changed", async (field, value, reason) => {
    const { id } = await on.post("/managed/contacts", {});
    const told = [{ field, reason: typeof reason === "string" ? reason : expect.stringMatching(reason) }];
    expect(await on.refused(400, "POST", "/managed/contacts", { [field]: value })).toEqual(told);
    expect(await on.refused(400, "PUT", `/managed/contacts/${id}`, { [field]: value })).toEqual(told);
  });

  test.each(["12", "call me", "+", "123-abc-7890", "12345;"])("has no phone number %j", async (number) => {
    const phone = { primary: number, secondary: number };
    expect(fields(await on.refused(400, "POST", "/managed/contacts", { phone }))).toEqual([
      "phone.primary",
      "phone.secondary",
    ]);
  });

  test.each(["123-456-7890", "+49 (30) 123456", "+1.555.0100", "555 0100 x12", "0800/123", "110"])(
    "has the phone number %j",
    async (primary) => {
      const { phone } = await on.post("/managed/contacts", { phone: { primary } });
      expect(phone).toEqual({ primary, secondary: null });
    },
  );

  test("that is wrong in many ways is told all of them", async () => {
    const sent = { name: "x", email: "y", group: "z", phone: { primary: "?" } };
    expect(fields(await on.refused(400, "POST", "/managed/contacts", sent))).toEqual([
      "email",
      "group",
      "name",
      "phone.primary",
    ]);
  });

  test("keeps what an update does not give, and loses what it sends as null", async () => {
    const sent = {
      name: "Jo Doe",
      email: "jo@example.org",
      group: "on-call",
      phone: { primary: "110", secondary: "112" },
    };
    const made = await on.post("/managed/contacts", sent);
    const path = `/managed/contacts/${made.id}`;
    expect(made).toEqual({ ...sent, id: made.id, updated: made.updated });
    expect(await on.put(path, { phone: { secondary: null } })).toMatchObject({
      ...sent,
      phone: { primary: "110", secondary: null },
    });
    expect(await on.put(path, { group: null, phone: { primary: "" } })).toMatchObject({
      name: "Jo Doe",
      group: null,
      phone: { primary: null, secondary: null },
    });
    expect(await on.remove(path)).toEqual({});
    for (const [method, body] of [["GET"], ["PUT", { name: "x" }], ["DELETE"]] as const)
      expect(await on.refused(404, method, path, body)).toEqual([{ reason: "Not found" }]);
  });

  test("is found by its group", async () => {
    const { id } = await on.post("/managed/contacts", { group: "rare-group" });
    expect((await on.list("/managed/contacts", { group: "rare-group" })).map((one) => one.id)).toEqual([id]);
  });
});

describe("a credential (contract section 2.8)", () => {
  test.each([
    [{ password: "p" }, ["label"]],
    [{ label: "x1" }, ["password"]],
    [{}, ["label", "password"]],
    [{ label: "x", password: "p" }, ["label"]],
    [{ label: "x".repeat(76), password: "p" }, ["label"]],
    [{ label: "x/y", password: "p" }, ["label"]],
    [{ label: "xy", password: 5 }, ["password"]],
    [{ label: "xy", password: "p", username: "u".repeat(5001) }, ["username"]],
  ])("of %j is refused", async (sent, expected) => {
    expect(fields(await on.refused(400, "POST", "/managed/credentials", sent))).toEqual(expected);
  });

  test("has a label of its own", async () => {
    const label = fresh();
    const { id } = await on.post("/managed/credentials", { label, password: "p" });
    const other = await on.post("/managed/credentials", { label: fresh(), password: "p" });
    const taken = { reason: "Label must be unique among your credentials", field: "label" };
    expect(await on.refused(400, "POST", "/managed/credentials", { label, password: "p" })).toEqual([taken]);
    expect(await on.refused(400, "POST", "/managed/credentials", { label })).toEqual(
      expect.arrayContaining([taken, { reason: "password is required", field: "password" }]),
    );
    expect(await on.refused(400, "PUT", `/managed/credentials/${other.id}`, { label })).toEqual([taken]);
    expect((await on.put(`/managed/credentials/${id}`, { label })).label).toBe(label);
  });

  test("never tells user name and password", async () => {
    const secrets = { username: "user-of-old", password: "pass-of-old" };
    const made = await on.post("/managed/credentials", { label: fresh(), ...secrets });
    expect(made).toEqual({ id: made.id, label: made.label, last_decrypted: null });
    const path = `/managed/credentials/${made.id}`;
    expect(await on.put(path, { label: "renamed", password: "not taken" })).toEqual({
      ...made,
      label: "renamed",
    });
    expect(await on.post(`${path}/update`, { password: "pass-of-new" })).toEqual({});
    expect(await on.get(path)).toEqual({ ...made, label: "renamed" });
    const kept = on.emulator.data() as { collections: { managedCredentials: { id: number }[] } };
    expect(kept.collections.managedCredentials.find(({ id }) => id === made.id)).toMatchObject({
      _username: "user-of-old",
      _password: "pass-of-new",
    });
    expect(JSON.stringify(await on.list("/managed/credentials"))).not.toMatch(/pass-of|user-of/);
  });

  test("needs a password in an update, and may change the user with it", async () => {
    const { id } = await on.post("/managed/credentials", { label: fresh(), password: "p" });
    const path = `/managed/credentials/${id}/update`;
    expect(await on.refused(400, "POST", path, { username: "u" })).toEqual([
      { reason: "password is required", field: "password" },
    ]);
    expect(fields(await on.refused(400, "POST", path, { username: "u".repeat(5001) }))).toEqual([
      "password",
      "username",
    ]);
    expect(await on.post(path, { username: "u".repeat(5000), password: "q" })).toEqual({});
  });

  test("is gone when it is revoked, from the services too", async () => {
    const made = await Promise.all(
      [1, 2].map(() => on.post("/managed/credentials", { label: fresh(), password: "p" })),
    );
    const [one, two] = made.map(({ id }) => id);
    const { id } = await on.post("/managed/services", {
      ...{ label: "with keys", service_type: "tcp", address: "example.org:22", timeout: 5 },
      credentials: [one, two, one],
    });
    expect((await on.get(`/managed/services/${id}`)).credentials).toEqual([one, two]);
    expect(await on.post(`/managed/credentials/${one}/revoke`)).toEqual({});
    expect((await on.get(`/managed/services/${id}`)).credentials).toEqual([two]);
    for (const [method, more, body] of [
      ["GET", ""],
      ["PUT", "", {}],
      ["POST", "/update", {}],
      ["POST", "/revoke"],
    ] as const)
      await on.refused(404, method, `/managed/credentials/${one}${more}`, body);
  });
});

describe("a service", () => {
  const body = (more: object = {}) => ({
    label: fresh(),
    service_type: "url",
    address: "https://example.org",
    timeout: 30,
    ...more,
  });
  const refused = (more: object) => on.refused(400, "POST", "/managed/services", body(more));

  test("needs label, type, address and timeout (section 2.8)", async () => {
    expect(fields(await on.refused(400, "POST", "/managed/services", {}))).toEqual([
      "address",
      "label",
      "service_type",
      "timeout",
    ]);
  });

  test.each([
    ["label", "ab", "Length must be 3-64 characters"],
    ["label", "a".repeat(65), "Length must be 3-64 characters"],
    ["label", "a,b,c", /^Must only use ASCII/],
    ["service_type", "udp", "Must be one of url, tcp"],
    ["timeout", 0, "Must be 1-255"],
    ["timeout", 256, "Must be 1-255"],
    ["body", "b".repeat(101), "Length must be at most 100 characters"],
    ["consultation_group", "g".repeat(51), "Length must be at most 50 characters"],
    ["consultation_group", 5, "Must be of type String"],
    ["notes", 5, "Must be of type String"],
    ["region", "atlantis", "region is not valid"],
    ["address", "x".repeat(101), "Length must be 3-100 characters"],
  ])("with %s %j is refused (section 8)", async (field, value, reason) => {
    const { id } = await on.post("/managed/services", body());
    const told = expect.objectContaining({
      field,
      reason: typeof reason === "string" ? reason : expect.stringMatching(reason),
    });
    expect(await refused({ [field]: value })).toContainEqual(told);
    expect(await on.refused(400, "PUT", `/managed/services/${id}`, { [field]: value })).toContainEqual(told);
  });

  test.each([
    ["url", "https://example.org", "https://example.org"],
    ["url", "http://example.org:8080/a?b=c&d#part", "http://example.org:8080/a?b=c&d"],
    ["url", "https://example.org/#/app", "https://example.org/"],
    ["url", "https://[2001:db8::1]/", "https://[2001:db8::1]/"],
    ["url", "http://192.0.2.1", "http://192.0.2.1"],
    ["tcp", "example.org:25", "example.org:25"],
    ["tcp", "tcp://example.org:25", "tcp://example.org:25"],
    ["tcp", "192.0.2.1:65535", "192.0.2.1:65535"],
    ["tcp", "[2001:db8::1]:22", "[2001:db8::1]:22"],
  ])("of type %s has the address %s, kept as %s", async (service_type, address, kept) => {
    const made = await on.post("/managed/services", body({ service_type, address }));
    expect(made).toMatchObject({ address: kept, region: null });
  });

  test.each([
    ["url", "example.org"],
    ["url", "ftp://example.org"],
    ["url", "tcp://example.org:25"],
    ["url", "https://"],
    ["url", "https:///path"],
    ["url", "https://exa mple.org"],
    ["url", "https://example.org:99999"],
    ["url", "https://1.2.3.4.5"],
    ["tcp", "example.org"],
    ["tcp", "example.org:"],
    ["tcp", "example.org:0"],
    ["tcp", "example.org:65536"],
    ["tcp", "https://example.org:443"],
    ["tcp", "1.2.3:25"],
    ["tcp", "2001:db8::1:22"],
    ["tcp", "[192.0.2.1]:22"],
    ["tcp", "-a.example:22"],
  ])("of type %s has no address %s", async (service_type, address) => {
    expect(await refused({ service_type, address })).toEqual([
      { field: "address", reason: expect.stringMatching(/^Must be an address like/) },
    ]);
  });

  test.each([
    ["https://10.0.0.1/", "us-east"],
    ["http://172.31.255.255", "us-iad"],
    ["http://192.168.128.5:8080", "us-west"],
  ])("at the private address %s needs its region", async (address, region) => {
    expect((await on.post("/managed/services", body({ address, region }))).region).toBe(region);
    for (const sent of [{ address }, { address, region: null }, { address, region: "" }])
      expect(await refused(sent)).toEqual([
        { field: "region", reason: "region is required for a private address" },
      ]);
    expect(await refused({ address, region: "moon" })).toEqual([
      { field: "region", reason: "region is not valid" },
    ]);
  });

  test.each(["https://example.org", "http://172.32.0.1", "http://11.0.0.1", "http://192.169.0.1"])(
    "at the public address %s takes no region",
    async (address) => {
      expect(await refused({ address, region: "us-east" })).toEqual([
        { field: "region", reason: "Must not be set for an address that is not private" },
      ]);
    },
  );

  test("may move between private and public addresses, with its region", async () => {
    const made = await on.post("/managed/services", body({ address: "http://10.0.0.1", region: "us-east" }));
    const path = `/managed/services/${made.id}`;
    expect((await on.put(path, { label: "renamed" })).region).toBe("us-east");
    expect((await on.put(path, { region: "us-iad" })).region).toBe("us-iad");
    expect(await on.refused(400, "PUT", path, { region: null })).toEqual([
      { field: "region", reason: "region is required for a private address" },
    ]);
    expect((await on.put(path, { address: "http://192.0.2.1" })).region).toBe(null);
    expect(await on.refused(400, "PUT", path, { address: "http://10.0.0.2" })).toEqual([
      { field: "region", reason: "region is required for a private address" },
    ]);
    const tcp = { service_type: "tcp", address: "10.0.0.2:25", region: "us-east" };
    expect(await on.put(path, tcp)).toMatchObject(tcp);
  });

  test("whose type changes needs an address of that type", async () => {
    const made = await on.post("/managed/services", body());
    expect(await on.refused(400, "PUT", `/managed/services/${made.id}`, { service_type: "tcp" })).toEqual([
      { field: "address", reason: "Must be an address like example.org:25" },
    ]);
  });

  test("names credentials that there are", async () => {
    const { id } = await on.post("/managed/credentials", { label: fresh(), password: "p" });
    expect(await refused({ credentials: [id, 1] })).toEqual([
      { field: "credentials[1]", reason: "There is no credential 1" },
    ]);
    const made = await on.post("/managed/services", body({ credentials: [id] }));
    expect((await on.put(`/managed/services/${made.id}`, { credentials: [] })).credentials).toEqual([]);
  });

  test("that is wrong in many ways is told all of them", async () => {
    const sent = { label: "x", address: "nowhere", timeout: 0, region: "moon", credentials: [1] };
    expect(fields(await refused(sent))).toEqual(["address", "credentials[0]", "label", "region", "timeout"]);
  });

  test("has empty texts where nothing is set", async () => {
    const made = await on.post("/managed/services", body({ body: null, notes: null }));
    expect(made).toMatchObject({ body: "", consultation_group: "", notes: "", credentials: [] });
    const path = `/managed/services/${made.id}`;
    const set = { body: "ok", consultation_group: "on-call", notes: "call first" };
    expect(await on.put(path, set)).toMatchObject(set);
    expect(await on.put(path, { body: null, notes: null })).toMatchObject({ ...set, body: "", notes: "" });
  });
});

describe("the settings of an instance (contract section 2.8)", () => {
  const defaults = { access: true, user: null, ip: "any", port: null };

  test("are there for each instance, and go with it", async () => {
    const [one, two] = [await makeInstance(on, { group: "web" }), await makeInstance(on)];
    const listed = await on.list("/managed/compute-settings");
    expect(listed).toEqual([
      { id: one.id, label: one.label, group: "web", ssh: defaults },
      { id: two.id, label: two.label, group: "", ssh: defaults },
    ]);
    const path = `/managed/compute-settings/${one.id}`;
    expect(await on.get(path)).toEqual(listed[0]);
    await on.put(path, { ssh: { access: false, user: "admin", ip: one.ipv4[0], port: 2222 } });
    expect((await on.put(path, { ssh: { port: null } })).ssh).toEqual({
      access: false,
      user: "admin",
      ip: one.ipv4[0],
      port: null,
    });
    expect((await on.put(path, {})).ssh.access).toBe(false);
    expect((await on.put(path, { ssh: { user: "" } })).ssh.user).toBe(null);
    expect((await on.put(path, { ssh: defaults })).ssh).toEqual(defaults);
    expect((await on.get(`/managed/compute-settings/${two.id}`)).ssh).toEqual(defaults);
    await on.remove(`/compute/instances/${one.id}`);
    await on.refused(404, "GET", path);
    await on.refused(404, "PUT", path, { ssh: { port: 0 } });
  });

  test.each([
    [{ port: 0 }, "ssh.port", "Must be 1-65535"],
    [{ port: 65536 }, "ssh.port", "Must be 1-65535"],
    [{ port: "22" }, "ssh.port", "Must be of type Integer"],
    [{ user: "u".repeat(33) }, "ssh.user", "Length must be at most 32 characters"],
    [{ ip: "everywhere" }, "ssh.ip", "Must be an IP address or any"],
    [{ ip: "10.0.0.0/8" }, "ssh.ip", "Must be an IP address or any"],
    [{ access: "yes" }, "ssh.access", "Must be of type Boolean"],
  ])("cannot be %j (section 8)", async (ssh, field, reason) => {
    const [{ id }] = await on.list("/compute/instances");
    expect(await on.refused(400, "PUT", `/managed/compute-settings/${id}`, { ssh })).toEqual([
      { reason, field },
    ]);
  });
});
