/** Where the programs are that only some tests need, as a distribution installs them: a browser, shells, Go, Pulumi. Nothing is downloaded. */

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const browsers = ["chromium", "chromium-browser", "google-chrome"];

/** True for a file that may be run. */
export function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first of these programs that is on the PATH, or undefined. */
export function findProgram(...names) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** The browser, Chromium, or undefined when there is none. PLUMBLINE_TEST_BROWSER names one that is not on the PATH. */
export const findBrowser = () => process.env.PLUMBLINE_TEST_BROWSER || findProgram(...browsers);
