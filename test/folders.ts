/** Folders of tests, removed at the end of the test file: by the setup of each, as a module that several files share is read once. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

export function freshFolder(name = "test"): string {
  const folder = mkdtempSync(join(tmpdir(), `plumbline-${name}-`));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
