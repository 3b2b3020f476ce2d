/** Brings an existing object to its declared state: compares with what was observed, syncs each part, waits until it is ready. One flow for create, update and resume. */

import { pathOf } from "../core/object/identifier.ts";
import { appliedInputs, observedState, stateOf } from "../core/object/state.ts";
import { ResourceInitFailedError } from "../core/protocol.ts";
import { isGone, isOpen, type WireObject } from "../core/service-port.ts";
import type { Fields } from "../core/type/field.ts";
import type { Aspect, ResourceType } from "../core/type/resource.ts";
import { forgetRuns } from "../core/type/trigger.ts";
import type { ValueMap } from "../core/value.ts";
import { reasonsOf } from "./failure.ts";
import { fetchObject } from "./fetch.ts";
import { actionContext, subjectOf, type Task } from "./task.ts";
import { bodyOf, fieldsToSync, isInvisible } from "./values/due.ts";
import { type SentNote, sentNote } from "./values/sent.ts";

/** An object as it is when everything is done. */
export interface Converged {
  readonly object: WireObject;
  /** Keys of notes that are of no use once this is saved. */
  readonly spent: readonly string[];
}

/**
 * Does what is due. Whatever fails after something was written (or, for a create, at all) becomes a ResourceInitFailedError with the real
 * state and the inputs that really apply; before that, the error passes as it is.
 */
export async function converge(task: Task): Promise<Converged> {
  const { type, scope } = task;
  let object = task.object;
  const pending = fieldsToSync(task, object);
  const note = sentNote(task);
  let touched: readonly string[] = [];
  try {
    await note.begin(pending, observedState(type, task.id, object));
    for (const step of stepsOf(task, pending)) {
      const before = object;
      if (!step.mayStart?.(object)) object = await untilReady(task, object);
      // What was waited for may be the very change, sent by a run that was killed before it saw the end.
      if (object !== before) keepOnly(pending, fieldsToSync(task, object));
      const fields = step.fields.filter((name) => pending.has(name));
      const writes = scope.writes();
      try {
        if (fields.length > 0) object = await runStep(task, object, { ...step, fields });
      } catch (error) {
        if (scope.writes() > writes) touched = step.fields;
        throw error;
      }
      for (const name of step.fields) pending.delete(name);
    }
    object = await untilReady(task, object);
    const context = { ...actionContext(task), id: task.id, path: pathOf(type, task.id) };
    await type.finish?.(context, object);
    const observed = (await type.observe?.(context, object)) ?? object;
    await forgetRuns(type.verbs, scope.notes);
    return { object: observed, spent: await note.end(observedState(type, task.id, observed)) };
  } catch (error) {
    const untouched = new Set([...pending].filter((name) => !touched.includes(name)));
    if (task.before && scope.writes() === 0) {
      await left(task, note, { pending, untouched });
      throw error;
    }
    const { failed, now } = await initFailed(task, object, pending, error);
    await left(task, note, { pending, untouched, ...(now && { now }) });
    throw failed;
  }
}

/** True where `converge` would do nothing with an object that was made just now. */
export function isConverged(
  { ready, finish, observe }: ResourceType,
  object: WireObject,
  pending: ReadonlySet<string>,
): boolean {
  if (pending.size > 0 || finish || observe) return false;
  return ready === undefined || (ready.failure?.(object) === undefined && ready.isReady(object));
}

function keepOnly(names: Set<string>, kept: ReadonlySet<string>): void {
  for (const name of names) if (!kept.has(name)) names.delete(name);
}

/** Notes what is left open. Where that cannot be noted, more than is left open stays noted, which costs a look at the next run. */
async function left(task: Task, note: SentNote, outcome: Parameters<SentNote["leave"]>[0]): Promise<void> {
  try {
    await note.leave(outcome);
  } catch (error) {
    task.scope.log("warning", `what was not done could not be noted: ${String(error)}`);
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
        const answer = await task.scope.service.put(
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
  const { id, isOurs } = task;
  return aspect.sync({
    ...actionContext(task),
    id,
    path,
    object,
    observed,
    changed,
    ...(isOurs && { isOurs }),
  });
}

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
      now = await untilReady(task, await look());
      const missing = fieldsToSync(task, now);
      left = new Set([...left].filter((name) => missing.has(name)));
      if (left.size === 0) return now;
    }
  }
}

/** Waits until the object is ready, if its type knows such a thing. */
export async function untilReady(
  task: Pick<Task, "type" | "id" | "identity" | "scope" | "values" | "before">,
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
  const seen = await actionContext(task).wait(
    pathOf(task.type, task.id),
    what,
    isReady,
    task.before ? undefined : ready.usually,
  );
  return task.type.fetch ? fetchObject(subjectOf(task), { fresh: true }) : (seen ?? object);
}

interface Failed {
  readonly failed: unknown;
  /** Absent where the object is not there any more. */
  readonly now?: { readonly live: ValueMap; readonly applied: ValueMap };
}

/** The failure of something that exists: its real state where it can be read, and the inputs that apply to it. */
export async function initFailed(
  task: Pick<Task, "type" | "id" | "inputs" | "values" | "before" | "scope">,
  last: WireObject,
  pending: ReadonlySet<string>,
  cause: unknown,
): Promise<Failed> {
  const { type, id, inputs, before } = task;
  let object = last;
  let isSeen = true;
  try {
    object = await fetchObject(subjectOf(task), { fresh: true, always: true });
  } catch (error) {
    if (isGone(error)) return { failed: cause };
    isSeen = false;
  }
  const live = observedState(type, id, object);
  const applied = appliedInputs(type, inputs, before, pending, live);
  const state = stateOf(type, id, object, applied, before?.state);
  const reasons = reasonsOf(type, cause);
  const failed = new ResourceInitFailedError({ id, state, inputs: applied, reasons }, { cause });
  return { failed, ...(isSeen && { now: { live, applied } }) };
}
