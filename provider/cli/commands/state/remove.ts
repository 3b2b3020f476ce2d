/** The command `state rm`: the stack forgets resources, and their objects stay. */

import type { Command } from "commander";
import { confirm } from "../../ask.ts";
import { exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";
import { named, resourcesOf, shownResource } from "./named.ts";

export function addStateRemove(state: Command): void {
  helped(state.command("rm <resource...>"), {
    examples: {
      "state rm www": "by name; a URN does, too",
      "state rm zone www mail": "a parent only with what stands under it",
    },
    codes: ["guarded", "interrupted"],
  })
    .description("forget resources; their objects stay on the account, and no run looks at them any more")
    .option("--force", "also what is protected")
    .action((words: string[], flags: { force?: boolean }, command: Command) =>
      withStack(command, async ({ settings, engine, signal }) => {
        const resources = await resourcesOf(engine);
        const going = [...new Set(words.map((word) => named(resources, word)))];
        if (!settings.json) for (const state of going) print(`forget ${shownResource(state)}`);
        await confirm(
          settings,
          `Forget ${going.length === 1 ? "it" : `these ${going.length}`} in ${settings.stack}? Nothing on the account is touched.`,
          signal,
        );
        const gone = await engine.forget(
          going.map(({ urn }) => urn),
          { force: flags.force === true },
        );
        if (settings.json)
          print(JSON.stringify({ forgotten: gone.map(({ urn, id }) => ({ urn, id: id ?? null })) }));
        else
          print(
            "forgotten: take it out of the stack file too, or the next run makes it anew (plumbline import takes it back)",
          );
        return exitCode.done;
      }),
    );
}
