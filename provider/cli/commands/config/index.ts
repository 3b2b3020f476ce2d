/** The `config` commands: the values that a stack gives to its config, in `Pulumi.<stack>.yaml`. One file a command. */

import type { Command } from "commander";
import { helped } from "../../help.ts";
import { addConfigGet } from "./get.ts";
import { addConfigRemove } from "./remove.ts";
import { addConfigSet } from "./set.ts";

export function addConfigCommands(program: Command): void {
  const config = helped(program.command("config"), {
    examples: {
      "config get": "every key with its value",
      "config set domain shop.example": "a value of the stack dev",
      "help config set": "the options of one of these",
    },
  })
    .helpCommand(false)
    .description("read and write the config of a stack (Pulumi.<stack>.yaml)");
  addConfigGet(config);
  addConfigSet(config);
  addConfigRemove(config);
}
