/** The values of a Zone as they are compared: the records of a list or a zone file in one form and one order, and where two such lists differ. Pure. */

import type { Difference } from "../../../core/judgement/compare.ts";
import {
  containsSecret,
  isSecret,
  isUnknown,
  isValueMap,
  reveal,
  secret,
  some,
  unknown,
  type Value,
  type ValueMap,
} from "../../../core/value.ts";
import { changesOf } from "./changes.ts";
import { declaredOf, readZoneFile } from "./declared.ts";
import { formOf, keyOf, type ZoneForm, type ZoneItem } from "./form.ts";

/** Forms of lists and files that were compared before. */
const known = new WeakMap<object, Map<string, readonly ZoneForm[]>>();

function remembered(source: object, zone: string | undefined, make: () => readonly ZoneForm[]) {
  const byZone = known.get(source) ?? new Map<string, readonly ZoneForm[]>();
  known.set(source, byZone);
  const made = byZone.get(zone ?? "") ?? make();
  byZone.set(zone ?? "", made);
  return made;
}

/** The values with the zone file, if there is one, read as records. */
export function canonicalZone(values: ValueMap, state: ValueMap): ValueMap {
  const { zoneFile, ...rest } = values;
  const told = state["domain"];
  const zone = typeof told === "string" ? told : undefined;
  const { records } = values;
  if (records !== undefined && records !== null)
    return { ...rest, records: hiddenAs(records, canonicalList(reveal(records), zone)) };
  if (zoneFile === undefined || zoneFile === null) return rest;
  const text = reveal(zoneFile);
  if (typeof text !== "string") return { ...rest, records: unknown };
  const file = readZoneFile(text, zone);
  const forms = remembered(file, zone, () =>
    inOrder((declaredOf({ zoneFile: text }, zone) ?? []).map(({ form }) => form)),
  );
  return { ...rest, records: hiddenAs(zoneFile, asValue(forms)) };
}

const hiddenAs = (given: Value, value: Value) => (containsSecret(given) ? secret(value) : value);

function canonicalList(records: Value, zone: string | undefined): Value {
  if (!Array.isArray(records)) return records;
  const forms = remembered(records, zone, () => {
    const isOpen = (item: Value) => some(item, isUnknown) || !isValueMap(reveal(item));
    const open = records.filter(isOpen);
    const forms = records.filter((item) => !isOpen(item)).map((item) => formOf(plain(item), zone));
    return [...inOrder(forms), ...(open as readonly ZoneForm[])];
  });
  return asValue(forms);
}

/** Forms have plain members only. */
const asValue = (forms: readonly ZoneForm[]) => forms as unknown as Value;

function plain(item: Value): ZoneItem {
  const members = Object.entries(reveal(item) as ValueMap).map(([name, value]) => [
    name,
    reveal(value) ?? undefined,
  ]);
  return Object.fromEntries(members);
}

const inOrder = (forms: readonly ZoneForm[]) =>
  forms
    .map((form) => ({ form, key: keyOf(form) }))
    .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map(({ form }) => form);

/** One place for each record that differs, by its name and type. */
export function differencesOf(
  before: Value | undefined,
  after: Value | undefined,
): readonly Difference[] | undefined {
  if (!Array.isArray(before) || !Array.isArray(after)) {
    const isHidden = (before !== undefined && isSecret(before)) || (after !== undefined && isSecret(after));
    return isHidden ? [{ path: ["records"], kind: "update" }] : undefined;
  }
  const [live, wanted] = [before, after].map((side: readonly Value[]) => side.map(formedOf)) as [
    Formed[],
    Formed[],
  ];
  const { edited, removed, added, title } = changesOf(live, wanted);
  const names = new Map<string, number>();
  const pathOf = (form: ZoneForm) => {
    const name = title(form);
    const count = (names.get(name) ?? 0) + 1;
    names.set(name, count);
    return ["records", count === 1 ? name : `${name} (${count})`];
  };
  return [
    ...added.map(
      ({ form, value }): Difference => ({ path: pathOf(form), kind: "add", values: { after: value } }),
    ),
    ...edited.map(({ from, to }): Difference => {
      const fields = [...new Set([...Object.keys(from.form), ...Object.keys(to.form)])].filter(
        (name) => from.form[name as keyof ZoneForm] !== to.form[name as keyof ZoneForm],
      );
      const [only, ...more] = fields;
      if (only === undefined || more.length > 0)
        return { path: pathOf(from.form), kind: "update", values: { before: from.value, after: to.value } };
      const [one, other] = [from, to].map(({ form }) => form[only as keyof ZoneForm]);
      return {
        path: [...pathOf(from.form), only],
        kind: "update",
        values: { ...(one !== undefined && { before: one }), ...(other !== undefined && { after: other }) },
      };
    }),
    ...removed.map(
      ({ form, value }): Difference => ({ path: pathOf(form), kind: "delete", values: { before: value } }),
    ),
  ];
}

interface Formed {
  readonly form: ZoneForm;
  readonly value: Value;
}

/** What is not known is called so; it is the same as nothing. */
function formedOf(value: Value): Formed {
  if (!some(value, isUnknown)) return { form: value as unknown as ZoneForm, value };
  const members = isValueMap(value) ? Object.entries(value).filter(([, each]) => !isUnknown(each)) : [];
  return {
    form: { type: "?", target: "(not known yet)", ...Object.fromEntries(members) } as ZoneForm,
    value,
  };
}
