/** Brings the state to what the service has, and compares the two without touching either. Writes nothing to the service. */

import { isProviderType, urnParts } from "../../core/engines/urn.ts";
import { isWithin, parsePath } from "../../core/property-path.ts";
import type { Urn } from "../../core/protocol.ts";
import { isSecret, secret, type Value, type ValueMap } from "../../core/value.ts";
import { interruptedCreate } from "../deployment/apply.ts";
import { refreshed, settleCreations } from "../deployment/leftover.ts";
import { type Live, readObject } from "../deployment/observation.ts";
import { inverted, sameValue, valueAt, withoutHidden } from "../deployment/property.ts";
import { type Run, stepFor } from "../deployment/run.ts";
import type { Step } from "../event.ts";
import type { Position } from "../host.ts";
import { notesOf } from "../state/notes.ts";
import type { ResourceState } from "../state/state.ts";
import { refuseAllGone } from "./gone.ts";

/** What is read in a refresh: objects that exist. */
function readable(run: Run): [number, ResourceState][] {
  return [...run.ledger.resources].filter(
    ([, state]) =>
      state.custom &&
      !state.delete &&
      !state.pendingReplacement &&
      !isProviderType(state.type) &&
      run.isTargeted(state.urn),
  );
}

/**
 * state := what the service reports. Gone objects leave the state; errors are reported, and the rest goes on. All reads start at once,
 * so that the provider can answer them from a few lists.
 */
export async function refreshState(run: Run): Promise<void> {
  try {
    await settleCreations(run, { keep: true, isOpen: () => false });
  } catch (error) {
    run.failure(error, "");
    return;
  }
  const found = await lookFor(run, readable(run));
  await Promise.all(
    found.map(async ({ slot, state, live }) => {
      try {
        await refreshOne(run, slot, state, live);
      } catch (error) {
        run.failure(error, state.urn);
      }
    }),
  );
}

interface Found {
  readonly slot: number;
  readonly state: ResourceState;
  readonly live: Live | undefined;
}

/** Reads all of them; what cannot be read is reported. Throws EngineError `gone` when nothing of the stack is there. */
async function lookFor(run: Run, wanted: readonly [number, ResourceState][]): Promise<Found[]> {
  const looked = await Promise.all(
    wanted.map(async ([slot, state]): Promise<Found | undefined> => {
      try {
        const provider = await run.pool.ofReference(state.provider);
        return { slot, state, live: await readObject(run, provider, state, slot) };
      } catch (error) {
        run.failure(error, state.urn);
        return undefined;
      }
    }),
  );
  const found = looked.filter((one) => one !== undefined);
  if (found.length === wanted.length) {
    const all = found.map(({ state, live }) => ({ state, isGone: live === undefined }));
    refuseAllGone(run, all, "forgotten");
  }
  return found;
}

async function refreshOne(
  run: Run,
  slot: number,
  state: ResourceState,
  live: Live | undefined,
): Promise<void> {
  if (live === undefined) {
    const step = stepFor("delete", state, { oldInputs: state.inputs, oldOutputs: state.outputs });
    await run.perform(step, async () => {
      await run.ledger.set([[slot, null]], [slot]);
      return {};
    });
    return;
  }
  const next = refreshed(run, state, live, []);
  if (sameValue(state as unknown as Value, next as unknown as Value)) {
    await run.perform(stepFor("same", state), async () => {
      if (run.ledger.attempts.has(slot)) await run.ledger.set([], [slot]);
      return {};
    });
    return;
  }
  // An object that is only read has no inputs to differ from: there it is the outputs that count.
  const drift = state.external ? {} : await driftOf(run, slot, state, live, state.inputs);
  const isAsApplied =
    Object.keys(drift).length === 0 &&
    !state.external &&
    state.id === next.id &&
    sameValue((state.initErrors ?? []) as Value, (next.initErrors ?? []) as Value);
  // What only the service moves (a time stamp, a status) is saved, but is no change that anybody has to look at; Pulumi says so too.
  const step = stepFor(isAsApplied ? "same" : "update", state, {
    detailedDiff: withoutHidden(inverted(drift), state.hideDiff),
    oldInputs: state.inputs,
    oldOutputs: state.outputs,
    newInputs: next.inputs,
  });
  await run.perform(step, async () => {
    await run.ledger.set([[slot, { ...next, modified: run.now().toISOString() }]], [slot]);
    return { outputs: next.outputs };
  });
}

