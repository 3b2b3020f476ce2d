/** Built-in rules about DNS. */

import ipaddr from "ipaddr.js";
import { integer, list, optional, text } from "../../../core/type/field.ts";
import { parseZoneFile } from "../../../core/zone-file.ts";
import type { Finding, SeenStep, SeenValue } from "../rule.ts";
import { itemsIn, stepRule } from "./builtin.ts";

/** True when the address is in one of the addresses and ranges. */
function isWithin(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return ranges.some((range) => {
    const [base = "", prefix] = range.split("/");
    if (!ipaddr.isValid(base) || ipaddr.parse(base).kind() !== parsed.kind()) return false;
    return parsed.match(ipaddr.parse(base), Number(prefix ?? (parsed.kind() === "ipv4" ? 32 : 128)));
  });
}

export const openZoneTransfer = stepRule(
  {
    name: "open-zone-transfer",
    description:
      "A Domain whose `axfrIps` let an address copy the whole zone (AXFR) that is not among those that may.",
    types: ["plumbline:dns:Domain"],
    fields: {
      addresses: optional(
        list(text({ description: "An address or a range.", format: "ip-or-range" }), {
          description: "Addresses and ranges that may transfer zones; none when left out.",
          default: [],
        }),
      ),
    },
  },
  ({ inputs }, { settings }) => {
    const ranges = itemsIn(settings["addresses"]).map(([, each]) => String(each));
    return itemsIn(inputs?.["axfrIps"]).flatMap(([at, address]) => {
      if (typeof address !== "string" || isWithin(address, ranges)) return [];
      return [{ property: `axfrIps[${at}]`, message: `${address} may copy the whole zone` }];
    });
  },
);

/** What a Domain's TTL of 0 means. Seconds. */
const usual = 86_400;

const ttlTypes = ["plumbline:dns:Domain", "plumbline:dns:Record", "plumbline:dns:Zone"];

export const ttlBounds = stepRule(
  {
    name: "ttl-bounds",
    description:
      "A TTL of a Domain, a Record or a Zone's records that is shorter or longer than it may be. A record without one has its Domain's.",
    types: ttlTypes,
    fields: {
      min: optional(integer({ description: "Seconds, at least.", minimum: 0, default: 300 })),
      max: optional(integer({ description: "Seconds, at most.", minimum: 0, default: usual })),
    },
  },
  (step, { settings }) => {
    const [min, max] = [Number(settings["min"]), Number(settings["max"])];
    return ttlsOf(step).flatMap(({ property, seconds }): Finding[] => {
      if (seconds >= min && seconds <= max) return [];
      const bound = seconds < min ? `shorter than ${min}` : `longer than ${max}`;
      return [{ property, message: `${seconds} seconds are ${bound}` }];
    });
  },
);

/** The TTLs that a step declares, where each stands. */
function ttlsOf({ type, inputs = {} }: SeenStep): { readonly property: string; readonly seconds: number }[] {
  const own = inputs["ttlSec"];
  if (type === "plumbline:dns:Domain") {
    const seconds = own === undefined || own === 0 ? usual : own;
    return typeof seconds === "number" ? [{ property: "ttlSec", seconds }] : [];
  }
  if (type === "plumbline:dns:Record") return isTtl(own) ? [{ property: "ttlSec", seconds: own }] : [];
  const listed = itemsIn(inputs["records"]).flatMap(([at, record]) => {
    const seconds = (record as { readonly ttlSec?: SeenValue } | null)?.ttlSec;
    return isTtl(seconds) ? [{ property: `records[${at}].ttlSec`, seconds }] : [];
  });
  const text = inputs["zoneFile"];
  const filed = typeof text === "string" ? parseZoneFile(text, { origin: "zone.invalid" }).records : [];
  return [
    ...listed,
    ...filed.flatMap(({ ttlSec }) => (isTtl(ttlSec) ? [{ property: "zoneFile", seconds: ttlSec }] : [])),
  ];
}

const isTtl = (value: SeenValue | undefined): value is number => typeof value === "number" && value > 0;
