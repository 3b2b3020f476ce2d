import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSecret, reveal, type ValueMap } from "../../provider/core/value.ts";
import { type Account, apply, openAccount, type Resource, resourceNamed, type Saved } from "./deployment.ts";
import { leadsItsLife } from "./lifecycle.ts";

const instance = async (account: Account, label: string): Promise<string> => {
  const body = {
    label,
    region: "us-east",
    type: "g6-standard-1",
    image: "compute/debian12",
    root_pass: "pW!aVz2e7HcR",
  };
  return String((await account.call("POST", "/compute/instances", body))["id"]);
};

const put = (path: string, body: object) => () => ({ method: "PUT", path, body });
const on = (collection: string, body: object) => (saved: { id: string }) =>
  put(`/managed/${collection}/${saved.id}`, body)();

const contact = { name: "Jo Doe", email: "jo@example.org" };

leadsItsLife({
  type: "plumbline:managed/contact:Contact",
  prepare: async () => ({}),
  steps: [
    { does: "create", declare: () => contact, leaves: contact },
    {
      does: "update",
      declare: () => ({ ...contact, group: "on-call", phone: { primary: "555-010-0199" } }),
      changes: ["group", "phone"],
      leaves: { group: "on-call", phone: { primary: "555-010-0199" } },
    },
    {
      does: "update",
      declare: () => ({ ...contact, group: "on-call", phone: { secondary: "+1 555 010 0100 ext. 7" } }),
      changes: ["phone"],
    },
    { does: "update", declare: () => ({ name: "Jo-2", email: "jo2@example.org" }) },
    { does: "same", declare: () => ({ name: "Jo-2", email: "jo2@example.org", phone: {} }) },
    {
      does: "update",
      declare: () => ({ ...contact, group: "night", phone: { primary: "555-010-0199" } }),
      changes: ["name", "email", "group", "phone"],
    },
  ],
  naturalName: () => "Jo Doe",
  drift: {
    name: on("contacts", { name: "theirs" }),
    email: on("contacts", { email: "theirs@example.org" }),
    group: on("contacts", { group: null }),
    phone: on("contacts", { phone: { primary: null, secondary: "555-010-0111" } }),
  },
});

const service = { label: "shop", serviceType: "url", address: "https://shop.example/health", timeout: 10 };

leadsItsLife({
  type: "plumbline:managed/service:Service",
  prepare: async (account) => {
    const make = async (label: string) =>
      String((await account.call("POST", "/managed/credentials", { label, password: "x-1" }))["id"]);
    return { one: await make("one"), two: await make("two") };
  },
  steps: [
    { does: "create", declare: () => service, leaves: { enabled: true, body: "", credentials: [] } },
    { does: "same", declare: () => ({ ...service, address: `${service.address}#top` }) },
    {
      does: "update",
      declare: ({ one, two }) => ({
        ...service,
        body: "it works",
        consultationGroup: "on-call",
        notes: "The shop",
        credentials: [two, one],
        enabled: false,
      }),
      changes: ["body", "consultationGroup", "notes", "credentials", "enabled"],
      leaves: { status: "disabled", enabled: false },
    },
    {
      does: "update",
      declare: ({ one, two }) => ({ ...service, body: "it works", credentials: [one, two] }),
      changes: ["consultationGroup", "notes", "enabled"],
      leaves: { enabled: true },
    },
    {
      does: "update",
      declare: () => ({
        label: "mail",
        serviceType: "tcp",
        address: "10.1.2.3:25",
        timeout: 255,
        region: "us-east",
      }),
      changes: ["label", "serviceType", "address", "timeout", "region", "body", "credentials"],
      leaves: { region: "us-east", body: "", credentials: [] },
    },
    { does: "update", declare: () => service },
    {
      does: "update",
      declare: ({ one }) => ({
        ...service,
        address: "https://192.168.7.7/x?y=1",
        region: "us-east",
        body: "up",
        consultationGroup: "on-call",
        notes: "n",
        credentials: [one],
        enabled: false,
      }),
    },
  ],
  naturalName: () => "shop",
  drift: {
    label: on("services", { label: "theirs" }),
    address: on("services", { address: "https://192.168.7.8/" }),
    timeout: on("services", { timeout: 20 }),
    body: on("services", { body: null }),
    consultationGroup: on("services", { consultation_group: "day" }),
    notes: on("services", { notes: "theirs" }),
    credentials: on("services", { credentials: [] }),
    region: on("services", { region: "us-southeast" }),
    enabled: ({ id }) => ({ method: "POST", path: `/managed/services/${id}/enable`, body: {} }),
  },
});

