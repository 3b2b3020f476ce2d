/** Where the repository is, also for a bundle that stands elsewhere in it. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

function rootFrom(folder: string): string {
  if (existsSync(join(folder, "package-lock.json"))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error("this is not within the repository");
  return rootFrom(above);
}

export const root = rootFrom(import.meta.dirname);

/** The folder that a stack file names as the plugin's. */
export const pluginFolder = join(root, "bin");
