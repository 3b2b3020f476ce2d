/** A life of 40 objects as manifests: they are made in any order, some are changed and some deleted, and at last all of them. */

/** Canonical tokens of the types that live. */
const [domain, record, vpc, subnet, script] = [
  "plumbline:dns/domain:Domain",
  "plumbline:dns/record:Record",
  "plumbline:vpc/vpc:Vpc",
  "plumbline:vpc/subnet:Subnet",
  "plumbline:compute/stackScript:StackScript",
] as const;

export const kindsOfLife: ReadonlySet<string> = new Set([domain, record, vpc, subnet, script]);

export interface Member {
  readonly token: string;
  readonly name: string;
  readonly spec: { readonly [property: string]: unknown };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

const zone = (at: number, more: object = {}): Member => ({
  ...{ token: domain, name: `zone-${at}` },
  spec: { domain: `zone-${at}.example`, type: "master", soaEmail: "root@one.example", ...more },
});
const host = (at: number, target = `192.0.2.${at}`): Member => ({
  ...{ token: record, name: `host-${at}` },
  spec: { domainRef: { name: `zone-${at % 4}` }, type: "A", name: `h${at}`, target },
});
const net = (at: number, more: object = {}): Member => ({
  ...{ token: vpc, name: `net-${at}` },
  spec: { label: `net-${at}`, region: "us-east", ...more },
});
const part = (at: number): Member => ({
  ...{ token: subnet, name: `part-${at}` },
  spec: { vpcRef: { name: `net-${at % 2}` }, ipv4: `10.${at}.0.0/24`, label: `part-${at}` },
});
const run = (at: number, text = "echo one"): Member => ({
  ...{ token: script, name: `run-${at}` },
  spec: { label: `run-${at}`, images: ["any/all"], script: `#!/bin/sh\n${text}\n` },
});

/** Children before their parents, so that each waits for another. */
export const born: readonly Member[] = [
  ...upTo(24).map((at) => host(at)),
  ...upTo(6).map(part),
  ...upTo(4).map((at) => run(at)),
  ...upTo(4).map((at) => zone(at)),
  ...upTo(2).map((at) => net(at)),
];

/** As they are once some were changed; the others as they were born. */
export const changed: readonly Member[] = [
  ...upTo(6).map((at) => host(at, `198.51.100.${at}`)),
  zone(0, { description: "changed" }),
  net(0, { description: "changed" }),
  run(0, "echo two"),
];

/** Names of those that go with the change: a domain with all of its records, and some others. */
export const gone: ReadonlySet<string> = new Set([
  "zone-3",
  ...upTo(24)
    .filter((at) => at % 4 === 3)
    .map((at) => `host-${at}`),
  "part-5",
  "run-3",
  "host-8",
]);