leadsItsLife({
  type: "plumbline:managed/credential:Credential",
  prepare: async () => ({}),
  steps: [
    { does: "create", declare: () => ({ password: "first-1" }) },
    { does: "update", declare: () => ({ label: "shop", password: "first-1" }), changes: ["label"] },
    { does: "update", declare: () => ({ label: "shop", password: "second-2" }), changes: ["password"] },
    {
      does: "update",
      declare: () => ({ label: "shop", password: "third-3", username: "deploy" }),
      changes: ["username", "password"],
    },
    { does: "update", declare: () => ({ label: "shop", password: "third-3" }), changes: ["username"] },
    { does: "same", declare: () => ({ label: "shop" }) },
  ],
  naturalName: () => "shop",
  unreadable: ["password", "username"],
  drift: { label: on("credentials", { label: "theirs" }) },
});

leadsItsLife({
  type: "plumbline:managed/instanceSettings:InstanceSettings",
  prepare: async (account) => {
    const [one, two] = [await instance(account, "web-1"), await instance(account, "web-2")];
    const ssh = { access: false, user: "theirs", ip: "203.0.113.1", port: 2222 };
    await account.call("PUT", `/managed/compute-settings/${one}`, { ssh });
    return { one, two };
  },
  steps: [
    {
      does: "create",
      declare: ({ one }) => ({ computeId: one, ssh: { user: "admin" } }),
      leaves: { label: "web-1", ssh: { access: true, user: "admin", ip: "any" } },
    },
    {
      does: "update",
      declare: ({ one }) => ({ computeId: one, ssh: { access: false, ip: "2001:DB8::1", port: 22 } }),
      changes: ["ssh"],
      leaves: { ssh: { access: false, port: 22 } },
    },
    { does: "update", declare: ({ one }) => ({ computeId: one }), changes: ["ssh"] },
    {
      does: "replace",
      declare: ({ two }) => ({ computeId: two, ssh: { port: 2200 } }),
      changes: ["computeId", "ssh"],
      leaves: { label: "web-2" },
    },
  ],
  naturalName: () => "web-2",
  remains: { ssh: { access: true, ip: "any" } },
  drift: { ssh: on("compute-settings", { ssh: { access: false, port: 2200 } }) },
});

