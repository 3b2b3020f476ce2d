/** The process of a program: started, listened to, interrupted once, never left behind. Knows nothing of what it is for. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";

export interface Launch {
  readonly script: string;
  readonly nodeArguments: readonly string[];
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

export interface Attendance {
  /** Hears each line of its output. */
  readonly say: (line: string) => void;
  /** Interrupts it, once. */
  readonly signal: AbortSignal;
  /** Ends it at once. */
  readonly stop: AbortSignal;
}

/** How a process ended: by itself with a code, or by a signal. */
export interface End {
  readonly code: number | null;
  readonly signal: string | null;
}

/** What a process still had to say when it ended has this long to arrive: something that it started may hold its output open. */
const lastWordsMs = 1_000;
/** A line without an end is told in parts of this many characters. */
const longestLine = 64 * 1024;

/**
 * Runs it to its end. It is a group of its own, so that a terminal's Ctrl-C does not reach it: the signal hands
 * it on, once. Rejects when it cannot be started.
 */
export async function runProcess(
  { script, nodeArguments, args, folder, environment }: Launch,
  { say, signal, stop }: Attendance,
): Promise<End> {
  const isGroup = process.platform !== "win32";
  const child = spawn(process.execPath, [...nodeArguments, script, ...args], {
    ...{ cwd: folder, env: environment, windowsHide: true, detached: isGroup },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = (by: NodeJS.Signals): void => end(child, isGroup, by);
  const interrupt = (): void => kill("SIGINT");
  const abandon = (): void => kill("SIGKILL");
  signal.addEventListener("abort", interrupt, { once: true });
  stop.addEventListener("abort", abandon, { once: true });
  process.on("exit", abandon);
  if (signal.aborted) interrupt();
  const closed = once(child, "close");
  closed.catch(() => {});
  for (const stream of [child.stdout, child.stderr]) hear(stream, say);
  try {
    const [code, by] = (await once(child, "exit")) as [number | null, string | null];
    await Promise.race([closed, setTimeout(lastWordsMs)]);
    return { code, signal: by };
  } finally {
    signal.removeEventListener("abort", interrupt);
    stop.removeEventListener("abort", abandon);
    process.off("exit", abandon);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Sends a signal to the process and what it started. One that has ended already needs none. */
function end(child: ChildProcess, isGroup: boolean, by: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    if (isGroup) process.kill(-pid, by);
    else child.kill(by);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Tells the lines of a stream, the last one also without its end. */
function hear(stream: Readable, say: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) say(line.replace(/\r$/, ""));
    for (; rest.length > longestLine; rest = rest.slice(longestLine)) say(rest.slice(0, longestLine));
  });
  stream.on("close", () => {
    if (rest !== "") say(rest);
  });
}
