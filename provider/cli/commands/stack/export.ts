/** The command `stack export`: the state leaves, for us or for Pulumi. */

import type { Command } from "commander";
import { exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";

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
          ? await engine.exportPulumi({ showSecrets: settings.showSecrets })
          : await engine.exportState();
        print(JSON.stringify(state, null, 2));
        return exitCode.done;
      }),
    );
}
