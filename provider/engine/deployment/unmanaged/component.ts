/** Components: what groups other resources and has no object of its own. They live in the state alone. */

import { withoutUnknowns } from "../../../core/engines/outputs.ts";
import type { Urn } from "../../../core/protocol.ts";
import type { Value, ValueMap } from "../../../core/value.ts";
import type { Goal } from "../../host.ts";
import type { ResourceState } from "../../state/state.ts";
import { type Entry, positionOf, wantedState } from "../goal.ts";
import { sameValue } from "../property.ts";
import type { Registry } from "../registry.ts";
import { stepFor } from "../run.ts";

/** Registers a component. Throws for what the state has as something with an object, which would be lost. */
export async function settleComponent(
  registry: Registry,
  goal: Goal,
  entry: Entry,
  parent: Urn,
): Promise<ResourceState> {
  const { run } = registry;
  const found = await registry.claim(entry);
  const old = found?.state;
  if (old?.custom)
    throw new Error(
      `the state has ${old.urn} as a resource with an object, and a component has none: give the component another name or alias`,
    );
  const wanted: ResourceState = {
    ...wantedState(goal, entry, parent, undefined, goal.inputs),
    custom: false,
    outputs: old?.outputs ?? {},
    ...(old?.created === undefined ? {} : { created: old.created }),
    ...(old?.modified === undefined ? {} : { modified: old.modified }),
  };
  if (!run.isTargeted(entry.urn)) return old ?? wanted;
  const isChanged = old !== undefined && !sameValue(old.inputs, goal.inputs);
  const step = stepFor(old === undefined ? "create" : isChanged ? "update" : "same", wanted, {
    ...(old ? { oldInputs: old.inputs } : {}),
    newInputs: goal.inputs,
    ...positionOf(goal),
  });
  registry.expect(step, goal.inputs);
  return run.perform(step, async () => {
    const isSame = old !== undefined && sameValue(old as unknown as Value, wanted as unknown as Value);
    if (!isSame) run.ledger.note([[found?.slot ?? run.ledger.reserve(), wanted]]);
    return wanted;
  });
}

/** Saves the outputs that a component has told. What is unknown (of a preview, or after a failure) stays what it was. */
export function completeComponent({ run }: Registry, urn: Urn, outputs: ValueMap): void {
  const slot = run.ledger.slotOf(urn);
  const state = slot === undefined ? undefined : run.ledger.resources.get(slot);
  if (slot === undefined || state === undefined || state.custom || !run.isTargeted(urn)) return;
  const known = withoutUnknowns(outputs);
  const kept = Object.entries(state.outputs).filter(([name]) => name in outputs && !(name in known));
  const next = { ...state, outputs: { ...Object.fromEntries(kept), ...known } };
  if (!sameValue(state.outputs, next.outputs)) run.ledger.note([[slot, next]]);
}
