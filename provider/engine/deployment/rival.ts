/**
 * Objects that stand in the way of one that is made or changed. Its own, which an interrupted run has replaced and not yet deleted: one that is
 * what is declared now takes its place again, and one that the new object cannot exist beside is deleted first. Others', which hold its name and
 * are not declared any more: they are deleted first, too.
 */

import { EngineError } from "../failure.ts";
import type { ResourceState } from "../state/state.ts";
import { compare, refuseProtected } from "./comparison.ts";
import type { Entry, Found, Settled } from "./goal.ts";
import { afterWrite } from "./leftover.ts";
import type { Registry } from "./registry.ts";
import { makeRoom } from "./replacement.ts";

/** An object that waits for its deletion and can become what is declared without being replaced; it changes places with the present one. */
export async function revive(
  registry: Registry,
  settled: Settled,
  found: Found | undefined,
): Promise<Found | undefined> {
  const { run } = registry;
  for (const slot of registry.waitingFor(settled.entry)) {
    const waiting = run.ledger.resources.get(slot);
    if (!waiting?.delete) continue;
    const inputs = await settled.check(waiting);
    if ((await compare(registry, settled, waiting, inputs)).reasons.length > 0) continue;
    // Its deletion may have begun.
    const present = await afterWrite(run, { slot, state: waiting });
    if (present === undefined) continue;
    const { delete: _, ...state } = present.state;
    const old = found?.state;
    if (old && !old.external && !old.pendingReplacement) refuseProtected(old, "replaced");
    const goes = !old || old.external || old.pendingReplacement ? null : { ...old, delete: true };
    await run.ledger.set(
      found
        ? [
            [slot, state],
            [found.slot, goes],
          ]
        : [[slot, state]],
    );
    registry.touch(settled.entry, slot);
    if (found && goes) registry.addWaiting(settled.entry, found.slot);
    settled.entry.replaced = true;
    return { slot, state };
  }
  return undefined;
}

/** Deletes the waiting objects that the new one cannot exist beside, as before any such replacement. */
export async function clearRivals(
  registry: Registry,
  settled: Settled,
  wanted: ResourceState,
): Promise<void> {
  for (const slot of registry.waitingFor(settled.entry)) {
    const waiting = registry.run.ledger.resources.get(slot);
    if (!waiting?.delete) continue;
    const diff = await compare(registry, settled, waiting, wanted.inputs);
    if (diff.deleteBeforeReplace) await makeRoom(registry, slot, settled.entry);
  }
  for (const slot of registry.heldFor(settled.entry.urn)) await vacate(registry, slot, settled.entry);
}

/** Deletes an object that holds a name which another resource takes. One that was declared otherwise has another name by now. */
async function vacate(registry: Registry, slot: number, entry: Entry): Promise<void> {
  const state = registry.run.ledger.resources.get(slot);
  if (!state || state.pendingReplacement || !(state.delete || registry.isLeft(slot))) return;
  if (state.retainOnDelete) {
    throw new EngineError(
      "usage",
      `its name is still that of ${state.urn}, whose object ${state.id ?? ""} is to be kept (\`retainOnDelete\`): give it another name, or the other one \`retainOnDelete: false\` in a run before.`,
    );
  }
  await makeRoom(registry, slot, entry);
}
