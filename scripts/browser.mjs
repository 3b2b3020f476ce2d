/** Where the browser is that the emulator's page is tried in: Chromium, as a distribution installs it. Nothing is downloaded. */

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The program, or undefined when there is none. PLUMBLINE_TEST_BROWSER names one that is not on the PATH. */
export function findBrowser() {
  const named = process.env.PLUMBLINE_TEST_BROWSER;
  if (named) return named;
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}
