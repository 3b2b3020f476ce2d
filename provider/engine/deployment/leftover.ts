/** Writes that an earlier run began and of which it saved no end: found out at the next run, so that nothing is doubled and nothing is orphaned. */

import { urnParts } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import { notesOf } from "../state/notes.ts";
import { type Attempt, type ResourceState, references } from "../state/state.ts";
import { foreseeDiscard, guarded } from "./apply.ts";
import type { Found, Settled } from "./goal.ts";
import { type Live, readObject } from "./observation.ts";
import { sameValue } from "./property.ts";
import type { Registry } from "./registry.ts";
import type { Run } from "./run.ts";

interface Resumed {
  /** The state to go on from. */
  readonly found: Found | undefined;
  /** Set when the creation that comes next was begun before, just so. */
  readonly earlier: { slot: number; startedAt: string } | undefined;
}

/**
 * Settles what an earlier run began with this resource. After an interrupted update or delete the object is read before anything is decided.
 * After an interrupted creation: when the same is wanted still, the next creation looks for it; when something else is wanted, it is looked
 * for now and, when it is there, becomes the resource that is to be changed.
 */
export async function takeUpAttempt(
  registry: Registry,
  settled: Settled,
  found: Found | undefined,
): Promise<Resumed> {
  const current = await afterWrite(registry.run, found);
  const left = registry.creationBegunFor(settled.entry);
  if (left === undefined) return { found: current, earlier: undefined };
  const { slot, attempt } = left;
  if (sameValue(await settled.check(undefined), attempt.resource.inputs)) {
    return { found: current, earlier: { slot, startedAt: attempt.startedAt } };
  }
  const seen = await look(registry.run, slot, attempt);
  if (seen === undefined) return { found: current, earlier: undefined };
  const { made } = seen;
  if (seen.isLost) {
    await discard(registry.run, slot, made);
    return { found: current, earlier: undefined };
  }
  const before = current?.state;
  const goes =
    before === undefined || before.external || before.pendingReplacement ? null : { ...before, delete: true };
  await registry.run.ledger.set(
    current
      ? [
          [slot, made],
          [current.slot, goes],
        ]
      : [[slot, made]],
    [slot],
  );
  registry.touch(settled.entry, slot);
  if (current && goes) registry.addWaiting(settled.entry, current.slot);
  return { found: { slot, state: made }, earlier: undefined };
}

/** The state as it is after an update or a delete of unknown end: the object is read, and is to be updated whatever the diff says. */
export async function afterWrite(run: Run, found: Found | undefined): Promise<Found | undefined> {
  const attempt = found && run.ledger.attempts.get(found.slot);
  if (!found || !attempt || attempt.kind === "creating" || found.state.external) return found;
  const { slot, state } = found;
  const live = await readObject(run, await run.pool.ofReference(state.provider), state, slot);
  if (live === undefined) {
    await run.ledger.set([[slot, null]], [slot]);
    return undefined;
  }
  const now = refreshed(
    run,
    state,
    live,
    attempt.kind === "updating" ? ["Its last update was interrupted."] : [],
  );
  await run.ledger.set([[slot, now]], [slot]);
  return { slot, state: now };
}

/** A state with what was read of its object. */
export function refreshed(
  run: Run,
  state: ResourceState,
  live: Live,
  initErrors: readonly string[],
): ResourceState {
  const { initErrors: _, ...rest } = state;
  const errors = [...initErrors, ...(live.initErrors ?? [])];
  return {
    ...rest,
    id: live.id,
    inputs: live.inputs,
    outputs: guarded(run, { ...state, inputs: live.inputs }, live.state),
    ...(errors.length > 0 ? { initErrors: errors } : {}),
  };
}

interface Seen {
  readonly made: ResourceState;
  /** True: nobody can use it any more, so it is deleted even where it is wanted. */
  readonly isLost: boolean;
}

