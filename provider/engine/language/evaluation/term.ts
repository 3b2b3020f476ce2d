/** Values under evaluation: plain ones, and ones that remember which resources they came from. Pure; knows no expressions. */

import { formatPath } from "../../../core/property-path.ts";
import type { Urn } from "../../../core/protocol.ts";
import {
  isResourceReference,
  isSecret,
  isUnknown,
  isValueMap,
  resourceReference,
  secret,
  type Unknown,
  unknown,
  unknownFrom,
  type Value,
  type ValueMap,
} from "../../../core/value.ts";

const tag: unique symbol = Symbol("term");

/** A value that is, or may be, secret, unknown, an asset, or made from resources. */
export interface Tracked {
  readonly [tag]: "tracked";
  readonly value: Value;
  readonly from: ReadonlySet<Urn>;
}

/** A declared resource after it was registered or read. */
export interface ResourceTerm {
  readonly [tag]: "resource";
  readonly type: string;
  readonly urn: Urn;
  readonly id: Value;
  readonly outputs: ValueMap;
  /** What children without a provider of their own use. */
  readonly provider?: Urn;
}

export type Term =
  | null
  | boolean
  | number
  | string
  | readonly Term[]
  | { readonly [name: string]: Term }
  | Tracked
  | ResourceTerm;

const nowhere: ReadonlySet<Urn> = new Set();

export function tracked(value: Value, from: ReadonlySet<Urn> = nowhere): Tracked {
  return { [tag]: "tracked", value, from };
}

export function resourceTerm(resource: Omit<ResourceTerm, typeof tag>): ResourceTerm {
  return { [tag]: "resource", ...resource };
}

function tagOf(term: Term): "tracked" | "resource" | undefined {
  return typeof term === "object" && term !== null
    ? (term as { [tag]?: "tracked" | "resource" })[tag]
    : undefined;
}

export function isTracked(term: Term): term is Tracked {
  return tagOf(term) === "tracked";
}

export function isResourceTerm(term: Term): term is ResourceTerm {
  return tagOf(term) === "resource";
}

/** True for a plain object of terms. */
export function isTermMap(term: Term): term is { readonly [name: string]: Term } {
  return typeof term === "object" && term !== null && !Array.isArray(term) && tagOf(term) === undefined;
}

/** The term as a property value: marks stay where they are, resources become references. `from` is everything it was made from. */
export function resolveTerm(term: Term): { readonly value: Value; readonly from: ReadonlySet<Urn> } {
  if (typeof term !== "object" || term === null) return { value: term, from: nowhere };
  if (isTracked(term)) return { value: term.value, from: term.from };
  const from = new Set<Urn>();
  return { value: resolveInto(term, from), from };
}

function resolveInto(term: Term, from: Set<Urn>): Value {
  if (typeof term !== "object" || term === null) return term;
  if (isTracked(term)) {
    for (const urn of term.from) from.add(urn);
    return term.value;
  }
  if (isResourceTerm(term)) {
    from.add(term.urn);
    const id = isSecret(term.id) ? term.id.value : term.id;
    return resourceReference(term.urn, typeof id === "string" || isUnknown(id) ? id : undefined);
  }
  if (Array.isArray(term)) return term.map((item) => resolveInto(item as Term, from));
  const map: { [name: string]: Value } = {};
  for (const [name, item] of Object.entries(term as { [name: string]: Term }))
    define(map, name, resolveInto(item, from));
  return map;
}

/** The value as it leaves the language: properties of objects that are null are left out at any depth, as Pulumi does; items of lists stay. */
export function withoutNothing(value: Value): Value {
  if (isSecret(value)) return secret(withoutNothing(value.value));
  if (Array.isArray(value)) return value.map((item) => withoutNothing(item as Value));
  if (!isValueMap(value)) return value;
  const map: { [name: string]: Value } = {};
  for (const [name, item] of Object.entries(value))
    if (item !== null) define(map, name, withoutNothing(item));
  return map;
}

/** Sets a property of the user's own naming, `__proto__` included. */
export function define<T>(map: { [name: string]: T }, name: string, value: T): void {
  if (name === "__proto__")
    Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
  else map[name] = value;
}

/** What a function sees of its arguments: nothing marked, and whether anything was. */
export interface Bare {
  /** Without secret marks; unknowns are in it when `missing` is set. */
  readonly value: Value;
  readonly isSecret: boolean;
  /** The unknown that keeps the value from being known; it keeps its source only when it is the whole value. */
  readonly missing?: Unknown;
  readonly from: ReadonlySet<Urn>;
}

