/** The command `stack list`: which stacks the project has. */

import type { Command } from "commander";
import { exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print, printError } from "../../render/door.ts";
import { stacksOf } from "./stacks.ts";

export function addStackList(stack: Command): void {
  helped(stack.command("list").alias("ls"), { examples: { "stack list": "their names, a line each" } })
    .description("the stacks of this project: those with a state, and those with settings")
    .action((_flags, command: Command) =>
      withStack(command, async (opened) => {
        const { settings } = opened;
        const stacks = await stacksOf(opened);
        if (settings.json) print(JSON.stringify(stacks));
        else if (stacks.length === 0) printError("no stack of this project has a state or settings yet");
        else for (const name of stacks) print(name);
        return exitCode.done;
      }),
    );
}
