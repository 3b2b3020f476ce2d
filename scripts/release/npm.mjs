/** The archives for npm: the command line as it is built, and the SDK for TypeScript, compiled. */

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { buildNodeSdk } from "../sdk.mjs";

const root = resolve(import.meta.dirname, "..", "..");

/** Packs what `npm run build` left. Returns the archive's name in the folder `shelf`. */
export const packCommandLine = (shelf) => pack(root, shelf);

/** `work` is a folder that is not there yet. */
export function packSdk(shelf, work) {
  buildNodeSdk(work);
  return pack(work, shelf);
}

/** By npm itself, which gives the same bytes for the same files. No script of the package runs: a build would replace what may be running. */
function pack(folder, shelf) {
  const args = ["pack", folder, "--ignore-scripts", "--json", "--pack-destination", shelf];
  const packed = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
  if (packed.status !== 0) throw new Error(`npm pack ${folder}: ${packed.error?.message ?? packed.stderr}`);
  const [{ filename }] = JSON.parse(packed.stdout);
  return filename;
}
