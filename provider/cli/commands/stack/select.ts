/** The command `stack select`: which stack commands are about where none is given. */

import type { Command } from "commander";
import { didYouMean } from "../../../core/nearest.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";
import { refuseStackName, selectStack } from "../../settings.ts";
import { stacksOf } from "./stacks.ts";

export function addStackSelect(stack: Command): void {
  helped(stack.command("select [name]"), {
    examples: {
      "stack select production": "instead of -s production with each command",
      "stack select": "which one it is now",
    },
  })
    .description(
      "choose the stack that commands are about where no --stack is given; without a name: tell it",
    )
    .action((name: string | undefined, _flags, command: Command) =>
      withStack(command, async (opened) => {
        const { settings } = opened;
        if (name === undefined) {
          print(settings.json ? JSON.stringify(settings.stack) : settings.stack);
          return exitCode.done;
        }
        refuseStackName("stack select", name);
        const stacks = await stacksOf(opened);
        if (name !== "dev" && !stacks.includes(name))
          throw new CommandError(
            `there is no stack ${name}${didYouMean(name, stacks)}: plumbline stack init ${name} begins it`,
          );
        selectStack(settings, name);
        if (!settings.json) print(`selected ${name}`);
        return exitCode.done;
      }),
    );
}
