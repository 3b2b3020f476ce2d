/** Finds what a program of Node is started with: Pulumi's own runtime in the user's packages, and a compiler where it needs one. Starts nothing. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import type { NodeRuntime } from "../language/program/runtime.ts";

export interface Found {
  /** The script that runs a program. */
  readonly script: string;
  /** Folder that the program runs in. */
  readonly folder: string;
  /** As the script takes it: a file of the folder, or `.` for what its package.json names. */
  readonly entry: string;
  /** True: the script compiles the program. */
  readonly compiles: boolean;
  /** Said when the program fails. */
  readonly advice?: string;
}

/** What keeps a program from being started, and what to do. */
export class UnreadyError extends Error {
  override readonly name = "UnreadyError";
}

/** The first version whose programs say that they have come to their end. */
const oldest = [3, 190] as const;
/** The first version without an interface that others can compile by. */
const firstWithoutInterface = 7;

/** `main` is a folder or a file, relative to the project's folder. Throws UnreadyError with what is missing. */
export function findRuntime(project: string, main: string | undefined, runtime: NodeRuntime): Found {
  const { folder, entry } = placeOf(project, main);
  const script = locate(folder, "@pulumi/pulumi/cmd/run/index.js");
  if (script === undefined) throw new UnreadyError(withoutPackages(folder));
  const version = versionIn(resolve(dirname(script), "../../package.json"));
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    throw new UnreadyError(
      `@pulumi/pulumi ${version} is too old for this engine, which runs programs on ${oldest.join(".")} and later: run npm install @pulumi/pulumi@^3 in ${folder}`,
    );
  }
  return { script, folder, entry, ...compilerFor(script, folder, entry, runtime) };
}

function placeOf(project: string, main: string | undefined): Pick<Found, "folder" | "entry"> {
  const place = resolve(project, main ?? "");
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new UnreadyError(
      main === undefined
        ? `the folder of the program is not there: ${place}`
        : `"main" names ${JSON.stringify(main)}, and there is no ${place}`,
    );
  }
  if (found.isDirectory()) return { folder: place, entry: "." };
  return { folder: dirname(place), entry: basename(place) };
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

/** The runtime compiles by the package `typescript` that it finds from its own place, and by one of 2020 where there is none. */
function compilerFor(
  script: string,
  folder: string,
  entry: string,
  { typescript }: NodeRuntime,
): Pick<Found, "compiles" | "advice"> {
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
