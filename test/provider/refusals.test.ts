import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Provider } from "../../provider/core/protocol.ts";
import { secret, unknown, unknownFrom, type ValueMap } from "../../provider/core/value.ts";
import { type Account, openAccount, type Resource, resourceNamed } from "./deployment.ts";

let account: Account;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

const domain = (name = "zone") => resourceNamed("plumbline:dns/domain:Domain", name);
const record = (name = "r") => resourceNamed("plumbline:dns/record:Record", name);
const vpc = (name = "net") => resourceNamed("plumbline:vpc/vpc:Vpc", name);
const subnet = (name = "s") => resourceNamed("plumbline:vpc/subnet:Subnet", name);
const volume = (name = "v") => resourceNamed("plumbline:blockstorage/volume:Volume", name);
const randomSeed = new Uint8Array(32).fill(9);
const zoneId = unknownFrom(`${domain().urn}#id`);

const reasons = async (provider: Provider, resource: Resource, newInputs: ValueMap, oldInputs?: ValueMap) => {
  const { failures } = await provider.check({
    ...resource,
    newInputs,
    randomSeed,
    ...(oldInputs && { oldInputs }),
  });
  return failures.map(({ property, reason }) => `${property}: ${reason}`);
};

describe("the declaration alone is refused without any request", () => {
  let provider: Provider;
  beforeAll(async () => {
    provider = await account.open();
  });
  afterEach(() => expect(provider.requests()).toEqual({}));

  const cases: [string, Resource, ValueMap, (string | RegExp)[]][] = [
    [
      "a property of no name that is known",
      record("a1"),
      { domainId: 1, type: "A", target: "192.0.2.1", prority: 1 },
      ['prority: is not a known property; did you mean "priority"?'],
    ],
    [
      "an output given as an input",
      volume("a2"),
      { region: "us-east", status: "active" },
      [/^status: is made by the service/],
    ],
    [
      "a wrong type, with the value",
      volume("a3"),
      { region: "us-east", size: "big" },
      ['size: must be a whole number, not "big"'],
    ],
    [
      "several faults at once",
      domain("a4"),
      { domain: "x", type: "primary", ttlSec: -1 },
      [
        /^domain: must be a domain name/,
        'type: must be one of master, slave, not "primary"',
        "ttlSec: must be at least 0, not -1",
      ],
    ],
    [
      "a master without an e-mail address",
      domain("a5"),
      { domain: "a.example", type: "master" },
      ["soaEmail: is required for a domain of type master"],
    ],
    [
      "a slave without masters",
      domain("a6"),
      { domain: "a.example", type: "slave", masterIps: [] },
      ["masterIps: needs at least one address for a domain of type slave"],
    ],
    [
      "an address in a list",
      domain("a7"),
      { domain: "a.example", type: "slave", masterIps: ["192.0.2.1", "192.0.2"] },
      ['masterIps[1]: must be an IPv4 or IPv6 address, not "192.0.2"'],
    ],
    [
      "lists over 1000 characters",
      domain("a8"),
      { domain: "a.example", type: "slave", masterIps: Array(100).fill("192.0.2.100") },
      ["masterIps: may hold 1000 characters in all, not 1100"],
    ],
    [
      "two ways to fill a zone",
      domain("a9"),
      { domain: "a.example", type: "master", cloneOf: "1", importFrom: { remoteNameserver: "ns.example" } },
      ["cloneOf: cannot be combined with importFrom; keep one"],
    ],
    [
      "a nested property that is missing",
      domain("b1"),
      { domain: "a.example", type: "master", importFrom: {} },
      ["importFrom.remoteNameserver: is required"],
    ],
    [
      "an id that is none",
      record("b2"),
      { domainId: "one", type: "A", target: "192.0.2.1" },
      ['domainId: must be an id: a positive number, not "one"'],
    ],
    [
      "SRV without port",
      record("b3"),
      { domainId: 1, type: "SRV", service: "sip", target: "sip", priority: 0, weight: 0 },
      ["port: is required for SRV records"],
    ],
    [
      "fields that are not for the type",
      record("b4"),
      { domainId: 1, type: "A", target: "192.0.2.1", port: 80, tag: "issue", priority: 0 },
      ["port: is not for A records; take it out", "tag: is not for A records; take it out"],
    ],
    [
      "CAA without tag",
      record("b5"),
      { domainId: 1, type: "CAA", target: "ca.example" },
      ["tag: is required for CAA records"],
    ],
    [
      "a wildcard NS",
      record("b6"),
      { domainId: 1, type: "NS", name: "*.x", target: "ns.example" },
      ["name: must not have a wildcard: NS records take none"],
    ],
    [
      "a CNAME without a name",
      record("b7"),
      { domainId: 1, type: "CNAME", target: "a.example" },
      ["name: is required for CNAME records"],
    ],
    [
      "an at sign for the apex",
      record("b8"),
      { domainId: 1, type: "A", name: "@", target: "192.0.2.1" },
      ['name: must not be "@"; leave it out for the domain itself'],
    ],
    [
      "an address as an alias",
      record("b9"),
      { domainId: 1, type: "CNAME", name: "x", target: "192.0.2.1" },
      ['target: must be a domain name, not "192.0.2.1"'],
    ],
    [
      "a Null MX with a priority",
      record("c1"),
      { domainId: 1, type: "MX", target: "", priority: 5 },
      [/^priority: must be 0 for a Null MX/],
    ],
    [
      "an IPv6 address in an A record",
      record("c2"),
      { domainId: 1, type: "A", target: "2001:db8::1" },
      [/^target: must be an IPv4 address/],
    ],
    [
      "host bits in a range",
      subnet("c3"),
      { vpcId: 1, ipv4: "10.0.0.1/24" },
      ["ipv4: must not have host bits set: the range that holds 10.0.0.1/24 is 10.0.0.0/24"],
    ],
    [
      "a public range",
      subnet("c4"),
      { vpcId: 1, ipv4: "192.0.2.0/24" },
      [/^ipv4: must be within a private space/],
    ],
    [
      "a range too small",
      subnet("c5"),
      { vpcId: 1, ipv4: "10.0.0.0/30" },
      ["ipv4: must have a prefix length of 1 to 29, not 30"],
    ],
    [
      "the service's own range",
      subnet("c6"),
      { vpcId: 1, ipv4: "192.168.200.0/24" },
      [/^ipv4: must not overlap 192.168.128.0\/17/],
    ],
    [
      "double hyphens in a label",
      vpc("c7"),
      { region: "us-east", label: "a--b" },
      ['label: must not have two hyphens in a row, not "a--b"'],
    ],
    [
      "a label that begins with a digit",
      volume("c8"),
      { region: "us-east", label: "1a" },
      ['label: must begin with a letter, not "1a"'],
    ],
    ["a volume without a place", volume("c9"), { label: "abc" }, ["region: is required without computeId"]],
    [
      "a profile without an instance",
      volume("d1"),
      { region: "us-east", configId: 5 },
      ["configId: needs computeId, whose configuration profile it is"],
    ],
    [
      "a profile for an attachment without one",
      volume("d2"),
      { computeId: 1, configId: 5, persistAcrossBoots: false },
      [/^configId: cannot be combined with persistAcrossBoots: false/],
    ],
  ];
  test.each(cases)("%s", async (_, resource, inputs, expected) => {
    const found = await reasons(provider, resource, inputs);
    expect(found).toHaveLength(expected.length);
    for (const each of expected) {
      expect(found).toContainEqual(typeof each === "string" ? each : expect.stringMatching(each));
    }
  });

  test("a volume that shrinks, but not one that is replaced", async () => {
    const old = { label: "abc", region: "us-east", size: 40 };
    expect(await reasons(provider, volume("e1"), { ...old, size: 30 }, old)).toEqual([
      "size: cannot shrink from 40 to 30 GB: a volume only grows",
    ]);
    expect(await reasons(provider, volume("e1"), { ...old, size: 30, region: "us-southeast" }, old)).toEqual(
      [],
    );
  });

  test("unknown and secret values are neither judged nor shown", async () => {
    expect(
      await reasons(provider, record("e2"), {
        domainId: unknown,
        type: unknown,
        name: unknown,
        target: unknown,
      }),
    ).toEqual([]);
    expect(
      await reasons(provider, domain("e3"), { domain: unknown, type: "slave", masterIps: [unknown, "x"] }),
    ).toEqual(['masterIps[1]: must be an IPv4 or IPv6 address, not "x"']);
    expect(await reasons(provider, volume("e4"), { region: "us-east", size: secret("hidden") })).toEqual([
      "size: must be a whole number",
    ]);
    expect(await reasons(provider, volume("e5"), { computeId: unknown, label: null as never })).toEqual([]);
  });
});

