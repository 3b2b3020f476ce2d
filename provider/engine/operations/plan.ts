/** A saved plan: the steps of a preview, so that a later run does exactly these or nothing. Secrets in it are sealed. Knows no file. */

import type { Urn } from "../../core/protocol.ts";
import { containsUnknown, type Value, type ValueMap } from "../../core/value.ts";
import { isInternal } from "../deployment/performance.ts";
import { sameValue } from "../deployment/property.ts";
import type { PlanCheck } from "../deployment/run.ts";
import type { Step, StepOp } from "../event.ts";
import { EngineError } from "../failure.ts";
import { decodeMap, encode, holdsSealed, type JsonMap, type Sealing } from "../state/encoding.ts";
import { nestingFault } from "../state/form.ts";

/** The content of a plan file. */
export interface SavedPlan {
  readonly plumblinePlan: 1;
  readonly project: string;
  readonly stack: string;
  /** Of the state that it was made on; a stack that has none yet gets this one. */
  readonly lineage: string;
  /** The state that it was made on. */
  readonly state: { readonly serial: number; readonly digest: string };
  /** Where it is to be done; absent: the provider knows no accounts. */
  readonly target?: { readonly baseUrl: string; readonly account?: string };
  /** True: everything was read first, and is again. */
  readonly refresh: boolean;
  /** What it was limited to. */
  readonly targets: readonly string[];
  /** Salt of the sealed values; absent when there are none. */
  readonly salt?: string;
  readonly time: string;
  readonly steps: readonly PlannedStep[];
}

export interface PlannedStep {
  readonly op: StepOp;
  readonly urn: Urn;
  readonly id?: string;
  readonly replaceReasons: readonly string[];
  /** True: the old object stays. */
  readonly retained?: true;
  /** Paths that differ. */
  readonly paths: readonly string[];
  /** Checked inputs; unknowns are Pulumi's sentinel. Absent for a delete. */
  readonly inputs?: JsonMap;
  /** Inputs of the object as they were read when the plan was made; null: it was gone. Absent: nothing is changed or deleted. */
  readonly seen?: JsonMap | null;
}

const isPlanned = (step: Step): boolean => !isInternal(step) && !step.replaced;

/** The plan of a preview's steps. */
export function makePlan(
  steps: readonly Step[],
  header: Omit<SavedPlan, "plumblinePlan" | "salt" | "steps">,
  seal: (text: string) => string,
  seen: ReadonlyMap<string, ValueMap | null>,
): Omit<SavedPlan, "salt"> {
  const wire = (values: ValueMap) => encode(values, (text) => ({ ciphertext: seal(text) })) as JsonMap;
  const seenOf = (step: Step): Pick<PlannedStep, "seen"> => {
    const values = seen.get(keyOf(step));
    return values === undefined ? {} : { seen: values && wire(values) };
  };
  return {
    plumblinePlan: 1,
    ...header,
    steps: steps.filter(isPlanned).map(
      (step): PlannedStep => ({
        op: step.op,
        urn: step.urn,
        ...(step.id === undefined ? {} : { id: step.id }),
        replaceReasons: step.replaceReasons,
        ...(step.retained ? { retained: true } : {}),
        paths: Object.keys(step.detailedDiff).sort(),
        ...(step.newInputs === undefined ? {} : { inputs: wire(step.newInputs) }),
        ...seenOf(step),
      }),
    ),
  };
}

/** Reads a plan file. Throws EngineError when it is none. */
export function parsePlan(text: string): SavedPlan {
  let plan: Partial<SavedPlan> | null = null;
  try {
    plan = JSON.parse(text) as Partial<SavedPlan> | null;
  } catch {
    // Refused below with what to do.
  }
  const isPlan =
    nestingFault(text) === undefined &&
    plan?.plumblinePlan === 1 &&
    typeof plan.state?.digest === "string" &&
    Array.isArray(plan.targets) &&
    Array.isArray(plan.steps) &&
    plan.steps.every((step) => typeof step?.urn === "string" && Array.isArray(step.paths));
  if (!isPlan) {
    throw new EngineError("usage", "This is not a plan: make one with `plumbline preview --save-plan FILE`.");
  }
  return plan as SavedPlan;
}

