/** Judges declared inputs by what they ask of each other. Pure. */

import type { TSchema } from "typebox";
import type { PathStep, PropertyPath } from "../property-path.ts";
import type { Demand, Scalar, State } from "../type/demand.ts";
import { annotations, type Fields, fieldsOf, itemsOf, mapItemsOf } from "../type/field.ts";
import { formats } from "../type/formats.ts";

/** What is known of declared inputs. */
export interface Declared {
  /** By name. */
  readonly values: object;
  readonly declares: (name: string) => boolean;
  readonly knows: (name: string) => boolean;
}

/** Refuses what a demand is not met by, as far as it is known. */
export function judgeDemands(
  demands: readonly Demand[],
  declared: Declared,
  refuse: (property: string, reason: string) => void,
): void {
  const values = declared.values as { readonly [name: string]: unknown };
  for (const { when = {}, input, is, says } of demands) {
    const applies = Object.entries(when).every(([name, state]) => isSo(name, state!, declared) === true);
    if (!applies || isSo(input, is, declared) !== false) continue;
    const reason = says.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
    const value = values[input];
    refuse(
      input,
      typeof is === "object" && "format" in is ? `${reason}, not ${quoted(String(value))}` : reason,
    );
  }
}

/** The same of what is within: groups whose fields have demands of their own, where they stand. */
export function judgeWithin(
  fields: Fields,
  { values, isUnknown }: { readonly values: object; readonly isUnknown: (path: PropertyPath) => boolean },
  refuse: (path: PropertyPath, reason: string) => void,
): void {
  const walk = (field: TSchema, value: unknown, path: PropertyPath): void => {
    if (typeof value !== "object" || value === null || !isDemanding(field)) return;
    const every = itemsOf(field) ?? mapItemsOf(field);
    const steps: readonly (readonly [PathStep, unknown])[] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value);
    const members = fieldsOf(field);
    const declared: Declared = {
      values: value,
      declares: (name) => (value as { [name: string]: unknown })[name] !== undefined,
      knows: (name) => !isUnknown([...path, name]),
    };
    judgeDemands(annotations(field).demands ?? [], declared, (name, reason) =>
      refuse([...path, name], reason),
    );
    for (const [step, each] of steps) {
      const own = every ?? members?.[step];
      if (own) walk(own, each, [...path, step]);
    }
  };
  const all = values as { readonly [name: string]: unknown };
  for (const [name, field] of Object.entries(fields)) walk(field, all[name], [name]);
}

const demanding = new WeakMap<TSchema, boolean>();

/** True for a field that asks something, or in which something does. */
function isDemanding(field: TSchema): boolean {
  let answer = demanding.get(field);
  if (answer === undefined) {
    const parts = [itemsOf(field) ?? mapItemsOf(field) ?? [], Object.values(fieldsOf(field) ?? {})].flat();
    answer = annotations(field).demands !== undefined || parts.some(isDemanding);
    demanding.set(field, answer);
  }
  return answer;
}

/** Undefined: that is not known. */
function isSo(name: string, state: State, declared: Declared): boolean | undefined {
  const { declares, knows } = declared;
  const values = declared.values as { readonly [name: string]: unknown };
  const value = values[name];
  if (state === "given") return declares(name);
  if (state === "absent") return !declares(name);
  // Unknown, or refused for itself.
  if (!knows(name) || (declares(name) && value === undefined)) return undefined;
  if (state === "filled") return !isBlank(value);
  if (state === "blank") return isBlank(value);
  if ("in" in state) return state.in.includes(value as Scalar);
  if ("notIn" in state) return !state.notIn.includes(value as Scalar);
  if ("atMost" in state) {
    const bound = values[state.atMost];
    if (!knows(state.atMost) || typeof value !== "number" || typeof bound !== "number") return undefined;
    return value <= bound;
  }
  if ("lacks" in state) return !hasAll(value, state.lacks);
  if (value === undefined || value === "") return undefined;
  return state.or?.includes(String(value)) === true || formats[state.format]!.test(String(value));
}

/** `group` is known at every depth. */
function hasAll(group: unknown, states: { readonly [member: string]: State }): boolean {
  if (typeof group !== "object" || group === null) return false;
  const values = group as { readonly [name: string]: unknown };
  const declared: Declared = {
    values,
    declares: (name) => values[name] !== undefined,
    knows: () => true,
  };
  return Object.entries(states).every(([name, state]) => isSo(name, state, declared) === true);
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === "" || value === 0 || (Array.isArray(value) && value.length === 0);

/** A value for a message, cut to a readable length. */
export const quoted = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text);
