/**
 * The built command line, as a process of its own or, which costs a tenth, in this one: there, one command at a time has the process's folder,
 * environment and output. What a signal, a terminal or a standard input matters to, and commands that run at once, have to be processes.
 */

import { spawn } from "node:child_process";
import { resolve } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const entry = resolve(import.meta.dirname, "../dist/cli/main.js");

/** What is built, not its sources; loaded once. */
let loading: Promise<typeof import("../provider/cli/main.ts")> | undefined;

const program = resolve(import.meta.dirname, "../bin/plumbline");

export interface Ended {
  /** Null for a process that a signal ended. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let last: Promise<unknown> = Promise.resolve();

/** Where a command runs: its folder, and an environment with nothing else in it. */
interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Called with each piece of standard output, and a way to signal the process. */
export type OnOutput = (text: string, kill: (signal: NodeJS.Signals) => void) => void;

/** Runs `plumbline ...args` as a process of its own. Several pieces of input come slowly, one after the other. */
export function startCommand(
  args: readonly string[],
  where: Place,
  input: string | readonly string[] = "",
  onOutput?: OnOutput,
): Promise<Ended> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, ...args], where);
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      onOutput?.(text, (signal) => child.kill(signal));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.stdin.on("error", () => {});
    void give(child.stdin, typeof input === "string" ? [input] : ["", ...input]);
    child.on("error", fail);
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}

async function give(stdin: Writable, [first = "", ...later]: readonly string[]): Promise<void> {
  stdin.write(first);
  for (const piece of later) {
    await setTimeout(700);
    stdin.write(piece);
  }
  stdin.end();
}

/** Runs `plumbline ...args` in this process. */
export function runCommand(args: readonly string[], where: Place): Promise<Ended> {
  const mine = last.then(() => run(args, where));
  last = mine.catch(() => {});
  return mine;
}

async function run(args: readonly string[], { cwd, env }: Place): Promise<Ended> {
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
