/** The command `state mv`: a resource gets another name, and its object stays what it is. */

import type { Command } from "commander";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print } from "../../render/door.ts";
import { named, resourcesOf } from "./named.ts";

export function addStateMove(state: Command): void {
  helped(state.command("mv <resource> <name>"), {
    examples: { "state mv www web": "as the stack file calls it now" },
  })
    .description("rename a resource in the state, as it was renamed in the stack file")
    .action((word: string, name: string, _flags, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        if (name === "" || name.includes("::")) throw new CommandError(`"${name}" is no name for a resource`);
        const { urn } = named(await resourcesOf(engine), word);
        const next = await engine.rename(urn, name);
        if (settings.json) print(JSON.stringify({ from: urn, to: next }));
        else print(`renamed ${urn}\n     to ${next}`);
        return exitCode.done;
      }),
    );
}
