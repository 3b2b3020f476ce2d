/** What help tells of every command alike: its options and the common ones, examples, exit codes. Knows no command. */

import { Command, CommanderError } from "commander";
import { type ExitCode, exitCode } from "./exit.ts";

/** A command that shows its help where it was given nothing to do: that is no error. */
export class HelpfulCommand extends Command {
  override createCommand(name?: string): HelpfulCommand {
    return new HelpfulCommand(name);
  }

  override help(): never {
    this.outputHelp();
    throw new CommanderError(exitCode.done, "commander.help", "(outputHelp)");
  }
}

export interface Help {
  /** What each does, by the words after `plumbline`. */
  readonly examples: { readonly [words: string]: string };
  /** Beside those of every command. */
  readonly codes?: readonly (keyof typeof exitCode)[];
}

const meanings: { readonly [name in keyof typeof exitCode]: string } = {
  done: "done",
  error: "an error, or a declaration that was refused",
  changes: "there are changes (--detailed-exitcode, --expect-no-changes)",
  drift: "there is drift, or a run before left something open",
  guarded: "stopped by a guard: protect, a stale plan, another target, everything gone, a policy",
  interrupted: "interrupted; the state is saved, and the next run continues",
};

/** Adds to a command's help its examples and exit codes. Returns the command. */
export function helped<C extends Command>(command: C, { examples, codes = [] }: Help): C {
  const lines = Object.entries(examples).map(([words, what]) => [`plumbline ${words}`, what] as const);
  const width = Math.max(...lines.map(([line]) => line.length));
  const told = (["done", "error", ...codes] as const).map(
    (name) => [exitCode[name] as ExitCode, meanings[name]] as const,
  );
  return command.addHelpText(
    "after",
    [
      "",
      "Examples:",
      ...lines.map(([line, what]) => `  ${line.padEnd(width)}  ${what}`),
      "",
      "Exit codes:",
      ...told.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`),
    ].join("\n"),
  ) as C;
}
