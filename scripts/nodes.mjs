/**
 * `npm run test:nodes`: what is packed, under the oldest Node that we promise and the newest of each later line: the command line makes a first zone,
 * finds nothing more to do and takes it down; the plugin answers an engine. With `--all` also the story (`npm start`) and the quick tests of what
 * meets Node itself. npm's `node-OS-ARCH` packages bring each Node, into `.cache/node`; one that cannot be had is a failure. Arguments are versions
 * to try instead.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { askPlugin } from "./plugin-client.mjs";
import { packCommandLine } from "./release/npm.mjs";

const root = resolve(import.meta.dirname, "..");
const isWhole = process.argv.includes("--all");
const asked = process.argv.slice(2).filter((argument) => argument !== "--all");
const versions = asked.length > 0 ? asked : ["20.18.0", "22.23.3", "24.21.0"];

/** Commands, files, locks, processes, connections; what only computes is the same everywhere. */
const folders = ["cli", "service", "machine", "pulumi", "wire", "packages", "engine/state"].map(
  (name) => `test/${name}`,
);

/** How long something takes says nothing of a Node where other programs run, too. */
const timed = ["--exclude", "test/pulumi/bundle.test.ts"];

/** The folder of the program of this version, installed where it is not yet. */
function install(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const place = join(root, ".cache", "node", version);
  const bin = join(place, "node_modules", name, "bin");
  if (existsSync(bin)) return bin;
  mkdirSync(place, { recursive: true });
  try {
    run("npm", ["install", "--loglevel=error", "--no-save", "--prefix", place, `${name}@${version}`]);
  } catch (cause) {
    throw new Error(`Node ${version} cannot be had: ${cause.message}`);
  }
  return bin;
}

/** Throws with what a command said when it fails. */
function run(program, args, { env = process.env, cwd = root } = {}) {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? `${stdout}\n${stderr}`}`);
  return stdout;
}

/** Installs the command line from its archive into a folder of its own; returns its program. */
function unpack(work) {
  const archive = packCommandLine(work);
  run("npm", ["install", "--offline", "--no-audit", "--no-save", "--prefix", work, join(work, archive)]);
  return join(work, "node_modules", "@plumbline", "cli", "bin", "plumbline");
}

async function tryPackages(version, bin, { work, cli }) {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const told = run("node", ["--version"], { env }).trim();
  if (told !== `v${version}`) throw new Error(`the package of Node ${version} brought ${told}`);
  const cwd = join(work, version);
  mkdirSync(cwd);
  const plumbline = (...args) => run(join(bin, "node"), [cli, ...args], { env, cwd });
  plumbline("new", "dns");
  const onEmulator = "--emulator=account.json";
  plumbline("up", "-y", onEmulator);
  plumbline("preview", "--expect-no-changes", onEmulator);
  plumbline("destroy", "-y", onEmulator);
  await askPlugin(["handshake", "getSchema"], { env });
  return "a first zone, and the plugin's answers";
}

function tryAll(bin) {
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    PLUMBLINE_WITHOUT_PULUMI: "1",
    PLUMBLINE_QUICK_TESTS: "1",
  };
  const node = join(bin, "node");
  // The plugin's code cache is this version's own.
  run(node, ["scripts/build.mjs"], { env });
  run(node, ["scripts/demo.mjs"], { env });
  const said = run(node, [join("node_modules", "vitest", "vitest.mjs"), "run", ...folders, ...timed], {
    env,
  });
  const tests = /Tests .*?(\d+) passed/.exec(said)?.[1];
  if (!tests) throw new Error(`no test ran:\n${said}`);
  return `npm start, and ${tests} tests`;
}

const work = mkdtempSync(join(tmpdir(), "plumbline-nodes-"));
try {
  run(process.execPath, ["scripts/build.mjs"]);
  const cli = unpack(work);
  for (const version of versions) {
    const began = Date.now();
    const bin = install(version);
    const done = [await tryPackages(version, bin, { work, cli }), ...(isWhole ? [tryAll(bin)] : [])];
    console.log(`Node ${version}: ${done.join("; ")}; ${Math.round((Date.now() - began) / 1000)} s`);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
  // What is left behind is this Node's.
  if (isWhole) run(process.execPath, ["scripts/build.mjs"]);
}
