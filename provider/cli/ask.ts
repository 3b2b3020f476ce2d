/** Asks before something is done, where there is somebody to answer. */

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CommandError, exitCode } from "./exit.ts";
import { readStandardInput } from "./given-files.ts";
import { outward } from "./render/door.ts";
import type { Settings } from "./settings.ts";

/** Resolves when the user agrees or `--yes` was given; throws a CommandError otherwise. */
export async function confirm(settings: Settings, question: string, signal?: AbortSignal): Promise<void> {
  if (settings.yes) return;
  if (!settings.interactive) {
    throw new CommandError(`${question} There is nobody to ask here: give --yes to go on.`);
  }
  const answer = await ask(`${question} [y/N] `, signal);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("stopped: nothing was done");
}

/** Resolves to the word when the user types it; `--yes` is not enough. Throws a CommandError otherwise. */
export async function askForWord(
  settings: Settings,
  question: string,
  word: string,
  signal?: AbortSignal,
): Promise<string> {
  if (!settings.interactive) {
    throw new CommandError(`${question} There is nobody to ask here: give --consent ${word} to go on.`);
  }
  const answer = await ask(`${question}\nType ${word} to go on: `, signal);
  if (answer.trim() !== word) throw new CommandError("stopped: nothing was done");
  return word;
}

/** Shows a list and resolves to the word that the user chose of it; `instead` is how it is said without being asked. */
export async function choose(
  settings: Settings,
  list: string,
  question: string,
  instead: string,
): Promise<string> {
  if (!settings.interactive) throw new CommandError(`${list}\nGive one: plumbline ${instead}`);
  return (await ask(`${list}\n${question} `, undefined)).trim();
}

/** Resolves to a value: typed, unseen where it is a secret, or what standard input holds. */
export async function askForValue(
  settings: Settings,
  question: string,
  isSecret: boolean,
  signal: AbortSignal,
): Promise<string> {
  if (!process.stdin.isTTY) return (await readStandardInput({}, signal)).replace(/\r?\n$/, "");
  if (!settings.interactive)
    throw new CommandError(`${question}: there is nobody to ask here: give the value`);
  if (!isSecret) return ask(`${question}: `, signal);
  process.stdout.write(outward(`${question}: `));
  try {
    return await ask("", signal, new Writable({ write: (_chunk, _encoding, done) => done() }));
  } finally {
    process.stdout.write("\n");
  }
}

async function ask(
  question: string,
  signal: AbortSignal | undefined,
  output: Writable = process.stdout,
): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await prompt.question(outward(question), signal ? { signal } : {});
  } catch (error) {
    throw new CommandError("interrupted: nothing was done", exitCode.interrupted, { cause: error });
  } finally {
    prompt.close();
  }
}
