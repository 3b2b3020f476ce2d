/** The provider's rules and the emulator's are written apart from the same contract: given the same input they must refuse the same. */

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toWireName } from "../../provider/core/object/wire-name.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { type Account, openAccount, resourceNamed } from "./deployment.ts";

let account: Account;
let zone: string;
let net: string;
beforeAll(async () => {
  account = await openAccount({ checkAnswers: false });
  const make = async (path: string, body: object) => String((await account.call("POST", path, body))["id"]);
  zone = await make("/domains", { domain: "zone.example", type: "master", soa_email: "x@zone.example" });
  await make(`/domains/${zone}/records`, { type: "CNAME", name: "alias", target: "b.example" });
  await make(`/domains/${zone}/records`, { type: "A", name: "www", target: "192.0.2.1" });
  net = await make("/vpcs", {
    label: "net",
    region: "us-east",
    subnets: [{ label: "web", ipv4: "10.0.0.0/24" }],
  });
});
afterAll(() => account.close());

/** Sends the same to both: what the provider's check and preview say, and what the service says. */
async function judge(type: string, inputs: ValueMap, path: string, parents: readonly string[]) {
  const resource = resourceNamed(type, "subject");
  const provider = await account.open();
  let refused: string | undefined;
  const { failures, inputs: checked } = await provider.check({
    ...resource,
    newInputs: inputs,
    randomSeed: new Uint8Array(32),
  });
  if (failures.length > 0)
    refused = failures.map(({ property, reason }) => `${property}: ${reason}`).join("; ");
  else {
    await provider.create({ ...resource, inputs: checked, preview: true }).catch((error: Error) => {
      refused = error.message;
    });
  }
  await provider.close();
  const body = Object.fromEntries(
    Object.entries(checked)
      .filter(([name]) => !parents.includes(name))
      .map(([name, value]) => [toWireName(name), value]),
  );
  const answered = await account.call("POST", path, body).catch((error: Error) => error);
  const isRefused = answered instanceof Error;
  // An answer that did not come, or one that tells of the emulator's own failure, refuses nothing.
  if (isRefused && !/: 4\d\d /.test(answered.message)) throw answered;
  if (!isRefused) {
    if (answered["status"] === "provisioning") await account.call("GET", `${path}/${answered["id"]}`);
    await account.call("DELETE", `${path}/${answered["id"]}`);
  }
  return { provider: refused, service: isRefused ? answered.message : undefined };
}

async function agrees(type: string, inputs: ValueMap, path: string, parents: readonly string[] = []) {
  const { provider, service } = await judge(type, inputs, path, parents);
  expect({ inputs, refused: provider !== undefined, provider, service }).toMatchObject({
    refused: service !== undefined,
  });
}

const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9-]{1,6}$/),
  fc.constantFrom("_sip", "*", "1a", "a_b", "-x", "x-", ""),
);
const name = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join(".")),
  fc.constantFrom(
    "",
    "@",
    "www",
    "WWW",
    "alias",
    "www.zone.example",
    "www.zone.example.",
    "zone.example",
    "a..b",
  ),
);
const target = fc.oneof(
  fc.constantFrom(
    "192.0.2.1",
    "2001:db8::1",
    "",
    "mail",
    "mail.example.",
    "[remote_addr]",
    "300.1.1.1",
    "*.x.example",
    "ca.example; a=b",
    "mailto:x@y.example",
    "https://x.example",
    "https://x.example/p",
    ";",
  ),
  name,
);
const small = fc.oneof(fc.nat(300), fc.constantFrom(0, -1, 255, 256, 65_535, 65_536));
const record = fc.record(
  {
    type: fc.constantFrom("A", "AAAA", "NS", "MX", "CNAME", "TXT", "SRV", "PTR", "CAA"),
    name,
    target,
    ttlSec: fc.nat(3000),
    priority: small,
    weight: small,
    port: small,
    service: fc.constantFrom("sip", "_sip", "s_p", "", "-"),
    protocol: fc.constantFrom("tcp", "_udp", "t.p", ""),
    tag: fc.constantFrom("issue", "issuewild", "iodef", "other"),
  },
  { requiredKeys: ["type"] },
) as fc.Arbitrary<ValueMap>;

test("on records", async () => {
  await fc.assert(
    fc.asyncProperty(record, (inputs) =>
      agrees("plumbline:dns/record:Record", { ...inputs, domainId: zone }, `/domains/${zone}/records`, [
        "domainId",
      ]),
    ),
    { numRuns: 250 },
  );
}, 120_000);

test("on records that have what their type needs", async () => {
  const sound = record.map((inputs) => {
    const { type, target: to = "x.example", name: own = "n" } = inputs as { [name: string]: string };
    const special: ValueMap =
      type === "SRV"
        ? { service: "sip", port: 1, priority: 1, weight: 1 }
        : type === "CAA"
          ? { tag: (inputs["tag"] ?? "issue") as string }
          : {};
    return { type: type!, target: to, name: own, ...special };
  });
  await fc.assert(
    fc.asyncProperty(sound, (inputs) =>
      agrees("plumbline:dns/record:Record", { ...inputs, domainId: zone }, `/domains/${zone}/records`, [
        "domainId",
      ]),
    ),
    { numRuns: 250 },
  );
}, 120_000);

