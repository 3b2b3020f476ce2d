/** The command `stack output`: the outputs as last saved. */

import type { Command } from "commander";
import { reveal, type Value } from "../../../core/value.ts";
import { printable } from "../../../engine/event.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print, printWhole } from "../../render/door.ts";
import { outputLines } from "../../render/format.ts";

export function addStackOutput(stack: Command): void {
  helped(stack.command("output [name]"), {
    examples: { "stack output": "all of them", "stack output address": "one, as it is" },
    codes: ["guarded"],
  })
    .description("the outputs as last saved; secrets only with --show-secrets")
    .action((name: string | undefined, _flags, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const { showSecrets, json } = settings;
        const outputs = await engine.outputs({ showSecrets });
        if (name === undefined) {
          if (json) print(JSON.stringify(printable(outputs, showSecrets), null, 2));
          else for (const line of outputLines(outputs, showSecrets)) print(line);
          return exitCode.done;
        }
        const value: Value | undefined = outputs[name];
        if (value === undefined) {
          throw new CommandError(
            `the stack has no output ${name}; it has: ${Object.keys(outputs).join(", ") || "none"}`,
          );
        }
        const shown = printable(showSecrets ? reveal(value) : value, showSecrets);
        const told = json || typeof shown !== "string" ? JSON.stringify(shown) : shown;
        if (showSecrets) printWhole(told);
        else print(told);
        return exitCode.done;
      }),
    );
}
