/**
 * One write to the service with its place in the journal: begun before, the id as soon as there is one, how it ended after. A preview asks
 * the provider the same things without writing anything. Decides nothing.
 */

import { learnTime } from "../../core/engines/clock.ts";
import { markSecretOutputs, secretOutputs } from "../../core/engines/outputs.ts";
import { urnParts } from "../../core/engines/urn.ts";
import {
  type EarlierAttempt,
  type FindRequest,
  type FindResponse,
  type Provider,
  ResourceInitFailedError,
  surelyNotWritten,
} from "../../core/protocol.ts";
import { isUnknown, some, type ValueMap } from "../../core/value.ts";
import { messageOf } from "../failure.ts";
import type { Changes } from "../state/ledger.ts";
import { dropNotes, notesOf } from "../state/notes.ts";
import type { ResourceState } from "../state/state.ts";
import { withSources } from "./property.ts";
import type { Intent, Run } from "./run.ts";

/** What the next run is told of a creation of which the end is not known. */
export const interruptedCreate = "Its creation was interrupted.";

export interface CreateOrder {
  readonly provider: Provider;
  /** What is to be made; without id and outputs. */
  readonly wanted: ResourceState;
  /** What becomes of the resource that it takes the place of, in the moment in which the new one is known. */
  readonly displaces?: Changes;
  /** An attempt of an earlier run at the very same creation, in its slot. */
  readonly earlier?: { readonly slot: number; readonly attempt: EarlierAttempt };
}

const identity = (state: ResourceState) => ({
  urn: state.urn,
  type: state.type,
  name: urnParts(state.urn).name,
});

/** The state's outputs with every secret marked that the user, the schema or an input of the same name calls secret. */
export function guarded(
  run: Pick<Run, "catalogue">,
  state: Pick<ResourceState, "type" | "inputs" | "additionalSecretOutputs">,
  outputs: ValueMap,
): ValueMap {
  const bySchema = secretOutputs(run.catalogue.resources.get(state.type));
  return markSecretOutputs(outputs, state.inputs, [...bySchema, ...(state.additionalSecretOutputs ?? [])]);
}

/** Shows that what an interrupted creation made will be deleted: nobody can use it. */
export function foreseeDiscard(run: Run, made: ResourceState): void {
  run.deletions.foresee(made);
  const message = `An interrupted run had made ${made.type} ${made.id ?? ""}, and what is told of it only once is lost: it will be deleted, and made anew where it is declared.`;
  run.report({ severity: "info", message, urn: made.urn });
}

async function foundBefore(
  run: Run,
  order: CreateOrder,
  request: Omit<FindRequest, "earlierAttempt">,
): Promise<FindResponse> {
  if (order.earlier === undefined) return undefined;
  return order.provider.find({ ...request, earlierAttempt: order.earlier.attempt, signal: run.signal });
}

/** Makes the object. Resolves to the state as saved; a preview's has no id, unless an earlier attempt made the object. */
export async function createObject(run: Run, order: CreateOrder): Promise<ResourceState> {
  const { provider, wanted } = order;
  const { ledger } = run;
  const slot = order.earlier?.slot ?? ledger.reserve();
  const request = {
    ...identity(wanted),
    inputs: wanted.inputs,
    log: run.logOf(wanted.urn),
    notes: notesOf(run, slot),
    isKnownId: (id: string, type = wanted.type) => ledger.isKnownId(type, id),
    ...(order.earlier ? { earlierAttempt: order.earlier.attempt } : {}),
    ...(wanted.customTimeouts?.create ? { timeoutSeconds: wanted.customTimeouts.create } : {}),
  };
  if (run.preview) {
    // What an earlier attempt made holds its name, so that a look-up for a new one would refuse it: it is found instead.
    const found = await foundBefore(run, order, request);
    if (found && !found.lost) {
      const taken = { ...wanted, id: found.id, outputs: guarded(run, wanted, found.state) };
      await ledger.set([[slot, taken], ...(order.displaces ?? [])], [slot]);
      return taken;
    }
    if (found?.lost) foreseeDiscard(run, { ...wanted, id: found.id });
    const { state } = await provider.create({ ...request, preview: true, signal: run.signal });
    const made = { ...wanted, outputs: withSources(guarded(run, wanted, state), wanted.urn) };
    await ledger.set([[slot, made], ...(order.displaces ?? [])], [slot]);
    return made;
  }
  const work = async (): Promise<ResourceState> => {
    let saved: ResourceState | undefined;
    let isSavedWhole = false;
    const save = async (
      id: string,
      state: ValueMap,
      more: Partial<ResourceState>,
    ): Promise<ResourceState> => {
      const { outputs, dropped } = knownOnly(state);
      const initErrors = [
        ...(more.initErrors ?? []),
        ...dropped.map((name) => `The provider did not say what ${name} is.`),
      ];
      const made: ResourceState = {
        ...wanted,
        ...more,
        id,
        outputs: guarded(run, wanted, outputs),
        created: run.now().toISOString(),
        modified: run.now().toISOString(),
        ...(initErrors.length > 0 ? { initErrors } : {}),
      };
      const displaces = saved === undefined ? (order.displaces ?? []) : [];
      saved = made;
      await ledger.set([[slot, made], ...displaces], [slot]);
      return made;
    };
    try {
      const { id, state, spent } = await provider.create({
        ...request,
        preview: false,
        signal: run.signal,
        onCreated: async (id, state, applied, isWhole = false) => {
          await save(id, state, isWhole ? {} : { inputs: applied, initErrors: [interruptedCreate] });
          isSavedWhole = isWhole;
        },
      });
      if (id === "") throw new Error("the provider made an object and gave it no id");
      const made = isSavedWhole && saved ? saved : await save(id, state, {});
      dropNotes(ledger, slot, spent);
      return made;
    } catch (error) {
      if (error instanceof ResourceInitFailedError) {
        await save(error.id, error.state, {
          inputs: error.inputs ?? wanted.inputs,
          initErrors: error.reasons.length > 0 ? error.reasons : [interruptedCreate],
        });
      } else if (saved !== undefined) {
        await ledger.set([[slot, { ...(saved as ResourceState), initErrors: [messageOf(error)] }]]);
      } else if (surelyNotWritten(error) && order.earlier === undefined) {
        await ledger.set([], [slot]);
      }
      throw error;
    }
  };
  return run.limited(wanted.urn, work, {
    async keep() {
      // A clock of this machine that is hours off would hide what this create makes from the run after a kill.
      if (order.earlier === undefined) await learnTime(provider, run.signal);
      const startedAt = order.earlier?.attempt.startedAt ?? (await run.writeTime(provider));
      await ledger.begin("creating", slot, startedAt, wanted);
    },
    drop: async () => (order.earlier === undefined ? ledger.set([], [slot]) : undefined),
  });
}

