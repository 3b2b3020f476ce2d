/** What inputs ask of each other is refused by the API server, with the property and the words of the check; and what passes the check passes there. */

import fc from "fast-check";
import type { TSchema } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Provider } from "../../provider/core/protocol.ts";
import { kindOf, version } from "../../provider/core/schema/manifest/form.ts";
import type { Demand } from "../../provider/core/type/demand.ts";
import { annotations, fieldsOf, itemsOf, mapItemsOf } from "../../provider/core/type/field.ts";
import { formats } from "../../provider/core/type/formats.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { createProvider, kinds } from "../../provider/provider.ts";
import { resourceTypes } from "../../provider/resources/index.ts";
import { resourceNamed } from "../provider/deployment.ts";
import { type Cluster, hasKubernetes, startCluster } from "./cluster.ts";
import { applyDefinitions } from "./definitions.ts";

const zone = { domain: "one.example", type: "master", soaEmail: "a@b.example" };
const slave = { domain: "one.example", type: "slave" };
const record = { domainId: "1", type: "A", name: "www", target: "192.0.2.1" };
const srv = {
  ...{ domainId: "1", type: "SRV", target: "sip.example.com" },
  ...{ service: "sip", priority: 1, weight: 1, port: 5060 },
};
const caa = { domainId: "1", type: "CAA", tag: "issue", target: "ca.example" };
const without = (values: object, name: string): ValueMap =>
  Object.fromEntries(Object.entries(values).filter(([each]) => each !== name));
const stored = { cluster: "us-east-1", bucket: "photos", name: "a.txt" };
const certificate = { cluster: "us-east-1", bucket: "photos" };
const mysql = { engine: "mysql/8.0.30", region: "us-east", type: "g6-nanode-1" };
const postgres = { ...mysql, engine: "postgresql/14.6" };
const pool = { clusterId: "1", type: "g6-standard-2" };
const cluster = (one: ValueMap) => ({
  ...{ region: "us-east", k8sVersion: "1.29" },
  nodePools: { main: { type: "g6-standard-2", ...one } },
});
const uncounted = "is required, except with an enabled autoscaler that has min and max";
const together = "is required: min and max need each other";

