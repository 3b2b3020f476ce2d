/** Pulumi programs in TypeScript for tests: compiled against the generated SDK, and run by the Automation API in a process of their own. */

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildNodeSdk } from "../../scripts/sdk.mjs";
import type { StateOf } from "./engines.ts";

const root = resolve(import.meta.dirname, "../..");
const script = join(import.meta.dirname, "automation.mjs");
const pythonScript = join(import.meta.dirname, "automation.py");

/** Runs the compiler; resolves to what it found wrong. */
export function compile(project: string, ...flags: string[]): string {
  const tsc = join(root, "node_modules", "typescript", "lib", "tsc.js");
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, "-p", project, ...flags], {
    encoding: "utf8",
  });
  return `${stdout}${stderr}`;
}

/** Makes `node_modules` in the folder with what a program needs: Pulumi, Node's types, and the SDK as it is packed. Throws what the compiler found wrong with that. */
export function installSdk(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@plumbline"), { recursive: true });
  mkdirSync(join(modules, "@types"));
  symlinkSync(join(root, "node_modules", "@pulumi"), join(modules, "@pulumi"));
  symlinkSync(join(root, "node_modules", "@types", "node"), join(modules, "@types", "node"));
  buildNodeSdk(join(modules, "@plumbline", "pulumi"));
}

/**
 * As `installSdk`, with the TypeScript that Pulumi's own runtime can compile by, and Pulumi's package where it finds that: as `npm install` lays them out.
 */
export function installAll(folder: string): void {
  const modules = join(folder, "node_modules");
  const own = new Set(["@pulumi", "@plumbline", "typescript", "typescript-5", ".bin"]);
  for (const each of ["@pulumi", "@plumbline"]) mkdirSync(join(modules, each), { recursive: true });
  const shared = join(root, "node_modules");
  for (const name of readdirSync(shared))
    if (!own.has(name)) symlinkSync(join(shared, name), join(modules, name));
  symlinkSync(join(shared, "typescript-5"), join(modules, "typescript"));
  cpSync(join(shared, "@pulumi", "pulumi"), join(modules, "@pulumi", "pulumi"), { recursive: true });
  buildNodeSdk(join(modules, "@plumbline", "pulumi"));
}

export type AutomationVerb = "preview" | "up" | "refresh" | "destroy";

export interface AutomationRequest {
  /** Run one after the other. */
  readonly verbs: readonly AutomationVerb[];
  /** The program, compiled if it has to be. */
  readonly entry: string;
  /** Folder of its Pulumi.yaml. */
  readonly folder: string;
  readonly project: string;
  readonly stack: string;
  readonly config?: { readonly [key: string]: string };
  /** Writes at a time; default Pulumi's own. */
  readonly parallel?: number;
  /** True: each operation also tells the state that it left. */
  readonly states?: boolean;
}

/** What one operation did. */
export interface Automated {
  /** By resource. */
  readonly plan: { readonly [name: string]: string };
  readonly outputs: { readonly [name: string]: unknown };
  /** Of the exported state, secrets in the clear; only where it was asked for. */
  readonly resources?: readonly StateOf[];
}

export interface AutomationOptions {
  /** Where the program runs. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Of a program in Python: the interpreter that has its packages. Default: the program is compiled for Node. */
  readonly python?: string;
  /** Called after each operation, while the next one starts. */
  readonly onDone?: (verb: AutomationVerb) => void;
}

/** Rejects with everything that was said when an operation fails. */
export async function automate(request: AutomationRequest, options: AutomationOptions): Promise<Automated[]> {
  const { cwd, env, python, onDone } = options;
  const [runtime, driver] = python ? [python, pythonScript] : [process.execPath, script];
  const child = spawn(runtime, [driver, JSON.stringify(request)], { cwd, env });
  let [stdout, stderr, done] = ["", "", 0];
  child.stdout.on("data", (data) => {
    stdout += data;
    for (const count = stdout.split("\n").length - 1; done < count; done++) onDone?.(request.verbs[done]!);
  });
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const code = await new Promise((settle) => child.once("close", settle));
  if (code !== 0) throw new Error(`${request.verbs.join(", ")}: ${code}\n${stdout}\n${stderr}`);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Automated);
}
