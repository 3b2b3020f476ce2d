/** The command `stack unlock`: takes away the lock of a run that is no more. */

import type { Command } from "commander";
import { exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";

export function addStackUnlock(stack: Command): void {
  helped(stack.command("unlock"), {
    examples: { "stack unlock": "after a run was killed on another machine" },
  })
    .description("remove the lock that a run left behind")
    .option("--force", "even though its owner seems to run still")
    .action((flags: { force?: boolean }, command: Command) =>
      withStack(command, async ({ engine }) => {
        const owner = await engine.unlock({ force: flags.force === true });
        print(
          owner === undefined
            ? "not locked"
            : `unlocked: it was held by process ${owner.pid} on ${owner.host} for ${owner.operation}`,
        );
        return exitCode.done;
      }),
    );
}