describe("resources of one plan that cannot stand together are refused without any request", () => {
  let provider: Provider;
  const declare = async (resource: Resource, inputs: ValueMap) =>
    (await reasons(provider, resource, inputs))[0];
  afterEach(async () => expect(provider.requests()).toEqual({}));
  const begin = async () => {
    provider = await account.open();
    await declare(domain(), { domain: "a.example", type: "master", soaEmail: "x@a.example" });
  };
  const cname = (name: string) => ({ domainId: zoneId, type: "CNAME", name, target: "b.example" });

  test("two CNAMEs of a name, however it is written", async () => {
    await begin();
    expect(await declare(record("one"), cname("www"))).toBeUndefined();
    expect(await declare(record("two"), cname("WWW.a.example."))).toMatch(
      /^name: is also the name of "one" in this plan, and only one CNAME/,
    );
    expect(await declare(record("three"), cname("web"))).toBeUndefined();
  });

  test("a CNAME beside other data, both ways, and beside a service's name", async () => {
    await begin();
    await declare(record("a"), { domainId: zoneId, type: "A", name: "www", target: "192.0.2.1" });
    expect(await declare(record("c"), cname("www"))).toMatch(
      /"a" in this plan \(A\), and a CNAME must be alone/,
    );
    await declare(record("d"), cname("_sip._tcp"));
    const srv = {
      domainId: zoneId,
      type: "SRV",
      service: "sip",
      target: "sip",
      priority: 0,
      weight: 0,
      port: 1,
    };
    expect(await declare(record("e"), srv)).toMatch(/is the name of "d" in this plan, a CNAME/);
  });

  test("what is declared again replaces what it was, and parents that cannot be told apart are not compared", async () => {
    await begin();
    await declare(record("one"), cname("www"));
    await declare(record("one"), cname("web"));
    expect(await declare(record("two"), cname("www"))).toBeUndefined();
    expect(await declare(record("three"), { ...cname("www"), domainId: unknown })).toBeUndefined();
    expect(await declare(record("four"), { ...cname("www"), domainId: "7" })).toBeUndefined();
    expect(await declare(record("five"), { ...cname("www"), domainId: 7 })).toMatch(/"four"/);
  });

  test("a Null MX beside another MX", async () => {
    await begin();
    await declare(record("mx"), {
      domainId: zoneId,
      type: "MX",
      name: "sub",
      target: "m.example",
      priority: 1,
    });
    expect(await declare(record("null"), { domainId: zoneId, type: "MX", target: "" })).toMatch(
      /^target: conflicts with "mx"/,
    );
  });

  test("overlapping subnets and equal labels of one network", async () => {
    await begin();
    const vpcId = unknownFrom(`${vpc().urn}#id`);
    await declare(subnet("one"), { vpcId, ipv4: "10.0.0.0/24", label: "web" });
    expect(await declare(subnet("two"), { vpcId, ipv4: "10.0.0.128/25", label: "data" })).toMatch(
      /^ipv4: 10.0.0.128\/25 overlaps 10.0.0.0\/24 of "one"/,
    );
    expect(await declare(subnet("three"), { vpcId, ipv4: "10.1.0.0/24", label: "web" })).toMatch(
      /^label: "web" is also the label of "one"/,
    );
    expect(
      await declare(subnet("four"), {
        vpcId: unknownFrom(`${vpc("b").urn}#id`),
        ipv4: "10.0.0.0/24",
        label: "web",
      }),
    ).toBeUndefined();
  });

  test("equal names of domains and labels of volumes", async () => {
    await begin();
    expect(
      await declare(domain("other"), { domain: "A.example", type: "slave", masterIps: ["192.0.2.1"] }),
    ).toMatch(/^domain: .* also the domain of "zone"/);
    await declare(volume("one"), { label: "disk", region: "us-east" });
    expect(await declare(volume("two"), { label: "disk", region: "us-east" })).toMatch(
      /^label: "disk" is also the label of "one"/,
    );
  });

  test.each([
    ["dns/zone:Zone", { domainId: 7, records: [] }, { domainId: 8, records: [] }, "domainId"],
    ["managed/instanceSettings:InstanceSettings", { computeId: 7 }, { computeId: "8" }, "computeId"],
    [
      "objectstorage/bucket:Bucket",
      { cluster: "us-east-1", label: "one" },
      { cluster: "us-west-1", label: "one" },
      "label",
    ],
    [
      "objectstorage/objectAcl:ObjectAcl",
      { cluster: "us-east-1", bucket: "one", name: "a/b", acl: "private" },
      { cluster: "us-east-1", bucket: "two", name: "a/b", acl: "private" },
      "name",
    ],
  ] as const)("a %s whose path another one has", async (type, inputs, elsewhere, property) => {
    await begin();
    const named = (name: string) => resourceNamed(`plumbline:${type}`, name);
    expect(await declare(named("one"), inputs)).toBeUndefined();
    expect(await declare(named("two"), elsewhere)).toBeUndefined();
    expect(await declare(named("three"), inputs)).toMatch(
      new RegExp(`^${property}: this \\w+ is also declared by "one" in this plan`),
    );
  });
});

