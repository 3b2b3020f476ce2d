/** How records of one domain get on with each other: in one plan, and beside what the account has (contract section 2.4). */

import { grouped } from "../../../core/grouped.ts";
import type { WireObject } from "../../../core/service-port.ts";
import type { LookupContext } from "../../../core/type/resource.ts";
import { relativeName } from "../names.ts";
import { judgeRecord } from "./rules.ts";
import { isNullMx, type RecordValues } from "./types.ts";

/** Active records that one domain may have. */
export const recordLimit = 12_000;
/** Types whose target is a host name. */
export const hostTargets: readonly string[] = ["NS", "MX", "CNAME", "SRV", "PTR"];

/** The name that the record answers for, relative to the zone; an SRV record makes it of its service. */
function ownerName(values: RecordValues, zone: string | undefined): string {
  if (values.type !== "SRV") return relativeName(values.name, zone);
  const bare = (part: string | undefined) => (part ?? "").replace(/^_+|\.+$/g, "").toLowerCase();
  return [values.service, values.protocol || "tcp"]
    .map(bare)
    .filter(Boolean)
    .map((part) => `_${part}`)
    .join(".");
}

/** Why two records cannot stand together, if so. `other` says what the second one is. */
export function conflict(mine: RecordValues, theirs: RecordValues, isSameName: boolean, other: string) {
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

/** True when both answer for the same name, as far as the declarations alone tell. */
export const isSameOwner = (one: RecordValues, other: RecordValues) =>
  ownerName(one, undefined) === ownerName(other, undefined);

/** Two records of one plan. */
export const siblings = {
  groups(values: RecordValues, zone: { readonly [name: string]: unknown } | undefined) {
    const name = `name ${ownerName(values, zone?.["domain"] as string | undefined)}`;
    return values.type === "MX" ? [name, "mail"] : [name];
  },
  conflict: (
    mine: RecordValues,
    theirs: { readonly name: string; readonly values: RecordValues },
    group: string,
  ) => conflict(mine, theirs.values, group !== "mail", `"${theirs.name}" in this plan`),
};

type Lookup = Omit<LookupContext<never>, "before" | "after"> & {
  readonly before: RecordValues;
  readonly after: RecordValues & { readonly domainId?: string };
};

/** A record beside those of the account. */
export async function lookup(context: Lookup): Promise<void> {
  const { before, after, creating, collection, list, get, isOurs, refuse } = context;
  if (collection === undefined || !after.type || (!creating && isSameOwner(before, after))) return;
  const records = await list(collection);
  if (creating && records.length >= recordLimit) {
    refuse("", `the domain has ${records.length} records already, and may have ${recordLimit}`);
  }
  const zone = after.name?.includes(".")
    ? String((await get(`/domains/${after.domainId}`))["domain"])
    : undefined;
  if (zone !== undefined)
    judgeRecord({
      values: after,
      declares: (name) => after[name] !== undefined,
      knows: () => true,
      zone,
      refuse,
    });
  const owner = ownerName(after, zone);
  const index = indexOf(records);
  for (const record of new Set([
    ...(index.byName.get(owner) ?? []),
    ...(after.type === "MX" ? index.mail : []),
  ])) {
    const id = `${after.domainId}/${record["id"]}`;
    if (isOurs(id)) continue;
    const isSameName = owner === nameOf(record);
    const failure = conflict(after, record as RecordValues, isSameName, `record ${id} on the account`);
    if (failure) return refuse(failure.property, `${failure.reason}; import or delete that record first`);
  }
}

interface Index {
  readonly byName: ReadonlyMap<string, readonly WireObject[]>;
  readonly mail: readonly WireObject[];
}

/** One index for each list that a preview read. */
const indexes = new WeakMap<readonly WireObject[], Index>();
const nameOf = (record: WireObject) => String(record["name"] ?? "").toLowerCase();

function indexOf(records: readonly WireObject[]): Index {
  const known = indexes.get(records);
  if (known) return known;
  const byName = grouped(records, nameOf);
  const index = { byName, mail: records.filter((record) => record["type"] === "MX") };
  indexes.set(records, index);
  return index;
}
