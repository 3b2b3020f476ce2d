/** What a policy is: a rule about planned steps, where it holds, and what it finds. Pure types. */

import type { Fields } from "../../core/type/field.ts";
import type { Step, StepOp } from "../event.ts";
import type { Position } from "../host.ts";

/** `advisory` warns; `mandatory` stops the run before its first write. */
export const levels = ["off", "advisory", "mandatory"] as const;
export type Level = (typeof levels)[number];

/** A value as rules see it: JSON, where `{"$unknown": true}` stands for what is not known yet and `{"$secret": true}` for a secret. */
export type SeenValue =
  | null
  | boolean
  | number
  | string
  | readonly SeenValue[]
  | { readonly [name: string]: SeenValue };

export interface SeenValues {
  readonly [name: string]: SeenValue;
}

/** A planned step as rules see it. */
export interface SeenStep {
  readonly operation: StepOp;
  readonly urn: string;
  /** As stack files write it (`plumbline:dns:Domain`). */
  readonly type: string;
  readonly name: string;
  /** The object's id; absent while there is none. */
  readonly id?: string;
  /** Inputs as they are to be; absent for a delete. */
  readonly inputs?: SeenValues;
  /** Inputs as they were last applied; absent for a create. */
  readonly oldInputs?: SeenValues;
  /** Property paths that differ. */
  readonly changes: readonly string[];
  /** Why it is replaced; empty for anything else. */
  readonly replaceReasons: readonly string[];
  /** What is lost for good when the old object goes (`all its data`); absent: nothing, or it stays. */
  readonly lost?: string;
  /** True: the old object stays where it is. */
  readonly retained: boolean;
}

/** What a rule knows beside the steps. */
export interface RuleContext {
  readonly project: string;
  readonly stack: string;
  readonly settings: SeenValues;
  /** How many resources the stack has before the plan; absent: not known. */
  readonly resources?: number;
}

/** What a rule has against a step. */
export interface Finding {
  readonly message: string;
  /** Property path (`records[0].ttlSec`); absent: the resource as a whole. */
  readonly property?: string;
  /** Of a rule about the whole plan: the resource; absent: none of them. */
  readonly urn?: string;
}

/** A rule without its functions. */
export interface RuleInfo {
  readonly name: string;
  readonly description: string;
  /** Where nobody sets another. */
  readonly level: Level;
  /** True: whoever runs a command may let it pass with `--allow NAME`. */
  readonly allow: boolean;
  /** Types as stack files write them; absent: all. */
  readonly types?: readonly string[];
  readonly operations: readonly StepOp[];
  /** True: it looks at all steps together. */
  readonly isOfPlan: boolean;
  /** Settings of its own, by field; absent: any are taken. */
  readonly fields?: Fields;
  /** Settings that nobody gave. */
  readonly defaults: SeenValues;
}

/** What came of asking a rule. */
export interface Answer {
  /** `step`: its place in the list that was asked about; absent: the plan as a whole. */
  readonly findings: readonly (Finding & { readonly step?: number })[];
  /** Why the rule could not answer (it threw, it did not end). */
  readonly fault?: string;
}

/** A rule that can be asked. */
export interface AskedRule extends RuleInfo {
  /** Where it comes from: `built in`, or a file. */
  readonly source: string;
  readonly ask: (steps: readonly SeenStep[], context: RuleContext) => Promise<Answer> | Answer;
}

/** A rule as it holds for a stack. */
export interface Policy {
  readonly rule: AskedRule;
  readonly level: "advisory" | "mandatory";
  readonly settings: SeenValues;
  /** Names or URNs (with `*` and `**`) of resources that it leaves alone. */
  readonly except: readonly string[];
  readonly allow: boolean;
  /** Whose it is: `project`, or the file or folder that the user named. */
  readonly owner: string;
}

/** What a policy has against a step or a plan. */
export interface Verdict {
  readonly policy: string;
  readonly isMandatory: boolean;
  readonly urn: string;
  /** Empty: the resource, or the plan. */
  readonly property: string;
  /** With the policy's name. */
  readonly message: string;
}

/** Which policies hold for a stack. */
export interface Policies {
  /** Loads what must be loaded, once. Throws EngineError `usage` for what cannot be. */
  readonly active: () => Promise<readonly Policy[]>;
}

/** Where a property of a resource is declared. */
export type PositionOf = (urn: string, property: string) => Position | undefined;

/** The operations whose steps declare something that is to be there. */
export const declaring: readonly StepOp[] = ["create", "update", "replace", "same", "import"];

export type { Step };
