/** Translates values between fields and the wire: names, ids (text here, numbers there), and what is absent. Pure. */

import type { TSchema } from "typebox";
import type { WireObject } from "../service-port.ts";
import { annotations, type Fields, fieldsOf, isOfDefaults, itemsOf, mapItemsOf } from "../type/field.ts";
import { applyForms } from "../type/normal-form.ts";
import { isResourceReference, isValueMap, reveal, secret, type Value, type ValueMap } from "../value.ts";
import { fromWireName, toWireName } from "./wire-name.ts";

/** The wire's name of a field. */
export function wireNameOf(name: string, field: TSchema | undefined): string {
  return (field && annotations(field).wireName) ?? toWireName(name);
}

/** A known value as the wire takes it. A group of defaults is sent whole, as the service keeps what is not sent. */
export function toWire(field: TSchema | undefined, given: Value): unknown {
  const revealed = reveal(given);
  const value = isResourceReference(revealed) ? (revealed.id ?? null) : revealed;
  // A script with Windows line ends would not find its interpreter.
  if (field && typeof value === "string" && annotations(field).normal === "line-endings")
    return applyForms("line-endings", value);
  if (field && isOfDefaults(field) && (value === null || isValueMap(value)))
    return wholeGroup(field, value ?? {});
  if (
    field &&
    annotations(field).reference !== undefined &&
    typeof value === "string" &&
    /^\d+$/.test(value)
  ) {
    return Number(value);
  }
  if (Array.isArray(value)) return value.map((item) => toWire(field && itemsOf(field), item as Value));
  if (isValueMap(value)) {
    const fields = field && fieldsOf(field);
    const every = field && mapItemsOf(field);
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, item]) => item !== null)
        .map(([name, item]) => [
          fields ? wireNameOf(name, fields[name]) : name,
          toWire(fields?.[name] ?? every, item),
        ]),
    );
  }
  return value;
}

function wholeGroup(field: TSchema, value: ValueMap): WireObject {
  return Object.fromEntries(
    Object.entries(fieldsOf(field) ?? {}).map(([name, member]) => [
      wireNameOf(name, member),
      toWire(member, value[name] ?? (annotations(member).default as Value)),
    ]),
  );
}

/** A value from the wire as the field has it, or undefined where the wire has null or nothing. */
export function fromWire(field: TSchema | undefined, value: unknown): Value | undefined {
  if (value === null || value === undefined) return undefined;
  const notes = field && annotations(field);
  if (typeof value === "number" && notes?.type === "string") return String(value);
  if (Array.isArray(value)) {
    const items = field && itemsOf(field);
    return value.map((item) => fromWire(items, item) ?? null);
  }
  if (typeof value === "object") {
    const fields = field && fieldsOf(field);
    if (fields) return objectFromWire(fields, value as WireObject);
    const every = field && mapItemsOf(field);
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, item]) => {
        const member = fromWire(every, item);
        return member === undefined ? [] : [[every ? name : fromWireName(name), member]];
      }),
    );
  }
  return value as Value;
}

/** Fields with their names on the wire, made once: thousands of objects are read by them. */
const spelled = new WeakMap<Fields, readonly (readonly [name: string, wireName: string, field: TSchema])[]>();

function spellingOf(fields: Fields) {
  const known = spelled.get(fields);
  if (known !== undefined) return known;
  const made = Object.entries(fields).map(([name, field]) => [name, wireNameOf(name, field), field] as const);
  spelled.set(fields, made);
  return made;
}

/** The fields that a wire object has, in our names; secret ones are marked. */
export function objectFromWire(fields: Fields, object: WireObject): ValueMap {
  const result: { [name: string]: Value } = {};
  for (const [name, wireName, field] of spellingOf(fields)) {
    const value = fromWire(field, object[wireName]);
    if (value !== undefined) result[name] = annotations(field).secret ? secret(value) : value;
  }
  return result;
}

/** The wire path of a service's reason (`subnets[0].ipv4`, `soa_email`) as the user's own property path. A field that only a group has is found there. */
export function pathFromWire(fields: Fields, wirePath: string): string {
  const [head = "", ...rest] = wirePath.split(/(?=[.[])/);
  const known = Object.entries(fields).find(([name, field]) => wireNameOf(name, field) === head);
  if (!known) {
    const holder = Object.entries(fields).find(([, field]) => hasWireName(fieldsOf(field), head));
    if (holder) return `${holder[0]}.${pathFromWire(fieldsOf(holder[1])!, wirePath)}`;
  }
  const first = known?.[0] ?? fromWireName(head);
  const inner = known && (fieldsOf(known[1]) ?? fieldsOf(itemsOf(known[1]) ?? known[1]));
  const index = rest[0]?.startsWith("[") ? rest.shift() : "";
  if (rest.length === 0) return first + index;
  return `${first}${index}.${pathFromWire(inner ?? {}, rest.join("").replace(/^\./, ""))}`;
}

function hasWireName(fields: Fields | undefined, wireName: string): boolean {
  return Object.entries(fields ?? {}).some(([name, field]) => wireNameOf(name, field) === wireName);
}
