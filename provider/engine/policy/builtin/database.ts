/** Built-in rules about managed databases. */

import ipaddr from "ipaddr.js";
import { integer, list, optional, text } from "../../../core/type/field.ts";
import { itemsIn, stepRule } from "./builtin.ts";

const types = ["plumbline:databases:MySqlInstance", "plumbline:databases:PostgreSqlInstance"];

/** Where IPv6 has all of IPv4, as 96 bits say. */
const mapped = ipaddr.IPv6.parse("::ffff:0:0");

/** How much of which family's addresses a range leaves open; undefined for what is none. IPv4 within IPv6 (`::ffff:0:0/96`) is IPv4. */
function rangeOf(given: string): { readonly family: "ipv4" | "ipv6"; readonly prefix: number } | undefined {
  const [address = "", prefix] = given.split("/");
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.parse(address);
  const family = parsed.kind();
  const bits = prefix === undefined ? (family === "ipv4" ? 32 : 128) : Number(prefix);
  if (parsed instanceof ipaddr.IPv6 && bits >= 0) {
    if (bits < 96 && mapped.match(parsed, bits)) return { family: "ipv4", prefix: 0 };
    if (bits >= 96 && parsed.isIPv4MappedAddress()) return { family: "ipv4", prefix: bits - 96 };
  }
  return { family, prefix: bits };
}

export const openAllowList = stepRule(
  {
    name: "open-allow-list",
    description:
      "A database whose `allowList` has a range as wide as `0.0.0.0/0` or `::/0`, or wider than the settings let pass.",
    types,
    fields: {
      ipv4Prefix: optional(
        integer({
          description: "IPv4 ranges with a shorter prefix are too wide.",
          minimum: 1,
          maximum: 32,
          default: 8,
        }),
      ),
      ipv6Prefix: optional(
        integer({
          description: "IPv6 ranges with a shorter prefix are too wide.",
          minimum: 1,
          maximum: 128,
          default: 32,
        }),
      ),
    },
  },
  ({ inputs }, { settings }) =>
    itemsIn(inputs?.["allowList"]).flatMap(([at, item]) => {
      const range = typeof item === "string" ? rangeOf(item) : undefined;
      if (range === undefined) return [];
      const least = Number(settings[range.family === "ipv4" ? "ipv4Prefix" : "ipv6Prefix"]);
      if (range.prefix >= least) return [];
      const reason =
        range.prefix === 0
          ? `${String(item)} lets everybody connect`
          : `${String(item)} is wider than /${least}`;
      return [{ property: `allowList[${at}]`, message: reason }];
    }),
);

export const singleNodeDatabase = stepRule(
  {
    name: "single-node-database",
    description: "A database of a single node, which is down while it is patched and when its node fails.",
    types,
    fields: {
      labels: optional(
        list(text({ description: "A label." }), {
          description: "Labels of databases that may have a single node.",
          default: [],
        }),
      ),
    },
  },
  ({ inputs }, { settings }) => {
    const size = inputs?.["clusterSize"] ?? 1;
    if (size !== 1) return [];
    if (itemsIn(settings["labels"]).some(([, label]) => label === inputs?.["label"])) return [];
    return [{ property: "clusterSize", message: "the database has a single node; set 3" }];
  },
);
