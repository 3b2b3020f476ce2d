/** The command `stack rename`: a stack gets another name, with its state and its settings. */

import { existsSync, renameSync } from "node:fs";
import type { Command } from "commander";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";
import { refuseStackName, selectedStack, selectStack } from "../../settings.ts";
import { settingsFileOf, stacksOf } from "./stacks.ts";

export function addStackRename(stack: Command): void {
  helped(stack.command("rename <name>"), {
    examples: { "stack rename production -s dev": "dev is called production from then on" },
  })
    .description("give the stack another name; no object is touched")
    .action((name: string, _flags, command: Command) =>
      withStack(command, async (opened) => {
        const { settings, engine, engineOf } = opened;
        refuseStackName("stack rename", name);
        const stacks = await stacksOf(opened);
        if (!stacks.includes(settings.stack)) throw new CommandError(`there is no stack ${settings.stack}`);
        if (stacks.includes(name)) throw new CommandError(`there is a stack ${name} already`);
        if ((await engine.stacks()).includes(settings.stack)) {
          await engineOf(name).importState(JSON.stringify(await engine.exportState()), { rename: true });
          await engine.removeStack({ force: true });
        }
        const [from, to] = [settings.stack, name].map((each) => settingsFileOf(opened, each)) as [
          string,
          string,
        ];
        if (existsSync(from)) renameSync(from, to);
        if (selectedStack(settings.file) === settings.stack) selectStack(settings, name);
        if (settings.json) print(JSON.stringify({ from: settings.stack, to: name }));
        else print(`renamed ${settings.stack} to ${name}`);
        return exitCode.done;
      }),
    );
}