/** Declarations that break one demand each: the type, the inputs, the input that is refused and the words. */
const broken: [string, ValueMap, string, string][] = [
  [
    "dns/domain",
    { ...zone, importFrom: { remoteNameserver: "ns.example" }, cloneOf: "5" },
    "cloneOf",
    "cannot be combined with importFrom; keep one",
  ],
  ["dns/domain", without(zone, "soaEmail"), "soaEmail", "is required for a domain of type master"],
  ["dns/domain", { ...zone, soaEmail: "" }, "soaEmail", "is required for a domain of type master"],
  ["dns/domain", slave, "masterIps", "needs at least one address for a domain of type slave"],
  [
    "dns/domain",
    { ...slave, masterIps: [] },
    "masterIps",
    "needs at least one address for a domain of type slave",
  ],
  ["dns/record", { ...record, priority: 1 }, "priority", "is not for A records; take it out"],
  ["dns/record", { ...record, weight: 1 }, "weight", "is not for A records; take it out"],
  ["dns/record", { ...record, port: 80 }, "port", "is not for A records; take it out"],
  ["dns/record", { ...record, service: "sip" }, "service", "is not for A records; take it out"],
  ["dns/record", { ...record, protocol: "udp" }, "protocol", "is not for A records; take it out"],
  ["dns/record", { ...record, tag: "issue" }, "tag", "is not for A records; take it out"],
  ...["priority", "weight", "port", "service"].map((name): [string, ValueMap, string, string] => [
    "dns/record",
    without(srv, name),
    name,
    "is required for SRV records",
  ]),
  ["dns/record", { ...srv, service: "" }, "service", "is required for SRV records"],
  ["dns/record", without(caa, "tag"), "tag", "is required for CAA records"],
  ["dns/record", { ...record, name: "@" }, "name", 'must not be "@"; leave it out for the domain itself'],
  ["dns/record", { ...record, type: "TXT", target: "" }, "target", "is required for TXT records"],
  [
    "dns/record",
    { ...record, target: "www.example.com" },
    "target",
    "must be an IPv4 address (or [remote_addr])",
  ],
  ["dns/record", { ...record, type: "AAAA" }, "target", "must be an IPv6 address"],
  ["blockstorage/volume", { label: "data" }, "region", "is required without computeId"],
  [
    "blockstorage/volume",
    { region: "us-east", configId: "3" },
    "configId",
    "needs computeId, whose configuration profile it is",
  ],
  [
    "blockstorage/volume",
    { computeId: "2", configId: "3", persistAcrossBoots: false },
    "configId",
    "cannot be combined with persistAcrossBoots: false, which uses no configuration profile",
  ],
  [
    "managed/credential",
    { label: "login", username: "anna" },
    "password",
    "is required with username: the service takes the two together",
  ],
  [
    "objectstorage/object",
    { ...stored, content: "a", source: asset() },
    "source",
    "cannot be combined with content; give one of them",
  ],
  [
    "objectstorage/object",
    { ...stored, contentType: "text/plain" },
    "contentType",
    "needs content or source: the object is stored anew with it",
  ],
  [
    "objectstorage/bucketCertificate",
    { ...certificate, certificate: "x" },
    "privateKey",
    "is required: both parts are uploaded together",
  ],
  [
    "objectstorage/bucketCertificate",
    { ...certificate, privateKey: "x" },
    "certificate",
    "is required: both parts are uploaded together",
  ],
  ...(["databases/mySqlInstance", "databases/postgreSqlInstance"] as const).flatMap(
    (key): [string, ValueMap, string, string][] => {
      const sound = key === "databases/mySqlInstance" ? mysql : postgres;
      const several = key === "databases/mySqlInstance" ? "asynch or semi_synch" : "asynch";
      return [
        [key, { ...sound, clusterSize: 2 }, "clusterSize", "must be 1 or 3, not 2"],
        [
          key,
          { ...sound, replicationType: "asynch" },
          "replicationType",
          "must be none for a single node, not asynch",
        ],
        [
          key,
          { ...sound, clusterSize: 3, replicationType: "none" },
          "replicationType",
          `must be ${several} for three nodes, not none`,
        ],
        [
          key,
          { ...sound, updates: { frequency: "monthly" } },
          "updates.weekOfMonth",
          "is required for monthly maintenance",
        ],
        [
          key,
          { ...sound, updates: { weekOfMonth: 2 } },
          "updates.weekOfMonth",
          "is for monthly maintenance only; take it out",
        ],
      ];
    },
  ),
  ...[
    { clusterSize: 3, replicationCommitType: "on" } as ValueMap,
    { clusterSize: 3, replicationType: "asynch", replicationCommitType: "remote_write" } as ValueMap,
  ].map((inputs): [string, ValueMap, string, string] => [
    "databases/postgreSqlInstance",
    { ...postgres, ...inputs },
    "replicationCommitType",
    "must be local or off with asynch replication",
  ]),
  ...(
    [
      [pool, "count", uncounted],
      [{ ...pool, autoscaler: { min: 1, max: 2 } }, "count", uncounted],
    ] as const
  ).map(([inputs, input, says]): [string, ValueMap, string, string] => [
    "kubernetes/nodePool",
    inputs,
    input,
    says,
  ]),
  ["kubernetes/nodePool", { ...pool, count: 1, autoscaler: { min: 1 } }, "autoscaler.max", together],
  ["kubernetes/nodePool", { ...pool, count: 1, autoscaler: { max: 1 } }, "autoscaler.min", together],
  [
    "kubernetes/nodePool",
    { ...pool, autoscaler: { enabled: true, min: 3, max: 2 } },
    "autoscaler.min",
    "must not be above max",
  ],
  ["kubernetes/cluster", cluster({}), "nodePools.main.count", uncounted],
  [
    "kubernetes/cluster",
    cluster({ count: 1, autoscaler: { min: 1 } }),
    "nodePools.main.autoscaler.max",
    together,
  ],
  [
    "kubernetes/cluster",
    cluster({ count: 1, autoscaler: { max: 1 } }),
    "nodePools.main.autoscaler.min",
    together,
  ],
  [
    "kubernetes/cluster",
    cluster({ count: 1, autoscaler: { min: 3, max: 2 } }),
    "nodePools.main.autoscaler.min",
    "must not be above max",
  ],
];

