/** How objects stand to each other, read from what types and fields declare: parents, references in inputs, parts. Pure. */

import type { TSchema } from "typebox";
import { parametersOf } from "../object/identifier.ts";
import type { ObjectReference, Relations } from "../protocol.ts";
import { isValueMap, reveal, type Value, type ValueMap } from "../value.ts";
import { annotations, type Fields, fieldsOf, itemsOf, mapItemsOf } from "./field.ts";
import type { FoundObject } from "./reference.ts";
import type { ResourceType } from "./resource.ts";

type Types = ReadonlyMap<string, ResourceType>;
type Path = ObjectReference["path"];

/** The types that objects of a type are listed under. */
export function parentsOf(type: ResourceType, types: Types): ResourceType[] {
  const keys = type.parentsByKind ? Object.values(type.parentsByKind) : (type.parents ?? []).slice(-1);
  return keys.flatMap((key) => types.get(key) ?? []);
}

/** How an object stands to others; `types` by key. */
export function relationsOf(type: ResourceType, object: FoundObject, types: Types): Relations {
  const above = parentOf(type, object.id, types);
  const references = new Map<string, ObjectReference>();
  const add = (reference: ObjectReference) => references.set(JSON.stringify(reference.path), reference);
  for (const found of idsIn(type.inputs, object.inputs, [], types)) add(found);
  for (const { type: key, ...found } of type.refers?.(object.inputs) ?? []) {
    const other = types.get(key);
    if (other) add({ ...found, type: other.token });
  }
  if (above && typeof object.inputs[above.parameter] === "string")
    add({ path: [above.parameter], type: above.type.token, id: above.id, property: propertyOf(above.type) });
  return {
    ...(above && { parent: { type: above.type.token, id: above.id } }),
    references: [...references.values()],
    parts: (type.parts?.(object) ?? []).flatMap(({ type: key, id }) => {
      const other = types.get(key);
      return other ? [{ type: other.token, id }] : [];
    }),
  };
}

/** The parent that leads the id, and the parameter that ends its part of it. */
function parentOf(type: ResourceType, id: string, types: Types) {
  const parameters = parametersOf(type, id);
  const kind = type.parentsByKind ? parameters[type.parameters[0]!] : undefined;
  const key = kind === undefined ? type.parents?.at(-1) : type.parentsByKind?.[kind];
  const parent = key === undefined ? undefined : types.get(key);
  if (!parent) return undefined;
  const first = kind === undefined ? 0 : 1;
  const names = type.parameters.slice(first, first + parent.parameters.length);
  const parameter = names.at(-1);
  if (parameter === undefined) return undefined;
  return { type: parent, id: names.map((name) => parameters[name]).join("/"), parameter };
}

/** What of an object stands where its last parameter does. */
function propertyOf(type: ResourceType): string {
  if (type.parameters.length === 1 && type.ownParameter !== undefined) return "id";
  return type.ownParameter ?? type.parameters.at(-1)!;
}

/** Every value that is the whole id of an object of a known type. */
function* idsIn(fields: Fields, values: ValueMap, path: Path, types: Types): Generator<ObjectReference> {
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    if (value !== undefined) yield* idsAt(field, reveal(value), [...path, name], types);
  }
}

function* idsAt(field: TSchema, value: Value, path: Path, types: Types): Generator<ObjectReference> {
  const { reference } = annotations(field);
  const type = reference === undefined ? undefined : types.get(reference);
  if (type?.parameters.length === 1 && typeof value === "string") {
    yield { path, type: type.token, id: value, property: propertyOf(type) };
  }
  const items = itemsOf(field);
  if (items && Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* idsAt(items, reveal(item as Value), [...path, i], types);
  }
  if (!isValueMap(value)) return;
  const members = fieldsOf(field);
  if (members) yield* idsIn(members, value, path, types);
  const every = mapItemsOf(field);
  if (!every) return;
  for (const [name, item] of Object.entries(value)) yield* idsAt(every, reveal(item), [...path, name], types);
}
