/** The rules of a record, by type (contract section 2.4); knows its zone's name and neighbours, not how they are stored. */

import type { Item, Reason } from "../../area.ts";
import { caaProblem, caaTags } from "./caa.ts";
import * as names from "./names.ts";
import { recordSeconds } from "./seconds.ts";

/** The fields as stored and answered: unset numbers are 0, unset `service`, `protocol`, `tag` null, the apex's name "". */
export interface RecordFields {
  type: string;
  name: string;
  target: string;
  priority: number;
  weight: number;
  port: number;
  service: string | null;
  protocol: string | null;
  ttl_sec: number;
  tag: string | null;
}

/** A stored record. */
export interface DomainRecord extends RecordFields, Item {
  _domainId: number;
  created: string;
  updated: string;
}

/** What is sent of a record; null and absent both mean: not sent. */
export type RecordChanges = { readonly [K in keyof RecordFields]?: RecordFields[K] | null };

/** The other records of a domain, as far as rules ask for them. */
export interface Neighbours {
  readonly size: number;
  /** The types of the records at that name, one for each record; case is ignored. */
  typesAt(name: string): readonly string[];
  /** Whether there are MX records, and whether one is a Null MX. */
  mail(): "none" | "some" | "null";
}

/** What a record is judged against. */
export interface RecordPlace {
  /** The domain's name. */
  zone: string;
  /** The other records of the domain. */
  neighbours: Neighbours;
  /** Address of the client, for `[remote_addr]`. */
  remoteAddress: string;
}

export const recordTypes = ["A", "AAAA", "NS", "MX", "CNAME", "TXT", "SRV", "PTR", "CAA"] as const;
/** The most records that a domain may have (contract section 8). */
export const mostRecords = 12_000;

const ranges = { priority: 255, weight: 65535, port: 65535 } as const;
const special = ["priority", "weight", "port", "service", "protocol", "tag"] as const;
const usedBy: { readonly [type: string]: readonly string[] } = {
  MX: ["priority"],
  SRV: ["priority", "weight", "port", "service", "protocol"],
  CAA: ["tag"],
};

type Draft = { -readonly [K in keyof RecordChanges]: RecordChanges[K] };

/**
 * Judges what a record would be: `current` (absent on create) with `changes` laid over it. All problems are told at
 * once; `fields` may be stored when there are none. Whether the domain is full is asked on create only.
 */
export function judgeRecord(
  changes: RecordChanges,
  place: RecordPlace,
  current?: RecordFields,
): { fields: RecordFields; reasons: Reason[] } {
  const reasons: Reason[] = [];
  const type = current?.type ?? changes.type ?? "";
  if (type === "") reasons.push({ reason: "type is required", field: "type" });
  else if (!(recordTypes as readonly string[]).includes(type)) {
    reasons.push({ reason: `Must be one of ${recordTypes.join(", ")}`, field: "type" });
  }
  if (current && changes.type != null && changes.type !== current.type) {
    reasons.push({ reason: "type cannot be changed", field: "type" });
  }
  if (!current && place.neighbours.size >= mostRecords) {
    reasons.push({ reason: `A domain may have at most ${mostRecords} records` });
  }
  const draft: Draft = { ...current };
  for (const [name, value] of Object.entries(changes)) {
    // A null for a nullable field unsets it; for the others it was not sent.
    if (value !== undefined && (value !== null || ["service", "protocol", "tag"].includes(name))) {
      Object.assign(draft, { [name]: value });
    }
  }
  const fields: RecordFields = {
    type,
    name: names.relativeName(draft.name ?? "", place.zone),
    target: draft.target ?? "",
    priority: 0,
    weight: 0,
    port: 0,
    service: null,
    protocol: null,
    ttl_sec: recordSeconds(draft.ttl_sec ?? 0),
    tag: null,
  };
  if (!(recordTypes as readonly string[]).includes(type)) return { fields, reasons };
  judgeSpecial(draft, fields, reasons);
  judgeOwner(draft, fields, place, reasons);
  judgeTarget(draft, fields, place, reasons);
  judgeNeighbours(fields, place.neighbours, reasons);
  return { fields, reasons };
}

/** True for the record that says that a domain takes no mail. */
export function isNullMx(record: { type: string; name: string; target: string }): boolean {
  return record.type === "MX" && record.name === "" && record.target === "";
}

