/** What the tests of the SDKs for Python and Go, and of programs in Python, need: a Python of their own with Pulumi's package, in `.cache/python`, and the modules of the examples in Go. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { dirname, join, resolve } from "node:path";
import { goProgram } from "./pulumi.mjs";

const root = resolve(import.meta.dirname, "..");
const requirements = join(root, "tools", "python", "requirements.txt");
const python = join(root, ".cache", "python");
const key = join(python, "installed.txt");
const examples = join(root, "examples");

/** The folder of the Python, as far as there is one. */
export function findPython() {
  const isThere = existsSync(key) && readFileSync(key, "utf8") === readFileSync(requirements, "utf8");
  return isThere ? python : undefined;
}

/** The go program, if it can build the examples without a network. */
export function findGo() {
  const go = goProgram();
  if (go === undefined) return undefined;
  const env = { ...process.env, GOPROXY: "off", GOFLAGS: "-mod=readonly" };
  return spawnSync(go, ["list", "-deps", "-test", "./..."], { cwd: examples, env }).status === 0
    ? go
    : undefined;
}

/** Makes Python ready where that can be done; returns why it is not. */
export function ensurePython({ log = console.log } = {}) {
  if (findPython() !== undefined) return undefined;
  log("installing Pulumi's package for Python; once");
  return installPython();
}

/** Builds the examples, so that what Go needs is there, and built, when a test builds it; returns why that cannot be done. */
export function ensureGo({ log = console.log } = {}) {
  const go = goProgram();
  if (go === undefined) return "go is not on the PATH";
  log("building the examples in Go; this takes a few minutes, once");
  const build = spawnSync(go, ["test", "-c", "-o", devNull, "./..."], { cwd: examples, encoding: "utf8" });
  return build.status === 0 ? undefined : build.stderr.trim().split("\n").at(-1);
}

function installPython() {
  rmSync(python, { recursive: true, force: true });
  mkdirSync(dirname(python), { recursive: true });
  for (const [program, ...args] of [
    ["python3", "-m", "venv", python],
    [join(python, "bin", "python"), "-m", "pip", "install", "--quiet", "-r", requirements],
  ]) {
    const run = spawnSync(program, args, { encoding: "utf8" });
    if (run.status !== 0) return run.error?.message ?? run.stderr.trim().split("\n").at(-1);
  }
  writeFileSync(key, readFileSync(requirements));
  return undefined;
}
