/** The command `stack rm`: a stack ends; its objects stay. */

import { existsSync, rmSync } from "node:fs";
import type { Command } from "commander";
import { confirm } from "../../ask.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { shownPath } from "../../render/account.ts";
import { print } from "../../render/door.ts";
import { selectedStack, selectStack } from "../../settings.ts";
import { settingsFileOf, stacksOf } from "./stacks.ts";

interface RemoveFlags {
  force?: boolean;
  keepConfig?: boolean;
}

export function addStackRemove(stack: Command): void {
  helped(stack.command("rm <name>"), {
    examples: {
      "stack rm trial": "after plumbline destroy -s trial",
      "stack rm trial --keep-config": "Pulumi.trial.yaml stays",
    },
    codes: ["interrupted"],
  })
    .description("end a stack: its state is put aside, and its settings are removed")
    .option("--force", "though it has resources: their objects stay, and no stack knows them")
    .option("--keep-config", "leave its settings file")
    .action((name: string, flags: RemoveFlags, command: Command) =>
      withStack(command, async (opened) => {
        const { settings, signal } = opened;
        if (!(await stacksOf(opened)).includes(name)) throw new CommandError(`there is no stack ${name}`);
        const file = settingsFileOf(opened, name);
        const removes = existsSync(file) && !flags.keepConfig;
        await confirm(
          settings,
          `End the stack ${name}${removes ? `, and remove ${shownPath(file)}` : ""}?`,
          signal,
        );
        const kept = await opened.engineOf(name).removeStack({ force: flags.force === true });
        if (removes) rmSync(file);
        if (selectedStack(settings.file) === name) selectStack(settings, "dev");
        if (settings.json) print(JSON.stringify({ removed: name, kept: kept ?? null }));
        else
          print(
            `ended ${name}${kept === undefined ? "" : `; its last state is kept in ${/^[\w+]+:\/\//.test(kept) ? kept : shownPath(kept)}`}`,
          );
        return exitCode.done;
      }),
    );
}
