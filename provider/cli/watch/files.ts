/** A declaration in files: which ones a stack is made of, and whether they changed. Reads no more of them than it must. */

import { fstatSync, readFileSync, statSync } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { parseDocument, visit } from "yaml";
import { pause } from "../../machine/pause.ts";
import type { Source } from "./source.ts";

export interface FilesOptions {
  /** Absolute path of the stack file. */
  readonly file: string;
  readonly stack: string;
  readonly words: readonly string[];
  /** Absolute paths of what else decides (policies from outside). */
  readonly also: readonly string[];
  /** Absolute paths of what runs change themselves. */
  readonly apart: readonly string[];
  /** Milliseconds between two looks, and how long files must be still. */
  readonly poll: number;
  readonly signal: AbortSignal;
}

/** Files of a folder that are looked at, at most. */
const MOST = 10_000;
/** A stack file of more bytes is not searched for names of files. */
const LARGEST = 1024 * 1024;
const sources = /\.(?:[cm]?[jt]sx?|json|py|toml|ya?ml)$/;
const packages = new Set(["node_modules", "__pycache__"]);

/** The files of a stack. Looks until they are still: a file that is being written is not read. */
export function filesOf(options: FilesOptions): Source {
  const { file, words, poll, signal } = options;
  return {
    place: file,
    poll,
    words,
    async look() {
      let seen = await fingerprint(options);
      for (;;) {
        await pause(poll, signal);
        const again = await fingerprint(options);
        if (again === seen || signal.aborted) return again;
        seen = again;
      }
    },
    changed(before, after) {
      const [old, now] = [before, after].map((text) => new Map(JSON.parse(text) as [string, string][]));
      const all = new Set([...now!.keys(), ...old!.keys()]);
      return [...all].filter((path) => old!.get(path) !== now!.get(path));
    },
  };
}

/** Differs when one of the files does: each with its mark, as JSON. */
async function fingerprint({ file, stack, also, apart }: FilesOptions): Promise<string> {
  const found = new Set([file, join(dirname(file), `Pulumi.${stack}.yaml`)]);
  const { named, isProgram } = mentioned(file);
  for (const path of [...named, ...also]) await addAll(path, found, () => true);
  if (isProgram) await addAll(dirname(file), found, (name) => sources.test(name));
  for (const path of apart) found.delete(path);
  return JSON.stringify(await Promise.all([...found].sort().map(async (path) => [path, await markOf(path)])));
}

/** What a stack file names that lies beside it or below; `isProgram`: other files than this declare the resources. */
function mentioned(file: string): { readonly named: readonly string[]; readonly isProgram: boolean } {
  const folder = dirname(file);
  const named: string[] = [];
  try {
    if (statSync(file).size > LARGEST) return { named, isProgram: false };
    const document = parseDocument(readFileSync(file, "utf8"), { logLevel: "silent" });
    visit(document, {
      Scalar(_, { value }) {
        if (typeof value !== "string" || value === "" || value.length > 1000 || value.includes("\0")) return;
        const path = resolve(folder, value);
        if (path.startsWith(folder + sep)) named.push(path);
      },
    });
    const runtime: unknown = document.get("runtime");
    return { named, isProgram: runtime !== undefined && runtime !== "yaml" };
  } catch {
    // Not there, or not readable yet: then it is this file alone that matters.
    return { named, isProgram: false };
  }
}

/** A file, or those of a folder; not what others put there: packages, hidden folders. */
async function addAll(path: string, found: Set<string>, wanted: (name: string) => boolean): Promise<void> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry === undefined || found.size >= MOST) return;
  if (!entry.isDirectory()) return void (wanted(path) && found.add(path));
  const names: string[] = await readdir(path).catch(() => []);
  // A virtual environment of Python, whatever its name.
  if (names.includes("pyvenv.cfg")) return;
  for (const name of names.sort())
    if (!name.startsWith(".") && !packages.has(name)) await addAll(join(path, name), found, wanted);
}

/** Where this process writes what it says. */
function ourOutputs(): { readonly ino: number; readonly dev: number }[] {
  return [1, 2].flatMap((output) => {
    try {
      return [fstatSync(output)];
    } catch {
      // Closed: then nothing is written there.
      return [];
    }
  });
}

async function markOf(path: string): Promise<string> {
  try {
    const { size, mtimeMs, ctimeMs, ino, dev } = await stat(path);
    // A log that lies among the sources of a program changes with every word of ours.
    if (ourOutputs().some((ours) => ours.ino === ino && ours.dev === dev)) return "";
    return [size, mtimeMs, ctimeMs, ino].join(" ");
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
