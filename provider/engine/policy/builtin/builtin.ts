/** How built-in rules are written: a description, settings as fields, and a function over one step or over all. */

import type { TSchema } from "typebox";
import { annotations, type Fields } from "../../../core/type/field.ts";
import type { StepOp } from "../../event.ts";
import {
  type Answer,
  type AskedRule,
  declaring,
  type Finding,
  type Level,
  type RuleContext,
  type SeenStep,
  type SeenValue,
  type SeenValues,
} from "../rule.ts";

interface Spec {
  readonly name: string;
  /** Markdown, user documentation. */
  readonly description: string;
  /** Where the project does not name it; default: off. */
  readonly level?: Level;
  /** Default: no. */
  readonly allow?: true;
  readonly types?: readonly string[];
  /** Default: what declares something. */
  readonly operations?: readonly StepOp[];
  readonly fields?: Fields;
}

/** A rule about each step by itself. */
export function stepRule(
  spec: Spec,
  check: (step: SeenStep, context: RuleContext) => readonly Finding[],
): AskedRule {
  return stepsRule(spec, (steps, context) =>
    steps.flatMap((step, at) => check(step, context).map((finding) => ({ ...finding, step: at }))),
  );
}

/** The same, for a rule that looks at many at a time. */
export function stepsRule(
  spec: Spec,
  check: (steps: readonly SeenStep[], context: RuleContext) => Answer["findings"],
): AskedRule {
  return { ...base(spec), isOfPlan: false, ask: (steps, context) => ({ findings: check(steps, context) }) };
}

/** A rule about all steps of a plan. */
export function planRule(
  spec: Spec,
  check: (steps: readonly SeenStep[], context: RuleContext) => readonly Finding[],
): AskedRule {
  return { ...base(spec), isOfPlan: true, ask: (steps, context) => ({ findings: check(steps, context) }) };
}

function base({ level = "off", allow, types, operations = declaring, fields = {}, ...spec }: Spec) {
  return {
    ...spec,
    source: "built in",
    level,
    allow: allow === true,
    ...(types ? { types } : {}),
    operations,
    fields,
    defaults: defaultsOf(fields),
  };
}

function defaultsOf(fields: Fields): SeenValues {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): [string, SeenValue][] => {
      const fallback = annotations(field as TSchema).default;
      return fallback === undefined ? [] : [[name, fallback as SeenValue]];
    }),
  );
}

/** The items of a list, with their places; none of anything else. */
export function itemsIn(value: SeenValue | undefined): readonly (readonly [number, SeenValue])[] {
  return Array.isArray(value) ? [...value.entries()] : [];
}
