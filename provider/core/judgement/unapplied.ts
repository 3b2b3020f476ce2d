/**
 * Which fields of an object may have another value on the service than the one that was saved as applied: told by marks of values that verbs
 * noted before they sent them. A mark of the saved value itself was seen to be saved, and tells nothing any more. Pure.
 */

import type { TSchema } from "typebox";
import type { Notes } from "../protocol.ts";
import { annotations } from "../type/field.ts";
import type { ResourceType } from "../type/resource.ts";
import { containsSecret, isAsset, isValueMap, type Value, type ValueMap } from "../value.ts";
import { comparable } from "./compare.ts";
import { canonicalOf } from "./diff.ts";

/** Key of the note. */
export const sentKey = "sent";

/** By field, marks of values that the service may have in place of the one that was saved. */
export interface Sent {
  readonly [name: string]: readonly string[];
}

/** Makes of a text what stands for it and does not tell it. */
export interface Marker {
  readonly plain: (text: string) => string;
  /** For secrets: nobody can try guesses who has not the key. */
  readonly keyed: (text: string) => string;
}

/** What was noted, as far as it is a note of this kind. */
export function sentIn(notes: Pick<Notes, "get"> | undefined): Sent {
  const note = notes?.get(sentKey);
  if (note === undefined || !isValueMap(note)) return {};
  const marks = Object.entries(note).filter(([, each]) => Array.isArray(each));
  return Object.fromEntries(marks.map(([name, each]) => [name, (each as readonly Value[]).map(String)]));
}

/** The mark of a field's value; `values` are in the form in which the type compares them. */
export function markOf(marker: Marker, type: ResourceType, name: string, values: ValueMap): string {
  const field = type.inputs[name]!;
  const value = values[name];
  const isHidden = annotations(field).secret || (value !== undefined && containsSecret(value));
  return isHidden ? keyedMark(marker, field, name, value) : plainMark(marker, field, name, value);
}

const keyedMark = (marker: Marker, field: TSchema, name: string, value: Value | undefined) =>
  `k:${marker.keyed(textOf(name, comparable(field, value)))}`;

const plainMark = (marker: Marker, field: TSchema, name: string, value: Value | undefined) =>
  `p:${marker.plain(textOf(name, comparable(field, value)))}`;

/** True for the mark of that value, whether it was secret then or is now. */
function isMarkOf(mark: string, marker: Marker, type: ResourceType, name: string, values: ValueMap): boolean {
  const make = mark.startsWith("k:") ? keyedMark : plainMark;
  return mark === make(marker, type.inputs[name]!, name, values[name]);
}

/** The marks that are not of these values: what the service may have in their place. */
export function openMarks(type: ResourceType, sent: Sent, values: ValueMap, marker: Marker): Sent {
  const open = Object.entries(sent).flatMap(([name, marks]) => {
    if (type.inputs[name] === undefined) return [];
    return marks.some((mark) => !isMarkOf(mark, marker, type, name, values)) ? [[name, marks] as const] : [];
  });
  return Object.fromEntries(open);
}

/**
 * The fields whose saved value was not the last one that was sent, and whose declared one is therefore still to be brought about. `known` is what
 * is known of the object.
 */
export function unappliedFields(
  type: ResourceType,
  values: { readonly oldInputs: ValueMap; readonly newInputs: ValueMap; readonly known: ValueMap },
  sent: Sent,
  marker: Marker,
): ReadonlySet<string> {
  const names = Object.keys(sent);
  if (names.length === 0) return new Set();
  const old = canonicalOf(type, values.oldInputs, values.known);
  const declared = canonicalOf(type, values.newInputs, values.known);
  // What was sent last is known to be there also where it was read since, and is left to the service by now.
  const seen = canonicalOf(type, values.known, values.known);
  const open = openMarks(type, openMarks(type, sent, old, marker), seen, marker);
  return new Set(
    Object.keys(open).filter((name) => {
      const isLeft = declared[name] === undefined || declared[name] === null;
      // What is left to the service stays as it is.
      return !(isLeft && annotations(type.inputs[name]!).computed);
    }),
  );
}

/** One text for all ways in which one value is written. */
function textOf(name: string, value: Value | undefined): string {
  return value === undefined ? name : `${name} ${JSON.stringify(sorted(value))}`;
}

function sorted(value: Value): unknown {
  if (isAsset(value)) return value.hash === undefined ? { ...value } : { hash: value.hash };
  if (Array.isArray(value)) return value.map((item) => sorted(item as Value));
  if (!isValueMap(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name]!)]));
}
