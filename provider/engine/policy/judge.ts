/** Asks policies about planned steps. Decides nothing about what becomes of a run. */

import { matchesTarget } from "../../core/engines/urn.ts";
import { messageOf } from "../failure.ts";
import type { Answer, Policy, RuleContext, SeenStep, Verdict } from "./rule.ts";

/** What is asked about. */
export interface Subject {
  readonly project: string;
  readonly stack: string;
  readonly steps: readonly SeenStep[];
  /** True: these are all steps of a plan, so that rules about plans are asked, too. */
  readonly isPlan: boolean;
  /** How many resources the stack has before it; absent: not known. */
  readonly resources?: number;
}

/** Everything that policies have against the steps, mandatory first. A rule that cannot answer is itself a finding that nobody can let pass. */
export async function judge(
  policies: readonly Policy[],
  { project, stack, steps, isPlan, resources }: Subject,
  allowed: ReadonlySet<string>,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const policy of policies) {
    const { rule, except, settings } = policy;
    if (rule.isOfPlan && !isPlan) continue;
    const concerned = steps.filter((step) => concerns(policy, step, except));
    if (concerned.length === 0) continue;
    const asked = rule.isOfPlan ? steps.filter(({ urn }) => !isExcepted(except, urn)) : concerned;
    const context = { project, stack, settings, ...(resources === undefined ? {} : { resources }) };
    const answer = await answerOf(policy, asked, context);
    for (const verdict of verdictsOf(policy, asked, answer, allowed)) verdicts.push(verdict);
  }
  return verdicts.sort((a, b) => Number(b.isMandatory) - Number(a.isMandatory));
}

/** A rule that throws has not answered. */
async function answerOf({ rule }: Policy, steps: readonly SeenStep[], context: RuleContext): Promise<Answer> {
  try {
    return await rule.ask(steps, context);
  } catch (error) {
    return { findings: [], fault: messageOf(error) };
  }
}

function concerns({ rule }: Policy, step: SeenStep, except: readonly string[]): boolean {
  if (!rule.operations.includes(step.operation)) return false;
  if (rule.types !== undefined && !rule.types.includes(step.type)) return false;
  return !isExcepted(except, step.urn);
}

function verdictsOf(
  policy: Policy,
  steps: readonly SeenStep[],
  { findings, fault }: Answer,
  allowed: ReadonlySet<string>,
): Verdict[] {
  const { rule, level } = policy;
  const isLetPass = policy.allow && allowed.has(rule.name);
  const named = `policy ${rule.name}`;
  if (fault !== undefined) {
    const message = `${named} (${rule.source}) could not judge: ${fault}`;
    return [{ policy: rule.name, isMandatory: true, urn: "", property: "", message }];
  }
  const advice = policy.allow ? `; --allow ${rule.name} lets it pass` : "";
  return findings.map(({ message, property = "", urn, step }) => ({
    policy: rule.name,
    isMandatory: level === "mandatory" && !isLetPass,
    urn: urn ?? (step === undefined ? "" : (steps[step]?.urn ?? "")),
    property,
    message: `${property === "" || message.startsWith(property) ? "" : `${property}: `}${message} (${named}${level === "mandatory" ? (isLetPass ? ", allowed" : advice) : ""})`,
  }));
}

const isExcepted = (except: readonly string[], urn: string): boolean =>
  except.some((pattern) => matchesTarget(pattern, urn));
