/** The working state behind a ledger: resources by slot, what was begun, notes, and the indices that make looking up cheap. Knows no file. */

import type { Urn } from "../../core/protocol.ts";
import { containsSecret, type ValueMap } from "../../core/value.ts";
import type { JournalEntry } from "./journal.ts";
import type { Snapshot } from "./snapshot.ts";
import { type Attempt, type ResourceState, references } from "./state.ts";
import type { Target, Targets } from "./target.ts";

export interface WorkingState {
  readonly resources: ReadonlyMap<number, ResourceState>;
  readonly attempts: ReadonlyMap<number, Attempt>;
  readonly notes: ReadonlyMap<number, ValueMap>;
  readonly targets: Targets;
  /** URNs that resources had when they were loaded, and have no more. */
  readonly renamed: ReadonlyMap<Urn, Urn>;
  readonly apply: (entry: JournalEntry) => void;
  readonly load: (saved: Pick<Snapshot, "resources" | "attempts" | "notes" | "targets">) => void;
  /** Notes which resources there are at the opening. */
  readonly index: () => void;
  readonly reserve: () => number;
  readonly slotOf: (urn: Urn) => number | undefined;
  readonly isKnownId: (type: string, id: string) => boolean;
  readonly dependants: (urn: Urn) => readonly number[];
  readonly holdsSecret: () => boolean;
  /** The same in a state of its own, in the same slots, which forgets nothing: what happens there is not known here. */
  readonly fork: () => WorkingState;
}

/** What a working state may begin with. */
type Beginning = Pick<WorkingState, "resources" | "attempts" | "notes" | "targets" | "renamed"> & {
  readonly next: number;
};

/** `forgets: false` (a preview): what the plan deletes is still there, so its id stays known. */
export function createWorkingState(forgets: boolean, from?: Beginning): WorkingState {
  const resources = new Map<number, ResourceState>();
  const attempts = new Map<number, Attempt>(from?.attempts);
  const notes = new Map<number, ValueMap>(from?.notes);
  const targets = new Map<string, Target>(from?.targets);
  const renamed = new Map<Urn, Urn>(from?.renamed);
  const byUrn = new Map<Urn, number>();
  const ids = new Map<string, number>();
  let next = from?.next ?? 0;
  let referring: Map<Urn, number[]> | undefined;
  let atOpening: (readonly [number, ResourceState])[] = [];

  const idKey = (state: ResourceState): string | undefined =>
    state.id ? `${state.type} ${state.id}` : undefined;

  function count(state: ResourceState | undefined, by: 1 | -1): void {
    const key = state && idKey(state);
    if (key === undefined) return;
    const now = (ids.get(key) ?? 0) + by;
    if (now > 0) ids.set(key, now);
    else if (forgets) ids.delete(key);
  }

  function put(slot: number, state: ResourceState | null): void {
    const before = resources.get(slot);
    count(before, -1);
    if (before && byUrn.get(before.urn) === slot) byUrn.delete(before.urn);
    // Once an object is gone, its notes would be about nothing.
    if (state === null || state.pendingReplacement) notes.delete(slot);
    if (state === null) {
      resources.delete(slot);
      return;
    }
    resources.set(slot, state);
    count(state, 1);
    if (!state.delete) byUrn.set(state.urn, slot);
    if (before && before.urn !== state.urn) renamed.set(before.urn, state.urn);
    next = Math.max(next, slot + 1);
  }

  function apply(entry: JournalEntry): void {
    if ("target" in entry) return void targets.set(entry.provider, entry.target);
    if ("notes" in entry) {
      if (Object.keys(entry.notes).length > 0) notes.set(entry.slot, entry.notes);
      else notes.delete(entry.slot);
      return;
    }
    if ("begin" in entry) {
      const resource = entry.resource ?? resources.get(entry.slot);
      if (resource === undefined) return;
      attempts.set(entry.slot, { kind: entry.begin, startedAt: entry.at, resource });
      next = Math.max(next, entry.slot + 1);
      return;
    }
    for (const slot of entry.end) attempts.delete(slot);
    for (const [slot, state] of entry.set) put(slot, state);
    for (const slot of entry.end) if (!resources.has(slot)) notes.delete(slot);
  }

  for (const [slot, state] of from?.resources ?? []) put(slot, state);
  if (from) atOpening = [...resources];

  return {
    resources,
    attempts,
    notes,
    targets,
    renamed,
    apply,
    load(saved): void {
      for (const [slot, state] of saved.resources.entries()) put(slot, state);
      for (const [slot, kept] of saved.notes) notes.set(slot, kept);
      for (const [key, target] of saved.targets) targets.set(key, target);
      for (const { index, notes: kept, ...attempt } of saved.attempts) {
        if (index === undefined) next += 1;
        attempts.set(index ?? next - 1, attempt);
        if (kept !== undefined) notes.set(index ?? next - 1, kept);
      }
    },
    index(): void {
      atOpening = [...resources];
    },
    reserve: () => next++,
    slotOf: (urn: Urn) => byUrn.get(urn),
    isKnownId: (type: string, id: string) => ids.has(`${type} ${id}`),
    dependants(urn: Urn): readonly number[] {
      if (referring === undefined) {
        referring = new Map();
        for (const [slot, state] of atOpening) {
          for (const needed of references(state)) {
            const known = referring.get(needed);
            if (known) known.push(slot);
            else referring.set(needed, [slot]);
          }
        }
      }
      return referring.get(urn) ?? [];
    },
    fork: () => createWorkingState(false, { resources, attempts, notes, targets, renamed, next }),
    holdsSecret(): boolean {
      const states = [...resources.values(), ...[...attempts.values()].map((attempt) => attempt.resource)];
      return states.some((state) => containsSecret(state.inputs) || containsSecret(state.outputs));
    },
  };
}
