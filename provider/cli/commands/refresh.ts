/** The command `refresh`: takes over into the state what the service reports. */

import type { Command } from "commander";
import { addTargetOption, allowGone, goneOf, targetsOf } from "../flags.ts";
import { helped } from "../help.ts";
import { codeOf, withStack } from "../open-stack.ts";
import { renderer } from "../shown.ts";

export function addRefreshCommand(program: Command): void {
  addTargetOption(
    helped(program.command("refresh"), {
      examples: {
        "refresh --preview-only": "what the state does not know yet",
        refresh: "take it over into the state",
      },
      codes: ["guarded", "interrupted"],
    }),
  )
    .description("take over into the state what the service reports")
    .option("--preview-only", "show it, save nothing")
    .option(...allowGone)
    .option("--diff", "show every changed property")
    .action(
      (
        flags: { previewOnly?: boolean; diff?: boolean; target?: string[]; allowGone?: boolean },
        command: Command,
      ) =>
        withStack(command, async ({ settings, engine, shown }) =>
          codeOf(
            await shown(renderer(settings, { diff: flags.diff === true }), () =>
              engine.refresh({
                ...targetsOf(flags),
                ...goneOf(flags),
                previewOnly: flags.previewOnly === true,
              }),
            ),
          ),
        ),
    );
}
