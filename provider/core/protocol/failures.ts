/** The errors that verbs throw beside plain ones, and what an engine may conclude from an error. Exported by `protocol.ts`. */

import type { ErrorCode } from "../error-code.ts";
import type { ValueMap } from "../value.ts";

/** `property` is a path (`records[0].ttlSec`); empty when no one property is at fault. `reason` says what is wrong and what to do; it never shows a secret. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
  /** True for a guard: what is asked can be done, but only when the user allows it in so many words. */
  readonly guard?: true;
  readonly errorCode?: ErrorCode;
  /** Id of the object that has the name already. */
  readonly existing?: string;
}

/**
 * What an engine may conclude from an error of `create`, `update` or `delete`: CheckFailedError and any error that has, itself or in its chain
 * of causes, a numeric `status` of 400 to 499 other than 408 mean that the last write did not happen, unless it says `mayHaveRun`.
 * After any other error it may have: the engine remembers the attempt, and looks before it writes again.
 */
export function surelyNotWritten(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 16; at = at.cause, depth += 1) {
    if (at instanceof CheckFailedError) return true;
    const { status, mayHaveRun } = at as { status?: unknown; mayHaveRun?: unknown };
    if (mayHaveRun === true) return false;
    if (typeof status === "number" && status >= 400 && status < 500 && status !== 408) return true;
  }
  return false;
}

/** A refusal that only a look-up could find: the plan stops, nothing was written. */
export class CheckFailedError extends Error {
  override readonly name = "CheckFailedError";
  readonly failures: readonly CheckFailure[];
  constructor(failures: readonly CheckFailure[], options?: ErrorOptions) {
    super(failures.map((f) => (f.property ? `${f.property}: ${f.reason}` : f.reason)).join("; "), options);
    this.failures = failures;
  }
  /** That of the first failure that has one. */
  get errorCode(): ErrorCode | undefined {
    return this.failures.find(({ errorCode }) => errorCode !== undefined)?.errorCode;
  }
}

/**
 * The object exists but is not as declared (a wait or a later step failed): keep `id` and `state`, report `reasons`.
 * `state` is what is really there. `inputs`: what is to be remembered as last applied (absent: the request's own).
 */
export class ResourceInitFailedError extends Error {
  override readonly name = "ResourceInitFailedError";
  readonly id: string;
  readonly state: ValueMap;
  readonly inputs?: ValueMap;
  readonly reasons: readonly string[];
  constructor(
    partial: { id: string; state: ValueMap; inputs?: ValueMap; reasons: readonly string[] },
    options?: ErrorOptions,
  ) {
    super(partial.reasons.join("; "), options);
    this.id = partial.id;
    this.state = partial.state;
    if (partial.inputs) this.inputs = partial.inputs;
    this.reasons = partial.reasons;
  }
}

/** The verb, or one of its calls or waits, did not happen or ended because of a cancel. */
export class CancelledError extends Error {
  override readonly name = "CancelledError";
  constructor(message = "cancelled", options?: ErrorOptions) {
    super(message, options);
  }
}

/** A setting without which the service cannot be reached has no value. */
export class MissingSettingError extends Error {
  override readonly name = "MissingSettingError";
  readonly errorCode = "PLB-SETTING";
  /** What it is (`the access token`), the config key that sets it, and the environment variable. */
  readonly setting: { readonly what: string; readonly key: string; readonly variable: string };
  constructor(message: string, setting: MissingSettingError["setting"]) {
    super(message);
    this.setting = setting;
  }
}
