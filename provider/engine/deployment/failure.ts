/** Errors of the engine itself: what stops an operation before or beside its steps, and the exit code that says so. */

/**
 * Stops an operation before anything was changed. `code` says why; `exitCode` is what a command ends with (4 for a guard, else 1).
 * locked: another run holds the stack. state: the state folder cannot be read or written as it is. guard: `protect`, or a plan that is stale.
 */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: "locked" | "state" | "protect" | "plan" | "usage";
  constructor(code: EngineError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
  get exitCode(): 1 | 4 {
    return this.code === "protect" || this.code === "plan" ? 4 : 1;
  }
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
