/** Which fields of an object are still to be given their declared value, and the body that carries them. Makes no request. */

import { same, toldOf } from "../../core/judgement/compare.ts";
import { canonicalOf, changedInputs } from "../../core/judgement/diff.ts";
import { observedState } from "../../core/object/state.ts";
import { toWire, wireNameOf } from "../../core/object/wire.ts";
import { isWithin, parsePath } from "../../core/property-path.ts";
import type { WireObject } from "../../core/service-port.ts";
import { annotations } from "../../core/type/field.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import type { Value, ValueMap } from "../../core/value.ts";
import type { Task } from "../task.ts";

/** The fields whose declared value the object does not have. */
export function fieldsToSync(
  task: Pick<Task, "type" | "id" | "inputs" | "before" | "posted" | "isResumed" | "unapplied">,
  object: WireObject,
): Set<string> {
  const { type, before, posted } = task;
  const live = observedState(type, task.id, object);
  const inputs = canonicalOf(type, task.inputs, live);
  const observed = canonicalOf(type, live, live);
  const last = canonicalOf(type, before?.state ?? {}, live);
  const ofAspects = new Set(type.aspects.flatMap((aspect) => aspect.fields));
  const changed = new Set(before ? changedInputs(type, before.inputs, before.state, task.inputs) : []);
  for (const name of task.unapplied ?? []) changed.add(name);
  const ignored = (before?.ignoreChanges ?? []).map(parsePath);
  const result = new Set<string>();
  for (const [name, field] of Object.entries(type.inputs)) {
    const notes = annotations(field);
    if (notes.immutable || (notes.local && !ofAspects.has(name))) continue;
    if (ignored.some((pattern) => isWithin([name], pattern))) continue;
    const isDeclared = inputs[name] !== undefined && inputs[name] !== null;
    if (isInvisible(type, name)) {
      const isChanged = changed.has(name) && (isDeclared || !notes.trigger);
      const isNew = isDeclared && !notes.trigger && !posted?.has(name);
      if (isChanged || (!before && isNew)) result.add(name);
    } else if (!same(field, inputs[name], toldOf(field, observed[name], inputs[name]))) {
      const hasMoved = before !== undefined && !same(field, last[name], observed[name]);
      // What an earlier create of this resource gave it, and is not declared any more, goes.
      const isOver = task.isResumed === true && notes.default !== undefined && !notes.computed;
      const isDue = before ? isDeclared && hasMoved : (isDeclared || isOver) && !posted?.has(name);
      if (isDue || changed.has(name)) result.add(name);
    }
  }
  return result;
}

/** True for what no answer shows: only what was sent last tells whether it is due. */
export const isInvisible = (type: ResourceType, name: string) => {
  const { trigger, writeOnly, local } = annotations(type.inputs[name]!);
  return trigger || writeOnly || local;
};

/** A wire body of these fields; one that is no longer declared is set to its default. */
export function bodyOf(
  type: ResourceType,
  inputs: ValueMap,
  values: { readonly [name: string]: unknown },
  names: readonly string[],
): WireObject {
  return Object.fromEntries(
    names.map((name) => {
      const field = type.inputs[name]!;
      const value = inputs[name] === undefined ? annotations(field).default : values[name];
      return [wireNameOf(name, field), toWire(field, (value ?? null) as Value)];
    }),
  );
}
