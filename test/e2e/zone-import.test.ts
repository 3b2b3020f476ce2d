/** Both zone files of the example `zone-import`, turned into stacks by its script, and applied by both engines: every record arrives, and is answered. */

import { spawnSync } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { kept, leftovers, writes } from "./account.ts";
import { createDriver, type Driver } from "./engines.ts";
import { pluginFolder, pulumiBin } from "./pulumi.ts";

const example = resolve(import.meta.dirname, "../../examples/zone-import");

const run = (zoneFile: string) =>
  spawnSync(process.execPath, [join(example, "zone-to-stack.mjs"), zoneFile, pluginFolder], {
    cwd: example,
    encoding: "utf8",
  });

/** What the example's script makes of a zone file. */
function stackOf(zoneFile: string): string {
  const { status, stdout, stderr } = run(zoneFile);
  if (status !== 0) throw new Error(`${zoneFile}: ${stderr}`);
  return stdout;
}

/** The records of the account in a form of their own: type, name, and what is particular. */
function recordsIn(emulator: Emulator): string[] {
  return kept(emulator, "domain_records")
    .map(({ type, name, target, priority, weight, port, tag }) => {
      const special = { MX: [priority], SRV: [priority, weight, port], CAA: [tag] }[String(type)] ?? [];
      return [type, name || "@", ...special, target].join(" ");
    })
    .sort();
}

/** The public zone is plain enough to be read by line, so that the script's own reader is not its only judge. */
function recordsOfPublicZone(): string[] {
  const lines = readFileSync(join(example, "measurementlab.net.zone"), "utf8").split("\n");
  let owner = "";
  return lines
    .flatMap((line) => {
      const [, name, type, rest = ""] = /^(\S*)\s+(?:\d+\s+)?IN\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      if (type === undefined || type === "SOA") return [];
      owner = name || owner;
      if (type === "NS" && owner === "@") return [];
      const target = rest
        .replace(/^"(.*)"$/, "$1")
        .replaceAll("\\;", ";")
        .replace(/\s+/g, " ")
        .replace(/\.$/, "");
      return [`${type} ${owner} ${target}`];
    })
    .sort();
}

