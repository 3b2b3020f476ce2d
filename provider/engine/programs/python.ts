/** Programs in Python: the interpreter of the project's virtual environment or of the PATH, which has Pulumi's package. Installs nothing. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { PythonRuntime } from "../language/program/runtime.ts";
import { hasDescriptors } from "./process.ts";
import { isTooOld, oldest, placeOf, type Ready, type Start, UnreadyError } from "./runtime.ts";

/** Beside this file, and beside the built code. */
const runner = join(import.meta.dirname, "run.py");
const isWindows = process.platform === "win32";
/** Milliseconds for an interpreter to say what it has. */
const longestLook = 60_000;

/** An interpreter, and what it wants of the environment. */
interface Interpreter {
  readonly command: string;
  readonly environment: Ready["environment"];
}

/** Where a program lies, and what it says of its packages. */
interface Site extends Start {
  readonly folder: string;
  readonly runtime: PythonRuntime;
}

/** Rejects with UnreadyError for what is missing. */
export async function findPython(runtime: PythonRuntime, start: Start, signal: AbortSignal): Promise<Ready> {
  const { folder, entry = "." } = placeOf(start);
  if (entry === "." && !existsSync(join(folder, "__main__.py")))
    throw new UnreadyError(
      `${folder} has no __main__.py: write the program there, or name its file as "main"`,
    );
  const site = { ...start, folder, runtime };
  const interpreter = await interpreterOf(site, signal);
  const version = await versionOf(interpreter, site, signal);
  const { command } = interpreter;
  if (version === null)
    throw new UnreadyError(
      `the program needs the package pulumi, which ${command} has not: run ${toInstall(command, site)} in ${folder}`,
    );
  if (isTooOld(version)) {
    const wanted = `"pulumi>=${oldest.join(".")},<4"`;
    const adding = { pip: `${typed(command)} -m pip install`, poetry: "poetry add", uv: "uv add" };
    throw new UnreadyError(
      `the package pulumi ${version} of ${command} is too old for this engine, which runs programs on ${oldest.join(".")} and later: run ${adding[runtime.toolchain]} ${wanted} in ${folder}`,
    );
  }
  const { environment } = interpreter;
  return {
    command,
    args: [runner, ...(hasDescriptors ? ["--descriptors"] : [])],
    folder,
    entry,
    // What it prints is heard as it is printed, and read as it is written.
    environment: { PYTHONIOENCODING: "utf-8", ...start.environment, ...environment, PYTHONUNBUFFERED: "1" },
  };
}

async function interpreterOf(site: Site, signal: AbortSignal): Promise<Interpreter> {
  const { project, environment, runtime } = site;
  const named = runtime.virtualenv;
  if (named !== undefined) return within(resolve(project, named), site);
  const near = runtime.toolchain === "pip" ? undefined : virtualenvNear(site.folder);
  if (near !== undefined) return within(near, site);
  if (runtime.toolchain === "uv") throw missing(join(site.folder, ".venv"), site);
  if (runtime.toolchain === "poetry") return within(await virtualenvOfPoetry(site, signal), site);
  const names = isWindows ? ["python", "python3"] : ["python3", "python"];
  const asked = environment["PULUMI_PYTHON_CMD"];
  const command = (asked ? [asked] : names).find((name) => isOnPath(name, site));
  if (command !== undefined) return { command, environment: {} };
  throw new UnreadyError(
    asked
      ? `PULUMI_PYTHON_CMD names ${asked}, and there is no such program`
      : `the program needs Python, and there is no ${names[0]} on the PATH: install it, or name a virtual environment as "virtualenv" in the options of the runtime`,
  );
}

/** The interpreter of a virtual environment, and the environment as after its activation. */
function within(folder: string, site: Site): Interpreter {
  const programs = join(folder, isWindows ? "Scripts" : "bin");
  const command = join(programs, isWindows ? "python.exe" : "python");
  if (!existsSync(command)) throw missing(folder, site);
  const PATH = [programs, pathOf(site)].join(delimiter);
  return { command, environment: { VIRTUAL_ENV: folder, PATH, PYTHONHOME: undefined } };
}

function missing(virtualenv: string, site: Site): UnreadyError {
  const command = join(virtualenv, isWindows ? "Scripts\\python.exe" : "bin/python");
  const how = site.runtime.toolchain === "pip" ? `python3 -m venv ${typed(virtualenv)} && ` : "";
  return new UnreadyError(
    `the virtual environment ${virtualenv} has no Python: run ${how}${toInstall(command, site)} in ${site.folder}`,
  );
}

/** As a shell takes it. */
const typed = (path: string): string => (/\s/.test(path) ? `"${path}"` : path);

function toInstall(command: string, { folder, runtime }: Site): string {
  if (runtime.toolchain !== "pip") return runtime.toolchain === "uv" ? "uv sync" : "poetry install";
  const isListed = existsSync(join(folder, "requirements.txt"));
  return `${typed(command)} -m pip install ${isListed ? "-r requirements.txt" : "pulumi plumbline_pulumi"}`;
}

/** What poetry and uv make: in the program's folder, or in one above it. */
function virtualenvNear(folder: string): string | undefined {
  const here = join(folder, ".venv");
  if (existsSync(join(here, "pyvenv.cfg"))) return here;
  return dirname(folder) === folder ? undefined : virtualenvNear(dirname(folder));
}

async function virtualenvOfPoetry(site: Site, signal: AbortSignal): Promise<string> {
  const said = await ask("poetry", ["env", "info", "--path"], site, signal).catch((error: unknown) => {
    throw new UnreadyError(
      `poetry does not say which virtual environment is the program's: run poetry install in ${site.folder} (${(error as Error).message})`,
    );
  });
  return said.trim();
}

/** Of its package pulumi; null: it has none. */
async function versionOf(
  { command, environment }: Interpreter,
  site: Site,
  signal: AbortSignal,
): Promise<string | null> {
  const code = `
import json
from importlib import metadata
try:
    print(json.dumps(metadata.version("pulumi")))
except metadata.PackageNotFoundError:
    print("null")
`;
  try {
    const whole = { ...site, environment: { ...site.environment, ...environment } };
    const said = await ask(command, ["-c", code], whole, signal);
    // What a start of Python prints by itself comes before.
    return JSON.parse(said.trim().split("\n").pop() ?? "") as string | null;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UnreadyError(`${command} does not run as a Python: ${(error as Error).message}`);
  }
}

/** What a program prints; rejects with the last line of its errors. */
async function ask(
  command: string,
  args: readonly string[],
  { folder, environment }: Pick<Site, "folder" | "environment">,
  signal: AbortSignal,
): Promise<string> {
  const options = { cwd: folder, env: environment, signal, timeout: longestLook, windowsHide: true };
  try {
    return (await promisify(execFile)(command, [...args], options)).stdout;
  } catch (error) {
    const { stderr = "", message } = error as { stderr?: string; message: string };
    throw new Error(stderr.trim().split("\n").pop() || message.split("\n")[0], { cause: error });
  }
}

const pathOf = ({ environment }: Start): string => environment["PATH"] ?? environment["Path"] ?? "";

function isOnPath(name: string, site: Site): boolean {
  const endings = isWindows ? [".exe", ".bat", ".cmd", ""] : [""];
  const folders = /[\\/]/.test(name) ? [site.folder] : pathOf(site).split(delimiter);
  return folders.some((folder) => endings.some((ending) => existsSync(resolve(folder, name + ending))));
}
