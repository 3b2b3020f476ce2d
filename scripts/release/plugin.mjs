/** The plugin's archives in the layout that `pulumi plugin install` reads: the launcher at the root, its bundle beside it. */

import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { packed } from "./archive.mjs";

const root = resolve(import.meta.dirname, "..", "..");

/** It is the same program everywhere, for Node runs it; Pulumi asks for it by the names of its own platforms. */
const platforms = [
  "darwin-amd64",
  "darwin-arm64",
  "linux-amd64",
  "linux-arm64",
  "windows-amd64",
  "windows-arm64",
];

const name = "pulumi-resource-plumbline";

/** What the archive holds, and where in the repository it is. The code cache is left out: it fits one version of Node only. */
const parts = {
  [name]: `bin/${name}`,
  [`${name}.cjs`]: `bin/${name}.cjs`,
  [`${name}.cmd`]: `bin/${name}.cmd`,
  "package.json": "bin/package.json",
  LICENSE: "LICENSE",
  "third-party-licences.txt": "dist/third-party-licences.txt",
};

/** Writes an archive for each platform into the folder `shelf`; `work` is a folder that is not there yet. */
export async function packPlugin(shelf, work) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  mkdirSync(work);
  for (const [part, source] of Object.entries(parts)) copyFileSync(join(root, source), join(work, part));
  const archive = (platform) => join(shelf, `${name}-v${version}-${platform}.tar.gz`);
  for (const platform of platforms) await packed(archive(platform), work, Object.keys(parts));
}
