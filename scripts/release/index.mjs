/**
 * `npm run release`: everything that is handed out, in `dist/release`: archives, the bill of materials, and the sums of all.
 * With `--check` it is all made twice, and fails where a byte differs.
 */

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildAll } from "../build.mjs";
import { writeBill } from "./bill.mjs";
import { packCommandLine, packSdk } from "./npm.mjs";
import { packPlugin } from "./plugin.mjs";
import { packGo, packPython } from "./sources.mjs";

const shelf = resolve(import.meta.dirname, "..", "..", "dist", "release");

/** Builds and packs everything; returns the sums, as `sha256sum -c` reads them. */
async function release() {
  const work = mkdtempSync(join(tmpdir(), "plumbline-release-"));
  try {
    rmSync(shelf, { recursive: true, force: true });
    mkdirSync(shelf, { recursive: true });
    const packages = await buildAll();
    packCommandLine(shelf);
    packSdk(shelf, join(work, "sdk"));
    await packPlugin(shelf, join(work, "plugin"));
    await packPython(shelf, join(work, "python"));
    await packGo(shelf, join(work, "go"));
    writeBill(shelf, packages);
    const lines = readdirSync(shelf)
      .sort()
      .map((name) => `${sumOf(join(shelf, name))}  ${name}\n`);
    writeFileSync(join(shelf, "SHA256SUMS"), lines.join(""));
    return lines;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const sumOf = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

const sums = await release();
process.stdout.write(sums.join(""));
if (process.argv.includes("--check")) {
  const again = await release();
  const others = again.filter((line) => !sums.includes(line));
  for (const line of others) console.error(`another one the second time: ${line.trimEnd()}`);
  if (others.length > 0 || again.length !== sums.length) process.exitCode = 1;
  else console.log(`made twice, and the same: ${sums.length} files`);
}
