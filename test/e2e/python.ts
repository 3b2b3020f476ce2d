/** Pulumi programs in Python for tests: the SDK as pip installs it, and programs run by the Automation API in a process of their own. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { findPython } from "../../scripts/languages.mjs";

const root = resolve(import.meta.dirname, "../..");

/** A virtual environment with Pulumi's package; undefined when tests of programs in Python must be left out. */
export const python = findPython();

/** Installs the SDK into `modules` of the folder; returns an environment in which `python3` has it and Pulumi's package. */
export function installPythonSdk(folder: string): NodeJS.ProcessEnv {
  if (python === undefined) throw new Error("there is no Python: skip this test with `skipIf(!python)`");
  const sources = mkdtempSync(join(tmpdir(), "plumbline-python-"));
  const modules = join(folder, "modules");
  try {
    // pip builds in the folder of the sources.
    cpSync(join(root, "sdk", "python"), sources, { recursive: true });
    const alone = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--target", modules];
    const args = ["-m", "pip", "install", ...alone, sources];
    const { status, stderr } = spawnSync(join(python, "bin", "python"), args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`pip install: ${status}\n${stderr}`);
  } finally {
    rmSync(sources, { recursive: true, force: true });
  }
  const PATH = [join(python, "bin"), process.env["PATH"]].join(delimiter);
  return { PATH, PYTHONPATH: modules, PYTHONDONTWRITEBYTECODE: "1" };
}
