/** Whether two values of a field mean the same to the service, and where they differ. Pure. */

import type { TSchema } from "typebox";
import type { PropertyPath } from "../property-path.ts";
import type { PropertyDiff } from "../protocol.ts";
import { annotations, fieldsOf, isOfDefaults, itemsOf, mapItemsOf } from "../type/field.ts";
import { applyForms } from "../type/normal-form.ts";
import {
  isContent,
  isResourceReference,
  isUnknown,
  isValueMap,
  reveal,
  unknown,
  type Value,
  type ValueMap,
} from "../value.ts";

/**
 * The form of a value in which it is compared: secrets revealed, resource references as ids, ids as text, the field's
 * normal forms applied, and its default in place of nothing. `undefined` stands for absent, empty text and an empty list (unless that counts).
 */
export function comparable(field: TSchema, given: Value | undefined): Value | undefined {
  const notes = annotations(field);
  const value = normalized(field, given ?? (isOfDefaults(field) ? {} : undefined));
  if (isValueMap(value) && isOfDefaults(field) && Object.keys(value).length === 0) return undefined;
  const isEmptyList = Array.isArray(value) && value.length === 0 && !notes.emptyCounts;
  if (value === undefined || (value === "" && !notes.emptyCounts) || isEmptyList) {
    const fallback = notes.default;
    if (fallback === undefined || fallback === null || fallback === "" || Array.isArray(fallback))
      return undefined;
    return applyForms(notes.normal, fallback as Value);
  }
  return value;
}

function normalized(field: TSchema, given: Value | undefined): Value | undefined {
  if (given === undefined || given === null) return undefined;
  let value: Value = reveal(given);
  if (value === null) return undefined;
  if (isResourceReference(value)) value = value.id ?? unknown;
  if (isUnknown(value) || isContent(value)) return value;
  const notes = annotations(field);
  if (notes.type === "string" && typeof value === "number") value = String(value);
  if (Array.isArray(value)) {
    const items = itemsOf(field);
    value = value.map(
      (item) => (items ? normalized(items, item as Value) : revealDeep(item as Value)) ?? null,
    );
  } else if (isValueMap(value)) {
    value = normalizedMembers(field, value);
  }
  return applyForms(notes.normal, value);
}

/** Members of a group with their defaults in place, members of a map as they are. */
function normalizedMembers(field: TSchema, value: ValueMap): ValueMap {
  const fields = fieldsOf(field);
  const every = mapItemsOf(field);
  const names = fields ? new Set([...Object.keys(fields), ...Object.keys(value)]) : Object.keys(value);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const given = value[name];
      const own = fields?.[name];
      const member = own
        ? comparable(own, given)
        : every
          ? normalized(every, given)
          : revealDeep(given ?? null);
      return member === undefined ? [] : [[name, member]];
    }),
  );
}

function revealDeep(value: Value): Value | undefined {
  const revealed = reveal(value);
  if (revealed === null) return undefined;
  if (Array.isArray(revealed)) return revealed.map((item) => revealDeep(item as Value) ?? null);
  if (!isValueMap(revealed)) return revealed;
  return Object.fromEntries(
    Object.entries(revealed).flatMap(([name, item]) => {
      const member = revealDeep(item);
      return member === undefined ? [] : [[name, member]];
    }),
  );
}

/** True when both mean the same to the service. An unknown equals nothing. */
export function same(field: TSchema, one: Value | undefined, other: Value | undefined): boolean {
  return equal(comparable(field, one), comparable(field, other));
}

/** Deep equality of comparable values. */
export function equal(one: Value | undefined, other: Value | undefined): boolean {
  if (isUnknown(one) || isUnknown(other)) return false;
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, i) => equal(item as Value, other[i] as Value))
    );
  }
  if (isContent(one) || isContent(other))
    return isContent(one) && isContent(other) && sameContent(one, other);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) => Object.hasOwn(other, name) && equal((one as Members)[name], (other as Members)[name]),
    )
  );
}

/** What an observed or earlier group says of the members that a declaration chose, at every depth: without those left to the service. */
export function toldOf(
  field: TSchema,
  all: Value | undefined,
  declared: Value | undefined,
): Value | undefined {
  const fields = fieldsOf(field);
  const every = mapItemsOf(field);
  if (!fields && !every) return all;
  const [given, chosen] = [all, declared].map((value) => (value === undefined ? undefined : reveal(value)));
  if (!isValueMap(given) || !isValueMap(chosen)) return all;
  const told = Object.entries(given).flatMap(([name, value]) => {
    const own = fields ? fields[name] : every;
    const choice = chosen[name] ?? undefined;
    if (choice === undefined && fields && own && annotations(own).computed) return [];
    const member = own && choice !== undefined ? toldOf(own, value, choice) : value;
    return [[name, member ?? null] as const];
  });
  return Object.fromEntries(told);
}

interface Members {
  readonly [name: string]: Value;
}

function sameContent(one: object, other: object): boolean {
  const a = one as { hash?: string };
  const b = other as { hash?: string };
  return a.hash !== undefined && b.hash !== undefined
    ? a.hash === b.hash
    : JSON.stringify(one) === JSON.stringify(other);
}

export interface Difference {
  readonly path: PropertyPath;
  readonly kind: "add" | "delete" | "update";
  /** Where the path leads to no value of the inputs. */
  readonly values?: PropertyDiff["values"];
}

/** Where two comparable values differ, as deep as names and positions go; sets and rewritten texts are one place. */
export function differences(
  field: TSchema | undefined,
  before: Value | undefined,
  after: Value | undefined,
  path: PropertyPath,
): Difference[] {
  if (equal(before, after)) return [];
  if (before === undefined) return [{ path, kind: "add" }];
  if (after === undefined) return [{ path, kind: "delete" }];
  const isSet = field !== undefined && [annotations(field).normal ?? []].flat().includes("set");
  if (Array.isArray(before) && Array.isArray(after) && !isSet) {
    const items = field && itemsOf(field);
    return Array.from({ length: Math.max(before.length, after.length) }, (_, i) =>
      differences(items, before[i] as Value | undefined, after[i] as Value | undefined, [...path, i]),
    ).flat();
  }
  if (isValueMap(before) && isValueMap(after)) {
    const fields = field && fieldsOf(field);
    const every = field && mapItemsOf(field);
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      differences(fields?.[name] ?? every, before[name], after[name], [...path, name]),
    );
  }
  return [{ path, kind: "update" }];
}