test("on domains", async () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom("192.0.2", "1.2.3.4/8", ""));
  const domain = fc.record(
    {
      domain: fc.oneof(
        fc.domain(),
        name,
        fc.constantFrom("zone.example", "Zone.Example", "*.w.example", "x.xn--abc", "a.b.c.co.uk"),
      ),
      type: fc.constantFrom("master", "slave", "other"),
      status: fc.constantFrom("active", "disabled", "edit_mode"),
      soaEmail: fc.oneof(fc.emailAddress(), fc.constantFrom("x", "a@b", "a@b.c", "")),
      masterIps: fc.array(address, { maxLength: 3 }),
      axfrIps: fc.oneof(fc.array(address, { maxLength: 3 }), fc.constant(Array(70).fill("2001:db8::1:1:1"))),
      ttlSec: fc.nat(3_000_000),
      group: fc.string({ maxLength: 60 }),
      tags: fc.array(fc.string({ minLength: 3, maxLength: 10 }), { maxLength: 2 }),
    },
    { requiredKeys: ["domain"] },
  ) as fc.Arbitrary<ValueMap>;
  await fc.assert(
    fc.asyncProperty(domain, (inputs) => agrees("plumbline:dns/domain:Domain", inputs, "/domains")),
    { numRuns: 250 },
  );
}, 120_000);

test("on subnets", async () => {
  const subnet = fc.record(
    {
      label: fc.oneof(
        fc.stringMatching(/^[a-z-]{0,6}$/),
        fc.constantFrom("web", "a--b", "ä", "x".repeat(65)),
      ),
      ipv4: fc.oneof(
        fc
          .tuple(
            fc.constantFrom(
              "10.0.0",
              "10.1.0",
              "172.16.0",
              "172.32.0",
              "192.168.0",
              "192.168.128",
              "192.0.2",
            ),
            fc.constantFrom(0, 1, 64, 128),
            fc.nat(33),
          )
          .map(([head, last, prefix]) => `${head}.${last}/${prefix}`),
        fc.constantFrom(
          "10.0.0.0",
          "10.0.0.0/24/1",
          "010.0.0.0/24",
          "10.0.0/24",
          "10.0.0.0/024",
          "2001:db8::/32",
          "",
        ),
      ),
    },
    { requiredKeys: ["ipv4"] },
  ) as fc.Arbitrary<ValueMap>;
  await fc.assert(
    fc.asyncProperty(subnet, (inputs) =>
      agrees("plumbline:vpc/subnet:Subnet", { ...inputs, vpcId: net }, `/vpcs/${net}/subnets`, ["vpcId"]),
    ),
    { numRuns: 250 },
  );
}, 120_000);

test("on volumes and networks", async () => {
  const text = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_-]{0,5}$/),
    fc.constantFrom("net", "a--b", "a__b", "x".repeat(33), "ü"),
  );
  const volume = fc.record(
    {
      label: text,
      region: fc.constantFrom("us-east", "us-southeast"),
      size: fc.oneof(fc.nat(30), fc.constantFrom(10_240, 10_241)),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<ValueMap>;
  await fc.assert(
    fc.asyncProperty(volume, async (inputs) => {
      await agrees("plumbline:blockstorage/volume:Volume", inputs, "/volumes");
      const vpc = { region: "us-east", ...inputs, size: undefined as never };
      await agrees("plumbline:vpc/vpc:Vpc", vpc, "/vpcs");
    }),
    { numRuns: 250 },
  );
}, 120_000);

test("on managed databases", async () => {
  const databases = (kind: "mysql" | "postgresql") =>
    fc.record(
      {
        label: fc.oneof(fc.string({ maxLength: 34 }), fc.stringMatching(/^[a-z-]{2,5}$/)),
        engine: fc.constantFrom(
          "mysql/8.0.30",
          "postgresql/14.6",
          `${kind}/13.8`,
          `${kind}/`,
          kind,
          `${kind}/5.7.39`,
        ),
        region: fc.constant("us-east"),
        type: fc.constantFrom("g6-nanode-1", "g6-standard-1", "g6-nanode-2"),
        allowList: fc.array(
          fc.oneof(
            fc.ipV4(),
            fc.ipV6(),
            fc.constantFrom(
              "0.0.0.0/0",
              "10.0.0.1/33",
              "10.0.0",
              "::/0",
              "fe80::1%eth0",
              "::/129",
              "1.2.3.4/8/8",
            ),
          ),
          { maxLength: 2 },
        ),
        clusterSize: fc.constantFrom(1, 3, 2, 0),
        encrypted: fc.boolean(),
        sslConnection: fc.boolean(),
        replicationType: fc.constantFrom("none", "asynch", "semi_synch"),
        ...(kind === "postgresql" && {
          replicationCommitType: fc.constantFrom("on", "local", "remote_write", "remote_apply", "off"),
        }),
      },
      { requiredKeys: ["label", "engine", "region", "type"] },
    ) as fc.Arbitrary<ValueMap>;
  const types = { mysql: "mySqlInstance:MySqlInstance", postgresql: "postgreSqlInstance:PostgreSqlInstance" };
  for (const kind of ["mysql", "postgresql"] as const) {
    await fc.assert(
      fc.asyncProperty(databases(kind), (inputs) =>
        agrees(`plumbline:databases/${types[kind]}`, inputs, `/databases/${kind}/instances`),
      ),
      { numRuns: 100 },
    );
  }
}, 120_000);
