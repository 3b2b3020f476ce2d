/** Reads a transferred zone as a domain and its records, judged by the rules of the platform; knows no sockets and no store. */

import type { Answer } from "dns-packet";
import type { Reason } from "../../area.ts";
import { type DomainFields, judgeDomain } from "./domain.ts";
import { folded, relativeName, withoutDot } from "./names.ts";
import { growingNeighbours } from "./neighbours.ts";
import { judgeRecord, mostRecords, type RecordChanges, type RecordFields } from "./record.ts";
import { nameservers } from "./zone-file.ts";

export interface ImportedZone {
  domain: DomainFields;
  records: RecordFields[];
  /** Types of records that the platform does not hold and that were left out, with how many of each. */
  leftOut: { [type: string]: number };
  /** What cannot be held as it is; nothing may be stored when there are any. At most some twenty are told. */
  reasons: Reason[];
}

const field = "remote_nameserver";
const mostReasons = 20;

/**
 * Reads the records of a zone, SOA first. The platform's own nameservers at the top of the zone are left out, since
 * every zone has them anyway; so are record types outside contract section 2.4 (DNSSEC and the like).
 */
export function readZone(zone: string, answers: readonly Answer[], brand: string): ImportedZone {
  const { fields: domain, reasons } = judgeDomain(domainOf(zone, answers[0]));
  const complaints = reasons.map(({ reason, field: at }) => ({ reason: `${at}: ${reason}`, field }));
  const own = nameservers(brand);
  const records: RecordFields[] = [];
  const neighbours = growingNeighbours();
  const leftOut: { [type: string]: number } = {};
  for (const answer of answers.slice(1)) {
    if (answer.type === "OPT") continue;
    const name = relativeName(answer.name, zone);
    if (answer.type === "NS" && name === "" && own.includes(folded(withoutDot(answer.data)))) continue;
    if (!outside(answer.name, zone)) {
      const changes = recordOf(name, answer);
      if (changes === undefined) {
        leftOut[answer.type] = (leftOut[answer.type] ?? 0) + 1;
        continue;
      }
      const problem = typeof changes === "string" ? changes : judged(changes);
      if (problem === undefined) continue;
      complaints.push({ reason: `${answer.name} ${answer.type}: ${problem}`, field });
    } else {
      complaints.push({ reason: `${answer.name} ${answer.type}: is not part of the zone`, field });
    }
    if (complaints.length >= mostReasons) break;
  }
  return { domain, records, leftOut, reasons: complaints };

  function judged(changes: RecordChanges): string | undefined {
    const { fields, reasons: problems } = judgeRecord(changes, { zone, neighbours, remoteAddress: "" });
    if (problems.length > 0) return problems.map((problem) => problem.reason).join("; ");
    if (neighbours.size >= mostRecords) return `A domain may have at most ${mostRecords} records`;
    neighbours.add(fields);
    records.push(fields);
    return undefined;
  }
}

function outside(name: string, zone: string): boolean {
  const low = folded(withoutDot(name));
  return low !== folded(zone) && !low.endsWith(`.${folded(zone)}`);
}

function domainOf(zone: string, soa: Answer | undefined): { [name: string]: unknown } {
  const fields = { domain: zone, type: "master" };
  if (soa?.type !== "SOA") return fields;
  const { rname, refresh, retry, expire, minimum } = soa.data;
  return {
    ...fields,
    soa_email: mailboxOf(withoutDot(rname)),
    refresh_sec: refresh ?? 0,
    retry_sec: retry ?? 0,
    expire_sec: expire ?? 0,
    ttl_sec: minimum ?? 0,
  };
}

/** The mail address of a mailbox name: the first dot that is not escaped is the at sign (RFC 1035, 8). */
function mailboxOf(name: string): string {
  const local = /^(?:\\.|[^.\\])*/.exec(name)?.[0] ?? "";
  return `${local.replaceAll("\\", "")}@${name.slice(local.length + 1)}`;
}

/** The record to create; a text when its form cannot be held; `undefined` for a type that the platform does not hold. */
function recordOf(name: string, answer: Answer): RecordChanges | string | undefined {
  // A TTL of 0 on the wire forbids caching; stored, it would mean the domain's default. The nearest TTL that can be held is 300.
  const common = { name, ttl_sec: ("ttl" in answer && answer.ttl) || 300 };
  switch (answer.type) {
    case "A":
    case "AAAA":
      return { ...common, type: answer.type, target: answer.data };
    case "NS":
    case "CNAME":
    case "PTR":
      return hosted(answer.data, { ...common, type: answer.type, target: answer.data });
    case "MX": {
      const { exchange, preference = 0 } = answer.data;
      if (exchange === "." || exchange === "") return { ...common, type: "MX", target: "", priority: 0 };
      return hosted(exchange, { ...common, type: "MX", target: exchange, priority: preference });
    }
    case "TXT": {
      const target = textOf(answer.data);
      return target === undefined
        ? "text that is not UTF-8 cannot be held"
        : { ...common, type: "TXT", target };
    }
    case "SRV": {
      const labels = /^_([^.]+)\._([^.]+)$/.exec(name);
      if (!labels) return "an SRV record can only stand directly under the domain";
      const { priority = 0, weight = 0, port, target } = answer.data;
      const [, service = "", protocol = ""] = labels;
      return hosted(target, { ...common, type: "SRV", service, protocol, priority, weight, port, target });
    }
    case "CAA": {
      const { flags = 0, tag, value } = answer.data;
      if (flags !== 0) return "flags of CAA records cannot be held";
      return { ...common, type: "CAA", tag: folded(tag), target: value };
    }
    default:
      return undefined;
  }
}

/** Names on the wire are full; one directly under the root would be taken for a name under the domain. */
function hosted(host: string, changes: RecordChanges): RecordChanges | string {
  return withoutDot(host).includes(".") ? changes : `the target ${host} is not a valid domain`;
}

function textOf(data: string | Buffer | (string | Buffer)[]): string | undefined {
  const pieces = Array.isArray(data) ? data : [data];
  const octets = Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  );
  const text = octets.toString("utf8");
  return Buffer.from(text, "utf8").equals(octets) ? text : undefined;
}