describe("refusals of the declaration alone", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.close());

  const named = (name: string): Resource =>
    resourceNamed(`plumbline:managed/${name.charAt(0).toLowerCase()}${name.slice(1)}:${name}`, "subject");
  test.each<[string, string, ValueMap, (string | RegExp)[]]>([
    ["a contact without name and address", "Contact", {}, ["name: is required", "email: is required"]],
    [
      "a contact of values too short",
      "Contact",
      { name: "J", email: "no", group: "x", phone: { primary: "call me", secondary: "12" } },
      [
        "name: must have 2 to 64 characters, not 1",
        /^email: must be an e-mail/,
        "group: must have 2 to 50 characters, not 1",
        /^phone\.primary: must be a phone number/,
        /^phone\.secondary: must be a phone number/,
      ],
    ],
    [
      "a contact of values too long",
      "Contact",
      { name: "J".repeat(65), email: "jo@example.org", group: "x".repeat(51) },
      ["name: must have 2 to 64 characters, not 65", "group: must have 2 to 50 characters, not 51"],
    ],
    ["a name of other letters", "Contact", { ...contact, name: "Jörg" }, [/^name: must have only ASCII/]],
    [
      "a service without what it needs",
      "Service",
      {},
      ["label: is required", "serviceType: is required", "address: is required", "timeout: is required"],
    ],
    [
      "a service of values too short",
      "Service",
      { ...service, label: "ab", address: "x", timeout: 0 },
      [
        "label: must have 3 to 64 characters, not 2",
        "address: must have 3 to 100 characters, not 1",
        "timeout: must be 1 to 255, not 0",
      ],
    ],
    [
      "a service of values too long",
      "Service",
      {
        ...service,
        label: "x".repeat(65),
        address: `https://shop.example/${"x".repeat(80)}`,
        timeout: 256,
        body: "x".repeat(101),
        consultationGroup: "x".repeat(51),
      },
      [
        "label: must have 3 to 64 characters, not 65",
        "address: must have 3 to 100 characters, not 101",
        "timeout: must be 1 to 255, not 256",
        "body: must have 0 to 100 characters, not 101",
        "consultationGroup: must have 0 to 50 characters, not 51",
      ],
    ],
    [
      "a service of another kind, with no ids",
      "Service",
      { ...service, label: "shop!", serviceType: "icmp", credentials: ["main"] },
      [
        /^label: must have only ASCII/,
        'serviceType: must be one of url, tcp, not "icmp"',
        /^credentials\[0\]: must be an id/,
      ],
    ],
    [
      "a private address without a region",
      "Service",
      { ...service, address: "http://10.0.0.1/" },
      [/^region: is required for the private address 10\.0\.0\.1/],
    ],
    [
      "a region for a public address",
      "Service",
      { ...service, region: "us-east" },
      [/^region: must not be given, as shop\.example is no private address/],
    ],
    [
      "an address of the other kind",
      "Service",
      { ...service, serviceType: "tcp" },
      [/^address: must be an address like example\.org:25, not/],
    ],
    [
      "a port for a page",
      "Service",
      { ...service, address: "shop.example:80" },
      [/^address: must be an address like https:/],
    ],
    ["a new credential without a password", "Credential", { label: "shop" }, [/^password: is required/]],
    [
      "a credential of values too short",
      "Credential",
      { label: "x", password: "" },
      ["label: must have 2 to 75 characters, not 1", "password: must have at least 1 characters"],
    ],
    [
      "a credential of values too long",
      "Credential",
      { label: "x".repeat(76), username: "u".repeat(5001), password: "p" },
      ["label: must have 2 to 75 characters, not 76", "username: must have 0 to 5000 characters, not 5001"],
    ],
    [
      "a label of other letters",
      "Credential",
      { label: "shop!", password: "p" },
      [/^label: must have only ASCII/],
    ],
    ["settings of nothing", "InstanceSettings", { ssh: {} }, ["computeId: is required"]],
    [
      "settings out of bounds",
      "InstanceSettings",
      { computeId: "web-1", ssh: { port: 0, ip: "somewhere", user: "" } },
      [
        /^computeId: must be an id/,
        /^ssh\.ip: must be an IPv4 or IPv6 address, or any/,
        "ssh.port: must be 1 to 65535, not 0",
        "ssh.user: must have 1 to 32 characters, not 0",
      ],
    ],
    [
      "settings beyond the bounds",
      "InstanceSettings",
      { computeId: 1, ssh: { port: 65_536, user: "u".repeat(33) } },
      ["ssh.port: must be 1 to 65535, not 65536", "ssh.user: must have 1 to 32 characters, not 33"],
    ],
  ])("%s", async (_, name, newInputs, expected) => {
    const provider = await account.open();
    const { failures } = await provider.check({ ...named(name), newInputs, randomSeed: new Uint8Array(32) });
    expect(failures.map(({ property, reason }) => `${property}: ${reason}`)).toEqual(
      expected.map((each) => (typeof each === "string" ? each : expect.stringMatching(each))),
    );
    expect(provider.requests()).toEqual({});
  });

  test("a password that breaks a rule is not in the refusal", async () => {
    const provider = await account.open();
    const newInputs = { label: "shop", password: 123456789 };
    const { failures } = await provider.check({ ...named("Credential"), newInputs });
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(failures)).not.toContain("123456789");
  });

  test("two settings of one instance are refused, whatever their own values", async () => {
    const provider = await account.open();
    const newInputs = { computeId: 5 };
    const first = { ...named("InstanceSettings"), urn: "urn:pulumi:dev::test::x::first", name: "first" };
    expect((await provider.check({ ...first, newInputs })).failures).toEqual([]);
    const { failures } = await provider.check({ ...named("InstanceSettings"), newInputs });
    expect(failures).toMatchObject([{ property: "computeId", reason: expect.stringContaining('"first"') }]);
  });
});