/** True when the plan's values cannot be read without the passphrase. */
export function planNeedsKey(plan: SavedPlan): boolean {
  return plan.steps.some((step) => holdsSealed(step.inputs) || holdsSealed(step.seen ?? undefined));
}

/**
 * Throws EngineError `plan` unless a preview made just now has the steps of the plan: same operations, objects, differing paths and values.
 * The message names what differs, never a value.
 */
export function refuseStale(plan: SavedPlan, steps: readonly Step[], sealing: Pick<Sealing, "open">): void {
  const now = new Map(steps.filter(isPlanned).map((step) => [keyOf(step), step]));
  const differences: string[] = [];
  for (const planned of plan.steps) {
    const step = now.get(keyOf(planned));
    now.delete(keyOf(planned));
    const difference =
      step === undefined ? "is not to be done any more" : differenceOf(planned, step, sealing);
    if (difference !== undefined) differences.push(`${planned.op} ${planned.urn}: ${difference}`);
  }
  for (const step of now.values()) differences.push(`${step.op} ${step.urn}: is not in the plan`);
  if (differences.length === 0) return;
  throw new EngineError(
    "plan",
    `The plan is stale: the stack file, the state or the service has changed since it was made. Nothing was done. Make a new plan.\n  ${differences.join("\n  ")}`,
  );
}

/** One URN may have two steps: what it becomes, and the deletion of what an earlier run left. */
export const keyOf = (step: { readonly op: StepOp; readonly urn: Urn }): string =>
  `${step.op === "delete" ? "delete " : ""}${step.urn}`;

function differenceOf(planned: PlannedStep, step: Step, sealing: Pick<Sealing, "open">): string | undefined {
  if (step.op !== planned.op) return `has become a ${step.op}`;
  if (step.id !== planned.id) return "is about another object";
  const paths = Object.keys(step.detailedDiff).sort();
  if (paths.join(" ") !== planned.paths.join(" ")) return `differs in ${paths.join(", ") || "nothing"} now`;
  if (planned.inputs === undefined || step.newInputs === undefined) return undefined;
  const inputs = decodeMap(planned.inputs, sealing);
  const names = new Set([...Object.keys(inputs), ...Object.keys(step.newInputs)]);
  const changed = [...names].filter((name) => !sameValue(inputs[name], step.newInputs?.[name]));
  return changed.length > 0 ? `has another value of ${changed.join(", ")}` : undefined;
}

/** The check of a run that applies the plan: each step as planned, each value that was known as it was. */
export function createPlanCheck(plan: SavedPlan, sealing: Pick<Sealing, "open">): PlanCheck {
  const planned = new Map(plan.steps.map((step) => [keyOf(step), step]));
  return {
    expect(step, inputs) {
      if (!isPlanned(step)) return;
      const expected = planned.get(keyOf(step));
      if (expected === undefined) throw deviation(step, "is not in the plan");
      // What was unknown in the plan may make less of a step, never another one.
      if (expected.op !== step.op && !(expected.op === "update" && step.op === "same")) {
        throw deviation(step, `is a ${expected.op} in the plan`);
      }
      const values = decodeMap(expected.inputs ?? {}, sealing);
      for (const [name, value] of Object.entries(values)) {
        if (!containsUnknown(value) && !sameValue(value, inputs[name] as Value | undefined)) {
          throw deviation(step, `has another value of ${name} in the plan`);
        }
      }
    },
  };
}

const deviation = (step: Step, what: string): EngineError =>
  new EngineError("plan", `${step.op} ${step.urn} ${what}, so it was not done. Make a new plan.`);
