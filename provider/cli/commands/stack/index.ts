/** The `stack` commands: what the state holds, and how it leaves and enters. One file a command. */

import type { Command } from "commander";
import { helped } from "../../help.ts";
import { addStackExport } from "./export.ts";
import { addStackGraph } from "./graph.ts";
import { addStackHistory } from "./history.ts";
import { addStackImport } from "./import.ts";
import { addStackInit } from "./init.ts";
import { addStackList } from "./list.ts";
import { addStackOutput } from "./output.ts";
import { addStackRemove } from "./remove.ts";
import { addStackRename } from "./rename.ts";
import { addStackRetarget } from "./retarget.ts";
import { addStackSelect } from "./select.ts";
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
  addStackInit(stack);
  addStackSelect(stack);
  addStackList(stack);
  addStackRename(stack);
  addStackRemove(stack);
  addStackOutput(stack);
  addStackHistory(stack);
  addStackExport(stack);
  addStackImport(stack);
  addStackRetarget(stack);
  addStackGraph(stack);
  addStackUnlock(stack);
}
