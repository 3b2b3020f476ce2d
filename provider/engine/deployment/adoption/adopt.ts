/** `options.import`: an existing object becomes the resource, and is then brought to what is declared. */

import { EngineError } from "../../failure.ts";
import type { ResourceState } from "../../state/state.ts";
import { guarded, updateObject } from "../apply.ts";
import { compare, refuseProtected, shown } from "../comparison.ts";
import type { Entry, Found, Settled } from "../goal.ts";
import { readObject } from "../observation.ts";
import type { Registry } from "../registry.ts";
import { refuseUntargeted, tellWentAhead } from "../replacement.ts";
import { stepFor } from "../run.ts";
import { withUntold } from "./lookup.ts";

/**
 * Takes an existing object under management, then brings it to what is declared. One that was `lost` by the state was made as declared: what the
 * service never tells of it is so still.
 */
export async function adopt(
  registry: Registry,
  settled: Settled,
  found: Found | undefined,
  { id, isLost = false }: { readonly id: string; readonly isLost?: boolean },
): Promise<ResourceState> {
  const { entry, use } = settled;
  const old = found?.state;
  if (old && !old.external && !old.pendingReplacement) {
    entry.replaced = true;
    refuseProtected(old, "deleted, because another object is imported in its place");
    await refuseUntargeted(registry, found?.slot as number);
  }
  const blank = settled.wanted({});
  const live = await readObject(registry.run, use.provider, { ...blank, id }, undefined);
  if (live === undefined) throw new Error(`there is no object with the id ${JSON.stringify(id)} to import`);
  refuseOwned(registry, entry, live.id, settled.goal.type);
  const { catalogue } = registry.run;
  const told = isLost
    ? withUntold(catalogue, settled.goal.type, live.inputs, await settled.check(undefined))
    : live.inputs;
  const imported: ResourceState = {
    ...blank,
    id: live.id,
    ...(isLost ? {} : { importID: id }),
    inputs: told,
    outputs: guarded(registry.run, { ...blank, inputs: told }, live.state),
    created: registry.run.now().toISOString(),
    modified: registry.run.now().toISOString(),
  };
  const inputs = await settled.check(imported);
  const diff = await compare(registry, settled, imported, inputs);
  if (diff.reasons.length > 0) {
    throw new Error(
      `the object ${id} cannot be made what is declared without replacing it, because of ${diff.reasons.join(", ")}: declare what it is, or leave \`import\` out`,
    );
  }
  await tellWentAhead(registry, found);
  const step = stepFor("import", { ...imported }, shown(settled, imported, inputs, diff));
  registry.expect(step, inputs);
  return registry.run.perform(step, async () => {
    const slot = registry.run.ledger.reserve();
    const displaced =
      found && old
        ? ([[found.slot, old.external || old.pendingReplacement ? null : { ...old, delete: true }]] as const)
        : [];
    const adopted = diff.changes ? imported : { ...imported, inputs };
    await registry.run.ledger.set([[slot, adopted], ...displaced]);
    if (!diff.changes) return adopted;
    return updateObject(registry.run, use.provider, slot, imported, {
      ...settled.wanted(inputs),
      ...(isLost ? {} : { importID: id }),
    });
  });
}

/** Throws EngineError `usage` for an object that another resource of the stack is already: two would change it, and one would delete it under the other. */
function refuseOwned(registry: Registry, entry: Entry, id: string, type: string): void {
  const { ledger } = registry.run;
  if (!ledger.isKnownId(type, id)) return;
  for (const [slot, state] of ledger.resources) {
    if (state.type !== type || state.id !== id || state.external || entry.slots.includes(slot)) continue;
    throw new EngineError(
      "usage",
      `the object ${id} is ${state.urn} of this stack already: to give that one another name, declare the old name in \`aliases\` instead of importing it.`,
    );
  }
}