/** Declarations that are as good as they look odd. */
const good: [string, ValueMap][] = [
  ["dns/domain", { ...without(zone, "soaEmail"), cloneOf: "5" }],
  ["dns/domain", { ...slave, soaEmail: "", masterIps: ["::ffff:192.0.2.1", "2001:DB8::1", "192.0.2.1"] }],
  ["dns/record", { ...record, priority: 0, port: 0, service: "" }],
  ["dns/record", { ...record, target: "[remote_addr]" }],
  ["dns/record", { domainId: "1", type: "MX", target: "" }],
  ["dns/record", srv],
  ["blockstorage/volume", { cloneOf: "3" }],
  [
    "databases/mySqlInstance",
    { ...mysql, clusterSize: 3, updates: { frequency: "monthly", weekOfMonth: 4 } },
  ],
  ["databases/mySqlInstance", { ...mysql, clusterSize: 1, replicationType: "none", updates: {} }],
  ["databases/postgreSqlInstance", { ...postgres, clusterSize: 3, replicationCommitType: "off" }],
  ["databases/postgreSqlInstance", { ...postgres, replicationCommitType: "on" }],
  ["kubernetes/nodePool", { ...pool, autoscaler: { enabled: true, min: 2, max: 2 } }],
  ["kubernetes/cluster", cluster({ autoscaler: { enabled: true, min: 1, max: 3 } })],
  ["kubernetes/cluster", cluster({ count: 3, autoscaler: {} })],
  ["managed/contact", { name: "on call", email: "a.b+c@sub_1.example" }],
];

function asset(): ValueMap[string] {
  return { "plumbline:asset": "stands for a file" } as ValueMap;
}

const typeOf = (key: string) => resourceTypes.find((each) => each.key === key)!;

/** The field's demands and those of what is within it, by where they stand; every entry of a map is one named `main`. */
function* demandsWithin(field: TSchema, path: string): Generator<readonly [string, Demand]> {
  for (const demand of annotations(field).demands ?? []) yield [`${path}.${demand.input}`, demand];
  for (const [name, each] of Object.entries(fieldsOf(field) ?? {}))
    yield* demandsWithin(each, `${path}.${name}`);
  const every = mapItemsOf(field);
  if (every) yield* demandsWithin(every, `${path}.main`);
  const items = itemsOf(field);
  if (items) yield* demandsWithin(items, `${path}[0]`);
}

const demandsOf = ({
  demands = [],
  inputs,
}: ReturnType<typeof typeOf>): readonly (readonly [string, Demand])[] => [
  ...demands.map((each) => [each.input, each] as const),
  ...Object.entries(inputs).flatMap(([name, field]) => [...demandsWithin(field, name)]),
];

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");

it("every demand of every type has a declaration here that breaks it", () => {
  const meant = broken.map(([key, , input, says]) => `${key} ${input} ${says}`);
  // Where words are named by a value, or by the words of `when`, every word has one.
  const demanded = resourceTypes.flatMap((type) =>
    demandsOf(type).map(([place, { says, when }]) => {
      const { in: words = [] } = ((when as { type?: object })?.type ?? {}) as { in?: readonly string[] };
      const said = words.length === 0 ? [says] : words.map((word) => says.replace("{type}", word));
      return said.map((each) => {
        const pattern = `${type.key} ${place} ${each}`.split(/\{\w+\}/).map((part) => escaped(part));
        return new RegExp(`^${pattern.join(".+")}$`);
      });
    }),
  );
  expect(demanded.length).toBeGreaterThan(45);
  expect(demanded.filter((all) => !all.some((one) => meant.some((each) => one.test(each))))).toEqual([]);
});

