/** The command `help`: what a command does, with its options, examples and exit codes. */

import type { Command } from "commander";
import { nearest } from "../../core/nearest.ts";
import { CommandError } from "../exit.ts";
import { helped } from "../help.ts";

export function addHelpCommand(program: Command): void {
  helped(program.helpCommand(false).command("help [command...]"), {
    examples: { "help up": "the options of up", "help stack graph": "those of stack graph" },
  })
    .description("show what a command does, with its options, examples and exit codes")
    .action((words: string[]) => {
      let found = program;
      for (const word of words) {
        const next = found.commands.find((command) => command.name() === word);
        if (next === undefined) {
          const near = nearest(
            word,
            found.commands.map((command) => command.name()),
          );
          throw new CommandError(
            `there is no command ${words.join(" ")}${near ? `; did you mean ${near}?` : ": plumbline help lists what there is"}`,
          );
        }
        found = next;
      }
      found.outputHelp();
    });
}