describe("a credential", () => {
  let account: Account;
  const resource = resourceNamed("plumbline:managed/credential:Credential", "shop");
  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.close());
  const writes = () =>
    Object.entries(account.emulator.stats().requests).filter(([request]) => !request.startsWith("GET"));
  /** The writes that the work makes, by operation. */
  const writesOf = async (work: () => Promise<unknown>) => {
    const before = Object.fromEntries(writes());
    await work();
    const made = writes().map(([request, count]) => [request, count - (before[request] ?? 0)] as const);
    return Object.fromEntries(made.filter(([, count]) => count > 0));
  };

  test("is rotated by one update call, and its password is nowhere but in secrets", async () => {
    const made = await apply(
      account,
      resource,
      { label: "shop", username: "a", password: "pa55-old" },
      undefined,
    );
    let rotated = made;
    const asked = await writesOf(async () => {
      rotated = await apply(account, resource, { label: "shop", username: "b", password: "pa55-new" }, made);
    });
    expect(asked).toEqual({ "POST /managed/credentials/{credentialId}/update": 1 });
    for (const { inputs, state } of [made, rotated]) {
      const { password, ...others } = inputs;
      expect(isSecret(password)).toBe(true);
      expect(reveal(password!)).toMatch(/^pa55-/);
      expect(JSON.stringify([others, state])).not.toContain("pa55");
    }
    expect(JSON.stringify(rotated.diff)).not.toContain("pa55");
    const { id, inputs: oldInputs, state } = rotated;
    const removal = await writesOf(() =>
      account.during((provider) => provider.delete({ ...resource, id, oldInputs, state })),
    );
    expect(removal).toEqual({ "POST /managed/credentials/{credentialId}/revoke": 1 });
  });

  test("keeps the user name that it was imported with until one is declared, and both when both are taken out", async () => {
    const login = () => {
      const { collections } = account.emulator.data() as { collections: { [name: string]: object[] } };
      return collections["managedCredentials"]!.find((one) => (one as { label: string }).label === "theirs");
    };
    const made = { label: "theirs", username: "root", password: "pa55-a" };
    const { id } = await account.call("POST", "/managed/credentials", made);
    const imported = (await account.during((provider) => provider.read({ ...resource, id: String(id) })))!;
    const rotated = await apply(account, resource, { label: "theirs", password: "pa55-b" }, imported);
    expect(login()).toMatchObject({ _username: "root", _password: "pa55-b" });
    const named = await apply(
      account,
      resource,
      { label: "theirs", username: "deploy", password: "pa55-b" },
      rotated,
    );
    expect(login()).toMatchObject({ _username: "deploy", _password: "pa55-b" });
    expect(await writesOf(() => apply(account, resource, { label: "theirs" }, named))).toEqual({});
    expect(login()).toMatchObject({ _username: "deploy", _password: "pa55-b" });
    const provider = await account.open();
    const newInputs = { label: "theirs", username: "other" };
    const { failures } = await provider.check({ ...resource, oldInputs: named.inputs, newInputs });
    expect(failures).toEqual([
      { property: "password", reason: expect.stringContaining("is required with username") },
    ]);
  });

  test("that was imported is left as it is until a password is declared", async () => {
    const { id } = await account.call("POST", "/managed/credentials", { label: "mine", password: "pa55-x" });
    const imported = (await account.during((provider) => provider.read({ ...resource, id: String(id) })))!;
    expect(imported.inputs).toEqual({ label: "mine" });
    expect((await apply(account, resource, { label: "mine" }, imported)).operation).toBe("same");
    const set = await apply(account, resource, { label: "mine", password: "pa55-y" }, imported);
    expect(set.operation).toBe("update");
    expect(Object.keys(set.diff!.detailedDiff)).toEqual(["password"]);
  });

  test("whose update's answer is lost is updated again", async () => {
    const lossy = await openAccount({
      faults: [
        {
          method: "POST",
          path: "/managed/credentials/{credentialId}/update",
          nth: 1,
          times: 1,
          do: "reset-after",
        },
      ],
    });
    try {
      const made = await apply(lossy, resource, { label: "lost", password: "pa55-1" }, undefined);
      const set = await apply(lossy, resource, { label: "lost", password: "pa55-2" }, made);
      expect(set.operation).toBe("update");
      const update = "POST /managed/credentials/{credentialId}/update";
      expect(lossy.emulator.stats().requests[update]).toBe(2);
    } finally {
      await lossy.close();
    }
  });
});

