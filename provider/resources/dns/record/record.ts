/** Record: one DNS record of a Domain (contract section 2.4). */

import { choice, id, integer, optional, text } from "../../../core/type/field.ts";
import { resource } from "../../../core/type/resource.ts";
import { reveal, type Value, type ValueMap } from "../../../core/value.ts";
import { times } from "../../fields.ts";
import { relativeName } from "../names.ts";
import { hostTargets, isSameOwner, lookup, recordLimit, siblings } from "./relations.ts";
import { judgeFurther, recordDemands } from "./rules.ts";
import { isRecordType, recordTypes, specialFields, specialNames } from "./types.ts";

const isSpecial = (name: string) => (specialNames as readonly string[]).includes(name);

export const Record = resource({
  area: "dns",
  name: "Record",
  description:
    "One DNS record of a Domain. Import by `DOMAIN_ID/RECORD_ID` or `example.com/www/A` (`@` for the domain itself).",
  path: "/domains/{domainId}/records/{recordId}",
  parents: ["dns/domain"],
  goesWithParent: true,
  phrase: ["{name}", "{type}", "{target}"],
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
        description: "SRV: the protocol. Default: `tcp`.",
        normal: "leading-underscore",
        default: "tcp",
        answered: false,
        adoptKey: true,
      }),
    ),
    tag: optional(
      choice(["issue", "issuewild", "iodef"], {
        typeName: "CaaTag",
        description: "CAA: what the record is about.",
        default: null,
        adoptKey: true,
      }),
    ),
  },
  outputs: {
    recordId: id({ description: "The record's own number.", reference: "dns/record", wireName: "id" }),
    ...times,
  },
  demands: recordDemands,
  check: ({ parent, ...draft }) => judgeFurther({ ...draft, zone: parent?.["domain"] as string | undefined }),
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
  siblings,
  limit: recordLimit,
  lookup,
  collides: (before, after) =>
    isSameOwner(before, after) && (before.type === "CNAME" || after.type === "CNAME"),
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
    const kept = Object.entries(inputs).filter(([name]) => !isSpecial(name) || takes.includes(name));
    const demanded = needs.flatMap((name) => (object[name] == null ? [] : [[name, object[name]]]));
    const { name, ...rest } = Object.fromEntries([...kept, ...demanded, ["target", object["target"] ?? ""]]);
    return type === "SRV" || name === undefined ? rest : { ...rest, name };
  },
});
