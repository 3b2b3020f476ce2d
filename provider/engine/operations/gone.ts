/** Everything gone at once is sooner a wrong account or a broken service than the truth: it stops an operation until the user says that it is so. */

import { isProviderType } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import { readObject } from "../deployment/observation.ts";
import type { Run } from "../deployment/run.ts";
import { EngineError } from "../failure.ts";
import type { ResourceState } from "../state/state.ts";

/** A resource that was looked for. */
export interface Looked {
  readonly state: Pick<ResourceState, "urn" | "protect">;
  readonly isGone: boolean;
}

/**
 * Throws EngineError `gone` when a whole stack of two objects or more was looked for and nothing was found. Where the user allows it, what
 * is protected still stops it (`protect`).
 */
export function refuseAllGone(run: Run, looked: readonly Looked[], fate: string): void {
  if (run.targets.length > 0 || looked.length < 2 || looked.some(({ isGone }) => !isGone)) return;
  if (!run.allowsGone && !isBeingDeleted(run)) {
    throw new EngineError(
      "gone",
      `All ${looked.length} objects of the stack ${run.stack} read as gone at once: is this the right account? Nothing was ${fate}. If they really are gone, give --allow-gone.`,
    );
  }
  const kept = looked.flatMap(({ state }): Urn[] => (state.protect ? [state.urn] : []));
  if (kept.length === 0) return;
  throw new EngineError(
    "protect",
    `Nothing was ${fate}, because these read as gone and the state says that they are protected:\n  ${kept.join("\n  ")}`,
  );
}

/**
 * The same for an operation that reads nothing by itself: looks until one object is found, which costs one request as a rule. Begins with the
 * first by URN, so that every run of the stack asks for the same one.
 */
export async function refuseWhenAllGone(run: Run, fate: string): Promise<void> {
  if (run.targets.length > 0 || run.allowsGone || isBeingDeleted(run)) return;
  const known = [...run.ledger.resources]
    .filter(
      ([, state]) =>
        state.custom &&
        state.id &&
        !state.external &&
        !state.pendingReplacement &&
        !isProviderType(state.type),
    )
    .sort(([, a], [, b]) => (a.urn < b.urn ? -1 : 1));
  const [first, ...others] = known;
  if (first === undefined || others.length === 0) return;
  if (!(await isGone(run, first))) return;
  const looked = await Promise.all(others.map((one) => isGone(run, one)));
  refuseAllGone(
    run,
    known.map(([, state], i) => ({ state, isGone: i === 0 || looked[i - 1] === true })),
    fate,
  );
}

/** True after a run that was killed amid its deletions: it has looked, and what it deleted, with all that went along, is gone for a reason. */
const isBeingDeleted = ({ ledger }: Run): boolean =>
  [...ledger.attempts.values()].some(({ kind }) => kind === "deleting");

/** What cannot be read is not known to be gone; whoever writes to it will tell why. */
async function isGone(run: Run, [slot, state]: [number, ResourceState]): Promise<boolean> {
  try {
    return (await readObject(run, await run.pool.ofReference(state.provider), state, slot)) === undefined;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    return false;
  }
}
