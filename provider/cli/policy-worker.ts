/**
 * The thread that policy modules run in: loads JavaScript and TypeScript, calls rules, and answers with plain data. It has no environment, so no
 * token, and is ended from outside when a rule does not end. An entry of its own: the command line starts it by its file.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, resolve } from "node:path";
import { compileFunction, constants } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { transform } from "sucrase";
import type { ExportedRule, FoundThere, Reply, Request, ThreadData } from "./policy/messages.ts";

const progress = new Int32Array((workerData as ThreadData).progress);
const endings = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];
const loaded = new Map<string, { exports: unknown }>();
const rules: { readonly file: string; readonly exported: { readonly [key: string]: unknown } }[] = [];

/** The file that a relative name means: TypeScript writes `./x.js` for `./x.ts`, and endings may be left out. */
function relativeFile(from: string, name: string): string | undefined {
  const path = resolve(dirname(from), name);
  const bare = path.replace(/\.[mc]?js$/, "");
  const candidates = [
    path,
    ...endings.map((ending) => bare + ending),
    ...endings.map((e) => `${path}/index${e}`),
  ];
  return candidates.find((each) => existsSync(each) && statSync(each).isFile());
}

/** Loads a file as a script whose imports are calls, whatever package it stands in. */
function load(file: string): unknown {
  const known = loaded.get(file);
  if (known) return known.exports;
  Atomics.add(progress, 0, 1);
  const module: { exports: unknown } = { exports: {} };
  loaded.set(file, module);
  const isTyped = /\.[mc]?ts$/.test(file);
  const { code } = transform(readFileSync(file, "utf8"), {
    transforms: isTyped ? ["typescript", "imports"] : ["imports"],
    filePath: file,
    preserveDynamicImport: true,
  });
  const outside = createRequire(file);
  const requires = (name: string): unknown => {
    if (!name.startsWith(".")) return outside(name);
    const target = relativeFile(file, name);
    if (target === undefined) throw new Error(`there is no ${name} beside ${file}`);
    return endings.includes(extname(target)) ? load(target) : outside(target);
  };
  const run = compileFunction(code, ["exports", "require", "module", "__filename", "__dirname"], {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  run(module.exports, requires, module, file, dirname(file));
  return module.exports;
}

/** The rules that a module exports: by default, or as the module itself. */
function rulesIn(file: string): ExportedRule[] {
  const exports = load(file) as { readonly default?: unknown };
  const given = exports?.default ?? exports;
  const list = Array.isArray(given) ? given : [given];
  return list.map((each, at) => {
    if (typeof each !== "object" || each === null || Object.keys(each).length === 0)
      throw new Error(`${file} exports no rule${list.length > 1 ? ` as number ${at + 1}` : ""}`);
    rules.push({ file, exported: each });
    const entries = Object.entries(each).map(([key, value]) => [
      key,
      typeof value === "function" ? "function" : value,
    ]);
    return { file, exported: Object.fromEntries(entries) };
  });
}

const isMarked = (value: unknown, mark: string): boolean =>
  typeof value === "object" && value !== null && mark in value;

const aids = {
  isUnknown: (value: unknown) => isMarked(value, "$unknown"),
  isSecret: (value: unknown) => isMarked(value, "$secret"),
};

/** What a rule answered, in one form. Throws for what is no answer. */
function findingsIn(answer: unknown): FoundThere[] {
  if (answer === undefined || answer === null || answer === true) return [];
  if (Array.isArray(answer)) return answer.flatMap(findingsIn);
  if (typeof answer === "string") return [{ message: answer }];
  if (typeof (answer as Promise<unknown>).then === "function")
    throw new Error("it answered with a promise: a rule must answer at once");
  const { message, property, urn } = answer as { message?: unknown; property?: unknown; urn?: unknown };
  if (typeof message !== "string" || message === "")
    throw new Error("it must answer with texts or objects that have a message, or with nothing");
  return [
    {
      message,
      ...(typeof property === "string" ? { property } : {}),
      ...(typeof urn === "string" ? { urn } : {}),
    },
  ];
}

function ask({ ask: at, steps, context }: Extract<Request, { ask: number }>): FoundThere[] {
  const { check, checkPlan } = rules[at]!.exported as {
    check?: (...args: unknown[]) => unknown;
    checkPlan?: (...args: unknown[]) => unknown;
  };
  const known = { ...context, ...aids };
  if (checkPlan) {
    Atomics.add(progress, 0, 1);
    return findingsIn(checkPlan(steps, known));
  }
  return steps.flatMap((step, at) => {
    Atomics.add(progress, 0, 1);
    return findingsIn(check?.(step, known)).map((found) => ({ ...found, step: at }));
  });
}

/** The message, and the place within the module's own files. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const frame = error.stack?.split("\n").find((line) => rules.some(({ file }) => line.includes(file)));
  // Columns of the first line are those of what was compiled.
  const place = /\(?([^()\s]+:\d+):\d+\)?$/.exec(frame ?? "")?.[1];
  return `${error.name}: ${error.message}${place ? ` (${place})` : ""}`;
}

parentPort!.on("message", (request: Request) => {
  let reply: Reply;
  try {
    reply = "load" in request ? { rules: rulesIn(request.load) } : { findings: ask(request) };
    structuredClone(reply);
  } catch (error) {
    reply = { fault: faultOf(error) };
  }
  parentPort!.postMessage(reply);
});
