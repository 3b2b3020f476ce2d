/** What a change of inputs means: in place or replace, and where. Compares new inputs with the inputs last applied, never with a rule of the service. Pure. */

import type { TSchema } from "typebox";
import { knownValues, plainInputs } from "../plain.ts";
import { formatPath, isWithin, parsePath } from "../property-path.ts";
import type { DiffKind, DiffRequest, DiffResponse, PropertyDiff } from "../protocol.ts";
import { isAutomaticName } from "../type/automatic-name.ts";
import { annotations } from "../type/field.ts";
import type { ResourceType } from "../type/resource.ts";
import type { Value, ValueMap } from "../value.ts";
import { comparable, type Difference, differences, equal, same, toldOf } from "./compare.ts";

export type DiffOf = Pick<DiffRequest, "name" | "oldInputs" | "state" | "newInputs" | "ignoreChanges">;

/** The three-value diff of a resource. An unknown counts as changed, and so does what is `unapplied`, whatever was saved of it. */
export function diffResource(
  type: ResourceType,
  request: DiffOf,
  unapplied: ReadonlySet<string> = new Set(),
): DiffResponse {
  const { state } = request;
  const oldInputs = canonicalOf(type, request.oldInputs, state);
  const newInputs = canonicalOf(type, request.newInputs, state);
  const ignored = (request.ignoreChanges ?? []).map(parsePath);
  const detailedDiff: { [path: string]: PropertyDiff } = {};
  const changed = new Set<string>();
  const replaced: string[] = [];
  for (const name of new Set([...changedInputs(type, oldInputs, state, newInputs), ...unapplied])) {
    const field = type.inputs[name]!;
    const differing =
      type.differences?.(name, oldInputs[name], newInputs[name]) ??
      differences(
        field,
        comparable(field, toldOf(field, lastOf(field, oldInputs[name], state[name]), newInputs[name])),
        comparable(field, newInputs[name]),
        [name],
      );
    const found = differing.length === 0 && unapplied.has(name) ? [cutOff(name, newInputs[name])] : differing;
    const places = found
      .filter(({ path }) => !ignored.some((pattern) => isWithin(path, pattern)))
      .map(({ path, kind, values }) => ({
        path,
        values,
        kind: path.length > 1 ? kind : topKind(oldInputs, newInputs, name, kind),
      }));
    if (places.length === 0) continue;
    const replace = annotations(field).immutable === true;
    if (replace) replaced.push(name);
    changed.add(name);
    for (const { path, kind, values } of places) {
      const whole: DiffKind = replace ? `${kind}-replace` : kind;
      detailedDiff[formatPath(path)] = { kind: whole, inputDiff: true, ...(values && { values }) };
    }
  }
  const changes = changed.size > 0;
  return {
    changes,
    detailedDiff,
    replaces: replaced,
    // Also told of changes in place: the user may have any of them replace (`replaceOnChanges`).
    deleteBeforeReplace: changes && collides(type, request),
    stables:
      !changes || replaced.length > 0 ? [] : Object.keys(state).filter((name) => !moves(type, name, changed)),
  };
}

/** A value that was saved as it is declared, and that may be another on the service. */
function cutOff(name: string, declared: Value | undefined): Difference {
  const after = isAbsent(declared) ? {} : { after: declared as Value };
  return {
    path: [name],
    kind: "update",
    values: { before: "(changed by a run that was cut off)", ...after },
  };
}

/** Names of inputs that differ in meaning: what the service made of them, and defaults, are no change. */
export function changedInputs(
  type: ResourceType,
  old: ValueMap,
  last: ValueMap,
  declared: ValueMap,
): string[] {
  const [oldInputs, state, newInputs] = [old, last, declared].map((values) =>
    canonicalOf(type, values, last),
  ) as [ValueMap, ValueMap, ValueMap];
  return Object.keys(type.inputs).filter((name) => {
    const field = type.inputs[name]!;
    const last = lastOf(field, oldInputs[name], state[name]);
    if (last === newInputs[name] && typeof last !== "object") return false;
    const before = comparable(field, toldOf(field, last, newInputs[name]));
    const after = comparable(field, newInputs[name]);
    if (equal(before, after)) return false;
    if (isAbsent(newInputs[name]) && annotations(field).computed) return false;
    return !(
      isAbsent(oldInputs[name]) &&
      !isAbsent(state[name]) &&
      same(field, toldOf(field, state[name], newInputs[name]), newInputs[name])
    );
  });
}

/** The input last applied; where that was left to the service, what it chose and not the field's default. */
function lastOf(field: TSchema, input: Value | undefined, live: Value | undefined): Value | undefined {
  const { computed, default: fallback } = annotations(field);
  return computed && fallback !== undefined && isAbsent(input) ? live : input;
}

/** The values as the type compares them; `known` is what is known of the object. */
export function canonicalOf(type: ResourceType, values: ValueMap, known: ValueMap): ValueMap {
  return type.canonical ? type.canonical(values, known) : values;
}

const isAbsent = (value: unknown) => value === undefined || value === null;

function topKind(oldInputs: ValueMap, newInputs: ValueMap, name: string, kind: "add" | "delete" | "update") {
  if (isAbsent(oldInputs[name])) return "add";
  return isAbsent(newInputs[name]) ? "delete" : kind === "update" ? kind : "update";
}

/** True when an update that changes those inputs can move this property of the state. */
export function moves(type: ResourceType, name: string, changed: ReadonlySet<string>): boolean {
  if (changed.has(name)) return true;
  const field = type.outputs[name] ?? type.inputs[name];
  const movedBy = field && annotations(field).movedBy;
  if (movedBy === undefined || changed.size === 0) return false;
  return movedBy === true || movedBy.some((input) => changed.has(input));
}

/** True when the replacement cannot exist beside the old object. */
function collides(type: ResourceType, { name: logicalName, oldInputs, state, newInputs }: DiffOf): boolean {
  for (const parameter of type.parameters) {
    const field = type.inputs[parameter];
    if (
      field &&
      annotations(field).reference !== undefined &&
      !same(field, oldInputs[parameter], newInputs[parameter])
    ) {
      return false;
    }
  }
  if (type.collides) {
    return type.collides(
      knownValues(plainInputs(type.inputs, { ...state, ...oldInputs })),
      knownValues(plainInputs(type.inputs, newInputs)),
    );
  }
  return Object.entries(type.inputs).some(([name, field]) => {
    const { unique, naming } = annotations(field);
    if (!unique || isAbsent(newInputs[name])) return false;
    if (naming && isAutomaticName(newInputs[name], logicalName, naming)) return false;
    return same(field, oldInputs[name], newInputs[name]);
  });
}
