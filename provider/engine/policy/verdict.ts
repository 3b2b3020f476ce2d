/** What mandatory policies refuse, as an error that stops a step. */

import { EngineError } from "../failure.ts";
import type { Verdict } from "./rule.ts";

/** A step that mandatory policies refuse, before anything of it is done. */
export class PolicyError extends EngineError {
  readonly verdicts: readonly Verdict[];
  constructor(verdicts: readonly Verdict[]) {
    super("policy", verdicts.map(({ message }) => message).join("; "));
    this.verdicts = verdicts;
  }
}

/** `2 findings of mandatory policies naming, ttl-bounds: nothing was done.` */
export function refusal(verdicts: readonly Verdict[]): string {
  const names = [...new Set(verdicts.map(({ policy }) => policy))].sort().join(", ");
  const many = verdicts.length === 1 ? "a finding" : `${verdicts.length} findings`;
  const policies = names.includes(",") ? "mandatory policies" : "the mandatory policy";
  return `${many} of ${policies} ${names}: nothing was done.`;
}
