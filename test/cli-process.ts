/**
 * The built command line in this process: as a process of its own runs it, without starting one. One command at a time has the process's
 * folder, environment and output; what a signal, a terminal or a standard input matters to has to start `bin/plumbline`.
 */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const entry = resolve(import.meta.dirname, "../dist/cli/main.js");

/** What is built, not its sources; loaded once. */
let loading: Promise<typeof import("../provider/cli/main.ts")> | undefined;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let last: Promise<unknown> = Promise.resolve();

/** Runs `plumbline ...args` in the folder, with this environment and no other. */
export function runCommand(
  args: readonly string[],
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  const mine = last.then(() => run(args, where));
  last = mine.catch(() => {});
  return mine;
}

async function run(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  loading ??= import(/* @vite-ignore */ pathToFileURL(entry).href);
  const { runCommandLine } = await loading;
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)];
  process.chdir(cwd);
  replaceEnvironment(env);
  try {
    const code = await runCommandLine(args);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before.cwd);
    replaceEnvironment(before.env);
    stdout.release();
    stderr.release();
  }
}

function replaceEnvironment(next: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (next[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(next)) if (value !== undefined) process.env[name] = value;
}

/** Keeps what is written to the stream, until it is released. */
function captured(stream: NodeJS.WriteStream) {
  const { write } = stream;
  let text = "";
  stream.write = ((piece: string | Uint8Array, ...more: unknown[]) => {
    text += typeof piece === "string" ? piece : Buffer.from(piece).toString();
    const done = more.find((one) => typeof one === "function") as (() => void) | undefined;
    done?.();
    return true;
  }) as typeof stream.write;
  return {
    text: () => text,
    release: () => {
      stream.write = write;
    },
  };
}
