/** The command `stack init`: another stack of the project, selected from then on. */

import type { Command } from "commander";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { shownPath } from "../../render/account.ts";
import { print } from "../../render/door.ts";
import { replaceFile } from "../../replacing.ts";
import { refuseStackName, selectStack } from "../../settings.ts";
import { settingsFileOf, stacksOf } from "./stacks.ts";

export function addStackInit(stack: Command): void {
  helped(stack.command("init <name>"), {
    examples: { "stack init production": "with settings in Pulumi.production.yaml" },
  })
    .description("begin another stack of the project, and select it")
    .action((name: string, _flags, command: Command) =>
      withStack(command, async (opened) => {
        refuseStackName("stack init", name);
        if ((await stacksOf(opened)).includes(name))
          throw new CommandError(`there is a stack ${name} already: plumbline stack select ${name}`);
        const file = settingsFileOf(opened, name);
        replaceFile(file, "config: {}\n");
        selectStack(opened.settings, name);
        if (!opened.settings.json) print(`began ${name}, with ${shownPath(file)}, and selected it`);
        return exitCode.done;
      }),
    );
}