describe("the check", () => {
  const provider: Provider = createProvider({ environment: {} });
  const reasons = async (key: string, newInputs: ValueMap) => {
    const identity = resourceNamed(typeOf(key).token, "subject");
    const { failures } = await provider.check({ ...identity, newInputs, randomSeed: new Uint8Array(32) });
    return failures.map(({ property, reason }) => `${property}: ${reason}`);
  };

  it.each(broken.filter(([, inputs]) => !("source" in inputs)))(
    "refuses %s %j",
    async (key, inputs, input, says) => {
      expect(await reasons(key, inputs)).toContainEqual(expect.stringContaining(`${input}: ${says}`));
    },
  );
  it.each(good)("lets pass %s %j", async (key, inputs) => {
    expect(await reasons(key, inputs)).toEqual([]);
  });
});

describe("whatever has a format matches its pattern", () => {
  const drawn: { readonly [name: string]: fc.Arbitrary<string> } = {
    email: fc.emailAddress(),
    ip: fc.oneof(fc.ipV4Extended(), fc.ipV6()),
    "ip-or-any": fc.oneof(fc.constant("any"), fc.ipV4(), fc.ipV6()),
    ipv4: fc.ipV4Extended(),
    ipv6: fc.ipV6(),
    "ip-or-range": fc
      .tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 0, max: 128 }), fc.boolean())
      .map(([address, length, isRange]) => (isRange ? `${address}/${length}` : address)),
  };
  it.each(Object.keys(formats))("%s", (name) => {
    const { test, pattern } = formats[name]!;
    fc.assert(fc.property(drawn[name]!, (text) => !test(text) || new RegExp(pattern).test(text)));
  });
});

describe.skipIf(!hasKubernetes)("the API server", { timeout: 120_000 }, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    await applyDefinitions(cluster);
  }, 120_000);
  afterAll(() => cluster?.close());

  const tried = (key: string, inputs: ValueMap) => {
    const { group, kind, plural } = kindOf(typeOf(key));
    const { secrets } = kinds.get(typeOf(key).token)!;
    const spec = Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => {
        const secret = secrets.find(({ input }) => input === name);
        if (secret) return [secret.property, { name: "secrets", key: name }];
        return [name, name === "source" ? { text: "b" } : value];
      }),
    );
    const path = `/apis/${group}/${version}/namespaces/site/${plural}?dryRun=All`;
    return cluster.ask("POST", path, {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name: "x" },
      spec,
    });
  };

  it.each(broken)("refuses %s %j by %s", async (key, inputs, input, says) => {
    const { status, body } = await tried(key, inputs);
    expect(status).toBe(422);
    const { secrets } = kinds.get(typeOf(key).token)!;
    const property = secrets.find((each) => each.input === input)?.property ?? input;
    const { causes } = body["details"] as { causes: { field: string; message: string }[] };
    expect(causes).toEqual([
      {
        reason: expect.any(String),
        field: `spec.${property.replace(".main", "[main]")}`,
        message: expect.stringContaining(says),
      },
    ]);
  });

  it.each(good)("takes %s %j", async (key, inputs) => {
    const { status, body } = await tried(key, inputs);
    expect([status, body.message]).toEqual([201, undefined]);
  });

  it("takes what names an object or a Secret in place of an input, and refuses what lacks both", async () => {
    const { domainId: _, ...spec } = record;
    expect((await tried("dns/record", { ...spec, domainRef: { name: "zone" } })).status).toBe(201);
    expect((await tried("managed/credential", { label: "login", username: "a", password: "x" })).status).toBe(
      201,
    );
    expect((await tried("blockstorage/volume", { cloneOfRef: { name: "other" } })).status).toBe(201);
    expect(
      (await tried("dns/domain", { ...without(zone, "soaEmail"), cloneOfRef: { name: "other" } })).status,
    ).toBe(201);
  });
});
