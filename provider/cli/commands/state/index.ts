/** The `state` commands: single resources of a state, seen and mended by hand. One file a command. */

import type { Command } from "commander";
import { helped } from "../../help.ts";
import { addStateList } from "./list.ts";
import { addStateMove } from "./move.ts";
import { addStateRemove } from "./remove.ts";
import { addStateShow } from "./show.ts";

export function addStateCommands(program: Command): void {
  const state = helped(program.command("state"), {
    examples: {
      "state list": "every resource of the stack",
      "help state rm": "the options of one of these",
    },
  })
    .helpCommand(false)
    .description("look at the resources of a state, and mend it by hand; no object is touched");
  addStateList(state);
  addStateShow(state);
  addStateRemove(state);
  addStateMove(state);
}
