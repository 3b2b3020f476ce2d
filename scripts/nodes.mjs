/**
 * `npm run test:nodes`: the story (`npm start`) and the quick tests of what meets Node itself, under the oldest Node that we promise and the newest of
 * each later line. npm's `node-OS-ARCH` packages bring them, into `.cache/node`. Arguments are versions to try instead.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const versions = ["20.18.0", "22.23.3", "24.21.0"];

/** Commands, files, locks, processes, connections; what only computes is the same everywhere. */
const folders = ["cli", "service", "machine", "pulumi", "packages", "engine/state"].map(
  (name) => `test/${name}`,
);

/** The folder of the program of this version, installed where it is not yet. */
function install(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const place = join(root, ".cache", "node", version);
  const bin = join(place, "node_modules", name, "bin");
  if (existsSync(bin)) return bin;
  mkdirSync(place, { recursive: true });
  run("npm", ["install", "--silent", "--no-save", "--prefix", place, `${name}@${version}`], process.env);
  return bin;
}

/** Throws with what a command said when it fails. */
function run(program, args, env) {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? `${stdout}\n${stderr}`}`);
  return stdout;
}

function tryOut(version) {
  const began = Date.now();
  const bin = install(version);
  const node = join(bin, "node");
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    PLUMBLINE_WITHOUT_PULUMI: "1",
    PLUMBLINE_QUICK_TESTS: "1",
  };
  // The plugin's code cache is this version's own.
  run(node, ["scripts/build.mjs"], env);
  run(node, ["scripts/demo.mjs"], env);
  const said = run(node, [join("node_modules", "vitest", "vitest.mjs"), "run", ...folders], env);
  const tests = /Tests .*?(\d+) passed/.exec(said)?.[1];
  if (!tests) throw new Error(`no test ran:\n${said}`);
  console.log(`Node ${version}: npm start, and ${tests} tests; ${Math.round((Date.now() - began) / 1000)} s`);
}

const asked = process.argv.slice(2);
for (const version of asked.length > 0 ? asked : versions) tryOut(version);
// What is left behind is this Node's.
run(process.execPath, ["scripts/build.mjs"], process.env);
