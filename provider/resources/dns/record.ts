/** Record: one DNS record of a Domain (contract section 2.4). */

import { choice, id, integer, optional, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { reveal, type Value, type ValueMap } from "../../core/value.ts";
import { relativeName } from "./names.ts";
import {
  isNullMx,
  isRecordType,
  type RecordValues,
  recordFaults,
  recordTypes,
  specialFields,
} from "./record-rules.ts";

/** Active records that one domain may have. */
const limit = 12_000;
const hostTargets = ["NS", "MX", "CNAME", "SRV", "PTR"];

/** The name that the record answers for, relative to the zone; an SRV record makes it of its service. */
function ownerName(values: RecordValues, zone: string | undefined): string {
  if (values.type !== "SRV") return relativeName(values.name, zone);
  const bare = (part: string | undefined) => (part ?? "").replace(/^_+|\.+$/g, "").toLowerCase();
  return [values.service, values.protocol]
    .map(bare)
    .filter(Boolean)
    .map((part) => `_${part}`)
    .join(".");
}

/** Why two records cannot stand together, if so. `other` says what the second one is. */
function conflict(mine: RecordValues, theirs: RecordValues, isSameName: boolean, other: string) {
  if (isSameName && mine.type === "CNAME") {
    const reason =
      theirs.type === "CNAME"
        ? `is also the name of ${other}, and only one CNAME may have a name`
        : `is also the name of ${other} (${theirs.type}), and a CNAME must be alone`;
    return { property: "name", reason };
  }
  if (isSameName && theirs.type === "CNAME")
    return { property: "name", reason: `is the name of ${other}, a CNAME, which must be alone` };
  if (mine.type !== "MX" || theirs.type !== "MX" || (!isNullMx(mine) && !isNullMx(theirs))) return undefined;
  return {
    property: "target",
    reason: `conflicts with ${other}: beside a Null MX (empty target) there is no other MX`,
  };
}

export const Record = resource({
  area: "dns",
  name: "Record",
  description:
    "One DNS record of a Domain. Import by `DOMAIN_ID/RECORD_ID` or `example.com/www/A` (`@` for the domain itself).",
  path: "/domains/{domainId}/records/{recordId}",
  parents: ["dns/domain"],
  nameFormat: "DOMAIN/NAME/TYPE (NAME is @ for the domain itself)",
  naturalName: (object) => `${object["name"] || "@"}/${object["type"]}`,
  inputs: {
    domainId: id({ description: "Id of the Domain.", reference: "dns/domain", immutable: true }),
    type: choice(recordTypes, { description: "The record's type.", immutable: true, adoptKey: true }),
    name: optional(
      text({
        description:
          "Host name, relative to the domain; empty or left out for the domain itself. SRV records take `service` and `protocol` instead.",
        maxLength: 100,
        default: "",
        normal: ["trailing-dot", "lower-case"],
        movedBy: ["service", "protocol"],
        adoptKey: true,
      }),
    ),
    target: text({
      description:
        "What the record says: an address, a host name or a text, as its type has it. Empty for a Null MX.",
      maxLength: 65_535,
      adoptKey: true,
    }),
    ttlSec: optional(
      integer({
        description:
          "How long resolvers may keep it; 0 means the domain's default. The service rounds it to the nearest of 300, 3600, 7200, 14400, 28800, 57600, 86400, 172800, 345600, 604800, 1209600 and 2419200.",
        minimum: 0,
        normal: "seconds-nearest",
        default: 0,
        adoptKey: true,
      }),
    ),
    priority: optional(
      integer({
        description: "MX and SRV: lower is preferred. Default for MX: 0.",
        minimum: 0,
        maximum: 255,
        default: 0,
        adoptKey: true,
      }),
    ),
    weight: optional(
      integer({
        description: "SRV: higher is preferred among equal priorities.",
        minimum: 0,
        maximum: 65_535,
        default: 0,
        adoptKey: true,
      }),
    ),
    port: optional(
      integer({
        description: "SRV: the service's port.",
        minimum: 0,
        maximum: 65_535,
        default: 0,
        adoptKey: true,
      }),
    ),
    service: optional(
      text({
        description: "SRV: the service (`sip`).",
        normal: "leading-underscore",
        default: null,
        adoptKey: true,
      }),
    ),
    protocol: optional(
      text({
        description: "SRV: the protocol (`tcp`).",
        normal: "leading-underscore",
        default: null,
        adoptKey: true,
      }),
    ),
    tag: optional(
      choice(["issue", "issuewild", "iodef"], {
        description: "CAA: what the record is about.",
        default: null,
        adoptKey: true,
      }),
    ),
  },
  outputs: {
    recordId: id({ description: "The record's own number.", reference: "dns/record", wireName: "id" }),
    created: optional(text({ description: "When it was made (UTC)." })),
    updated: optional(text({ description: "When it was last changed (UTC).", movedBy: true })),
  },
  check: ({ values, declares, knows, refuse }) => recordFaults(values, declares, knows, refuse),
  /** Some rewriting depends on the type: final dots of host targets, and SRV names, which the service makes itself. */
  canonical(values: ValueMap): ValueMap {
    const type = values["type"] as string;
    const target = reveal(values["target"] ?? null);
    const result: { [name: string]: Value } = { ...values };
    if (hostTargets.includes(type) && typeof target === "string")
      result["target"] = target.replace(/\.$/, "").toLowerCase();
    if (type === "SRV") delete result["name"];
    return result;
  },
  siblings: {
    limit,
    groups(values, zone) {
      const name = `name ${ownerName(values, zone?.["domain"] as string | undefined)}`;
      return values.type === "MX" ? [name, "mail"] : [name];
    },
    conflict: (mine, theirs, group) =>
      conflict(mine, theirs.values, group !== "mail", `"${theirs.name}" in this plan`),
  },
  async lookup({ before, after, creating, collection, list, get, isOurs, refuse }) {
    if (collection === undefined || !after.type) return;
    if (!creating && ownerName(before, undefined) === ownerName(after, undefined)) return;
    const records = await list(collection);
    if (creating && records.length >= limit)
      refuse("", `the domain has ${records.length} records already, and may have ${limit}`);
    const zone = after.name?.includes(".")
      ? String((await get(`/domains/${after.domainId}`))["domain"])
      : undefined;
    for (const record of records) {
      const id = `${after.domainId}/${record["id"]}`;
      const theirs = record as RecordValues;
      const isSameName = ownerName(after, zone) === String(theirs.name ?? "").toLowerCase();
      const failure = isOurs(id)
        ? undefined
        : conflict(after, theirs, isSameName, `record ${id} on the account`);
      if (failure) return refuse(failure.property, `${failure.reason}; import or delete that record first`);
    }
  },
  collides(before, after) {
    const isSameName = ownerName(before, undefined) === ownerName(after, undefined);
    return isSameName && (before.type === "CNAME" || after.type === "CNAME");
  },
  async asAnswered(values, service) {
    const zone = String((await service.get(`/domains/${values.domainId}`))["domain"]);
    const bare = values.target?.replace(/\.$/, "") ?? "";
    const isPartial = hostTargets.includes(values.type ?? "") && bare !== "" && !bare.includes(".");
    const target =
      values.target === "[remote_addr]" ? undefined : isPartial ? `${bare}.${zone}` : values.target;
    return { ...values, name: relativeName(values.name, zone), target: target as string };
  },
  imported(inputs, object) {
    const type = String(object["type"]);
    if (!isRecordType(type)) return inputs;
    const { takes, needs } = specialFields[type];
    const kept = Object.entries(inputs).filter(([name]) => !(name in specialNames) || takes.includes(name));
    const demanded = needs.flatMap((name) => (object[name] == null ? [] : [[name, object[name]]]));
    const { name, ...rest } = Object.fromEntries([...kept, ...demanded, ["target", object["target"] ?? ""]]);
    return type === "SRV" || name === undefined ? rest : { ...rest, name };
  },
});

const specialNames = { priority: 1, weight: 1, port: 1, service: 1, protocol: 1, tag: 1 };
