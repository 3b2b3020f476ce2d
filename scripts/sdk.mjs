/** `npm run build:sdk`: compiles the TypeScript SDK to a package of JavaScript with type declarations in `sdk/nodejs/bin`, which `npm pack` takes. */

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");
const sources = join(root, "sdk", "nodejs");
const compiler = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "lib",
  "tsc.js",
);

/** Makes the package in the folder, from nothing. Throws what the compiler found wrong. */
export function buildNodeSdk(folder) {
  rmSync(folder, { recursive: true, force: true });
  // No maps: they would name sources that are not in the package.
  const flags = ["--outDir", folder, "--sourceMap", "false", "--declarationMap", "false"];
  const compiled = spawnSync(process.execPath, [compiler, "-p", sources, ...flags], { encoding: "utf8" });
  if (compiled.status !== 0)
    throw new Error(`the SDK does not compile:\n${compiled.stdout}${compiled.stderr}`);
  const { scripts, devDependencies, ...manifest } = JSON.parse(
    readFileSync(join(sources, "package.json"), "utf8"),
  );
  const whole = { ...manifest, main: "index.js", types: "index.d.ts" };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(whole, null, 2)}\n`);
  copyFileSync(join(sources, "README.md"), join(folder, "README.md"));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) buildNodeSdk(join(sources, "bin"));