/** Changes the object in place. On a partial failure the state keeps the inputs last applied and what is really there. */
export async function updateObject(
  run: Run,
  provider: Provider,
  slot: number,
  old: ResourceState,
  wanted: ResourceState,
): Promise<ResourceState> {
  const { ledger } = run;
  const request = {
    ...identity(wanted),
    id: old.id ?? "",
    oldInputs: old.inputs,
    state: old.outputs,
    newInputs: wanted.inputs,
    isKnownId: (id: string, type = wanted.type) =>
      ledger.isKnownId(type, id) || run.imports.has(`${type} ${id}`),
    log: run.logOf(wanted.urn),
    notes: notesOf(run, slot),
    signal: run.signal,
    ...(wanted.ignoreChanges ? { ignoreChanges: wanted.ignoreChanges } : {}),
    ...(wanted.customTimeouts?.update ? { timeoutSeconds: wanted.customTimeouts.update } : {}),
  };
  const kept = { id: old.id as string, ...(old.created ? { created: old.created } : {}) };
  if (run.preview) {
    const { state } = await provider.update({ ...request, preview: true });
    const made = { ...wanted, ...kept, outputs: withSources(guarded(run, wanted, state), wanted.urn) };
    await ledger.set([[slot, made]], [slot]);
    return made;
  }
  const work = async (): Promise<ResourceState> => {
    const modified = run.now().toISOString();
    try {
      const { state, spent } = await provider.update({ ...request, preview: false });
      const { outputs, dropped } = knownOnly(state);
      const made: ResourceState = {
        ...wanted,
        ...kept,
        modified,
        outputs: guarded(run, wanted, outputs),
        ...(dropped.length > 0
          ? { initErrors: dropped.map((name) => `The provider did not say what ${name} is.`) }
          : {}),
      };
      await ledger.set([[slot, made]], [slot]);
      dropNotes(ledger, slot, spent);
      return made;
    } catch (error) {
      if (error instanceof ResourceInitFailedError) {
        const inputs = error.inputs ?? old.inputs;
        const left: ResourceState = {
          ...old,
          urn: wanted.urn,
          inputs,
          modified,
          outputs: guarded(run, wanted, knownOnly(error.state).outputs),
          initErrors: error.reasons,
        };
        await ledger.set([[slot, left]], [slot]);
      } else if (surelyNotWritten(error)) await ledger.set([], [slot]);
      throw error;
    }
  };
  return run.limited(wanted.urn, work, intentOf(run, provider, "updating", slot));
}

/** To write to what is there. */
const intentOf = (
  { ledger, writeTime }: Run,
  provider: Provider,
  kind: "updating" | "deleting",
  slot: number,
): Intent => ({
  keep: async () => ledger.begin(kind, slot, await writeTime(provider)),
  drop: () => ledger.set([], [slot]),
});

/** Deletes the object, which must be foreseen; `left` is what its slot, and those of what goes with it, have then. */
export async function deleteObject(
  run: Run,
  provider: Provider,
  slot: number,
  old: ResourceState,
  left: Changes,
): Promise<void> {
  const { ledger } = run;
  const ended = left.map(([each]) => each);
  if (run.preview) {
    run.deletions.foresee(old);
    return ledger.set(left, ended);
  }
  run.deletions.expect(old);
  const work = async (): Promise<void> => {
    try {
      await provider.delete({
        ...identity(old),
        id: old.id ?? "",
        oldInputs: old.inputs,
        state: old.outputs,
        log: run.logOf(old.urn),
        notes: notesOf(run, slot),
        signal: run.signal,
        ...(old.customTimeouts?.delete ? { timeoutSeconds: old.customTimeouts.delete } : {}),
      });
    } catch (error) {
      if (surelyNotWritten(error)) await ledger.set([], [slot]);
      throw error;
    }
    await ledger.set(left, ended);
  };
  await run.limited(old.urn, work, intentOf(run, provider, "deleting", slot));
}

/** Outputs without those that hold an unknown, which no saved state may; `dropped` names them. */
function knownOnly(state: ValueMap): { readonly outputs: ValueMap; readonly dropped: readonly string[] } {
  const dropped = Object.entries(state)
    .filter(([, value]) => some(value, isUnknown))
    .map(([name]) => name);
  if (dropped.length === 0) return { outputs: state, dropped };
  return {
    outputs: Object.fromEntries(Object.entries(state).filter(([name]) => !dropped.includes(name))),
    dropped,
  };
}
