/** What resource options do to property values: ignore changes, replace on changes, hide diffs, mark secrets; and values compared and looked up. Pure. */

import { isWithin, type PathStep, type PropertyPath, parsePath } from "../../core/property-path.ts";
import type { DiffKind, DiffResponse, PropertyDiff } from "../../core/protocol.ts";
import {
  isSecret,
  isUnknown,
  isValueMap,
  reveal,
  secret,
  unknownFrom,
  type Value,
  type ValueMap,
} from "../../core/value.ts";

/** Deep equality, secret marks and unknowns included; where an unknown comes from does not matter. */
export function sameValue(one: Value | undefined, other: Value | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (isUnknown(one) || isUnknown(other)) return isUnknown(one) && isUnknown(other);
  if (isSecret(one) || isSecret(other)) {
    return isSecret(one) && isSecret(other) && sameValue(one.value, other.value);
  }
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, i) => sameValue(item as Value, other[i] as Value))
    );
  }
  // Assets, archives and references have their parts as ordinary names; their kind is a symbol.
  if (isValueMap(one) !== isValueMap(other)) return false;
  const names = Object.keys(one);
  const members = one as ValueMap;
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameValue(members[name], (other as ValueMap)[name]))
  );
}

/** The value at a path without wildcards; undefined when there is none. Looks through secret marks, and a value within a secret is secret. */
export function valueAt(value: Value | undefined, path: PropertyPath): Value | undefined {
  let at = value;
  let hidden = false;
  for (const step of path) {
    if (at === undefined) return undefined;
    if (isSecret(at)) hidden = true;
    at = member(reveal(at), step);
  }
  return at !== undefined && hidden ? secret(at) : at;
}

function member(value: Value, step: PathStep): Value | undefined {
  if (Array.isArray(value)) return typeof step === "number" ? (value[step] as Value | undefined) : undefined;
  return isValueMap(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/**
 * The inputs with what stands at each of the paths put back to the old input's value; what the old inputs lack is taken out. `*` means every
 * member. Throws when a path is not one.
 */
export function ignoreChanges(inputs: ValueMap, old: ValueMap, paths: readonly string[]): ValueMap {
  return paths.reduce((now, path) => (putBack(now, old, parsePath(path)) ?? {}) as ValueMap, inputs);
}

function putBack(now: Value | undefined, old: Value | undefined, path: PropertyPath): Value | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return old;
  const before = old === undefined ? undefined : reveal(old);
  const after = now === undefined ? undefined : reveal(now);
  // A part of what is not there any more, or not known yet, cannot be put back on its own.
  if (after === undefined || after === null || typeof after !== "object" || isUnknown(after)) return now;
  const hidden = now !== undefined && isSecret(now);
  const marked = (value: Value): Value => (hidden ? secret(value) : value);
  if (Array.isArray(after)) {
    const items = Array.isArray(before) ? (before as readonly Value[]) : [];
    const changed = (after as readonly Value[]).map((item, i) =>
      step === "*" || step === i ? (putBack(item, items[i], rest) ?? null) : item,
    );
    if (rest.length === 0 && step === "*") return marked([...items]);
    if (rest.length === 0 && step === changed.length && items.length > changed.length)
      changed.push(items[step] as Value);
    return marked(changed);
  }
  if (!isValueMap(after)) return now;
  const members = before !== undefined && isValueMap(before) ? before : {};
  const names = step === "*" ? new Set([...Object.keys(after), ...Object.keys(members)]) : [String(step)];
  const result: { [name: string]: Value } = { ...after };
  for (const name of names) {
    const kept = putBack(after[name], members[name], rest);
    if (kept === undefined) delete result[name];
    else result[name] = kept;
  }
  return marked(result);
}

const replacing: { readonly [kind in DiffKind]: DiffKind } = {
  add: "add-replace",
  delete: "delete-replace",
  update: "update-replace",
  "add-replace": "add-replace",
  "delete-replace": "delete-replace",
  "update-replace": "update-replace",
};

const plainKind: { readonly [kind in DiffKind]: DiffKind } = {
  add: "add",
  delete: "delete",
  update: "update",
  "add-replace": "add",
  "delete-replace": "delete",
  "update-replace": "update",
};

/** True when a change at `path` touches what `pattern` names: it is within it, or it holds it. */
function touches(path: PropertyPath, pattern: PropertyPath): boolean {
  return isWithin(path, pattern) || isWithin(pattern.slice(0, path.length), path);
}

/** The diff with every change that `replaceOnChanges` names made a replacement. */
export function replaceOnChanges(diff: DiffResponse, paths: readonly string[]): DiffResponse {
  if (!diff.changes || paths.length === 0) return diff;
  const patterns = paths.map(parsePath);
  const detailedDiff: { [path: string]: PropertyDiff } = {};
  const replaces = new Set(diff.replaces);
  for (const [text, change] of Object.entries(diff.detailedDiff)) {
    const path = parsePath(text);
    const isNamed = patterns.some((pattern) => touches(path, pattern));
    detailedDiff[text] = isNamed ? { ...change, kind: replacing[change.kind] } : change;
    if (isNamed) replaces.add(String(path[0] ?? ""));
  }
  return { ...diff, detailedDiff, replaces: [...replaces] };
}

/** A detailed diff without what is within the paths that `hideDiffs` names. */
export function withoutHidden(
  detailedDiff: DiffResponse["detailedDiff"],
  paths: readonly string[] | undefined,
): DiffResponse["detailedDiff"] {
  if (!paths || paths.length === 0) return detailedDiff;
  const patterns = paths.map(parsePath);
  return Object.fromEntries(
    Object.entries(detailedDiff).filter(
      ([path]) => !patterns.some((pattern) => isWithin(parsePath(path), pattern)),
    ),
  );
}

/** The diff as seen from the other side, and without replacements: what the service did to what was applied. */
export function inverted(detailedDiff: DiffResponse["detailedDiff"]): DiffResponse["detailedDiff"] {
  const turned = { add: "delete", delete: "add", update: "update" } as const;
  return Object.fromEntries(
    Object.entries(detailedDiff).map(([path, { values, ...change }]) => {
      const { before, after } = values ?? {};
      const other = {
        ...(after !== undefined && { before: after }),
        ...(before !== undefined && { after: before }),
      };
      const kind = turned[plainKind[change.kind] as keyof typeof turned];
      return [path, { ...change, kind, ...(values && { values: other }) }];
    }),
  );
}

/** Outputs of a preview where each unknown says which property of which resource it will come from. */
export function withSources(outputs: ValueMap, urn: string): ValueMap {
  const walk = (value: Value, path: string): Value => {
    if (isUnknown(value)) return value.source === undefined ? unknownFrom(`${urn}#${path}`) : value;
    if (isSecret(value)) return secret(walk(value.value, path));
    if (Array.isArray(value)) return value.map((item, i) => walk(item as Value, `${path}[${i}]`));
    if (isValueMap(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, walk(item, `${path}.${name}`)]),
      );
    }
    return value;
  };
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, walk(value, name)]));
}
