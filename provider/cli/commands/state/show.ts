/** The command `state show`: what the state remembers of one resource. */

import type { Command } from "commander";
import { stringify } from "yaml";
import { shortToken } from "../../../core/token.ts";
import { printable } from "../../../engine/event.ts";
import { exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { guard, print } from "../../render/door.ts";
import { named, resourcesOf } from "./named.ts";

export function addStateShow(state: Command): void {
  helped(state.command("show <resource>"), {
    examples: { "state show www": "by name; a URN does, too", "state show www --json": "for a program" },
  })
    .description("what the state remembers of one resource; secrets only with --show-secrets")
    .action((word: string, _flags, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const { inputs, outputs, type, ...rest } = named(await resourcesOf(engine, settings), word);
        if (!settings.showSecrets) guard({ inputs, outputs });
        const shown = {
          ...rest,
          type: shortToken(type),
          inputs: printable(inputs, settings.showSecrets),
          outputs: printable(outputs, settings.showSecrets),
        };
        print(settings.json ? JSON.stringify(shown, null, 2) : stringify(shown, { lineWidth: 0 }).trimEnd());
        return exitCode.done;
      }),
    );
}
