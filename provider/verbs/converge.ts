/** Brings an existing object to its declared state: compares with what was observed, syncs each part, waits until it is ready. One flow for create, update and resume. */

import { same, toldOf } from "../core/compare.ts";
import { canonicalOf, changedInputs } from "../core/diff.ts";
import type { Fields } from "../core/field.ts";
import { annotations } from "../core/field.ts";
import { pathOf } from "../core/identifier.ts";
import { isWithin, parsePath } from "../core/property-path.ts";
import { type ResourceIdentity, ResourceInitFailedError } from "../core/protocol.ts";
import type { ActionContext, Aspect, ResourceType } from "../core/resource.ts";
import { isGone, isOpen, type WireObject } from "../core/service-port.ts";
import { observedState, refreshedInputs, stateOf, substitutes } from "../core/state.ts";
import { forgetRuns } from "../core/trigger.ts";
import type { Value, ValueMap } from "../core/value.ts";
import { toWire, wireNameOf } from "../core/wire.ts";
import { bytesOf } from "./content.ts";
import { reasonsOf } from "./failure.ts";
import { fetchObject } from "./fetch.ts";
import type { Attempt } from "./session.ts";

/** An object and what it is to become. */
export interface Task {
  readonly type: ResourceType;
  readonly identity: ResourceIdentity;
  readonly id: string;
  readonly attempt: Attempt;
  /** Declared inputs as checked. */
  readonly inputs: ValueMap;
  /** The same, plain and known. */
  readonly values: { readonly [name: string]: unknown };
  /** As observed just now. */
  readonly object: WireObject;
  /** What was applied and read last; absent for a create. */
  readonly before?: {
    readonly inputs: ValueMap;
    readonly state: ValueMap;
    readonly ignoreChanges?: readonly string[];
  };
  /** Fields that the create request carried. */
  readonly posted?: ReadonlySet<string>;
}

/** The context of a type's actions. */
export function actionContext(task: Pick<Task, "identity" | "attempt" | "values">): ActionContext<Fields> {
  const { attempt } = task;
  return {
    urn: task.identity.urn,
    service: attempt.service,
    inputs: task.values,
    log: attempt.log,
    notes: attempt.notes,
    bytesOf: (asset) => bytesOf(asset, attempt.signal),
    wait: (path, what, isDone) => {
      attempt.log("info", what, { ephemeral: true });
      return attempt.service.waitFor(path, isDone, {
        timeoutSeconds: attempt.remaining(),
        onProgress: (message) => attempt.log("info", message, { ephemeral: true }),
        signal: attempt.signal,
      });
    },
  };
}

/**
 * Returns the object as it is when everything is done. Whatever fails after something was written (or, for a create, at all) becomes a
 * ResourceInitFailedError with the real state and the inputs that really apply; before that, the error passes as it is.
 */
export async function converge(task: Task): Promise<WireObject> {
  const { type } = task;
  let object = task.object;
  const pending = fieldsToSync(task, object);
  try {
    for (const step of stepsOf(task, pending)) {
      const before = object;
      if (!step.mayStart?.(object)) object = await settled(task, object);
      // What was waited for may be the very change, sent by a run that was killed before it saw the end.
      const due = object === before ? pending : fieldsToSync(task, object);
      const fields = step.fields.filter((name) => due.has(name));
      if (fields.length > 0) object = await runStep(task, object, { ...step, fields });
      for (const name of step.fields) pending.delete(name);
    }
    object = await settled(task, object);
    const context = { ...actionContext(task), id: task.id, path: pathOf(type, task.id) };
    await type.finish?.(context, object);
    const observed = (await type.observe?.(context, object)) ?? object;
    await forgetRuns(type.verbs, task.attempt.notes);
    return observed;
  } catch (error) {
    if (task.before && !task.attempt.hasWritten()) throw error;
    throw await initFailed(task, object, pending, error);
  }
}

interface Step {
  readonly mayStart?: Aspect<Fields>["mayStart"] | undefined;
  readonly fields: readonly string[];
  readonly run: (object: WireObject, fields: ReadonlySet<string>) => Promise<WireObject | undefined>;
}

/** The plain PUT first, then the aspects in the type's order, each with the fields that it has to bring in line. */
function stepsOf(task: Task, pending: ReadonlySet<string>): Step[] {
  const { type } = task;
  const path = pathOf(type, task.id);
  const ofAspects = new Set(type.aspects.flatMap((aspect) => aspect.fields));
  const plain = [...pending].filter((name) => !ofAspects.has(name));
  const steps: Step[] = [];
  if (plain.length > 0) {
    steps.push({
      fields: plain,
      async run(_, fields) {
        const answer = await task.attempt.service.put(
          path,
          bodyOf(type, task.inputs, task.values, [...fields]),
        );
        // What is read in a way of its own is more than a write answers.
        return type.fetch ? undefined : answer;
      },
    });
  }
  for (const aspect of type.aspects) {
    const fields = aspect.fields.filter((name) => pending.has(name));
    if (fields.length > 0)
      steps.push({
        fields,
        mayStart: aspect.mayStart,
        run: (object, changed) => runAspect(task, aspect, object, changed),
      });
  }
  return steps;
}

function runAspect(task: Task, aspect: Aspect<Fields>, object: WireObject, changed: ReadonlySet<string>) {
  const path = pathOf(task.type, task.id);
  const observed = observedState(task.type, task.id, object);
  return aspect.sync({ ...actionContext(task), id: task.id, path, object, observed, changed });
}

