/** The command `config rm`: takes a stack's own value of a key away. */

import type { Command } from "commander";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { shownPath } from "../../render/account.ts";
import { print } from "../../render/door.ts";
import { replaceFile } from "../../replacing.ts";
import { pathOfKey, settingsTextOf } from "./key.ts";

export function addConfigRemove(config: Command): void {
  helped(config.command("rm <key>"), {
    examples: {
      "config rm domain": "the default of the stack file holds again",
      "config rm --path 'hosts[0]'": "one item of a list",
    },
  })
    .description("take away the stack's own value of a config key")
    .option("--path", "the key is a path into a list or an object (a.b[0])")
    .action((key: string, flags: { path?: boolean }, command: Command) =>
      withStack(
        command,
        async (stack) => {
          const { settingsFile } = stack.program;
          const file = settingsTextOf(stack);
          if (!file.remove(pathOfKey(stack, key, flags.path === true)))
            throw new CommandError(`${shownPath(settingsFile)} gives ${key} no value`);
          replaceFile(settingsFile, file.text());
          if (!stack.settings.json) print(`removed ${key} from ${shownPath(settingsFile)}`);
          return exitCode.done;
        },
        { judges: true },
      ),
    );
}
