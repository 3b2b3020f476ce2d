/** Deletes everything that a stack's state knows, from the state alone: `protect` and `retainOnDelete` are what the state says they are. */

import { isDefaultProvider, isProviderType, referencedProvider, stackType } from "../../core/engines/urn.ts";
import { settleCreations } from "../deployment/leftover.ts";
import { isSealed, savedProvider } from "../deployment/pool.ts";
import { refuseDependants, removeAll } from "../deployment/removal.ts";
import { type Run, refuseUnknownTargets } from "../deployment/run.ts";
import { EngineError } from "../failure.ts";
import { PassphraseError } from "../state/passphrase.ts";
import type { ResourceState } from "../state/state.ts";
import { refuseWhenAllGone } from "./gone.ts";

/**
 * Removes all, or the targets. Throws EngineError `protect`, naming every protected resource, or `usage` when something else depends on a
 * target, or PassphraseError when a provider's own settings do not open, before anything is deleted.
 */
export async function destroyAll(run: Run): Promise<void> {
  refuseUnknownTargets(run);
  refuse(run, doomedBy(run));
  refuseSealed(run, doomedBy(run));
  await refuseWhenAllGone(run, "deleted or forgotten");
  if (!run.preview) {
    const ahead = run.ahead();
    await removeTargets(ahead);
    run.join(ahead);
    await run.hold?.plan(run, ahead.steps);
    if (run.hasFailed()) return;
    run.deletions.take(ahead.deletions);
  }
  await removeTargets(run);
  if (run.preview) await run.hold?.plan(run, run.steps);
}

async function removeTargets(run: Run): Promise<void> {
  try {
    await settleCreations(run, { keep: false, isOpen: () => false });
  } catch (error) {
    run.failure(error, "");
    return;
  }
  const positions = run.ledger.positions();
  const removals = doomedBy(run).map(([slot]) => ({ slot, left: null, replaced: false }));
  await removeAll(run, removals, (slot) => positions.get(slot) ?? 0);
  const left = [...run.ledger.resources];
  if (left.every(([, state]) => state.type === stackType))
    run.ledger.note(left.map(([slot]) => [slot, null]));
}

const doomedBy = (run: Run): [number, ResourceState][] =>
  [...run.ledger.resources].filter(([, state]) => state.type !== stackType && run.isTargeted(state.urn));

function refuse(run: Run, doomed: readonly [number, ResourceState][]): void {
  const guarded = doomed.filter(([, state]) => state.protect && !state.delete && !isProviderType(state.type));
  if (guarded.length > 0) {
    throw new EngineError(
      "protect",
      `Nothing was deleted, because the state says that these are protected; set \`protect: false\` in their options and run \`plumbline up\` first:\n  ${guarded.map(([, state]) => state.urn).join("\n  ")}`,
    );
  }
  refuseDependants(run, doomed);
}

/** Without its token nothing can delete what a declared provider made; the default one is told anew by every run. */
function refuseSealed(run: Run, doomed: readonly [number, ResourceState][]): void {
  const sealed = new Set<string>();
  for (const [, { provider, custom, id, retainOnDelete, external }] of doomed) {
    if (provider === undefined || !custom || !id || retainOnDelete || external) continue;
    const { urn, id: providerId } = referencedProvider(provider);
    const saved = isDefaultProvider(urn) ? undefined : savedProvider(run.ledger, urn, providerId);
    if (saved !== undefined && isSealed(run.ledger, saved)) sealed.add(urn);
  }
  if (sealed.size === 0) return;
  throw new PassphraseError(
    `Nothing was deleted, because the settings (a token) of these providers are encrypted and nothing at hand opens them: set the passphrase (PLUMBLINE_PASSPHRASE) or bring back the key file; what other providers made is destroyed with --target:\n  ${[...sealed].join("\n  ")}`,
  );
}
