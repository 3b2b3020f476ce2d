/** Errors of the engine itself: what stops an operation before or beside its steps, and the exit code that says so. */

import type { ErrorCode } from "../core/error-code.ts";

/** Where the error itself says nothing more precise. */
const errorCodeOfKind: { readonly [code in EngineError["code"]]: ErrorCode | undefined } = {
  locked: "PLB-LOCK",
  state: "PLB-STATE",
  usage: undefined,
  protect: "PLB-PROTECT",
  plan: "PLB-PLAN",
  target: "PLB-TARGET",
  gone: "PLB-GONE",
  policy: "PLB-POLICY",
};

/**
 * Stops an operation before anything was changed. `code` says why; `exitCode` is what a command ends with (4 for a guard, else 1).
 * locked: another run holds the stack. state: the state folder cannot be read or written as it is. The guards: `protect`; `plan`, one that is
 * stale; `target`, another account than the stack's objects are on, or the state of another stack; `gone`, everything is gone at once; `policy`, a mandatory
 * policy has something against it.
 */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: "locked" | "state" | "usage" | GuardKind;
  readonly errorCode: ErrorCode | undefined;
  constructor(
    code: EngineError["code"],
    message: string,
    options: ErrorOptions & { errorCode?: ErrorCode } = {},
  ) {
    super(message, options);
    this.code = code;
    this.errorCode = options.errorCode ?? errorCodeOfKind[code];
  }
  get exitCode(): 1 | 4 {
    return isGuard(this.code) ? 4 : 1;
  }
}

/** What stops an operation that could be done, until the user says otherwise. */
export type GuardKind = "protect" | "plan" | "target" | "gone" | "policy";

const guards: readonly string[] = ["protect", "plan", "target", "gone", "policy"] satisfies GuardKind[];

export function isGuard(code: string): code is GuardKind {
  return guards.includes(code);
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
