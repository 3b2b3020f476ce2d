/** What the command line and the thread that runs policy modules tell each other. Types only; all of it is plain data. */

import type { RuleContext, SeenStep } from "../../engine/policy/rule.ts";

/** A rule as its module exports it: functions read `function`. Not judged yet. */
export interface ExportedRule {
  readonly file: string;
  readonly exported: { readonly [key: string]: unknown };
}

export type Request =
  | { readonly load: string }
  /** `rule`: its place among those that were loaded. */
  | { readonly ask: number; readonly steps: readonly SeenStep[]; readonly context: RuleContext };

export type Reply =
  | { readonly rules: readonly ExportedRule[] }
  | { readonly findings: readonly FoundThere[] }
  /** The module or the rule failed; with its place where it is known. */
  | { readonly fault: string };

export interface FoundThere {
  readonly message: string;
  readonly property?: string;
  readonly urn?: string;
  readonly step?: number;
}

/** What the thread begins with. */
export interface ThreadData {
  /** One 32-bit number that grows with each call of a rule and each file loaded, so that a standstill can be seen. */
  readonly progress: SharedArrayBuffer;
}
