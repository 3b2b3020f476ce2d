/** Deletes everything that a stack's state knows, from the state alone: `protect` and `retainOnDelete` are what the state says they are. */

import { EngineError } from "./failure.ts";
import { settleCreations } from "./leftover.ts";
import { removeAll } from "./removal.ts";
import type { Run } from "./run.ts";
import { type ResourceState, references } from "./state.ts";
import { isProviderType, stackType } from "./urn.ts";

/**
 * Removes all, or the targets. Throws EngineError `protect`, naming every protected resource, or `usage` when something else depends on a
 * target, before anything is deleted.
 */
export async function destroyAll(run: Run): Promise<void> {
  const doomed = (): [number, ResourceState][] =>
    [...run.ledger.resources].filter(([, state]) => state.type !== stackType && run.isTargeted(state.urn));
  const isWhole = run.targets.length === 0;
  refuse(run, doomed(), isWhole);
  try {
    await settleCreations(run, { keep: false, isOpen: () => false });
  } catch (error) {
    run.failure(error, "");
    return;
  }
  const positions = run.ledger.positions();
  const removals = doomed().map(([slot]) => ({ slot, left: null, replaced: false }));
  await removeAll(run, removals, (slot) => positions.get(slot) ?? 0);
  const left = [...run.ledger.resources];
  if (left.every(([, state]) => state.type === stackType))
    run.ledger.note(left.map(([slot]) => [slot, null]));
}

function refuse(run: Run, doomed: readonly [number, ResourceState][], isWhole: boolean): void {
  const guarded = doomed.filter(([, state]) => state.protect && !state.delete && !isProviderType(state.type));
  if (guarded.length > 0) {
    throw new EngineError(
      "protect",
      `Nothing was deleted, because the state says that these are protected; set \`protect: false\` in their options and run \`plumbline up\` first:\n  ${guarded.map(([, state]) => state.urn).join("\n  ")}`,
    );
  }
  if (isWhole) return;
  const going = new Set(doomed.map(([slot]) => slot));
  const urns = new Set(doomed.map(([, state]) => state.urn));
  const dependants = [...run.ledger.resources].filter(
    ([slot, state]) => !going.has(slot) && [...references(state)].some((urn) => urns.has(urn)),
  );
  if (dependants.length === 0) return;
  throw new EngineError(
    "usage",
    `Nothing was deleted, because these depend on a target and are none themselves:\n  ${dependants.map(([, state]) => state.urn).join("\n  ")}`,
  );
}
