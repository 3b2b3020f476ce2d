/** What to do where there is no stack file: how to make one, and where there is one near. Reads folders only. */

import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Settings } from "./settings.ts";

/** Folders that are told of at most. */
const MOST = 5;

/** What is said of a stack file that is not there; undefined where there is one. */
export function withoutFile({ file }: Settings): string | undefined {
  if (existsSync(file)) return undefined;
  const [folder, name] = [dirname(file), basename(file)];
  const near = foldersNear(folder, name);
  const where = near.length === 0 ? "" : ` (there is one in ${near.join(", ")})`;
  return `there is no ${name} in ${folder}: make one with \`plumbline new\` (from a template) or \`plumbline import --all\` (of what the account has), or say where it is with -C FOLDER or -f FILE${where}`;
}

/** The folders above and right below that have such a file, nearest first, as `-C` takes them. */
function foldersNear(folder: string, name: string): string[] {
  const above: string[] = [];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) above.push(dirname(at));
  const found = [...above, ...foldersIn(folder)].filter((each) => existsSync(join(each, name)));
  return found.slice(0, MOST).map((each) => relative(process.cwd(), each) || ".");
}

/** None of what cannot be looked into. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch {
    return [];
  }
}