function judgeSpecial(draft: Draft, fields: RecordFields, reasons: Reason[]): void {
  const { type } = fields;
  const used = usedBy[type] ?? [];
  for (const name of special) {
    const value = draft[name];
    if (!used.includes(name)) {
      if (value != null && value !== 0 && value !== "") {
        reasons.push({ reason: `${name} is not valid for ${type} records`, field: name });
      }
    } else if (name === "priority" || name === "weight" || name === "port") {
      if (value == null && type === "SRV") reasons.push({ reason: `${name} is required`, field: name });
      fields[name] = (value as number | null | undefined) ?? 0;
      if (!(fields[name] >= 0 && fields[name] <= ranges[name])) {
        reasons.push({ reason: `Must be 0-${ranges[name]}`, field: name });
      }
    }
  }
  if (type === "SRV") {
    fields.service = serviceLabel("service", draft.service ?? "", reasons);
    // The contract asks for a service, not for a protocol: without one, TCP.
    fields.protocol = serviceLabel("protocol", draft.protocol || "tcp", reasons);
  }
  if (type === "CAA") {
    fields.tag = draft.tag ?? "";
    if (fields.tag === "") reasons.push({ reason: "tag is required", field: "tag" });
    else if (!(caaTags as readonly string[]).includes(fields.tag)) {
      reasons.push({ reason: `Must be one of ${caaTags.join(", ")}`, field: "tag" });
    }
  }
}

/** A service or protocol without the underscore and dot that the platform puts around it. */
function serviceLabel(field: string, text: string, reasons: Reason[]): string {
  const bare = names.withoutDot(text).replace(/^_/, "");
  if (bare === "") reasons.push({ reason: `${field} is required`, field });
  else if (!/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,60}[A-Za-z0-9])?$/.test(bare)) {
    reasons.push({ reason: "Must be letters, digits, inner hyphens and inner underscores", field });
  }
  return bare;
}

function judgeOwner(draft: Draft, fields: RecordFields, place: RecordPlace, reasons: Reason[]): void {
  const { type } = fields;
  const refuse = (reason: string) => reasons.push({ reason, field: "name" });
  if (type === "SRV") {
    fields.name = `_${fields.service}._${fields.protocol}`;
    return;
  }
  if ((draft.name ?? "").length > 100) refuse("Length must be 1-100 characters");
  if (fields.name === "") {
    if (type === "CNAME") refuse("name is required");
    return;
  }
  if (names.fullName(fields.name, place.zone).length > names.longestName) {
    refuse(`The name and its domain must be at most ${names.longestName} characters`);
  }
  if (type === "NS" && fields.name.split(".").includes("*"))
    refuse("Wildcards are not supported for NS records");
  else if (type === "MX" && !names.isMailName(fields.name)) {
    refuse(
      "Components must start with a letter, end with a letter or digit, and have no other characters but hyphens",
    );
  } else if (type !== "MX" && !names.isRelativeName(fields.name, type !== "NS"))
    refuse("name is not a valid hostname");
}

function judgeTarget(draft: Draft, fields: RecordFields, place: RecordPlace, reasons: Reason[]): void {
  const { type } = fields;
  const refuse = (reason: string) => reasons.push({ reason, field: "target" });
  if ([...fields.target].length > 65535) refuse("Length must be at most 65535 characters");
  if (fields.target === "") {
    if (draft.target == null || !isNullMx(fields)) refuse("target is required");
    else if (fields.priority !== 0) {
      reasons.push({ reason: "priority must be 0 for a Null MX record", field: "priority" });
    }
    return;
  }
  switch (type) {
    case "A":
      if (fields.target === "[remote_addr]") {
        const remote = names.canonicalAddress(place.remoteAddress) ?? "";
        if (names.isIPv4(remote)) fields.target = remote;
        else refuse("[remote_addr] needs a request over IPv4");
      } else if (!names.isIPv4(fields.target)) refuse("Must be a valid IPv4 address");
      return;
    case "AAAA":
      if (!names.isIPv6(fields.target)) refuse("Must be a valid IPv6 address");
      return;
    case "TXT":
      return;
    case "CAA": {
      const problem = caaProblem(fields.tag ?? "", fields.target);
      if (problem !== undefined) refuse(problem);
      return;
    }
  }
  fields.target = names.withoutDot(fields.target);
  // Reverse names point anywhere; the others are completed with the domain when they are a single label (notes, section 4).
  if (type !== "PTR" && fields.target !== "" && !fields.target.includes("."))
    fields.target += `.${place.zone}`;
  if (fields.target.length > names.longestName) refuse("Must be fewer than 254 characters");
  else if (type === "MX") {
    if (!names.isMailName(fields.target)) refuse("Must be a valid mail server name");
  } else if (!names.isHostname(fields.target)) refuse("Must be a valid domain");
}

function judgeNeighbours(fields: RecordFields, neighbours: Neighbours, reasons: Reason[]): void {
  const beside = neighbours.typesAt(fields.name);
  if (fields.type === "CNAME" ? beside.length > 0 : beside.includes("CNAME")) {
    reasons.push({ reason: "Record conflict - CNAMES must be unique", field: "name" });
  }
  if (fields.type !== "MX") return;
  if (neighbours.mail() === "null") {
    reasons.push({ reason: "No MX record can be added while a Null MX record exists", field: "target" });
  } else if (isNullMx(fields) && neighbours.mail() === "some") {
    reasons.push({ reason: "A Null MX record needs all other MX records removed first", field: "target" });
  }
}