/** The long text of the other file: two strings in quotes, which are one. */
const longText = /sel\._domainkey[^"]*"([^"]*)"\s*"([^"]*)"/
  .exec(readFileSync(join(example, "nine-types.zone"), "utf8"))
  ?.slice(1)
  .join("");
const recordsOfNineTypes = [
  "A *.apps 198.51.100.12",
  "A @ 198.51.100.10",
  "A @ 198.51.100.11",
  "A mail 198.51.100.25",
  "AAAA @ 2001:DB8:0:0:0:0:0:10",
  "CAA @ iodef mailto:security@nine-types.example",
  "CAA @ issue ca.example; validationmethods=dns-01",
  "CAA @ issuewild ca.example",
  "CNAME docs pages.hosting.example",
  "CNAME www nine-types.example",
  "MX @ 10 mail.nine-types.example",
  "MX @ 20 mx.backup.example",
  "NS lab ns1.lab-host.example",
  "NS lab ns2.lab-host.example",
  "PTR 10.reverse mail.nine-types.example",
  "SRV _sip._tcp 10 60 5060 sip.voice.example",
  "SRV _xmpp-client._tcp 5 0 5222 mail.nine-types.example",
  "TXT @ v=spf1 mx -all",
  'TXT notes said "hello"; left and came back',
  `TXT sel._domainkey ${longText}`,
];

interface Zone {
  readonly file: string;
  readonly origin: string;
  readonly records: readonly string[];
  /** What resolvers get, by what they ask. */
  readonly answers: (resolver: Resolver) => Promise<unknown>;
  readonly expected: unknown;
}

const zones: readonly Zone[] = [
  {
    file: "measurementlab.net.zone",
    origin: "measurementlab.net",
    records: recordsOfPublicZone(),
    answers: async (resolver) => ({
      apex: await resolver.resolve4("measurementlab.net", { ttl: true }),
      web: await resolver.resolveCname("www.measurementlab.net"),
      mail: (await resolver.resolveMx("measurementlab.net")).length,
      key: (await resolver.resolveTxt("ks._domainkey.ks.measurementlab.net")).flat().join("").slice(0, 14),
    }),
    // The service has no TTL of two minutes for a record; its shortest is five.
    expected: {
      apex: [{ address: "45.56.98.222", ttl: 300 }],
      web: ["d3f2vqxgk3exj.cloudfront.net"],
      mail: 5,
      key: "v=DKIM1; k=rsa",
    },
  },
  {
    file: "nine-types.zone",
    origin: "nine-types.example",
    records: recordsOfNineTypes,
    answers: async (resolver) => ({
      apex: (await resolver.resolve4("nine-types.example", { ttl: true })).map(({ ttl }) => ttl).sort(),
      apex6: await resolver.resolve6("nine-types.example"),
      wildcard: await resolver.resolve4("anything.apps.nine-types.example"),
      sip: await resolver.resolveSrv("_sip._tcp.nine-types.example"),
      issue: (await resolver.resolveCaa("nine-types.example")).find(({ issue }) => issue)?.issue,
      notes: await resolver.resolveTxt("notes.nine-types.example"),
      key: (await resolver.resolveTxt("sel._domainkey.nine-types.example")).map((strings) =>
        strings.join(""),
      ),
    }),
    expected: {
      apex: [300, 3600],
      apex6: ["2001:db8::10"],
      wildcard: ["198.51.100.12"],
      sip: [{ name: "sip.voice.example", port: 5060, priority: 10, weight: 60 }],
      issue: "ca.example; validationmethods=dns-01",
      notes: [['said "hello"; left and came back']],
      key: [longText],
    },
  },
];

for (const engine of ["plumbline", "pulumi"] as const) {
  const isLeftOut = engine === "pulumi" && !pulumiBin;
  describe.skipIf(isLeftOut).each(zones)(`$file under ${engine}`, { timeout: 120_000 }, (zone) => {
    let emulator: Emulator;
    let stack: Driver;

    beforeAll(async () => {
      emulator = await startEmulator({ speed: "instant", dns: 0, checkAnswers: true });
      const { baseUrl, token } = emulator;
      stack = await createDriver(engine, stackOf(zone.file), { baseUrl, token });
    });
    afterAll(async () => {
      stack?.remove();
      await emulator?.close();
    });

    it("becomes a zone with every record of the file, and nothing else", async () => {
      expect((await stack.up()).changes).toEqual({ create: zone.records.length + 1 });
      expect(recordsIn(emulator)).toEqual(zone.records);
      expect(kept(emulator, "domains")).toMatchObject([{ domain: zone.origin, type: "master" }]);
    });

    it("is answered over DNS", async () => {
      const resolver = new Resolver();
      resolver.setServers([`127.0.0.1:${emulator.dnsPort}`]);
      expect(await zone.answers(resolver)).toEqual(zone.expected);
    });

    it("needs nothing the second time, nor after a refresh, and goes without a trace", async () => {
      const before = writes(emulator);
      expect((await stack.up("--refresh")).changes).toEqual({ same: zone.records.length + 1 });
      expect(writes(emulator)).toEqual(before);
      await stack.destroy();
      expect(leftovers(emulator)).toEqual({});
      expect(emulator.mismatches).toEqual([]);
    });
  });
}

describe("the script of the zone-import example", () => {
  it("is given at least 60 records of a public zone, and all nine types", () => {
    expect(recordsOfPublicZone().length).toBeGreaterThanOrEqual(60);
    expect(new Set(recordsOfNineTypes.map((record) => record.split(" ")[0])).size).toBe(9);
  });

  it("names what it cannot turn into a stack, with its line, and writes nothing", () => {
    const file = join(mkdtempSync(join(tmpdir(), "plumbline-zone-")), "odd.zone");
    try {
      writeFileSync(file, "$ORIGIN odd.example.\n@ IN A 203.0.113.1\n@ IN HINFO x y\n");
      const { status, stdout, stderr } = run(file);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/odd\.zone:3: .*HINFO/);
    } finally {
      rmSync(dirname(file), { recursive: true });
    }
  });
});
