/** The command `config get`: what config comes to. */

import { basename } from "node:path";
import type { Command } from "commander";
import { reveal } from "../../../core/value.ts";
import { printable } from "../../../engine/event.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { refuseBroken, type Stack, withStack } from "../../open-stack.ts";
import { guard, print } from "../../render/door.ts";
import { outputLines } from "../../render/format.ts";
import { pathOfKey } from "./key.ts";

export function addConfigGet(config: Command): void {
  helped(config.command("get [key]"), {
    examples: {
      "config get": "every key with its value",
      "config get domain": "one value, as it is",
      "config get plumbline:token --show-secrets": "a secret, readable",
    },
  })
    .description(
      "what config comes to, defaults of the stack file included; secrets only with --show-secrets",
    )
    .action((key: string | undefined, _flags, command: Command) =>
      withStack(
        command,
        async (stack) => {
          if (key === undefined) tellAll(stack);
          else tellOne(stack, key);
          return exitCode.done;
        },
        { judges: true },
      ),
    );
}

/** What cannot be opened is not without a value. */
function refuseUnread({ program, settings }: Stack): void {
  const file = basename(program.settingsFile);
  const diagnostics = program.diagnostics.filter((found) => found.file && basename(found.file) === file);
  refuseBroken({ ...program, diagnostics }, settings);
}

function tellAll(stack: Stack): void {
  const { program, settings } = stack;
  if (program.projectName === "") refuseBroken(program, settings);
  refuseUnread(stack);
  const own = `${program.projectName}:`;
  const values = Object.fromEntries(
    [...program.config].flatMap(([key, { value }]) =>
      value === undefined ? [] : [[key.startsWith(own) ? key.slice(own.length) : key, value]],
    ),
  );
  if (!settings.showSecrets) guard(values);
  if (settings.json) print(JSON.stringify(printable(values, settings.showSecrets), null, 2));
  else for (const line of outputLines(values, settings.showSecrets)) print(line);
}

function tellOne(stack: Stack, key: string): void {
  const { program, settings } = stack;
  const [full] = pathOfKey(stack, key, false);
  const value = program.config.get(String(full))?.value;
  if (value === undefined) refuseUnread(stack);
  if (value === undefined)
    throw new CommandError(`config ${key} has no value: run \`plumbline config set ${key} VALUE\``);
  const { showSecrets, json } = settings;
  const shown = printable(showSecrets ? reveal(value) : value, showSecrets);
  print(json || typeof shown === "object" ? JSON.stringify(shown) : String(shown));
}
