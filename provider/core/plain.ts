/** Turns property values into plain JSON for validation and for types' own checks, remembering what was unknown or secret. Pure. */

import type { TSchema } from "typebox";
import { isWithin, type PropertyPath } from "./property-path.ts";
import { annotations, type Fields, fieldsOf, isAssetField, itemsOf, mapItemsOf } from "./type/field.ts";
import {
  isAsset,
  isContent,
  isResourceReference,
  isSecret,
  isUnknown,
  isValueMap,
  unknown,
  type Value,
  type ValueMap,
} from "./value.ts";

export interface Plain {
  /** Plain JSON, and assets as they are: secrets revealed, nulls left out, ids as text, references as ids; `null` stands where a value is unknown. */
  readonly values: { readonly [name: string]: unknown };
  readonly unknownPaths: readonly PropertyPath[];
  readonly secretPaths: readonly PropertyPath[];
  /** Where an asset or an archive stands that the field does not take. */
  readonly misplacedPaths: readonly PropertyPath[];
}

/** The plain form of inputs. */
export function plainInputs(fields: Fields, inputs: ValueMap): Plain {
  const unknownPaths: PropertyPath[] = [];
  const secretPaths: PropertyPath[] = [];
  const misplacedPaths: PropertyPath[] = [];
  const walk = (field: TSchema | undefined, given: Value, path: PropertyPath): unknown => {
    let value = given;
    if (isSecret(value) || (field && annotations(field).secret)) {
      secretPaths.push(path);
      if (isSecret(value)) value = value.value;
    }
    if (isResourceReference(value) && field && annotations(field).type === "string")
      value = value.id ?? unknown;
    if (isUnknown(value)) {
      unknownPaths.push(path);
      return null;
    }
    if (isContent(value) && !takes(field, value)) misplacedPaths.push(path);
    if (typeof value === "number" && field && annotations(field).reference !== undefined)
      return String(value);
    if (Array.isArray(value))
      return value.map((item, i) => walk(field && itemsOf(field), item as Value, [...path, i]));
    if (!isValueMap(value)) return value;
    const known = field && fieldsOf(field);
    const every = field && mapItemsOf(field);
    return walkMap(value, (name) => known?.[name] ?? every, path);
  };
  const walkMap = (map: ValueMap, fieldOf: (name: string) => TSchema | undefined, path: PropertyPath) =>
    Object.fromEntries(
      Object.keys(map)
        .filter((name) => map[name] !== null && map[name] !== undefined)
        .map((name) => {
          const [field, item] = [fieldOf(name), map[name]!];
          return [name, isBare(field, item) ? item : walk(field, item, [...path, name])];
        }),
    );
  const values = walkMap(inputs, (name) => fields[name], []);
  return { values, unknownPaths, secretPaths, misplacedPaths };
}

/** True for what is plain as it is, and of which nothing is to be remembered: most values are. */
const isBare = (field: TSchema | undefined, value: Value): boolean =>
  (typeof value === "string" || typeof value === "boolean") && !(field && annotations(field).secret);

/** True where the content may stand: an asset in its own field, and either where any value is taken. */
function takes(field: TSchema | undefined, content: Value): boolean {
  if (field && isAssetField(field)) return isAsset(content);
  return field === undefined || annotations(field).type === undefined;
}

/** Known top-level values only: those that hold no unknown at any depth. */
export function knownValues(plain: Plain): { readonly [name: string]: unknown } {
  if (plain.unknownPaths.length === 0) return plain.values;
  const partly = new Set(plain.unknownPaths.map((path) => path[0]));
  return Object.fromEntries(Object.entries(plain.values).filter(([name]) => !partly.has(name)));
}

export function isAmong(path: PropertyPath, paths: readonly PropertyPath[]): boolean {
  return paths.some((other) => isWithin(path, other));
}

/** A copy without nulls inside objects: to the checked inputs, null is absent. */
export function withoutNulls(map: ValueMap): { [name: string]: Value } {
  if (Object.values(map).every((item) => typeof item !== "object" && item !== undefined)) return { ...map };
  const strip = (value: Value): Value => {
    if (Array.isArray(value)) return value.map((item) => strip(item as Value));
    return isValueMap(value) ? withoutNulls(value) : value;
  };
  return Object.fromEntries(
    Object.entries(map)
      .filter(([, item]) => item !== null && item !== undefined)
      .map(([name, item]) => [name, strip(item)]),
  );
}
