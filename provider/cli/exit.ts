/** How a command ends: exit codes and the errors that carry them. Knows nothing of any command. */

/** Exit codes of the command line; scripts rely on them. */
export const exitCode = {
  done: 0,
  /** An error, or a declaration that was refused. */
  error: 1,
  /** There are changes (`--detailed-exitcode`, `--expect-no-changes`). */
  changes: 2,
  drift: 3,
  /** Stopped by a guard: mass change, `protect`, a stale plan, a policy. */
  guarded: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Ends the command with a message and a code. The message is for the user: what is wrong and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: ExitCode;
  constructor(message: string, code: ExitCode = exitCode.error, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
