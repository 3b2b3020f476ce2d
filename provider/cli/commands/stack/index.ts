/** The `stack` commands: what the state holds, and how it leaves and enters. One file a command. */

import type { Command } from "commander";
import { helped } from "../../help.ts";
import { addStackExport } from "./export.ts";
import { addStackGraph } from "./graph.ts";
import { addStackImport } from "./import.ts";
import { addStackList } from "./list.ts";
import { addStackOutput } from "./output.ts";
import { addStackRetarget } from "./retarget.ts";
import { addStackUnlock } from "./unlock.ts";

export function addStackCommands(program: Command): void {
  const stack = helped(program.command("stack"), {
    examples: {
      "stack list": "the stacks of the project",
      "help stack export": "the options of one of these",
    },
  })
    .helpCommand(false)
    .description("look at, move and mend the state of a stack");
  addStackOutput(stack);
  addStackExport(stack);
  addStackImport(stack);
  addStackRetarget(stack);
  addStackGraph(stack);
  addStackList(stack);
  addStackUnlock(stack);
}
