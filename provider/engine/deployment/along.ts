/**
 * What the service deletes by itself with the object that it is within (the records of a domain), so that no request is made for it. Decides
 * only that; where something within has to be looked at one by one, all of it goes the long way.
 */

import { urnParts } from "../../core/engines/urn.ts";
import { shortToken } from "../../core/token.ts";
import type { ResourceState } from "../state/state.ts";
import type { Run } from "./run.ts";

interface Leaving {
  readonly slot: number;
  readonly left: ResourceState | null;
}

/** Slots that go along, by the slot that they go with. */
export type Along = ReadonlyMap<number, readonly number[]>;

/** Finds what goes along with what; a preview says which way the objects within a parent go. */
export function goingAlong(run: Run, removals: readonly Leaving[]): Along {
  const { resources } = run.ledger;
  const going = new Set(removals.map(({ slot }) => slot));
  const holders = new Map<string, number>();
  for (const { slot } of removals) {
    const state = resources.get(slot);
    if (state && isDeleted(state)) holders.set(keyOf(state.type, state.id), slot);
  }
  const within = new Map<number, number[]>();
  if (!canHold(run, holders.values())) return within;
  const kept = new Map<number, ResourceState>();
  for (const [slot, state] of resources) {
    const holder = holders.get(parentKey(run, state) ?? "");
    if (holder === undefined || holder === slot || state.pendingReplacement) continue;
    const isFree = going.has(slot) && isDeleted(state) && state.provider === resources.get(holder)?.provider;
    if (!isFree) kept.set(holder, state);
    const others = within.get(holder);
    if (others) others.push(slot);
    else within.set(holder, [slot]);
  }
  for (const [holder, slots] of within) {
    if (run.preview) tell(run, resources.get(holder) as ResourceState, slots, kept.get(holder));
    if (kept.has(holder)) within.delete(holder);
  }
  return within;
}

/** True when one of the objects can have others within it, so that it is worth looking for them. */
function canHold({ catalogue, ledger }: Run, slots: Iterable<number>): boolean {
  const types = new Set<string | undefined>();
  for (const info of catalogue.resources.values())
    if (info.goesWithParent) for (const parent of info.parents ?? []) types.add(parent);
  return types.size > 0 && [...slots].some((slot) => types.has(ledger.resources.get(slot)?.type));
}

const keyOf = (type: string, id: string | undefined): string => `${type} ${id ?? ""}`;

/** True for what a removal sends a request for. */
const isDeleted = (state: ResourceState): boolean =>
  !state.external &&
  !state.pendingReplacement &&
  !state.retainOnDelete &&
  (!state.protect || state.delete === true);

/** The object that it is within, for a type whose objects go with theirs. */
function parentKey({ catalogue }: Run, state: ResourceState): string | undefined {
  const { type, id, inputs, outputs } = state;
  if (id === undefined || !catalogue.resources.get(type)?.goesWithParent) return undefined;
  const parent = catalogue.relations?.(type, { id, inputs, state: outputs }).parent;
  return parent && keyOf(parent.type, parent.id);
}

function tell(
  run: Run,
  holder: ResourceState,
  slots: readonly number[],
  kept: ResourceState | undefined,
): void {
  const counts = new Map<string, number>();
  for (const slot of slots) {
    const token = shortToken(run.ledger.resources.get(slot)?.type ?? "");
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  const what = [...counts].map(([token, count]) => `${count.toLocaleString("en-US")} ${token}`).join(", ");
  const message = kept
    ? `what is within it (${what}) is deleted one by one, because ${urnParts(kept.urn).name} does not go with it`
    : `what is within it (${what}) goes with it, by its one request`;
  run.report({ severity: "info", message, urn: holder.urn });
}
