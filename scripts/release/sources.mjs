/** The archives of the SDKs for Python and Go: their sources, as `pip install` takes them, and as a folder that a Go module is replaced by. */

import { copyFileSync, cpSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { packed } from "./archive.mjs";

const root = resolve(import.meta.dirname, "..", "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Writes the archive into the folder `shelf` and returns its name; `work` is a folder that is not there yet. */
export const packPython = (shelf, work) => pack("python", `plumbline_pulumi-${version}`, shelf, work);

export const packGo = (shelf, work) => pack("go/plumbline", `plumbline-pulumi-go-${version}`, shelf, work);

async function pack(sdk, name, shelf, work) {
  cpSync(join(root, "sdk", sdk), work, {
    recursive: true,
    filter: (source) => !/__pycache__|\.egg-info$/.test(source),
  });
  copyFileSync(join(root, "LICENSE"), join(work, "LICENSE"));
  const files = readdirSync(work, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(work, join(entry.parentPath, entry.name)))
    .sort();
  const archive = `${name}.tar.gz`;
  await packed(join(shelf, archive), work, files, { prefix: name });
  return archive;
}
