/** In which groups a declaration can conflict with others of one plan: by its parent, its names and its type's rules. Pure. */

import type { TSchema } from "typebox";
import { knownValues, plainInputs } from "../plain.ts";
import type { UniqueName } from "../protocol.ts";
import { annotations } from "../type/field.ts";
import type { ResourceType } from "../type/resource.ts";
import { isResourceReference, isUnknown, reveal, type Value, type ValueMap } from "../value.ts";
import { comparable } from "./compare.ts";

type Values = { readonly [name: string]: unknown };

/** What tells parents apart: known ids, or where unknown ones come from; `""` for a type without parents; undefined when nothing tells. */
export function parentOf(type: ResourceType, inputs: ValueMap): string | undefined {
  const parts: string[] = [];
  for (const name of type.parameters) {
    if (name === type.ownParameter || !isParent(type, name)) continue;
    const part = identityOf(inputs[name]);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.join("/");
}

export const isParent = (type: ResourceType, parameter: string) => type.collection.includes(`{${parameter}}`);

function identityOf(given: Value | undefined): string | undefined {
  const value = given === undefined ? undefined : reveal(given);
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (isResourceReference(value)) return typeof value.id === "string" ? value.id : value.urn;
  if (isUnknown(value)) return value.source?.replace(/#id$/, "");
  return undefined;
}

/** A group by the type's own rules, and the rules' name for it. */
export interface Shared {
  readonly rule: string;
  readonly group: string;
}

export function sharedGroups(
  type: ResourceType,
  parent: string | undefined,
  values: Values,
  parentValues: Values | undefined,
): Shared[] {
  const rules = parent === undefined ? [] : (type.siblings?.groups(values, parentValues) ?? []);
  return rules.map((rule) => ({ rule, group: `${type.key}|${parent}|rule|${rule}` }));
}

/** Where the path alone names the object: all declarations of it, and the parameter that a refusal is about. */
export function objectGroup(
  type: ResourceType,
  parent: string | undefined,
  values: Values,
): UniqueName | undefined {
  const names = type.parameters.filter((name) => !isParent(type, name)).map((name) => values[name]);
  if (parent === undefined || type.ownParameter !== undefined || names.includes(undefined)) return undefined;
  return { property: type.parameters.at(-1)!, group: `${type.key}|${parent}|object|${names.join("/")}` };
}

const uniqueFields = new WeakMap<ResourceType, [string, TSchema][]>();

/** The inputs that are unique among siblings. */
export function uniqueFieldsOf(type: ResourceType): readonly [string, TSchema][] {
  const known = uniqueFields.get(type);
  if (known) return known;
  const fields = Object.entries<TSchema>(type.inputs).filter(([, field]) => annotations(field).unique);
  uniqueFields.set(type, fields);
  return fields;
}

export function uniqueGroups(type: ResourceType, parent: string | undefined, values: Values): UniqueName[] {
  if (parent === undefined) return [];
  return uniqueFieldsOf(type).flatMap(([property, field]) => {
    const value = comparable(field, values[property] as Value);
    return typeof value === "string"
      ? [{ property, group: `${type.key}|${parent}|${property}|${value}` }]
      : [];
  });
}

/** All names of a declaration that no second one can have. */
export function uniqueNames(type: ResourceType, inputs: ValueMap): UniqueName[] {
  if (type.ownParameter !== undefined && uniqueFieldsOf(type).length === 0) return [];
  const values = knownValues(plainInputs(type.inputs, inputs));
  const parent = parentOf(type, inputs);
  const same = objectGroup(type, parent, values);
  return [...(same ? [same] : []), ...uniqueGroups(type, parent, values)];
}
