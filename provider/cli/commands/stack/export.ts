/** The command `stack export`: the state leaves, for us or for Pulumi. */

import { type Command, Option } from "commander";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print, printError } from "../../render/door.ts";
import { stateVersion } from "../../settings.ts";

const tellKeyFile = (file: string): void =>
  printError(
    `Secrets in it are sealed under the key file ${file}. Pulumi opens them with PULUMI_CONFIG_PASSPHRASE_FILE=${file}, and gives them a passphrase of your own by \`pulumi stack change-secrets-provider passphrase\`; --show-secrets exports them in plain text.`,
  );

function versionOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CommandError(
    `--version needs the number of a version, not "${text}": plumbline stack history lists them`,
  );
}

export function addStackExport(stack: Command): void {
  helped(stack.command("export"), {
    examples: {
      "stack export > state.json": "a copy to keep",
      "stack export --pulumi": "for pulumi stack import",
      "stack export --version 7": "as it was then (stack history)",
    },
  })
    .description("print the state; secrets stay sealed unless --show-secrets")
    .option("--version <number>", "as it was then: one of those that stack history lists")
    .option("--pulumi", "in the form that `pulumi stack import` reads")
    .addOption(new Option(`${stateVersion} <number>`).hideHelp())
    .action((flags: { pulumi?: boolean; stateVersion?: string }, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const { showSecrets } = settings;
        const which = flags.stateVersion === undefined ? {} : { version: versionOf(flags.stateVersion) };
        const state = flags.pulumi
          ? await engine.exportPulumi({ ...which, showSecrets, sealedUnder: tellKeyFile })
          : await engine.exportState(which);
        print(JSON.stringify(state, null, 2));
        return exitCode.done;
      }),
    );
}
