/** The command `validate`: checks a stack file by every rule that needs no request. */

import type { Command } from "commander";
import { helped } from "../help.ts";
import { codeOf, withStack } from "../open-stack.ts";
import { print } from "../render/door.ts";
import { createDiagnosticLines } from "../render/frame.ts";

export function addValidateCommand(program: Command): void {
  helped(program.command("validate"), {
    examples: {
      validate: "check Pulumi.yaml and Pulumi.dev.yaml",
      "validate -C shop --json": "those of the folder shop, told as JSON",
    },
  })
    .description("check a stack file against the schema and every rule that needs no request")
    .action((_flags, command: Command) =>
      withStack(
        command,
        async ({ settings, engine }) => {
          const result = await engine.validate();
          if (settings.json) print(JSON.stringify({ diagnostics: result.diagnostics }, null, 2));
          else {
            const linesOf = createDiagnosticLines(settings.colors);
            for (const found of result.diagnostics) for (const line of linesOf(found)) print(line);
            if (result.result === "succeeded") print(`${settings.colors.green("valid")}: no problem found`);
          }
          return codeOf(result);
        },
        { judges: true, mayStayShut: true },
      ),
    );
}