describe("a preview refuses what the live account shows to be impossible", () => {
  const preview = (resource: Resource, inputs: ValueMap) =>
    account.during((provider) => provider.create({ ...resource, inputs, preview: true }));
  let zone: string;
  let net: string;
  beforeAll(async () => {
    zone = String(
      (
        await account.call("POST", "/domains", {
          domain: "live.example",
          type: "master",
          soa_email: "x@live.example",
        })
      )["id"],
    );
    await account.call("POST", `/domains/${zone}/records`, { type: "A", name: "www", target: "192.0.2.1" });
    await account.call("POST", `/domains/${zone}/records`, {
      type: "CNAME",
      name: "alias",
      target: "b.example",
    });
    net = String(
      (
        await account.call("POST", "/vpcs", {
          label: "live",
          region: "us-east",
          subnets: [{ label: "web", ipv4: "10.0.0.0/24" }],
        })
      )["id"],
    );
    await account.call("POST", "/volumes", { label: "live", region: "us-east", size: 30 });
  });

  test("names that are taken, with the id and the way to import", async () => {
    await expect(
      preview(domain(), { domain: "Live.example", type: "master", soaEmail: "x@y.example" }),
    ).rejects.toMatchObject({
      failures: [
        {
          property: "domain",
          reason: expect.stringContaining(`plumbline import plumbline:dns:Domain zone ${zone}`),
        },
      ],
    });
    await expect(preview(vpc(), { label: "live", region: "us-east" })).rejects.toThrow(`id ${net}`);
    await expect(preview(volume(), { label: "live", region: "us-east" })).rejects.toThrow("label");
    await expect(preview(subnet(), { vpcId: net, label: "web", ipv4: "10.1.0.0/24" })).rejects.toThrow(
      /^label: a Subnet with label "web" exists/,
    );
  });

  test("a range that overlaps a live subnet", async () => {
    await expect(preview(subnet(), { vpcId: net, label: "x", ipv4: "10.0.0.0/25" })).rejects.toThrow(
      /overlaps 10.0.0.0\/24 of subnet .* \(web\)/,
    );
  });

  test("a CNAME beside live data and data beside a live CNAME, by relative or full name", async () => {
    const cname = { domainId: zone, type: "CNAME", target: "b.example" };
    await expect(preview(record(), { ...cname, name: "www" })).rejects.toThrow("a CNAME must be alone");
    await expect(preview(record(), { ...cname, name: "www.live.example" })).rejects.toThrow(
      "a CNAME must be alone",
    );
    await expect(
      preview(record(), { domainId: zone, type: "A", name: "alias", target: "192.0.2.1" }),
    ).rejects.toThrow("which must be alone");
    await preview(record(), { ...cname, name: "free" });
  });

  test("a clone smaller than its source, or in another region", async () => {
    const source = await account.during((provider) => provider.read({ ...volume(), id: "live" }));
    const clone = { label: "copy", cloneOf: source!.id };
    await expect(preview(volume(), { ...clone, size: 20 })).rejects.toThrow("at least 30 GB");
    await expect(preview(volume(), { ...clone, region: "us-southeast" })).rejects.toThrow("us-east");
    await preview(volume(), clone);
  });

  test("what this deployment itself has is no obstacle to its own replacement", async () => {
    const provider = await account.open();
    const inputs = { label: "live", region: "us-southeast" };
    const state = { label: "live", region: "us-east" };
    await provider.diff({ ...vpc(), id: net, oldInputs: state, state, newInputs: inputs });
    await expect(provider.create({ ...vpc(), inputs, preview: true })).resolves.toMatchObject({ id: "" });
    const known = { isKnownId: (id: string) => id === net };
    await account.during((each) => each.create({ ...vpc("other"), inputs, preview: true, ...known }));
  });

  test("a new name in an update that is taken, and a shrink seen only in the state", async () => {
    const provider = await account.open();
    const old = { label: "mine", region: "us-east" };
    const own = { ...volume(), id: "999", oldInputs: old, state: { ...old, size: 40 }, preview: true };
    await expect(provider.update({ ...own, newInputs: { ...old, size: 30 } })).rejects.toThrow(
      "cannot shrink",
    );
    expect(provider.requests()).toEqual({});
    await expect(provider.update({ ...own, newInputs: { ...old, label: "live" } })).rejects.toThrow(
      "exists already",
    );
  });
});
