/** The records that a domain has: as the service answers them, as a zone compares them, as its state shows them. Pure. */

import { toWireName } from "../../../core/object/wire-name.ts";
import type { WireObject } from "../../../core/service-port.ts";
import { annotations } from "../../../core/type/field.ts";
import { Record } from "../record/record.ts";
import { isRecordType, specialFields } from "../record/types.ts";
import { declaredOf, type ZoneSource } from "./declared.ts";
import { formOf, identityOf, ownerOf, type ZoneForm, type ZoneItem } from "./form.ts";
import { ignores } from "./ignore.ts";

export interface LiveRecord {
  readonly id: number;
  readonly form: ZoneForm;
  readonly wire: WireObject;
}

/** What steers the reading of a zone. */
export interface ZoneScope extends ZoneSource {
  readonly ignore?: readonly string[];
}

export interface LiveZone {
  /** Records that the zone owns, in the order of their names. */
  readonly owned: readonly LiveRecord[];
  /** Records that it leaves alone. */
  readonly ignored: readonly LiveRecord[];
}

const names = [
  "type",
  "name",
  "target",
  "ttlSec",
  "priority",
  "weight",
  "port",
  "service",
  "protocol",
  "tag",
] as const;

/** The members that mean something for the type and are not at their default; those that the type demands always. */
function itemOf(wire: WireObject): ZoneItem {
  const { takes, needs } = isRecordType(wire["type"])
    ? specialFields[wire["type"]]
    : { takes: [], needs: [] };
  const isCommon = (name: string) => ["type", "name", "target", "ttlSec"].includes(name);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = wire[toWireName(name)];
      if (value === null || value === undefined || !(isCommon(name) || takes.includes(name))) return [];
      if (name === "name" && wire["type"] === "SRV") return [];
      const isDemanded = name === "target" || needs.includes(name);
      return !isDemanded && value === annotations(Record.inputs[name]!).default ? [] : [[name, value]];
    }),
  );
}

const byName = (one: LiveRecord, other: LiveRecord) =>
  compare(ownerOf(one.form), ownerOf(other.form)) ||
  compare(one.form.type, other.form.type) ||
  compare(one.form.target, other.form.target) ||
  one.id - other.id;

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** The records that the zone owns: all but those that it ignores and does not declare. */
export function liveZone(records: readonly WireObject[], zone: string, scope: ZoneScope): LiveZone {
  const isIgnored = ignores(scope.ignore ?? [], zone);
  const declared = new Set((declaredOf(scope, zone) ?? []).map(({ form }) => identityOf(form)));
  const owned: LiveRecord[] = [];
  const ignored: LiveRecord[] = [];
  for (const wire of records) {
    const form = formOf(itemOf(wire), zone);
    const isLeft = isIgnored(form) && !declared.has(identityOf(form));
    (isLeft ? ignored : owned).push({ id: Number(wire["id"]), form, wire });
  }
  return { owned: owned.sort(byName), ignored };
}

/** The object that the fields of a Zone describe; `live` holds every record as it was answered, for whoever changes them. */
export function zoneObject(zone: string, live: readonly WireObject[], scope: ZoneScope): WireObject {
  const { owned } = liveZone(live, zone, scope);
  return {
    domain: zone,
    records: owned.map(({ wire }) =>
      Object.fromEntries(Object.entries(itemOf(wire)).map(([name, value]) => [toWireName(name), value])),
    ),
    record_ids: owned.map(({ id }) => id),
    live,
  };
}

/** Every record of an object that `zoneObject` made. */
export const recordsOf = (object: WireObject) => object["live"] as readonly WireObject[];