/** What would have to change for the live object to be as these inputs have it. */
async function driftOf(
  run: Run,
  slot: number,
  state: ResourceState,
  live: Live,
  inputs: ValueMap,
): Promise<Step["detailedDiff"]> {
  const provider = await run.pool.ofReference(state.provider);
  const diff = await provider.diff({
    urn: state.urn,
    type: state.type,
    name: urnParts(state.urn).name,
    id: live.id,
    oldInputs: live.inputs,
    state: live.state,
    newInputs: inputs,
    log: run.logOf(state.urn),
    notes: notesOf(run, slot),
  });
  return diff.changes ? diff.detailedDiff : {};
}

/** An object that is not what was last applied. Values are absent where there is none; secrets are marked. */
export interface Drifted {
  readonly urn: Urn;
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly kind: "changed" | "missing";
  /** By property path; empty for a missing object. */
  readonly paths: {
    readonly [path: string]: { readonly declared?: Value; readonly last?: Value; readonly live?: Value };
  };
  readonly position?: Position;
}

/** A resource of which an earlier run left something open, so that nobody knows it whole. */
export interface Pending {
  readonly urn: Urn;
  readonly type: string;
  readonly name: string;
  readonly reasons: readonly string[];
}

/** What earlier runs left open, as far as it is targeted: the next `up` ends it. */
export function findPending({ ledger, isTargeted }: Run): Pending[] {
  const of = ({ urn, type }: ResourceState, reasons: readonly string[]): Pending => ({
    ...{ urn, type, name: urnParts(urn).name },
    reasons,
  });
  const begun = [...ledger.attempts.values()].map(({ kind, resource }) => of(resource, [interrupted[kind]]));
  const left = [...ledger.resources].flatMap(([slot, state]) =>
    state.initErrors && state.initErrors.length > 0 && !ledger.attempts.has(slot)
      ? [of(state, state.initErrors)]
      : [],
  );
  return [...begun, ...left].filter(({ urn }) => isTargeted(urn));
}

const interrupted = {
  creating: interruptedCreate,
  updating: "Its last update was interrupted.",
  deleting: "Its deletion was interrupted.",
};

/**
 * Compares declared, last applied and live. What only the declaration changed is no drift, nor is what `ignoreChanges` names. `declared`
 * has the checked inputs by URN, where the stack file has the resource.
 */
export async function findDrift(
  run: Run,
  declared: ReadonlyMap<Urn, { readonly inputs: ValueMap; readonly position?: Position }>,
): Promise<Drifted[]> {
  const managed = readable(run).filter(([, state]) => !state.external);
  const found = await Promise.all(
    (await lookFor(run, managed)).map(async ({ slot, state, live }): Promise<Drifted | undefined> => {
      try {
        return await compare(run, slot, state, live, declared.get(state.urn));
      } catch (error) {
        run.failure(error, state.urn);
        return undefined;
      }
    }),
  );
  return found.filter((one) => one !== undefined);
}

async function compare(
  run: Run,
  slot: number,
  state: ResourceState,
  live: Live | undefined,
  declared: { readonly inputs: ValueMap; readonly position?: Position } | undefined,
): Promise<Drifted | undefined> {
  const head = {
    urn: state.urn,
    type: state.type,
    name: urnParts(state.urn).name,
    id: state.id ?? "",
    ...(declared?.position ? { position: declared.position } : {}),
  };
  if (live === undefined) return { ...head, kind: "missing", paths: {} };
  const ignored = (state.ignoreChanges ?? []).map(parsePath);
  const drift = await driftOf(run, slot, state, live, state.inputs);
  const names = Object.keys(drift).filter(
    (path) => !ignored.some((pattern) => isWithin(parsePath(path), pattern)),
  );
  if (names.length === 0) return undefined;
  const isNamed = names.some((name) => drift[name]?.values);
  const wanted = isNamed && declared ? await driftOf(run, slot, state, live, declared.inputs) : {};
  const paths = names.map((name) => {
    const path = parsePath(name);
    const named = drift[name]?.values;
    const values = named && {
      // What would not have to change is declared as it is.
      declared: declared && (wanted[name] ? wanted[name].values?.after : named.before),
      last: named.after,
      live: named.before,
    };
    const found = values ?? {
      declared: valueAt(declared?.inputs, path),
      last: valueAt(state.inputs, path) ?? valueAt(state.outputs, path),
      live: valueAt(live.inputs, path) ?? valueAt(live.state, path),
    };
    const hides = Object.values(found).some((value) => value !== undefined && isSecret(value));
    const shown = Object.entries(found)
      .filter(([, value]) => value !== undefined)
      .map(([side, value]) => [side, hides ? hidden(value as Value) : value]);
    return [name, Object.fromEntries(shown)] as const;
  });
  return { ...head, kind: "changed", paths: Object.fromEntries(paths) };
}

/** If one side is secret, every side is. */
const hidden = (value: Value): Value => (isSecret(value) ? value : secret(value));