const subjectOf = (task: Pick<Task, "type" | "id" | "attempt" | "values" | "before">) => ({
  type: task.type,
  id: task.id,
  attempt: task.attempt,
  values: task.values,
  ...(task.before && { state: task.before.state }),
});

/** Runs one step; when an answer is lost, looks what became of it and repeats only what is still missing. */
async function runStep(task: Task, object: WireObject, step: Step): Promise<WireObject> {
  const look = () => fetchObject(subjectOf(task), { fresh: true });
  let now = object;
  let left: ReadonlySet<string> = new Set(step.fields);
  for (let round = 1; ; round++) {
    try {
      return (await step.run(now, left)) ?? (await look());
    } catch (error) {
      if (!isOpen(error) || round === 3) throw error;
      if ([...left].some((name) => isInvisible(task.type, name))) throw error;
      // What did run may be under way, and shows when it is over.
      now = await settled(task, await look());
      const missing = fieldsToSync(task, now);
      left = new Set([...left].filter((name) => missing.has(name)));
      if (left.size === 0) return now;
    }
  }
}

/** The fields whose declared value the object does not have. */
export function fieldsToSync(task: Task, object: WireObject): Set<string> {
  const { type, before, posted } = task;
  const live = observedState(type, task.id, object);
  const inputs = canonicalOf(type, task.inputs, live);
  const observed = canonicalOf(type, live, live);
  const last = canonicalOf(type, before?.state ?? {}, live);
  const ofAspects = new Set(type.aspects.flatMap((aspect) => aspect.fields));
  const changed = new Set(before ? changedInputs(type, before.inputs, before.state, task.inputs) : []);
  const ignored = (before?.ignoreChanges ?? []).map(parsePath);
  const result = new Set<string>();
  for (const [name, field] of Object.entries(type.inputs)) {
    const notes = annotations(field);
    if (notes.immutable || (notes.local && !ofAspects.has(name))) continue;
    if (ignored.some((pattern) => isWithin([name], pattern))) continue;
    const isDeclared = inputs[name] !== undefined && inputs[name] !== null;
    if (isInvisible(type, name)) {
      const isChanged = changed.has(name) && (isDeclared || !notes.trigger);
      const isNew = before ? isChanged : isDeclared && !notes.trigger && !posted?.has(name);
      if (isNew) result.add(name);
    } else if (!same(field, inputs[name], toldOf(field, observed[name], inputs[name]))) {
      const hasMoved = before !== undefined && !same(field, last[name], observed[name]);
      const isDue = before ? changed.has(name) || (isDeclared && hasMoved) : isDeclared && !posted?.has(name);
      if (isDue) result.add(name);
    }
  }
  return result;
}

const isInvisible = (type: ResourceType, name: string) => {
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

/** Waits until the object is ready, if its type knows such a thing. */
export async function settled(
  task: Pick<Task, "type" | "id" | "identity" | "attempt" | "values" | "before">,
  object: WireObject,
): Promise<WireObject> {
  const { ready } = task.type;
  if (!ready) return object;
  const isReady = (seen: WireObject | undefined) => {
    if (!seen) throw new Error("it was deleted while it was waited for");
    const failure = ready.failure?.(seen);
    if (failure !== undefined) throw new Error(failure);
    return ready.isReady(seen);
  };
  if (isReady(object)) return object;
  const what = `waiting for ${task.type.name} ${task.id} to be ready`;
  const seen = await actionContext(task).wait(pathOf(task.type, task.id), what, isReady);
  return task.type.fetch ? fetchObject(subjectOf(task), { fresh: true }) : (seen ?? object);
}

/**
 * The inputs that hold of an object of which not everything was brought in line: of the rest the earlier ones, and where a part of it was
 * done, what is there now.
 */
function appliedInputs(
  type: ResourceType,
  inputs: ValueMap,
  before: Task["before"],
  pending: ReadonlySet<string>,
  live: ValueMap,
): ValueMap {
  const applied: { [name: string]: Value } = { ...inputs };
  for (const name of pending) {
    for (const each of [name, ...substitutes(type, name)]) {
      const old = before?.inputs[each];
      if (old === undefined) delete applied[each];
      else applied[each] = old;
    }
  }
  const parted = [...pending].filter((name) => substitutes(type, name).length > 0);
  if (parted.length === 0) return applied;
  const now = refreshedInputs(type, applied, before?.state ?? {}, live);
  for (const name of parted) {
    for (const each of [name, ...substitutes(type, name)]) {
      if (now[each] === undefined) delete applied[each];
      else applied[each] = now[each];
    }
  }
  return applied;
}

/** The failure of something that exists: its real state where it can be read, and the inputs that apply to it. */
export async function initFailed(
  task: Pick<Task, "type" | "id" | "inputs" | "values" | "before" | "attempt">,
  last: WireObject,
  pending: ReadonlySet<string>,
  cause: unknown,
): Promise<unknown> {
  const { type, id, inputs, before } = task;
  let object = last;
  try {
    object = await fetchObject(subjectOf(task), { fresh: true, always: true });
  } catch (error) {
    if (isGone(error)) return cause;
  }
  const applied = appliedInputs(type, inputs, before, pending, observedState(type, id, object));
  return new ResourceInitFailedError(
    {
      id,
      state: stateOf(type, id, object, applied, before?.state),
      inputs: applied,
      reasons: reasonsOf(type, cause),
    },
    { cause },
  );
}
