/** Asks before something is done, where there is somebody to answer. */

import { createInterface } from "node:readline/promises";
import { CommandError, exitCode } from "./exit.ts";
import type { Settings } from "./settings.ts";

/** Resolves when the user agrees or `--yes` was given; throws a CommandError otherwise. */
export async function confirm(settings: Settings, question: string, signal?: AbortSignal): Promise<void> {
  if (settings.yes) return;
  if (!settings.interactive) {
    throw new CommandError(`${question} There is nobody to ask here: give --yes to go on.`);
  }
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await prompt.question(`${question} [y/N] `, signal ? { signal } : {});
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("stopped: nothing was done");
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError("interrupted: nothing was done", exitCode.interrupted, { cause: error });
  } finally {
    prompt.close();
  }
}
