/** A config key of the command line, and the file that its value stands in. */

import { existsSync, readFileSync } from "node:fs";
import { didYouMean } from "../../../core/nearest.ts";
import { type PropertyPath, parsePath } from "../../../core/property-path.ts";
import { fullKey, openSettingsText, type SettingsText } from "../../declaration/settings-file.ts";
import { UnwritableError } from "../../declaration/stack-file.ts";
import { CommandError, exitCode } from "../../exit.ts";
import { refuseBroken, type Stack } from "../../open-stack.ts";
import { shownPath } from "../../render/account.ts";

/** Where a value stands: a full key (`project:key`), and with `--path` what is within it. Throws CommandError for what is none. */
export function pathOfKey({ program, settings }: Stack, word: string, isPath: boolean): PropertyPath {
  // A file that does not tell its project's name has no keys.
  if (program.projectName === "") refuseBroken(program, settings);
  const [key, ...rest] = isPath ? pathOf(word) : [word];
  const full = fullKey(String(key), program.projectName);
  if (!/^[^:]+:[^:]+$/.test(full))
    throw new CommandError(`"${word}" is no config key: write KEY, or NAMESPACE:KEY`);
  if (full.startsWith("plumbline:") && program.projectName !== "plumbline" && !program.config.has(full)) {
    const keys = [...program.config.keys()].filter((each) => each.startsWith("plumbline:"));
    throw new CommandError(`the provider has no config key ${full}${didYouMean(full, keys)}`);
  }
  return [full, ...rest];
}

function pathOf(word: string): PropertyPath {
  try {
    return parsePath(word);
  } catch (cause) {
    throw new CommandError((cause as Error).message, exitCode.error, { cause });
  }
}

/** The settings of the stack; empty where there is no file yet. */
export function settingsTextOf({ program }: Stack): SettingsText {
  const file = program.settingsFile;
  try {
    return openSettingsText(existsSync(file) ? readFileSync(file, "utf8") : "", program.projectName);
  } catch (cause) {
    if (!(cause instanceof UnwritableError)) throw cause;
    throw new CommandError(`${shownPath(file)}: ${cause.message}`, exitCode.error, { cause });
  }
}
