/** Objects that a program only reads: the state remembers them, and nobody changes them. */

import type { Value } from "../../../core/value.ts";
import type { Host } from "../../host.ts";
import type { ResourceState } from "../../state/state.ts";
import { guarded } from "../apply.ts";
import { type Entry, positionOf, wantedState } from "../goal.ts";
import { sameValue } from "../property.ts";
import type { Registry } from "../registry.ts";
import { tellWentAhead } from "../replacement.ts";
import { stepFor } from "../run.ts";

/** Reads an object that somebody else manages; the state remembers it as external. */
export async function readExternal(
  registry: Registry,
  goal: Parameters<Host["read"]>[0],
  entry: Entry,
  parent: string,
): Promise<ResourceState> {
  const { run } = registry;
  const found = await registry.claim(entry);
  const use = await registry.providerFor(entry);
  const blank = { ...wantedState(goal, entry, parent, use.reference, goal.state), external: true };
  await tellWentAhead(registry, found);
  const step = stepFor("read", { ...blank, id: goal.id }, positionOf(goal));
  return run.perform(step, async () => {
    const live = await use.provider.read({
      urn: entry.urn,
      type: goal.type,
      name: goal.name,
      id: goal.id,
      inputs: goal.state,
      state: goal.state,
      log: run.logOf(entry.urn),
      signal: run.signal,
    });
    if (live === undefined)
      throw new Error(`there is no object with the id ${JSON.stringify(goal.id)} to read`);
    const next: ResourceState = {
      ...blank,
      id: live.id,
      inputs: live.inputs,
      outputs: guarded(run, blank, live.state),
    };
    const old = found?.state;
    if (found && old?.external) {
      if (!sameValue(old as unknown as Value, next as unknown as Value))
        run.ledger.note([[found.slot, next]]);
    } else {
      // A managed object of the same id is let go of; another one is deleted at the end, unless it is protected.
      const goes = !old || old.pendingReplacement || old.id === next.id ? null : { ...old, delete: true };
      const slot = run.ledger.reserve();
      await run.ledger.set(
        found
          ? [
              [slot, next],
              [found.slot, goes],
            ]
          : [[slot, next]],
      );
    }
    return next;
  });
}
