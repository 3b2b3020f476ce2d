/** The command `config set`: a stack's own value of a key, sealed where it is a secret. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { PropertyPath } from "../../../core/property-path.ts";
import { secret } from "../../../core/value.ts";
import { loadProgram } from "../../../engine/language/program.ts";
import { catalogue } from "../../../provider.ts";
import { askForValue } from "../../ask.ts";
import type { SettingsText } from "../../declaration/settings-file.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { helped } from "../../help.ts";
import { type Stack, withStack } from "../../open-stack.ts";
import { shownPath } from "../../render/account.ts";
import { guard, print } from "../../render/door.ts";
import { replaceFile } from "../../replacing.ts";
import { openerOf, sealerOf } from "../../sealing.ts";
import { pathOfKey, settingsTextOf } from "./key.ts";

interface SetFlags {
  secret?: boolean;
  path?: boolean;
}

export function addConfigSet(config: Command): void {
  helped(config.command("set <key> [value]"), {
    examples: {
      "config set domain shop.example": "for the stack dev",
      "config set size 40 -s production": "for another stack",
      "config set --secret password": "asks for it, and seals it",
      "config set --path 'hosts[0]' web.example": "within a list",
    },
    codes: ["interrupted"],
  })
    .description(
      "give a config key the stack's own value; without a value it is asked for, or read from standard input",
    )
    .option("--secret", "seal it; what is declared to be a secret is sealed anyway")
    .option("--path", "the key is a path into a list or an object (a.b[0])")
    .action((key: string, value: string | undefined, flags: SetFlags, command: Command) =>
      withStack(command, (stack) => set(stack, key, value, flags), { judges: true }),
    );
}

async function set(stack: Stack, key: string, word: string | undefined, flags: SetFlags) {
  const { program, settings, signal } = stack;
  const path = pathOfKey(stack, key, flags.path === true);
  const entry = program.config.get(String(path[0]));
  const isSecret = flags.secret === true || entry?.isSecret === true;
  const text = word ?? (await askForValue(settings, `Value of ${key}`, isSecret, signal));
  if (isSecret) guard(secret(text));
  const file = settingsTextOf(stack);
  if (isSecret) {
    if (entry?.isStructured && path.length === 1)
      throw new CommandError(`${key} is a list or an object: seal what is within it, with --path`);
    await seal(stack, file, path, text);
  } else file.set(path, path.length > 1 ? typed(text) : entry?.isStructured ? json(key, text) : text);
  await refuseWrong(stack, file.text());
  replaceFile(program.settingsFile, file.text());
  const sealed = isSecret ? ", sealed" : "";
  if (settings.json) print(JSON.stringify({ key: path[0], secret: isSecret, file: program.settingsFile }));
  else print(`set ${key} in ${shownPath(program.settingsFile)}${sealed}`);
  return exitCode.done;
}

async function seal({ settings }: Stack, file: SettingsText, path: PropertyPath, text: string) {
  const sealer = await sealerOf(settings, file.salt);
  file.setSalt(sealer.salt()!);
  file.set(path, { secure: sealer.seal(text) });
}

/** What stands within a list or an object keeps its kind, as with Pulumi. */
function typed(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

function json(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(
      `${key} is a list or an object: give it as JSON ('["a"]'), or what is within it with --path`,
      exitCode.error,
      { cause },
    );
  }
}

/** Refuses what the stack's settings would be refused for from now on. Faults that were there before are not this command's. */
async function refuseWrong({ program, settings }: Stack, text: string): Promise<void> {
  const place = resolve(program.settingsFile);
  const next = await loadProgram({
    file: settings.file,
    stack: settings.stack,
    catalogue,
    opener: openerOf(settings),
    readFile: async (path) => (resolve(path) === place ? text : readFileSync(path)),
  });
  const before = new Set(program.diagnostics.map(({ message }) => message));
  const wrong = next.diagnostics.filter(
    ({ severity, file, message }) =>
      severity === "error" && file !== undefined && resolve(file) === place && !before.has(message),
  );
  if (wrong.length === 0) return;
  const reasons = wrong.map(({ message }) => message);
  throw new CommandError(["nothing was written", ...reasons].join(": "));
}
