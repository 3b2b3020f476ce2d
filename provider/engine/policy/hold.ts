/** Holds runs to the policies: a plan before anything of it is done, and each step whose values were not known then. */

import type { Catalogue } from "../../core/protocol.ts";
import type { Faults } from "../deployment/faults.ts";
import { sameValue } from "../deployment/property.ts";
import type { Operation, Step } from "../event.ts";
import { EngineError } from "../failure.ts";
import type { Diagnostic } from "../host.ts";
import { judge, type Subject } from "./judge.ts";
import type { Policies, Policy, PositionOf, Verdict } from "./rule.ts";
import { PolicyError, refusal } from "./verdict.ts";
import { seenStep } from "./view.ts";

export interface HoldOptions {
  readonly policies: Policies;
  /** Names of policies that the user lets pass. */
  readonly allowed: ReadonlySet<string>;
  readonly project: string;
  readonly stack: string;
  readonly catalogue: Catalogue;
}

/** A run as far as it is told of findings, and asked how large the stack is. */
type Held = Faults & { readonly size: number };

export interface Hold {
  /** Loads the policies. Throws EngineError `usage` for what cannot be used, also for a policy that may not be let pass. */
  readonly ready: () => Promise<void>;
  /** True: a run is to be judged as a whole before it writes, also one that deletes nothing. */
  readonly needsPlan: () => Promise<boolean>;
  /** Judges all steps of a plan, and tells of them; what is mandatory fails the run, as a guard. */
  readonly plan: (run: Held, steps: readonly Step[], positionOf?: PositionOf) => Promise<void>;
  /** Judges a step that is about to be performed, unless a plan with just these values was. Rejects with PolicyError. */
  readonly step: (run: Faults, step: Step) => Promise<void>;
}

/** The operations whose steps are what policies are about. */
const held: ReadonlySet<Operation> = new Set(["preview", "up", "destroy", "import"]);

export const isHeld = (operation: Operation): boolean => held.has(operation);

/** Of more findings of one policy the rest are counted. */
const MOST = 20;

export function createHold({ policies, allowed, project, stack, catalogue }: HoldOptions): Hold {
  const { active } = policies;
  /** Steps of the last plan, by operation and URN. */
  let judged = new Map<string, Step>();
  /** What was told of it. */
  let known: ReadonlySet<string> = new Set();
  const keyOf = ({ op, urn }: Step): string => `${op} ${urn}`;

  const judgeSteps = async (
    steps: readonly Step[],
    more: Pick<Subject, "isPlan" | "resources">,
  ): Promise<Verdict[]> => {
    const concerned = (await active()).filter((policy) => steps.some((step) => mayConcern(policy, step)));
    if (concerned.length === 0) return [];
    const seen = steps.map((step) => seenStep(step, catalogue));
    return judge(concerned, { project, stack, steps: seen, ...more }, allowed);
  };

  return {
    async ready() {
      const all = await active();
      for (const name of allowed) refuseLeave(all, name);
    },
    needsPlan: async () => (await active()).some(isMoreThanLoss),
    async plan(run, steps, positionOf = () => undefined) {
      const told = steps.filter((step) => step.replaced !== true);
      const verdicts = await judgeSteps(told, { isPlan: true, resources: run.size });
      known = new Set(verdicts.map(keyOfVerdict));
      judged = new Map(told.map((step) => [keyOf(step), step]));
      const diagnostics = bounded(verdicts.map((verdict) => diagnosticOf(verdict, positionOf)));
      for (const one of diagnostics) if (one.severity === "warning") run.report(one);
      const refused = verdicts.filter(({ isMandatory }) => isMandatory);
      if (refused.length === 0) return;
      run.stop(
        { kind: "policy", code: "PLB-POLICY", message: refusal(refused) },
        diagnostics.filter(({ severity }) => severity === "error"),
      );
    },
    async step(run, step) {
      if (step.replaced) return;
      const planned = judged.get(keyOf(step));
      if (planned && sameValue(planned.newInputs, step.newInputs)) return;
      const verdicts = await judgeSteps([step], { isPlan: false });
      const refused = verdicts.filter(({ isMandatory }) => isMandatory);
      for (const verdict of verdicts)
        if (!verdict.isMandatory && !known.has(keyOfVerdict(verdict)))
          run.report(diagnosticOf(verdict, () => step.position));
      if (refused.length > 0) throw new PolicyError(refused);
    },
  };
}

const mayConcern = ({ rule }: Policy, { op }: Step): boolean => rule.operations.includes(op);

const keyOfVerdict = ({ policy, urn, property, message }: Verdict): string =>
  [policy, urn, property, message].join("\0");

/** Deletes and replacements are foreseen by every run; anything else is so for its policies alone. */
const isMoreThanLoss = ({ rule }: Policy): boolean =>
  rule.operations.some((op) => op !== "delete" && op !== "replace");

function refuseLeave(policies: readonly Policy[], name: string): void {
  const named = policies.filter(({ rule }) => rule.name === name);
  const firm = named.find(({ allow }) => !allow);
  if (named.length > 0 && firm === undefined) return;
  const free = [...new Set(policies.filter(({ allow }) => allow).map(({ rule }) => rule.name))];
  const reason =
    firm === undefined
      ? "no such policy holds for this stack"
      : `it is not yours to let pass (set by ${firm.owner === "project" ? "the project" : firm.owner})`;
  const others = free.length === 0 ? "none may be" : `these may be: ${free.join(", ")}`;
  throw new EngineError("usage", `--allow ${name}: ${reason}; ${others}. Nothing was done.`);
}

function diagnosticOf(verdict: Verdict, positionOf: PositionOf): Diagnostic {
  const { policy, isMandatory, urn, property, message } = verdict;
  return {
    severity: isMandatory ? "error" : "warning",
    message,
    code: "PLB-POLICY",
    policy,
    ...(urn === "" ? {} : { urn }),
    ...(property === "" ? {} : { property }),
    ...(urn === "" ? undefined : positionOf(urn, property)),
  };
}

/** The first of each policy, and how many more there are. */
function bounded(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const counts = new Map<string, number>();
  const shown: Diagnostic[] = [];
  for (const one of diagnostics) {
    const key = `${one.severity} ${one.policy}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count <= MOST) shown.push(one);
  }
  for (const [key, count] of counts) {
    if (count <= MOST) continue;
    const [severity, policy = ""] = key.split(" ") as ["error" | "warning", string];
    const message = `… and ${count - MOST} more findings of policy ${policy}`;
    shown.push({ severity, message, code: "PLB-POLICY", policy });
  }
  return shown;
}
