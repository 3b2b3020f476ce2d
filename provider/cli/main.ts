/** The command line: what commands there are, and how an error ends one. */

import { inspect } from "node:util";
import { type Command, CommanderError } from "commander";
import { errorCodeOf, withErrorCode } from "../core/error-code.ts";
import { quoted } from "../core/masking.ts";
import { version } from "../core/version.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import { addConfigCommands } from "./commands/config/index.ts";
import { addControllerCommand } from "./commands/controller.ts";
import { addCoverageCommand } from "./commands/coverage.ts";
import { addDestroyCommand } from "./commands/destroy.ts";
import { addDriftCommand } from "./commands/drift.ts";
import { addEmulatorCommand } from "./commands/emulator.ts";
import { addExplainCommand } from "./commands/explain.ts";
import { addFmtCommand } from "./commands/fmt.ts";
import { addHelpCommand } from "./commands/help.ts";
import { addImportCommand } from "./commands/import/index.ts";
import { addInvokeCommand } from "./commands/invoke.ts";
import { addNewCommand } from "./commands/new.ts";
import { addPolicyCommands } from "./commands/policy/index.ts";
import { addPreviewCommand } from "./commands/preview.ts";
import { addRefreshCommand } from "./commands/refresh.ts";
import { addRunCommand } from "./commands/run.ts";
import { addSchemaCommand } from "./commands/schema.ts";
import { addStackCommands } from "./commands/stack/index.ts";
import { addStateCommands } from "./commands/state/index.ts";
import { addUpCommand } from "./commands/up.ts";
import { addValidateCommand } from "./commands/validate.ts";
import { addWatchCommand } from "./commands/watch.ts";
import { CommandError, exitCode } from "./exit.ts";
import { HelpfulCommand } from "./help.ts";
import { beginPrinting, printError } from "./render/door.ts";
import { addGlobalOptions, normaliseArguments } from "./settings.ts";

/** In the order in which help lists them. */
const commands = [
  addNewCommand,
  addExplainCommand,
  addFmtCommand,
  addValidateCommand,
  addPreviewCommand,
  addDriftCommand,
  addUpCommand,
  addWatchCommand,
  addControllerCommand,
  addRefreshCommand,
  addDestroyCommand,
  addImportCommand,
  addConfigCommands,
  addStateCommands,
  addStackCommands,
  addPolicyCommands,
  addInvokeCommand,
  addSchemaCommand,
  addRunCommand,
  addCoverageCommand,
  addEmulatorCommand,
  addCompletionCommand,
  addHelpCommand,
];

const textOf = (error: unknown): string =>
  `error: ${quoted(withErrorCode(error instanceof Error ? error.message : String(error), errorCodeOf(error)))}`;

function createProgram(): Command {
  const program = new HelpfulCommand("plumbline")
    .description("Keeps a cloud account true to its declared state.")
    .version(version, "-V, --version", "print the version")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .showHelpAfterError("(plumbline help lists what there is)");
  addGlobalOptions(program);
  for (const add of commands) add(program);
  return program;
}

/** Runs one command to its end, in this process's folder and environment; `args` without node and program. Returns the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  beginPrinting(process.env);
  try {
    await createProgram().parseAsync([...normaliseArguments(args)], { from: "user" });
    return exitCode.done;
  } catch (error) {
    // Commander has printed its own message already; help and version are no errors.
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof CommandError) {
      if (error.message !== "") printError(textOf(error));
      return error.code;
    }
    printError(textOf(error));
    if (process.env.PLUMBLINE_DEBUG) printError(inspect(error));
    return exitCode.error;
  }
}
