/** The stacks of a project: those with a state, and those with settings of their own. */

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Stack } from "../../open-stack.ts";

/** Their names, in order. */
export async function stacksOf({ engine, program }: Stack): Promise<string[]> {
  const folder = dirname(program.settingsFile);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const settled = files.flatMap(
    (file) => /^Pulumi\.([A-Za-z0-9][A-Za-z0-9_.-]*)\.yaml$/.exec(file)?.[1] ?? [],
  );
  return [...new Set([...(await engine.stacks()), ...settled])].sort();
}

/** Where the settings of a stack stand. */
export const settingsFileOf = ({ program }: Stack, name: string): string =>
  join(dirname(program.settingsFile), `Pulumi.${name}.yaml`);
