/** The rules of a domain's own fields (contract section 2.3); knows nothing of other domains, of requests or of records. */

import type { Item, Reason } from "../../area.ts";
import { isDomainName, isEmail, isIPv4, isIPv6 } from "./names.ts";
import { domainSeconds } from "./seconds.ts";

/** The writable fields as stored; "" and [] where nothing is set, seconds already rounded (0: the default). */
export interface DomainFields {
  domain: string;
  type: string;
  status: string;
  description: string;
  group: string;
  soa_email: string;
  master_ips: string[];
  axfr_ips: string[];
  tags: string[];
  ttl_sec: number;
  refresh_sec: number;
  retry_sec: number;
  expire_sec: number;
}

/** A stored domain. */
export interface Domain extends DomainFields, Item {
  errors: string;
  created: string;
  updated: string;
}

const secondsFields = ["ttl_sec", "refresh_sec", "retry_sec", "expire_sec"] as const;
const listLength = 1000;

const blank: DomainFields = {
  domain: "",
  type: "",
  status: "active",
  description: "",
  group: "",
  soa_email: "",
  master_ips: [],
  axfr_ips: [],
  tags: [],
  ttl_sec: 0,
  refresh_sec: 0,
  retry_sec: 0,
  expire_sec: 0,
};

/**
 * Judges what a domain would be: `current` (absent on create) with `changes` laid over it, where an absent or null
 * field changes nothing. All problems are told at once; `fields` may be stored when there are none.
 */
export function judgeDomain(
  changes: { readonly [name: string]: unknown },
  current?: DomainFields,
): { fields: DomainFields; reasons: Reason[] } {
  const reasons: Reason[] = [];
  const fields = { ...(current ?? blank) };
  for (const name of Object.keys(blank) as (keyof DomainFields)[]) {
    const value = changes[name];
    if (value !== undefined && value !== null) Object.assign(fields, { [name]: value });
  }
  for (const name of secondsFields) fields[name] = domainSeconds(fields[name]);
  fields.tags = distinct(fields.tags);

  judgeName(fields.domain, reasons, current === undefined && changes["domain"] == null);
  if (fields.type === "") reasons.push({ reason: "type is required", field: "type" });
  else if (!["master", "slave"].includes(fields.type)) {
    reasons.push({ reason: "Must be one of master, slave", field: "type" });
  }
  if (!["disabled", "active"].includes(fields.status)) {
    // A domain that the platform itself marked keeps its mark until another status is sent.
    if (fields.status !== current?.status)
      reasons.push({ reason: "Must be one of disabled, active", field: "status" });
  }
  for (const [name, most] of [
    ["description", 253],
    ["group", 50],
  ] as const) {
    if ([...fields[name]].length > most) {
      reasons.push({ reason: `Length must be 1-${most} characters`, field: name });
    }
  }
  if (fields.soa_email !== "" && !isEmail(fields.soa_email)) {
    reasons.push({ reason: "Must be a valid email address", field: "soa_email" });
  }
  if (fields.type === "master" && fields.soa_email === "") {
    reasons.push({ reason: "soa_email required when type=master", field: "soa_email" });
  }
  judgeAddresses("master_ips", fields.master_ips, reasons);
  judgeAddresses("axfr_ips", fields.axfr_ips, reasons);
  if (fields.type === "slave" && fields.master_ips.length === 0) {
    reasons.push({
      reason: "At least one master DNS server IP is required for this zone",
      field: "master_ips",
    });
  }
  return { fields, reasons };
}

/** Tells what is wrong with a name for a zone; `missing` when none was sent. */
export function judgeName(name: string, reasons: Reason[], missing: boolean): void {
  if (missing) reasons.push({ reason: "domain is required", field: "domain" });
  else if (name.length < 1 || name.length > 253) {
    reasons.push({ reason: "Length must be 1-253 characters", field: "domain" });
  } else if (!isDomainName(name)) {
    reasons.push({ reason: "domain is not valid: it must be a full domain name", field: "domain" });
  }
}

function judgeAddresses(name: string, addresses: readonly string[], reasons: Reason[]): void {
  addresses.forEach((address, at) => {
    if (!isIPv4(address) && !isIPv6(address)) {
      reasons.push({ reason: "Must be a valid IPv4 or IPv6 address", field: `${name}[${at}]` });
    }
  });
  if (addresses.join("").length > listLength) {
    reasons.push({ reason: `The combined length must be at most ${listLength} characters`, field: name });
  }
}

/** Tags are a set that takes no notice of case; the first spelling stays. */
function distinct(tags: readonly string[]): string[] {
  const seen = new Set<string>();
  return tags.filter((tag) => {
    const known = seen.has(tag.toLowerCase());
    seen.add(tag.toLowerCase());
    return !known;
  });
}
