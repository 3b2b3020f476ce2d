/** Whether a run may delete anything, told from what it declares and what the state has. Makes no request, and errs only on the side of yes. */

import { isDefaultProvider, isProviderType, referencedProvider } from "../../core/engines/urn.ts";
import type { Urn, ValueMap } from "../../core/protocol.ts";
import { replaceOnChanges, sameValue } from "../deployment/property.ts";
import type { Run } from "../deployment/run.ts";
import type { ResourceOptions } from "../host.ts";
import type { Attempt, ResourceState } from "../state/state.ts";
import { targetKey } from "../state/target.ts";
import type { Declared } from "./rehearsal.ts";

/** True unless every resource of the state is declared so that it stays what it is, or changes in place. */
export async function mayDelete(
  run: Run,
  declared: ReadonlyMap<Urn, Declared>,
  defaultConfig: ValueMap,
): Promise<boolean> {
  for (const attempt of run.ledger.attempts.values()) {
    if (!isRepeated(attempt, declared.get(attempt.resource.urn))) return true;
  }
  const bySlot = new Map<number | undefined, Declared>();
  for (const [urn, each] of declared) {
    const taken = bySlot.has(each.slot) && run.ledger.slotOf(urn) !== each.slot;
    if (!taken) bySlot.set(each.slot, each);
  }
  for (const [slot, state] of run.ledger.resources) {
    if (!state.custom || (state.external && !state.delete)) continue;
    if (isDefaultProvider(state.urn) && isProviderType(state.type)) {
      if (await movesAccount(run, state, defaultConfig)) return true;
    } else {
      const successor = bySlot.get(slot);
      if (!successor && !run.isTargeted(state.urn)) continue;
      if (await mayGo(run, state, successor)) return true;
    }
  }
  return false;
}

/** True for a creation that is begun once more just as it was: what it made is found, and stays. */
function isRepeated({ kind, resource }: Attempt, declared: Declared | undefined): boolean {
  if (kind !== "creating" || declared === undefined || declared.slot !== undefined) return false;
  return sameValue(resource.inputs, declared.inputs);
}

async function movesAccount(run: Run, state: ResourceState, config: ValueMap): Promise<boolean> {
  const { urn, inputs } = state;
  const diff = await run.pool.plain().diffConfig({ urn, oldInputs: inputs, newInputs: config });
  return diff.changes && diff.replaces.length > 0;
}

/** True when it is handed to another provider. Without one of its own it has its parent's, which then moves itself. */
function movesProvider({ provider, type }: ResourceState, options: ResourceOptions): boolean {
  if (isProviderType(type) || (options.provider === undefined && options.parent !== undefined)) return false;
  return targetKey(provider && referencedProvider(provider).urn) !== targetKey(options.provider);
}

/** True unless its object is declared so that it stays what it is, or changes in place. */
export async function mayGo(
  run: Run,
  state: ResourceState,
  declared: Pick<Declared, "goal" | "inputs"> | undefined,
): Promise<boolean> {
  if (declared === undefined || state.delete || state.pendingReplacement || state.taint) return true;
  const { goal, inputs } = declared;
  const { options } = goal;
  if (options.import !== undefined && ![state.id, state.importID].includes(options.import)) return true;
  if ((options.replaceWith ?? []).length > 0) return true;
  if (movesProvider(state, options)) return true;
  if (sameValue(state.inputs, inputs)) return false;
  if (isProviderType(state.type)) return true;
  const plain = await run.pool.plain().diff({
    urn: state.urn,
    type: goal.type,
    name: goal.name,
    id: state.id ?? "",
    oldInputs: state.inputs,
    state: state.outputs,
    newInputs: inputs,
    ...(options.ignoreChanges ? { ignoreChanges: options.ignoreChanges } : {}),
  });
  const diff = replaceOnChanges(plain, options.replaceOnChanges ?? []);
  return diff.changes && diff.replaces.length > 0;
}
