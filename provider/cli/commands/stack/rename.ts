/** The command `stack rename`: a stack gets another name, with its state and its settings. */

import { constants, copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import type { Command } from "commander";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { type Stack, withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";
import { refuseStackName, selectedStack, selectStack } from "../../settings.ts";
import { settingsFileOf } from "./stacks.ts";

export function addStackRename(stack: Command): void {
  helped(stack.command("rename <name>"), {
    examples: { "stack rename production -s dev": "dev is called production from then on" },
  })
    .description("give the stack another name; no object is touched")
    .action((name: string, _flags, command: Command) =>
      withStack(command, async (opened) => {
        const { settings } = opened;
        refuseStackName("stack rename", name);
        if (name === settings.stack) throw new CommandError(`the stack is called ${name} already`);
        await rename(opened, name);
        if (selectedStack(settings.file) === settings.stack) selectStack(settings, name);
        if (settings.json) print(JSON.stringify({ from: settings.stack, to: name }));
        else print(`renamed ${settings.stack} to ${name}`);
        return exitCode.done;
      }),
    );
}

/** Settings are under both names while the state moves: cut off anywhere, the same command goes on. */
async function rename(opened: Stack, name: string): Promise<void> {
  const { engine, settings } = opened;
  const from = settingsFileOf(opened, settings.stack);
  const to = settingsFileOf(opened, name);
  const isSettled = existsSync(from);
  const wasCopied = isSettled && existsSync(to) && readFileSync(from).equals(readFileSync(to));
  if (existsSync(to) && !wasCopied) throw new CommandError(`there is a stack ${name} already`);
  const copies = isSettled && !wasCopied;
  if (copies) copyFileSync(from, to, constants.COPYFILE_EXCL);
  try {
    const states = await engine.stacks();
    const hasMoved = wasCopied && states.includes(name) && !states.includes(settings.stack);
    const isThere = (await engine.renameStack(name, { again: hasMoved })) || isSettled;
    if (!isThere) throw new CommandError(`there is no stack ${settings.stack}`);
  } catch (error) {
    if (copies) rmSync(to);
    throw error;
  }
  if (isSettled) rmSync(from);
}
