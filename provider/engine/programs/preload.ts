/** How a program's process is started so that `preloaded.js` runs in it before the program, and how it is told to wait for its arguments. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hasDescriptors } from "./process.ts";

/** Beside this file, and beside the built code. */
const module = pathToFileURL(join(import.meta.dirname, "preloaded.js")).href;

/** Argument for Node. */
export const preload = `--import=${module}`;

/** Instead of the arguments of a run. */
export const held = hasDescriptors ? { held: "--held" } : {};
