/** How the steps of a run are performed, told and counted. Decides nothing about them. */

import { isDefaultProvider, isProviderType, stackType } from "../../core/engines/urn.ts";
import { errorCodeOf } from "../../core/error-code.ts";
import { CancelledError, ResourceInitFailedError, type Urn } from "../../core/protocol.ts";
import type { Emit, Step, StepCounts } from "../event.ts";
import { messageOf } from "../failure.ts";

/** What a step results in, as far as it is told. */
interface Outcome {
  readonly outputs?: Step["oldOutputs"];
  readonly id?: string | undefined;
}

/** Steps of the stack itself and of default providers are the engine's own business. */
export function isInternal(step: Pick<Step, "type" | "urn">): boolean {
  return step.type === stackType || (isProviderType(step.type) && isDefaultProvider(step.urn));
}

type Starts = ReturnType<typeof createStarts>;

/** Steps whose turn to write has not come: a step within another of the same resource (the end of the old object) has its turn first. */
export function createStarts() {
  const waiting = new Map<Urn, (() => void)[]>();
  return {
    await(urn: Urn, start: () => void): void {
      const own = waiting.get(urn);
      if (own) own.push(start);
      else waiting.set(urn, [start]);
    },
    begin: (urn: Urn): void => waiting.get(urn)?.at(-1)?.(),
    end(urn: Urn): void {
      const own = waiting.get(urn);
      own?.pop();
      if (own?.length === 0) waiting.delete(urn);
    },
  };
}

/** Tells that a step would happen, or does its work and tells how it went. Steps of the engine's own resources are not told. */
export type Perform = <T extends Outcome>(step: Step, work: () => Promise<T>) => Promise<T>;

interface Stage {
  readonly preview: boolean;
  readonly now: () => Date;
  readonly emit: Emit;
  readonly throwIfCancelled: () => void;
  /** Rejects for a step that policies refuse. */
  readonly judge: (step: Step) => Promise<void>;
}

/** How a run performs its steps. */
export function performing(
  { preview, now, emit, throwIfCancelled, judge }: Stage,
  tally: Tally,
  starts: Starts,
): Perform {
  /** Does the work of a step, and tells how it went. */
  async function apply<T extends Outcome>(step: Step, work: () => Promise<T>): Promise<T> {
    let begun: number | undefined;
    const begin = (): void => {
      if (begun !== undefined) return;
      begun = now().getTime();
      if (step.op !== "same") emit({ event: "started", step });
    };
    const seconds = (): number => (now().getTime() - (begun ?? now().getTime())) / 1000;
    starts.await(step.urn, begin);
    try {
      await judge(step);
      const result = await work();
      begin();
      const done =
        result.id === undefined
          ? step
          : { ...step, id: step.op === "create" ? result.id : (step.id ?? result.id) };
      tally.count(done);
      const outputs = result.outputs === undefined ? {} : { outputs: result.outputs };
      emit({ event: "finished", step: done, seconds: seconds(), ...outputs });
      return result;
    } catch (error) {
      // What a cancel kept from beginning has not failed.
      if (begun === undefined && error instanceof CancelledError) throw error;
      begin();
      const reasons = error instanceof ResourceInitFailedError ? error.reasons : [messageOf(error)];
      tally.failed(step);
      const code = errorCodeOf(error);
      emit({ event: "failed", step, seconds: seconds(), reasons, ...(code ? { code } : {}) });
      throw error;
    } finally {
      starts.end(step.urn);
    }
  }

  return async (step, work) => {
    throwIfCancelled();
    if (isInternal(step)) return work();
    if (!preview) return apply(step, work);
    const result = await work();
    // The end of what a replacement left behind belongs to the replacement's own step in a plan.
    if (!step.replaced) {
      tally.count(step);
      emit({ event: "planned", step });
    }
    return result;
  };
}

type Tally = ReturnType<typeof createTally>;

/** The steps of a run, counted. */
export function createTally() {
  const steps: Step[] = [];
  const counts = { create: 0, update: 0, replace: 0, delete: 0, same: 0, import: 0, read: 0 };
  let changes = false;
  return {
    steps,
    count(step: Step): void {
      if (step.op !== "same" && step.op !== "read") changes = true;
      if (!step.replaced) counts[step.op] += 1;
      steps.push(step);
    },
    failed(step: Step): void {
      if (step.op !== "same") changes = true;
    },
    counts(): StepCounts {
      const { import: imports, read, ...always } = counts;
      return { ...always, ...(imports > 0 ? { import: imports } : {}), ...(read > 0 ? { read } : {}) };
    },
    changes: () => changes,
  };
}
