/** A record of a zone in the one form in which records are compared, whoever spelled it. Pure; knows no list and no request. */

import { canonicalAddress, roundNearest } from "../../../core/type/normal-form.ts";
import { relativeName, withoutDot } from "../names.ts";
import { hostTargets } from "../record/relations.ts";
import type { RecordValues } from "../record/types.ts";

/** A record as it is declared in a zone. */
export interface ZoneItem extends RecordValues {
  readonly ttlSec?: number;
}

/** Defaults are left out; the name is relative to the zone, `""` for the zone itself, and that of an SRV record is made of its service. */
export interface ZoneForm extends ZoneItem {
  readonly type: string;
  readonly target: string;
}

const bare = (part: string | undefined) => withoutDot(part ?? "").replace(/^_+/, "");

/** The form of a record. Without the zone's name, names that are written in full stay so. Applying it twice is applying it once. */
export function formOf(item: ZoneItem, zone: string | undefined): ZoneForm {
  const { type = "", priority, weight, port, tag, ttlSec } = item;
  const isService = type === "SRV";
  const name = isService ? "" : relativeName(item.name, zone);
  const ttl = roundNearest(ttlSec ?? 0);
  return {
    type,
    ...(name !== "" && { name }),
    target: targetOf(type, item.target ?? "", zone),
    ...(ttl !== 0 && { ttlSec: ttl }),
    ...(priority && { priority }),
    ...(weight && { weight }),
    ...(port && { port }),
    ...(isService && { service: bare(item.service), protocol: bare(item.protocol || "tcp") }),
    ...(tag && { tag }),
  };
}

function targetOf(type: string, target: string, zone: string | undefined): string {
  if (type === "A" || type === "AAAA") return canonicalAddress(target);
  if (!hostTargets.includes(type)) return target;
  const host = withoutDot(target.toLowerCase());
  const isPartial = type !== "PTR" && host !== "" && !host.includes(".");
  return isPartial && zone !== undefined ? `${host}.${zone.toLowerCase()}` : host;
}

/** The name that the record answers for, relative to the zone, in lower case. */
export function ownerOf({ type, name, service, protocol }: ZoneForm): string {
  return type === "SRV" ? `_${service}._${protocol}`.toLowerCase() : (name ?? "");
}

/** What people call the record among others of the zone: `www/A`, `@/MX`. */
export const titleOf = (form: ZoneForm) => `${ownerOf(form) || "@"}/${form.type}`;

/** Equal for records that are the same in everything, in a fixed order of members. */
export function keyOf(form: ZoneForm): string {
  return `${identityOf(form)} ${form.ttlSec ?? 0}`;
}

/** Equal for records that say the same, however long they may be kept: a zone has each once. */
export function identityOf({ type, name, target, priority, weight, port, service, protocol, tag }: ZoneForm) {
  return JSON.stringify([name ?? "", type, target, priority, weight, port, service, protocol, tag]);
}
