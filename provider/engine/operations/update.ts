/** `preview` and `up`, with a saved plan or without: what was previewed, and nothing else, is done. */

import { costOf } from "../cost/appraisal.ts";
import type { Run } from "../deployment/run.ts";
import type { Emit } from "../event.ts";
import { EngineError } from "../failure.ts";
import type { Sealer } from "../state/sealer.ts";
import type { States } from "../state/states.ts";
import type { Execution } from "./execution.ts";
import type { Engine, UpOptions } from "./facade.ts";
import { refuseMovedObjects, refuseMovedState, type Seen, seeObjects } from "./moved.ts";
import type { OperationOptions, Operations } from "./operation.ts";
import { createPlanCheck, makePlan, planNeedsKey, refuseStale, type SavedPlan } from "./plan.ts";
import type { TargetJudge } from "./target.ts";

export interface UpdateOptions {
  readonly project: string;
  readonly stack: string;
  readonly states: States;
  readonly operations: Operations;
  readonly execution: Execution;
  /** What `options.refresh` of the project file says. */
  readonly refresh: boolean;
  readonly emit: Emit;
  readonly now: () => Date;
}

export function createUpdate(options: UpdateOptions): Pick<Engine, "preview" | "up"> {
  const { execution } = options;
  const { operate } = options.operations;

  /** The plan of the preview that `run` has made. */
  async function planOf(
    run: Run,
    sealer: Sealer,
    judge: TargetJudge,
    made: { readonly seen: Seen; readonly refresh: boolean },
  ): Promise<SavedPlan> {
    await sealer.ready();
    const target = await judge.target();
    const salt = sealer.salt();
    const { digest, serial, lineage } = run.ledger;
    const header = {
      project: run.project,
      stack: run.stack,
      lineage,
      state: { serial, digest },
      ...(target ? { target } : {}),
      refresh: made.refresh,
      targets: run.targets,
      time: options.now().toISOString(),
    };
    const plan = makePlan(run.steps, header, sealer.seal, made.seen);
    return { ...plan, ...(salt === undefined ? {} : { salt }) };
  }

  /** Throws EngineError `plan` unless a preview made now, on the state and the objects of the plan, comes to the same. Resolves to what failed, else to nothing. */
  async function rehearse(plan: SavedPlan, opener: Sealer, how: UpOptions) {
    let seen: Seen = new Map();
    const choice = { ...scopeOf(how, plan), ...heldTo(plan), write: false, preview: true, quiet: true };
    const present = await operate("preview", choice, async (run) => {
      refuseMovedState(plan, run.ledger);
      const before = [...run.ledger.resources];
      await execution.deploy(run, { ...how, refresh: plan.refresh });
      if (!run.hasFailed()) seen = await seeObjects(run, before);
      return {};
    });
    if (present.result !== "succeeded") return present;
    refuseStale(plan, present.steps, opener);
    refuseMovedObjects(plan, seen, opener);
    return undefined;
  }

  return {
    preview: (how = {}) =>
      operate("preview", { ...scopeOf(how), write: false, preview: true }, async (run, sealer, judge) => {
        const before = [...run.ledger.resources];
        const outputs = (await execution.deploy(run, how)) ?? {};
        if (how.cost && !run.hasFailed() && !run.signal.aborted)
          run.emit({ event: "cost", cost: await costOf(run, how.cost.table) });
        if (!how.plan || run.hasFailed() || run.signal.aborted) return { outputs };
        const seen = await seeObjects(run, before);
        const refresh = how.refresh ?? options.refresh;
        return { outputs, plan: await planOf(run, sealer, judge, { seen, refresh }) };
      }),
    async up(how = {}) {
      const { plan } = how;
      if (plan === undefined) {
        const choice = { ...scopeOf(how), write: true, preview: false };
        return operate("up", choice, async (run) => ({ outputs: (await execution.deploy(run, how)) ?? {} }));
      }
      if (plan.project !== options.project || plan.stack !== options.stack) {
        throw new EngineError(
          "plan",
          `The plan is for the stack ${plan.stack} of ${plan.project}. Nothing was done.`,
        );
      }
      const opener = options.states.sealer(plan.salt);
      if (planNeedsKey(plan)) await opener.ready();
      const failed = await rehearse(plan, opener, how);
      if (failed) {
        for (const diagnostic of failed.diagnostics) options.emit({ event: "diagnostic", ...diagnostic });
        return { ...failed, operation: "up", outputs: {} };
      }
      const check = { plan: createPlanCheck(plan, opener), write: true, preview: false };
      return operate("up", { ...scopeOf(how, plan), ...heldTo(plan), ...check }, async (run) => {
        refuseMovedState(plan, run.ledger);
        return { outputs: (await execution.deploy(run, { ...how, refresh: plan.refresh })) ?? {} };
      });
    },
  };
}

/** What an operation may touch; a plan says it itself. */
function scopeOf(
  how: Pick<UpOptions, "targets" | "allowGone">,
  plan?: SavedPlan,
): Pick<OperationOptions, "targets" | "allowGone"> {
  return { targets: how.targets ?? plan?.targets, allowGone: how.allowGone };
}

/** What holds an operation to the plan's own stack. */
function heldTo({ lineage, target }: SavedPlan): Pick<OperationOptions, "lineage" | "target"> {
  return { lineage, ...(target ? { target } : {}) };
}
