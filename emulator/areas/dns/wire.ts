/** A zone as resource records on the wire; knows the form of each type, not which of them answer a question. */

import dnsPacket, { type Answer } from "dns-packet";
import { fullName } from "./names.ts";
import type { ZoneHead, ZoneRecord } from "./zone.ts";
import { mailboxName, nameservers, textPieces } from "./zone-file.ts";

/** The record data of one resource record has at most so many octets (RFC 1035, 3.2.1), and so has a message. */
const longestMessage = 65_535;

/** The SOA record of a zone. */
export function soaAnswer(head: ZoneHead, brand: string): Answer {
  return {
    name: head.domain,
    type: "SOA",
    ttl: head.ttl,
    data: {
      mname: nameservers(brand)[0] ?? "",
      rname: mailboxName(head.soa_email),
      serial: head.serial,
      refresh: head.refresh,
      retry: head.retry,
      expire: head.expire,
      minimum: head.ttl,
    },
  };
}

/** Every other record of a zone: the platform's nameservers, then the zone's own in their order. */
export function zoneAnswers(head: ZoneHead, records: readonly ZoneRecord[], brand: string): Answer[] {
  return [
    ...nameservers(brand).map((data): Answer => ({ name: head.domain, type: "NS", ttl: head.ttl, data })),
    ...records.map((record) => recordAnswer(record, head)),
  ];
}

/** True when the record fits into a message; a TXT value near the contract's 65535 characters does not. */
export function fitsMessage(answer: Answer): boolean {
  return dnsPacket.encodingLength({ answers: [answer] }) <= longestMessage - 300;
}

function recordAnswer(record: ZoneRecord, head: ZoneHead): Answer {
  const owner = { name: fullName(record.name, head.domain), ttl: record.ttl_sec || head.ttl };
  const { target } = record;
  switch (record.type) {
    case "TXT":
      return { ...owner, type: "TXT", data: textPieces(target) };
    case "MX":
      return { ...owner, type: "MX", data: { preference: record.priority, exchange: target || "." } };
    case "SRV":
      return {
        ...owner,
        type: "SRV",
        data: { priority: record.priority, weight: record.weight, port: record.port, target },
      };
    case "CAA":
      return {
        ...owner,
        type: "CAA",
        data: { flags: 0, tag: record.tag as "issue" | "issuewild" | "iodef", value: target },
      };
    case "A":
    case "AAAA":
    case "NS":
    case "CNAME":
    case "PTR":
      return { ...owner, type: record.type, data: target };
    default:
      throw new Error(`no wire form for a record of type ${record.type}`);
  }
}