describe("what others change", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount();
  });
  afterAll(() => account.close());
  const read = (resource: Resource, saved: Saved) =>
    account.during((provider) => provider.read({ ...resource, ...saved }));

  test("a service made one of the other kind is drift, and set right by one request", async () => {
    const resource = resourceNamed("plumbline:managed/service:Service", "shop");
    const made = await apply(account, resource, service, undefined);
    const other = { service_type: "tcp", address: "shop.example:25" };
    await account.call("PUT", `/managed/services/${made.id}`, other);
    const found = (await read(resource, made))!;
    expect(found.inputs).toEqual({ ...service, serviceType: "tcp", address: "shop.example:25" });
    const restored = await apply(account, resource, service, found);
    expect(Object.keys(restored.diff!.detailedDiff).sort()).toEqual(["address", "serviceType"]);
    expect(restored.state).toMatchObject(service);
    expect(account.requests()).toEqual({ GET: 1, PUT: 1 });
  });

  test("a service that is not to be monitored is not, from the beginning", async () => {
    const resource = resourceNamed("plumbline:managed/service:Service", "quiet");
    const declared = { ...service, label: "quiet", enabled: false };
    const { state } = await apply(account, resource, declared, undefined);
    expect(state).toMatchObject({ status: "disabled", enabled: false });
    expect(account.requests()).toEqual({ POST: 2 });
  });

  test("a credential that was revoked is taken off its services, which is drift of theirs", async () => {
    const { id } = await account.call("POST", "/managed/credentials", { label: "gone", password: "pa55" });
    const resource = resourceNamed("plumbline:managed/service:Service", "with-key");
    const declared = { ...service, label: "with key", credentials: [String(id)] };
    const made = await apply(account, resource, declared, undefined);
    await account.call("POST", `/managed/credentials/${id}/revoke`);
    expect((await read(resource, made))!.inputs).not.toHaveProperty("credentials");
    const failure = account.during((provider) =>
      provider.update({
        ...resource,
        id: made.id,
        oldInputs: { ...made.inputs, notes: "old" },
        state: made.state,
        newInputs: made.inputs,
        preview: false,
      }),
    );
    await expect(failure).rejects.toMatchObject({
      failures: [{ property: "credentials[0]", reason: expect.stringContaining(String(id)) }],
    });
  });

  test("two contacts of one name are told apart by their ids", async () => {
    for (const email of ["a@example.org", "b@example.org"])
      await account.call("POST", "/managed/contacts", { name: "Twin", email });
    const resource = resourceNamed("plumbline:managed/contact:Contact", "twin");
    await expect(account.during((provider) => provider.read({ ...resource, id: "Twin" }))).rejects.toThrow(
      /"Twin" names 2 objects; use one of their ids: \d+, \d+/,
    );
  });

  test("settings of an instance that is gone are gone, can be deleted, and cannot be made", async () => {
    const resource = resourceNamed("plumbline:managed/instanceSettings:InstanceSettings", "web");
    const computeId = await instance(account, "short-lived");
    const made = await apply(account, resource, { computeId, ssh: { port: 2222 } }, undefined);
    await account.call("DELETE", `/compute/instances/${computeId}`);
    expect(await read(resource, made)).toBeUndefined();
    const { id, inputs: oldInputs, state } = made;
    await account.during((provider) => provider.delete({ ...resource, id, oldInputs, state }));
    await expect(apply(account, resource, { computeId }, undefined)).rejects.toThrow(
      new RegExp(`no InstanceSettings ${computeId}`),
    );
  });
});

