/** The static types of values: what a schema allows, what a value is, and whether one fits the other. Pure; knows no expressions. */

import type { PropertyInfo } from "../../../core/protocol.ts";
import { isArchive, isAsset, isSecret, isValueMap, type Value } from "../../../core/value.ts";

export type Shape =
  /** Anything: nothing can be said before it is there. */
  | { readonly kind: "any" | "null" | "string" | "number" | "boolean" | "asset" | "archive" }
  | { readonly kind: "list"; readonly item: Shape }
  | ObjectShape
  /** A declared resource; `properties` are what can be read of it. */
  | { readonly kind: "resource"; readonly type: string; readonly properties: ReadonlyMap<string, Shape> }
  | { readonly kind: "union"; readonly of: readonly Shape[] };

export interface ObjectShape {
  readonly kind: "object";
  readonly properties: ReadonlyMap<string, Shape>;
  readonly required: ReadonlySet<string>;
  /** Shape of properties without a name of their own; absent: there are none. */
  readonly rest?: Shape;
}

export const anyShape: Shape = { kind: "any" };
export const stringShape: Shape = { kind: "string" };
const numberShape: Shape = { kind: "number" };
const kinds: { readonly [type: string]: Shape } = {
  string: stringShape,
  number: numberShape,
  integer: numberShape,
  boolean: { kind: "boolean" },
  null: { kind: "null" },
};

const made = new WeakMap<object, Shape>();
const madeOfProperties = new WeakMap<object, ObjectShape>();

/** The shape that a JSON Schema allows; what is not understood allows anything. */
export function shapeOfSchema(schema: unknown): Shape {
  if (typeof schema !== "object" || schema === null) return anyShape;
  const known = made.get(schema);
  if (known !== undefined) return known;
  const shape = readSchema(schema as { readonly [keyword: string]: unknown });
  made.set(schema, shape);
  return shape;
}

function readSchema(schema: { readonly [keyword: string]: unknown }): Shape {
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return unionOf(choices.map(shapeOfSchema));
  if (schema.asset === true) return { kind: "asset" };
  const { type } = schema;
  if (Array.isArray(type)) return unionOf(type.map((name) => readSchema({ ...schema, type: name })));
  if (type === "array") return { kind: "list", item: shapeOfSchema(schema.items) };
  if (type === "object") return readObject(schema);
  if (type === undefined && Array.isArray(schema.enum))
    return unionOf(schema.enum.map((value) => shapeOfValue(value as Value)));
  return kinds[String(type)] ?? anyShape;
}

function readObject(schema: { readonly [keyword: string]: unknown }): Shape {
  const properties = new Map<string, Shape>();
  for (const [name, property] of Object.entries((schema.properties ?? {}) as object))
    properties.set(name, shapeOfSchema(property));
  const rest = schema.additionalProperties;
  const isOpen = rest === true || (rest === undefined && properties.size === 0);
  return {
    kind: "object",
    properties,
    required: new Set((schema.required ?? []) as string[]),
    ...(isOpen
      ? { rest: anyShape }
      : typeof rest === "object" && rest !== null
        ? { rest: shapeOfSchema(rest) }
        : {}),
  };
}

/** The shape of an object with these properties and no other. */
export function shapeOfProperties(infos: { readonly [name: string]: PropertyInfo }): ObjectShape {
  const known = madeOfProperties.get(infos);
  if (known !== undefined) return known;
  const shape: ObjectShape = {
    kind: "object",
    properties: new Map(Object.entries(infos).map(([name, info]) => [name, shapeOfSchema(info.schema)])),
    required: new Set(Object.entries(infos).flatMap(([name, info]) => (info.required ? [name] : []))),
  };
  madeOfProperties.set(infos, shape);
  return shape;
}

/** The shape of a value that is known. */
export function shapeOfValue(value: Value): Shape {
  if (isSecret(value)) return shapeOfValue(value.value);
  if (value === null) return { kind: "null" };
  if (Array.isArray(value))
    return { kind: "list", item: unionOf(value.map((item) => shapeOfValue(item as Value))) };
  if (isAsset(value)) return { kind: "asset" };
  if (isArchive(value)) return { kind: "archive" };
  if (isValueMap(value)) {
    const properties = new Map(Object.entries(value).map(([name, item]) => [name, shapeOfValue(item)]));
    return { kind: "object", properties, required: new Set(properties.keys()) };
  }
  return kinds[typeof value] ?? anyShape;
}

/** One shape for several: `any` swallows all, equal simple ones are one. */
export function unionOf(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((shape) => (shape.kind === "union" ? shape.of : [shape]));
  if (flat.length === 0 || flat.some((shape) => shape.kind === "any")) return anyShape;
  const distinct: Shape[] = [];
  for (const shape of flat) {
    const isSimple = ["null", "string", "number", "boolean", "asset", "archive"].includes(shape.kind);
    if (!isSimple || !distinct.some((other) => other.kind === shape.kind)) distinct.push(shape);
  }
  return distinct.length === 1 ? distinct[0]! : { kind: "union", of: distinct };
}

/** True when a value of shape `from` may stand where `to` is wanted. Text takes numbers and booleans too, as with Pulumi; nothing fits everywhere. */
export function fits(from: Shape, to: Shape): boolean {
  if (from.kind === "any" || to.kind === "any" || from.kind === "null") return true;
  if (from.kind === "union") return from.of.every((shape) => fits(shape, to));
  if (to.kind === "union") return to.of.some((shape) => fits(from, shape));
  switch (to.kind) {
    case "string":
      return ["string", "number", "boolean", "resource"].includes(from.kind);
    case "asset":
    case "archive":
      return from.kind === to.kind;
    case "list":
      return from.kind === "list" && fits(from.item, to.item);
    case "object":
      return from.kind === "object" && fitsObject(from, to);
    case "resource":
      return from.kind === "resource" && from.type === to.type;
    default:
      return from.kind === to.kind;
  }
}

function fitsObject(from: ObjectShape, to: ObjectShape): boolean {
  for (const [name, shape] of from.properties) {
    const wanted = to.properties.get(name) ?? to.rest;
    if (wanted === undefined || !fits(shape, wanted)) return false;
  }
  return from.rest !== undefined || [...to.required].every((name) => from.properties.has(name));
}

/** What to call a shape in a message. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case "any":
      return "any value";
    case "null":
      return "nothing";
    case "string":
      return "text";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "asset":
      return "an asset (fn::fileAsset, fn::stringAsset or fn::remoteAsset)";
    case "archive":
      return "an archive";
    case "list":
      return shape.item.kind === "any" || shape.item.kind === "union"
        ? "a list"
        : `a list (of ${plural(shape.item)})`;
    case "object":
      return "an object";
    case "resource":
      return `a whole resource (${shape.type})`;
    case "union":
      return shape.of.map(describeShape).join(" or ");
  }
}

function plural(shape: Shape): string {
  const words: { readonly [kind: string]: string } = {
    string: "texts",
    number: "numbers",
    boolean: "booleans",
    object: "objects",
    list: "lists",
  };
  return words[shape.kind] ?? `${shape.kind}s`;
}
