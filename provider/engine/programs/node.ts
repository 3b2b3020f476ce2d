/** Programs of Node: Pulumi's own runtime in the user's packages, and a compiler where it needs one. Starts nothing. */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { NodeRuntime } from "../language/program/runtime.ts";
import { held, preload } from "./preload.ts";
import { isTooOld, oldest, placeOf, type Ready, type Start, UnreadyError } from "./runtime.ts";

/** The first version without an interface that others can compile by. */
const firstWithoutInterface = 7;

/** Throws UnreadyError with what is missing. */
export function findNode(runtime: NodeRuntime, start: Start): Ready {
  const { folder, entry = "." } = placeOf(start);
  const script = locate(folder, "@pulumi/pulumi/cmd/run/index.js");
  if (script === undefined) throw new UnreadyError(withoutPackages(folder));
  const version = versionIn(resolve(dirname(script), "../../package.json"));
  if (isTooOld(version)) {
    throw new UnreadyError(
      `@pulumi/pulumi ${version} is too old for this engine, which runs programs on ${oldest.join(".")} and later: run npm install @pulumi/pulumi@^3 in ${folder}`,
    );
  }
  const { compiles, advice } = compilerFor(script, folder, entry, runtime);
  return {
    command: process.execPath,
    args: [preload, ...wordsOf(runtime.nodeArguments), script],
    folder,
    entry,
    ...held,
    environment: {
      PULUMI_NODEJS_TYPESCRIPT: String(compiles),
      ...(runtime.tsconfig === undefined ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: runtime.tsconfig }),
    },
    ...(advice === undefined ? {} : { advice }),
  };
}

/** The words of a line; quotes hold a word together. */
function wordsOf(line: string): string[] {
  const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
  if (line.replace(word, "").trim() !== "")
    throw new UnreadyError(`"nodeargs" has a quote that does not end: ${line}`);
  return (line.match(word) ?? []).map((each) => each.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

/** The file that a program in the folder would be given for the name. */
function locate(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, "program.js")).resolve(name);
  } catch {
    return undefined;
  }
}

function withoutPackages(folder: string): string {
  const how = existsSync(join(folder, "package.json"))
    ? "run npm install there"
    : "run npm init -y && npm install @pulumi/pulumi @plumbline/pulumi there";
  return `the program needs the package @pulumi/pulumi, which ${folder} has not: ${how}`;
}

const versionIn = (file: string): string =>
  String((JSON.parse(readFileSync(file, "utf8")) as { version?: unknown }).version);

/** Whether the runtime is to compile. It does so by the package `typescript` that it finds from its own place, and by one of 2020 where there is none. */
function compilerFor(
  script: string,
  folder: string,
  entry: string,
  { typescript }: NodeRuntime,
): { readonly compiles: boolean; readonly advice?: string } {
  if (!typescript) return { compiles: false };
  const compiler = locate(dirname(script), "typescript/package.json");
  const install = `run npm install --save-dev typescript@5 in ${folder}`;
  if (compiler === undefined) {
    return isTypeScript(folder, entry)
      ? {
          compiles: true,
          advice: `there is no typescript beside @pulumi/pulumi, which took its own of version 3.8: ${install}`,
        }
      : { compiles: true };
  }
  const version = versionIn(compiler);
  if (Number(version.split(".")[0]) < firstWithoutInterface) return { compiles: true };
  if (!isTypeScript(folder, entry)) return { compiles: false };
  throw new UnreadyError(
    `the program is in TypeScript, and Pulumi's runtime cannot compile by typescript ${version}, which has no interface for it: ${install}, or compile it yourself and name the JavaScript as "main" in package.json`,
  );
}

function isTypeScript(folder: string, entry: string): boolean {
  const named = entry === "." ? mainOf(folder) : entry;
  if (/\.[cm]?[jt]s$/.test(named)) return /\.[cm]?ts$/.test(named);
  const place = resolve(folder, named);
  return !existsSync(join(place, "index.js")) && !existsSync(`${place}.js`);
}

/** What the folder's package.json names as its entry; the folder itself where it names none that is there. */
function mainOf(folder: string): string {
  try {
    const text = readFileSync(join(folder, "package.json"), "utf8");
    const { main } = JSON.parse(text) as { main?: unknown };
    return typeof main === "string" && existsSync(resolve(folder, main)) ? main : ".";
  } catch {
    // Node will say what is wrong with the file.
    return ".";
  }
}