describe("functions", () => {
  let account: Account;
  let contactId: string;
  let credentialId: string;
  let serviceId: string;
  let computeId: string;
  beforeAll(async () => {
    account = await openAccount();
    const make = async (path: string, body: object) => String((await account.call("POST", path, body))["id"]);
    contactId = await make("/managed/contacts", { ...contact, group: "night" });
    await make("/managed/contacts", { name: "Al", email: "al@example.org" });
    credentialId = await make("/managed/credentials", { label: "key", password: "pa55" });
    serviceId = await make("/managed/services", {
      label: "shop",
      service_type: "url",
      address: "https://shop.example",
      timeout: 5,
      consultation_group: "night",
    });
    computeId = await instance(account, "web-1");
  });
  afterAll(() => account.close());

  const invoke = async (name: string, args: ValueMap = {}) => {
    const token = `plumbline:managed/${name}:${name}`;
    const { result, failures } = await account.during((provider) =>
      provider.invoke({ token, args, preview: false }),
    );
    expect(failures).toEqual([]);
    return result!;
  };

  test("single objects are found by id and by name", async () => {
    for (const args of [{ id: contactId }, { name: "Jo Doe" }] as ValueMap[])
      expect(await invoke("getContact", args)).toMatchObject({ id: contactId, group: "night" });
    for (const args of [{ id: serviceId }, { label: "shop" }] as ValueMap[])
      expect(await invoke("getService", args)).toMatchObject({ id: serviceId, enabled: true, timeout: 5 });
    for (const args of [{ id: credentialId }, { label: "key" }] as ValueMap[])
      expect(await invoke("getCredential", args)).toEqual({ id: credentialId, label: "key" });
    await expect(invoke("getContact", { name: "No" })).rejects.toThrow('no Contact with name "No"');
    await expect(invoke("getService", { id: 99 })).rejects.toThrow("no Service with id 99");
  });

  test("lists keep to what the arguments match", async () => {
    const names = async (fn: string, field: string, args: ValueMap, key: string) =>
      ((await invoke(fn, args))[field] as ValueMap[]).map((each) => each[key]);
    expect(await names("getContacts", "contacts", {}, "name")).toEqual(["Jo Doe", "Al"]);
    expect(await names("getContacts", "contacts", { group: "night" }, "name")).toEqual(["Jo Doe"]);
    expect(await names("getCredentials", "credentials", {}, "label")).toEqual(["key"]);
    expect(await names("getServices", "services", { consultationGroup: "night" }, "label")).toEqual(["shop"]);
    expect(await names("getServices", "services", { consultationGroup: "day" }, "label")).toEqual([]);
    expect(await names("getInstanceSettings", "settings", {}, "computeId")).toEqual([computeId]);
    expect(await names("getInstanceSettings", "settings", { computeId }, "label")).toEqual(["web-1"]);
    await expect(invoke("getInstanceSettings", { computeId: 99 })).rejects.toThrow(
      "no compute instance with id 99",
    );
  });

  test("a failing service has an issue, found in the list and by its id", async () => {
    expect(await invoke("getIssues")).toEqual({ issues: [] });
    const data = structuredClone(account.emulator.data()) as {
      collections: { managedServices: { [field: string]: unknown }[] };
    };
    data.collections.managedServices[0]!["_failing"] = true;
    account.emulator.setData(data);
    account.emulator.advance(900);
    const { issues } = (await invoke("getIssues", { serviceId })) as { issues: ValueMap[] };
    expect(issues).toMatchObject([{ services: [serviceId], entity: { type: "ticket" } }]);
    expect(await invoke("getIssue", { id: issues[0]!["id"]! })).toEqual(issues[0]);
    expect((await invoke("getIssues", { serviceId: 99 }))["issues"]).toEqual([]);
    expect((await invoke("getServices", { status: "problem" }))["services"]).toHaveLength(1);
    await expect(invoke("getIssue", { id: 99 })).rejects.toThrow("no issue with id 99");
  });

  test("arguments that name nothing, or two things, are refused without a request", async () => {
    for (const args of [{}, { id: contactId, name: "Jo Doe" }] as ValueMap[]) {
      const provider = await account.open();
      const token = "plumbline:managed/getContact:getContact";
      expect((await provider.invoke({ token, args, preview: false })).failures).toHaveLength(1);
      expect(provider.requests()).toEqual({});
    }
  });

  test("the account's usage and key are told", async () => {
    const stats = await invoke("getStats");
    for (const name of ["cpu", "disk", "swap", "netIn", "netOut"])
      expect(Array.isArray(stats[name])).toBe(true);
    expect(await invoke("getSshKey")).toEqual({ sshKey: expect.stringMatching(/^ssh-rsa AAAA/) });
  });
});
