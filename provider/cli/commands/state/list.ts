/** The command `state list`: every resource of a state. */

import type { Command } from "commander";
import { nameOf } from "../../../core/engines/urn.ts";
import { shortToken } from "../../../core/token.ts";
import type { ResourceState } from "../../../engine/engine.ts";
import { exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print, printError } from "../../render/door.ts";
import { inLine, plainType } from "../../render/format.ts";
import { table } from "../../render/table.ts";
import { resourcesOf } from "./named.ts";

export function addStateList(state: Command): void {
  helped(state.command("list").alias("ls"), {
    examples: { "state list": "type, name and id of each", "state list --json": "with URNs, for a program" },
  })
    .description("the resources of the state")
    .action((_flags, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const resources = await resourcesOf(engine);
        if (settings.json) print(JSON.stringify(resources.map(json), null, 2));
        else if (resources.length === 0) printError(`the state of ${settings.stack} holds no resource`);
        else for (const line of table(resources.map(row))) print(line);
        return exitCode.done;
      }),
    );
}

function json({ urn, type, id, protect, delete: isLeft, external }: ResourceState): object {
  return {
    urn,
    type: shortToken(type),
    name: nameOf(urn),
    id: id ?? null,
    protect: protect === true,
    toBeDeleted: isLeft === true,
    external: external === true,
  };
}

function row({ type, urn, id, protect, delete: isLeft, external, taint }: ResourceState): string[] {
  const notes = [
    ...(protect ? ["protected"] : []),
    ...(isLeft ? ["to be deleted"] : []),
    ...(external ? ["only read"] : []),
    ...(taint ? ["to be replaced"] : []),
  ];
  return [plainType(type), inLine(nameOf(urn)), inLine(id ?? ""), notes.join(", ")];
}
