/** The command `stack import`: an export, ours or Pulumi's, becomes the state. */

import type { Command } from "commander";
import { exitCode } from "../../exit.ts";
import { pathOf } from "../../flags.ts";
import { readGiven, readStandardInput } from "../../given-files.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";
import { lines, problemsOnly, renderer } from "../../shown.ts";

export function addStackImport(stack: Command): void {
  helped(stack.command("import [file]"), {
    examples: {
      "stack import state.json": "what stack export wrote",
      "stack import --rename other.json": "the state of another stack",
    },
    codes: ["guarded"],
  })
    .description("replace the state by an export, ours or Pulumi's; - or no file: standard input")
    .option(
      "--rename",
      "take over the state of another stack or project: its resources are this stack's from then on",
    )
    .action((file: string | undefined, flags: { rename?: boolean }, command: Command) =>
      withStack(command, async ({ settings, engine, shown, signal }) => {
        const quiet = problemsOnly(settings.json ? renderer(settings) : lines(settings));
        const text = await readText(file, signal);
        await shown(quiet, () => engine.importState(text, { rename: flags.rename === true }));
        if (!settings.json) print("imported");
        return exitCode.done;
      }),
    );
}

async function readText(file = "-", signal: AbortSignal): Promise<string> {
  return file === "-" ? readStandardInput({}, signal) : readGiven(pathOf(file), { shown: file });
}
