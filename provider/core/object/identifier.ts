/** Canonical ids (`123/456`) and paths of objects: made, taken apart, refused. Pure. */

import type { WireObject } from "../service-port.ts";
import { annotations } from "../type/field.ts";
import type { ResourceType } from "../type/resource.ts";
import { withArticle } from "../wording.ts";
import { objectFromWire } from "./wire.ts";

/** The path parameters that a canonical id holds, by name. Throws when the text is not one. */
export function parametersOf(type: ResourceType, id: string): { readonly [name: string]: string } {
  const parts = splitId(type, id);
  if (!parts)
    throw new Error(`"${id}" is not an id of ${withArticle(type.name)}: it is written ${idFormat(type)}`);
  return Object.fromEntries(type.parameters.map((name, i) => [name, parts[i]!]));
}

/** True when the text has the form of a canonical id of the type. */
export function isCanonicalId(type: ResourceType, id: string): boolean {
  return splitId(type, id) !== undefined;
}

function splitId(type: ResourceType, id: string): string[] | undefined {
  const count = type.parameters.length;
  const all = id.split("/");
  const parts = [...all.slice(0, count - 1), all.slice(count - 1).join("/")];
  if (all.length < count || (all.length > count && isNumeric(type, type.parameters[count - 1]!)))
    return undefined;
  const isGood = (part: string, i: number) =>
    isNumeric(type, type.parameters[i]!) ? /^[1-9]\d{0,15}$/.test(part) : part !== "";
  return parts.every(isGood) ? parts : undefined;
}

const isNumeric = (type: ResourceType, parameter: string) => {
  const input = type.inputs[parameter];
  return (
    parameter === type.ownParameter || (input !== undefined && annotations(input).reference !== undefined)
  );
};

/** How the canonical id is written (`DOMAIN_ID/RECORD_ID`). */
export function idFormat(type: ResourceType): string {
  return type.parameters
    .map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase())
    .join("/");
}

/** The path of the object with this canonical id. */
export function pathOf(type: ResourceType, id: string): string {
  return fillPath(type.path, parametersOf(type, id));
}

/** The collection's path under these parents, or undefined when one of them is not known. */
export function collectionPath(
  type: ResourceType,
  values: { readonly [name: string]: unknown },
): string | undefined {
  const known = [...type.collection.matchAll(/\{(\w+)\}/g)].every(([, name]) => isPart(values[name!]));
  return known ? fillPath(type.collection, values) : undefined;
}

const isPart = (value: unknown) => typeof value === "string" || typeof value === "number";

/** A path with the values of its parameters in place of their names. */
export function fillPath(template: string, values: { readonly [name: string]: unknown }): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

/** The canonical id of an object of a list: where ids are made of names, of the object's own names. */
export function idOfListed(
  type: ResourceType,
  values: { readonly [name: string]: unknown },
  object: WireObject,
): string {
  if (type.ownParameter !== undefined) return idOf(type, values, object);
  const named = Object.entries(objectFromWire(type.inputs, type.asDeclared?.(object) ?? object));
  return idOf(type, { ...values, ...Object.fromEntries(named) }, object);
}

/** The canonical id of an object, from its own answer and the values of its parents. */
export function idOf(
  type: ResourceType,
  values: { readonly [name: string]: unknown },
  object: WireObject,
): string {
  return type.parameters
    .map((name) => {
      const part = name === type.ownParameter ? object["id"] : values[name];
      if (!isPart(part)) throw new Error(`the answer for ${withArticle(type.name)} has no id`);
      return String(part);
    })
    .join("/");
}