export function bare(term: Term): Bare {
  const { value, from } = resolveTerm(term);
  const found = { isSecret: false, isUnknown: false };
  const stripped = strip(value, found);
  return {
    value: stripped,
    isSecret: found.isSecret,
    from,
    ...(found.isUnknown ? { missing: isUnknown(stripped) ? stripped : unknown } : {}),
  };
}

function strip(value: Value, found: { isSecret: boolean; isUnknown: boolean }): Value {
  if (isSecret(value)) {
    found.isSecret = true;
    return strip(value.value, found);
  }
  if (isUnknown(value)) {
    found.isUnknown = true;
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => strip(item as Value, found));
  if (!isValueMap(value)) return value;
  const map: { [name: string]: Value } = {};
  for (const [name, item] of Object.entries(value)) define(map, name, strip(item, found));
  return map;
}

/** The result of a function of these arguments: as secret as they are, and from where they are. */
export function resultOf(args: readonly Bare[], value: Value): Term {
  const from = new Set(args.flatMap((arg) => [...arg.from]));
  const isMarked = args.some((arg) => arg.isSecret);
  if (!isMarked && from.size === 0 && isPlain(value)) return value as Term;
  return tracked(isMarked ? secret(value) : value, from);
}

function isPlain(value: Value): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isPlain(item as Value));
  return isValueMap(value) && Object.values(value).every(isPlain);
}

/** Follows a path into a term. What does not exist in an object is null; a step that cannot be taken is a reason. */
export function access(term: Term, path: readonly (string | number)[]): { term: Term } | { reason: string } {
  let here = term;
  for (const [index, step] of path.entries()) {
    const rest = path.slice(index);
    if (isTracked(here)) return within(here.value, here.from, false, rest);
    if (isResourceTerm(here)) return property(here, rest);
    const next = stepInto(here as Value, step);
    if ("reason" in next) return next;
    here = next.value as Term;
  }
  return { term: here };
}

function property(
  resource: ResourceTerm,
  path: readonly (string | number)[],
): { term: Term } | { reason: string } {
  const from = new Set([resource.urn]);
  const [name, ...rest] = path;
  if (name === "urn") return within(resource.urn, from, false, rest);
  if (name === "id") return within(named(resource.id, `${resource.urn}#id`), from, false, rest);
  if (typeof name !== "string")
    return { reason: "a resource has properties, no items: write .name instead of an index" };
  const value = resource.outputs[name] ?? null;
  return within(named(value, `${resource.urn}#${formatPath([name])}`), from, false, rest);
}

/** Gives an unknown without a source the one it comes from. */
function named(value: Value, source: string): Value {
  if (isSecret(value)) return secret(named(value.value, source));
  return isUnknown(value) && value.source === undefined ? unknownFrom(source) : value;
}

function within(
  value: Value,
  from: ReadonlySet<Urn>,
  isMarked: boolean,
  path: readonly (string | number)[],
): { term: Term } | { reason: string } {
  if (isSecret(value)) return within(value.value, from, true, path);
  if (isUnknown(value) && path.length > 0) {
    const source = value.source === undefined ? undefined : `${value.source}${subpath(path)}`;
    return within(source === undefined ? unknown : unknownFrom(source), from, isMarked, []);
  }
  const [step, ...rest] = path;
  if (step === undefined) return { term: tracked(isMarked ? secret(value) : value, from) };
  if (isResourceReference(value)) {
    if (step === "urn") return within(value.urn, from, isMarked, rest);
    if (step === "id") return within(value.id ?? null, from, isMarked, rest);
    return { reason: "only id and urn can be read of a resource that another resource refers to" };
  }
  const next = stepInto(value, step);
  return "reason" in next ? next : within(next.value, from, isMarked, rest);
}

function subpath(path: readonly (string | number)[]): string {
  const text = formatPath(path);
  return text.startsWith("[") ? text : `.${text}`;
}

function stepInto(value: Value, step: string | number): { value: Value } | { reason: string } {
  if (Array.isArray(value)) {
    if (typeof step !== "number")
      return { reason: `a list has no property ${JSON.stringify(step)}: give an index, like [0]` };
    if (step >= value.length) {
      return {
        reason: `index ${step} is outside the list: it has ${value.length} ${value.length === 1 ? "item" : "items"}`,
      };
    }
    return { value: value[step] as Value };
  }
  if (isValueMap(value)) {
    if (typeof step === "number") return { reason: `an object has no index ${step}: give a property's name` };
    return { value: Object.hasOwn(value, step) ? (value[step] ?? null) : null };
  }
  const what = value === null ? "nothing" : typeof value === "object" ? "an asset" : `a ${typeof value}`;
  return {
    reason: `${typeof step === "number" ? `index ${step}` : `property ${JSON.stringify(step)}`} cannot be read of ${what}`,
  };
}
