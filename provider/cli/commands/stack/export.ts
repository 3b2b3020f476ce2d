/** The command `stack export`: the state leaves, for us or for Pulumi. */

import type { Command } from "commander";
import { exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print, printError } from "../../render/door.ts";

const tellKeyFile = (file: string): void =>
  printError(
    `Secrets in it are sealed under the key file ${file}. Pulumi opens them with PULUMI_CONFIG_PASSPHRASE_FILE=${file}, and gives them a passphrase of your own by \`pulumi stack change-secrets-provider passphrase\`; --show-secrets exports them in plain text.`,
  );

export function addStackExport(stack: Command): void {
  helped(stack.command("export"), {
    examples: {
      "stack export > state.json": "a copy to keep",
      "stack export --pulumi": "for pulumi stack import",
    },
  })
    .description("print the state; secrets stay sealed unless --show-secrets")
    .option("--pulumi", "in the form that `pulumi stack import` reads")
    .action((flags: { pulumi?: boolean }, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const state = flags.pulumi
          ? await engine.exportPulumi({ showSecrets: settings.showSecrets, sealedUnder: tellKeyFile })
          : await engine.exportState();
        print(JSON.stringify(state, null, 2));
        return exitCode.done;
      }),
    );
}
