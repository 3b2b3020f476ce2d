/** What a plan was made on: the state, the target and the objects that it is to change. Tells whether any of them moved since. Writes nothing. */

import type { ValueMap } from "../../core/value.ts";
import { readObject } from "../deployment/observation.ts";
import { sameValue } from "../deployment/property.ts";
import type { Run } from "../deployment/run.ts";
import type { Step } from "../event.ts";
import { EngineError } from "../failure.ts";
import { decodeMap, type Sealing } from "../state/encoding.ts";
import type { Ledger } from "../state/ledger.ts";
import type { ResourceState } from "../state/state.ts";
import { keyOf, type PlannedStep, type SavedPlan } from "./plan.ts";

/** Inputs of the objects that steps are about, as they are now; null: gone. By step. */
export type Seen = ReadonlyMap<string, ValueMap | null>;

const changing: ReadonlySet<Step["op"]> = new Set(["update", "replace", "delete"]);

/** Reads every object that one of the steps changes or deletes. `before` is the state as it was before these steps. */
export async function seeObjects(
  run: Run,
  before: readonly (readonly [number, ResourceState])[],
): Promise<Seen> {
  const saved = new Map(before.map(([slot, state]) => [`${state.type} ${state.id}`, { slot, state }]));
  const wanted = run.steps.flatMap((step) => {
    const found = changing.has(step.op) && step.id ? saved.get(`${step.type} ${step.id}`) : undefined;
    return found?.state.custom && !step.retained && run.catalogue.resources.has(step.type)
      ? [{ step, ...found }]
      : [];
  });
  const seen = await Promise.all(
    wanted.map(async ({ step, slot, state }) => {
      const provider = await run.pool.ofReference(state.provider);
      const live = await readObject(run, provider, state, slot);
      return [keyOf(step), live?.inputs ?? null] as const;
    }),
  );
  return new Map(seen);
}

/** Throws EngineError `plan` when the state is not the one that the plan was made on. */
export function refuseMovedState(plan: SavedPlan, ledger: Ledger): void {
  if (plan.lineage === ledger.lineage && plan.state.digest === ledger.digest) return;
  const how =
    plan.lineage === ledger.lineage
      ? `the state has moved since (it was number ${plan.state.serial}, now it is ${ledger.serial})`
      : "the state is another one now";
  throw new EngineError("plan", `The plan is stale: ${how}. Nothing was done. Make a new plan.`);
}

/** Throws EngineError `plan` when an object is not as it was when the plan was made. Names properties, never a value. */
export function refuseMovedObjects(plan: SavedPlan, seen: Seen, sealing: Pick<Sealing, "open">): void {
  const moved = plan.steps.flatMap((step) => {
    const difference = movedIn(step, seen.get(keyOf(step)), sealing);
    return difference === undefined ? [] : [`${step.op} ${step.urn}: ${difference}`];
  });
  if (moved.length === 0) return;
  throw new EngineError(
    "plan",
    `The plan is stale: objects have been changed since it was made. Nothing was done. Make a new plan, with --refresh.\n  ${moved.join("\n  ")}`,
  );
}

function movedIn(
  planned: PlannedStep,
  now: ValueMap | null | undefined,
  sealing: Pick<Sealing, "open">,
): string | undefined {
  if (planned.seen === undefined || now === undefined) return undefined;
  if (planned.seen === null || now === null)
    return planned.seen === now ? undefined : `the object ${now === null ? "is gone" : "is there again"}`;
  const then = decodeMap(planned.seen, sealing);
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  const moved = names.filter((name) => !sameValue(then[name], now[name]));
  return moved.length === 0 ? undefined : `the object has another ${moved.join(", ")} now`;
}
