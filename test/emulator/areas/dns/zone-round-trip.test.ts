/** Any zone comes back from its zone file, and from the wire, as its records. */

import dnsPacket from "dns-packet";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeDomain } from "../../../../emulator/areas/dns/domain.ts";
import { readZone } from "../../../../emulator/areas/dns/import.ts";
import { growingNeighbours } from "../../../../emulator/areas/dns/neighbours.ts";
import { judgeRecord, type RecordChanges, type RecordFields } from "../../../../emulator/areas/dns/record.ts";
import { soaAnswer, zoneAnswers } from "../../../../emulator/areas/dns/wire.ts";
import type { ZoneHead } from "../../../../emulator/areas/dns/zone.ts";
import { zoneFileLines } from "../../../../emulator/areas/dns/zone-file.ts";

const zone = "example.com";
const master = { domain: zone, type: "master", soa_email: "first.last@example.com" };
const head: ZoneHead = {
  domain: zone,
  soa_email: master.soa_email,
  serial: 2024000001,
  ttl: 86400,
  refresh: 14400,
  retry: 14400,
  expire: 1209600,
};

/** One parsed line: what RFC 1035 says of it. */
interface Line {
  name: string;
  ttl: number;
  type: string;
  data: string[];
}

/** Splits a line into words; a quoted word loses its quotes and escapes, and comes back as octets in Latin-1. */
function words(line: string): string[] {
  const found: string[] = [];
  let at = 0;
  while (at < line.length) {
    if (line[at] === " ") {
      at++;
      continue;
    }
    const quoted = line[at] === '"';
    if (quoted) at++;
    let word = "";
    for (; at < line.length && (quoted ? line[at] !== '"' : line[at] !== " "); at++) {
      if (line[at] !== "\\") word += line[at];
      else if (/^\d{3}/.test(line.slice(at + 1))) {
        word += String.fromCharCode(Number(line.slice(at + 1, at + 4)));
        at += 3;
      } else word += line[++at];
    }
    if (quoted) at++;
    found.push(word);
  }
  return found;
}

function parse(lines: string[]): Line[] {
  const ttl = Number(lines[1]?.split(" ")[1]);
  return lines.slice(8).map((line) => {
    const [name = "", ...rest] = words(line);
    const own = /^\d+$/.test(rest[0] ?? "") ? Number(rest.shift()) : ttl;
    const [type = "", ...data] = rest;
    return { name: name === "@" ? "" : name, ttl: own, type, data: type === "TXT" ? [data.join("")] : data };
  });
}

function expected(record: RecordFields): Line {
  const { name, type, target } = record;
  const line = { name, type, ttl: record.ttl_sec || head.ttl };
  const numbers = { MX: [record.priority], SRV: [record.priority, record.weight, record.port] }[type] ?? [];
  const hosts = ["NS", "MX", "CNAME", "SRV", "PTR"].includes(type);
  const octets = Buffer.from(target, "utf8").toString("latin1");
  const data =
    type === "CAA"
      ? ["0", record.tag ?? "", octets]
      : [...numbers.map(String), hosts ? `${target}.` : octets];
  return { ...line, data };
}

const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
const host = fc.tuple(label, label, fc.constantFrom("example.net", "com")).map((labels) => labels.join("."));
const name = fc.oneof(
  fc.constant(""),
  label,
  fc.tuple(label, label).map((labels) => labels.join(".")),
  label.map((text) => `*.${text}`),
  label.map((text) => `_${text}`),
);
const ttl_sec = fc.constantFrom(0, 300, 3600, 2419200);
const byte = fc.integer({ min: 0, max: 255 });
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40, unit: "binary" }),
  fc.string({ minLength: 200, maxLength: 900, unit: "grapheme" }),
  fc.constantFrom(
    '"',
    "\\",
    '\\"',
    "a;b",
    "a b  c",
    "\\065",
    "é".repeat(300),
    "x".repeat(255),
    "x".repeat(256),
    "x".repeat(510),
  ),
);
const change: fc.Arbitrary<RecordChanges> = fc.oneof(
  fc.record({
    type: fc.constant("A"),
    name,
    ttl_sec,
    target: fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join(".")),
  }),
  fc.record({
    type: fc.constant("AAAA"),
    name,
    ttl_sec,
    target: fc.constantFrom("2001:db8::1", "2001:db8:1:2:3:4:5:6", "::1"),
  }),
  fc.record({ type: fc.constantFrom("NS", "CNAME", "PTR"), name, ttl_sec, target: host }),
  fc.record({
    type: fc.constant("MX"),
    name,
    ttl_sec,
    target: fc.oneof(host, fc.constant("")),
    priority: byte,
  }),
  fc.record({ type: fc.constant("TXT"), name, ttl_sec, target: text }),
  fc.record({
    type: fc.constant("SRV"),
    ttl_sec,
    service: label,
    protocol: fc.constantFrom("tcp", "udp"),
    priority: byte,
    weight: byte,
    port: byte,
    target: host,
  }),
  fc.record({
    type: fc.constant("CAA"),
    name,
    ttl_sec,
    tag: fc.constantFrom("issue", "issuewild", "iodef"),
    target: host,
  }),
);

/** Records that may stand together: what is refused is left out. */
const zoneRecords = fc.array(change, { maxLength: 30 }).map((changes) => {
  const neighbours = growingNeighbours();
  const kept: RecordFields[] = [];
  for (const sent of changes) {
    const { fields, reasons } = judgeRecord(sent, { zone, neighbours, remoteAddress: "" });
    if (reasons.length > 0) continue;
    neighbours.add(fields);
    kept.push(fields);
  }
  return kept;
});

describe("any zone", () => {
  it("reads back from its zone file as its records", () => {
    fc.assert(
      fc.property(zoneRecords, (records) => {
        expect(parse(zoneFileLines(7, head, records, "compute"))).toEqual(records.map(expected));
      }),
      { numRuns: 300 },
    );
  });

  it("has lines of printable ASCII and strings of at most 255 octets", () => {
    fc.assert(
      fc.property(zoneRecords, (records) => {
        for (const line of zoneFileLines(7, head, records, "compute").slice(8)) {
          expect(line).toMatch(/^[\x20-\x7e]+$/);
          for (const word of words(line)) expect(word.length).toBeLessThanOrEqual(255);
        }
      }),
    );
  });

  it("comes back from the wire as its records, with its times", () => {
    fc.assert(
      fc.property(zoneRecords, (records) => {
        const answers = [soaAnswer(head, "compute"), ...zoneAnswers(head, records, "compute")];
        const carried = answers.map(
          (answer) =>
            dnsPacket.decode(dnsPacket.encode({ type: "response", answers: [answer] })).answers![0]!,
        );
        const read = readZone(zone, carried, "compute");
        expect(read.reasons).toEqual([]);
        expect(read.records).toEqual(
          records.map((record) => ({ ...record, ttl_sec: record.ttl_sec || head.ttl })),
        );
        const { fields } = judgeDomain({
          ...master,
          ttl_sec: 86400,
          refresh_sec: 14400,
          retry_sec: 14400,
          expire_sec: 1209600,
        });
        expect(read.domain).toEqual(fields);
      }),
      { numRuns: 300 },
    );
  });
});