/** Looks for what a creation made; ends the attempt when there is nothing. */
async function look(run: Run, slot: number, attempt: Attempt): Promise<Seen | undefined> {
  const { resource, startedAt } = attempt;
  const provider = await run.pool.ofReference(resource.provider);
  const found = await provider.find({
    urn: resource.urn,
    type: resource.type,
    name: urnParts(resource.urn).name,
    inputs: resource.inputs,
    earlierAttempt: { startedAt },
    isKnownId: (id, type = resource.type) => run.ledger.isKnownId(type, id),
    log: run.logOf(resource.urn),
    notes: notesOf(run, slot),
    signal: run.signal,
  });
  if (found === undefined) {
    await run.ledger.set([], [slot]);
    return undefined;
  }
  const made = {
    ...resource,
    id: found.id,
    inputs: found.inputs,
    outputs: guarded(run, resource, found.state),
    initErrors: ["Its creation was interrupted."],
    created: startedAt,
  };
  return { made, isLost: found.lost === true };
}

/** Deletes what nobody can use, at once: waiting, it could take its place again. Until then the attempt stands, for a run that is killed here. */
async function discard(run: Run, slot: number, made: ResourceState): Promise<void> {
  const { urn, type, id = "", inputs, outputs } = made;
  if (run.preview) foreseeDiscard(run, made);
  else {
    run.deletions.expect(made);
    const provider = await run.pool.ofReference(made.provider);
    const own = { urn, type, name: urnParts(urn).name, id, oldInputs: inputs, state: outputs };
    const { signal } = run;
    await run.limited(urn, () =>
      provider.delete({ ...own, log: run.logOf(urn), notes: notesOf(run, slot), signal }),
    );
    const message = `An interrupted run had made ${type} ${id}, and what is told of it only once is lost: it is deleted and made anew.`;
    run.report({ severity: "info", message, urn });
  }
  await run.ledger.set([], [slot]);
}

/**
 * Looks for what interrupted creations made of resources that refer to one of the URNs: their objects must go before it does. They wait for their
 * deletion then; resolves to their slots.
 */
export async function settleDependants(
  { run, isLeftOpen }: Registry,
  urns: ReadonlySet<Urn>,
): Promise<number[]> {
  const found: number[] = [];
  for (const [slot, attempt] of [...run.ledger.attempts]) {
    // What this run makes itself depends on no object that goes.
    if (attempt.kind !== "creating" || !isLeftOpen(slot)) continue;
    if (![...references(attempt.resource)].some((urn) => urns.has(urn))) continue;
    const seen = await look(run, slot, attempt);
    if (seen === undefined) continue;
    await run.ledger.set([[slot, { ...seen.made, delete: true }]], [slot]);
    found.push(slot);
  }
  return found;
}

/**
 * Settles the creations that nobody took up: what they made goes into the state. `keep` says that it is still wanted (a refresh: the next run
 * updates it); otherwise, or when its URN has another object by now, it waits for its deletion. `isOpen` leaves an attempt for later.
 * Resolves to the slots of what was found.
 */
export async function settleCreations(
  run: Run,
  options: { readonly keep: boolean; readonly isOpen: (urn: Urn) => boolean },
): Promise<number[]> {
  const found: number[] = [];
  const begun = [...run.ledger.attempts].filter(([, attempt]) => attempt.kind === "creating");
  for (const [slot, attempt] of begun) {
    const { urn } = attempt.resource;
    if (options.isOpen(urn) || !run.isTargeted(urn)) continue;
    const seen = await look(run, slot, attempt);
    if (seen === undefined) continue;
    const { made, isLost } = seen;
    // The next run deletes it and makes another; a refresh deletes nothing.
    if (isLost && options.keep) continue;
    const isWanted = options.keep && run.ledger.slotOf(urn) === undefined;
    await run.ledger.set([[slot, isWanted ? made : { ...made, delete: true }]], [slot]);
    run.report({
      severity: "info",
      message: `An interrupted run had made ${made.type} ${made.id ?? ""} and not saved it: ${isWanted ? "it is in the state now" : "it is deleted"}.`,
      urn,
    });
    found.push(slot);
  }
  return found;
}
