/** Moves a stack to another target on purpose: looks for each of its objects there, and says from now on where they are. Forgets nothing. */

import { isProviderType, referencedProvider } from "../../core/engines/urn.ts";
import type { Provider, Urn } from "../../core/protocol.ts";
import { readObject } from "../deployment/observation.ts";
import type { Run } from "../deployment/run.ts";
import { EngineError } from "../failure.ts";
import type { ResourceState } from "../state/state.ts";
import { type Target, targetKey, targetText } from "../state/target.ts";

/** What a provider's objects are on, and what they would be on. */
export interface Move {
  /** `default`, or the URN of a declared provider. */
  readonly provider: string;
  /** Absent: the state did not say. */
  readonly from?: Target;
  readonly to: Target;
  /** How many objects the state has. */
  readonly objects: number;
  /** Those that are not there. They stay in the state. */
  readonly missing: readonly Urn[];
}

/**
 * Reads every object where the stack is configured to be now, and binds the state to it. Throws EngineError `target` when none of them is
 * there, unless `force`. Providers that are as they were make no move.
 */
export async function retarget(
  run: Run,
  options: {
    readonly force: boolean;
    readonly targetOf: (provider: Provider) => Promise<Target | undefined>;
  },
): Promise<Move[]> {
  const moves: Move[] = [];
  for (const [reference, states] of byProvider(run)) {
    const provider =
      reference === undefined ? targetKey(undefined) : targetKey(referencedProvider(reference).urn);
    const from = run.ledger.targets.get(provider);
    const to = await options.targetOf(await run.pool.ofReference(reference));
    if (to === undefined) continue;
    if (from?.baseUrl === to.baseUrl && from.account === to.account) continue;
    const missing = await missingOf(run, reference, states);
    moves.push({ provider, to, objects: states.length, missing, ...(from ? { from } : {}) });
  }
  const strangers = moves.filter(({ objects, missing }) => objects > 0 && objects === missing.length);
  if (strangers.length > 0 && !options.force) {
    throw new EngineError(
      "target",
      `Nothing was moved: none of the ${strangers[0]!.objects} objects is on ${targetText(strangers[0]!.to)}. Is this the right account? If so, give --force.`,
    );
  }
  for (const { provider, to } of moves) await run.ledger.bind(provider, to);
  return moves;
}

/** What has an object, by the reference of its provider. */
function byProvider(run: Run): Map<string | undefined, [number, ResourceState][]> {
  const found = new Map<string | undefined, [number, ResourceState][]>();
  for (const [slot, state] of run.ledger.resources) {
    if (!state.custom || state.id === undefined || state.pendingReplacement || isProviderType(state.type))
      continue;
    found.set(state.provider, [...(found.get(state.provider) ?? []), [slot, state]]);
  }
  return found;
}

async function missingOf(
  run: Run,
  reference: string | undefined,
  states: readonly (readonly [number, ResourceState])[],
): Promise<Urn[]> {
  const provider = await run.pool.ofReference(reference);
  const missing = await Promise.all(
    states.map(async ([slot, state]) =>
      (await readObject(run, provider, state, slot)) === undefined ? [state.urn] : [],
    ),
  );
  return missing.flat();
}
