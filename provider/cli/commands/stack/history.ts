/** The command `stack history`: who changed the stack, when and how, as far as its versions are kept. */

import type { Command } from "commander";
import type { Version } from "../../../engine/engine.ts";
import { exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { withStack } from "../../open-stack.ts";
import { print, printError } from "../../render/door.ts";
import { inLine } from "../../render/format.ts";
import { table } from "../../render/table.ts";

export function addStackHistory(stack: Command): void {
  helped(stack.command("history"), {
    examples: {
      "stack history": "the newest first",
      "stack history --json": "with the counts of each, for a program",
    },
  })
    .description("the versions of the state that are kept: who made each, when, by which operation")
    .action((_flags, command: Command) =>
      withStack(command, async ({ settings, engine }) => {
        const versions = [...(await engine.history())].reverse();
        if (settings.json) print(JSON.stringify(versions.map(json), null, 2));
        else if (versions.length === 0) printError(`no version of ${settings.stack} is kept yet`);
        else for (const line of table(versions.map(row))) print(line);
        return exitCode.done;
      }),
    );
}

function json({ version, at, user, host, operation, result, counts = {} }: Version): object {
  return { version, at, user, host, operation, result, counts };
}

/** What others wrote of themselves is shown as one line. */
function row({ version, at, user, host, operation, result, counts = {} }: Version): string[] {
  const told = Object.entries(counts)
    .filter(([kind]) => kind !== "same")
    .map(([kind, count]) => `${count} ${kind}`);
  const when = at.replace("T", " ").replace(/(\.\d+)?Z$/, "Z");
  return [String(version), when, `${user}@${host}`, operation, result, told.join(", ")].map((cell) =>
    inLine(String(cell)),
  );
}
