/** The process of a program: started, listened to, interrupted once, never left behind. Knows nothing of what it is for. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex, Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** What is too long for its environment: handed over with its last arguments, where a process is handed descriptors. */
  readonly handed?: { readonly [name: string]: string };
}

export interface Attendance {
  /** Hears each line of its output. */
  readonly say: (line: string) => void;
  /** Interrupts it, once. */
  readonly signal: AbortSignal;
  /** Ends it at once. */
  readonly stop: AbortSignal;
  /** Is given the line to a process that has one. */
  readonly talk: (line: Duplex) => void;
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

/** True where a process is handed further descriptors, and is the first of a group: not on Windows. */
export const hasDescriptors = process.platform !== "win32";

/** A process that has loaded what it needs, and waits for its last arguments. It keeps no other from ending, and ends with this one. */
export interface Held {
  readonly isAlive: () => boolean;
  /** Hands it its last arguments and attends it to its end, as `runProcess`. */
  readonly run: (args: readonly string[], attendance: Attendance) => Promise<End>;
}

interface Started {
  readonly child: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };
  /** Code and signal; rejects when it could not be started. It may end before anybody asks. */
  readonly exited: Promise<[number | null, string | null]>;
  /** It has ended, and its output with it. */
  readonly closed: Promise<unknown>;
  /** Tells the lines of its output from the first on. */
  readonly tell: (say: Attendance["say"]) => void;
}

function start({ command, args, folder, environment }: Launch, ...more: "pipe"[]): Started {
  const child = spawn(command, args, {
    ...{ cwd: folder, env: environment, windowsHide: true, detached: hasDescriptors },
    stdio: ["ignore", "pipe", "pipe", ...more],
  }) as Started["child"];
  const [exited, closed] = [once(child, "exit") as Started["exited"], once(child, "close")];
  for (const each of [exited, closed]) each.catch(() => {});
  const early: string[] = [];
  let listener: Attendance["say"] = (line) => void early.push(line);
  for (const stream of [child.stdout, child.stderr]) hear(stream, (line) => listener(line));
  const tell: Started["tell"] = (say) => {
    early.forEach(say);
    listener = say;
  };
  return { child, exited, closed, tell };
}

/** Runs it to its end, with descriptors as `holdProcess`. Rejects when it cannot be started. */
export const runProcess = (launch: Launch, attendance: Attendance): Promise<End> =>
  hasDescriptors ? holdProcess(launch).run([], attendance) : attend(start(launch), attendance);

/**
 * Starts a process that reads its last arguments, and what it is handed, as JSON from descriptor 3, and has a line to this one as descriptor 4, which
 * closes when this one ends, however. It is a group of its own, so that a terminal's Ctrl-C does not reach it: the signal hands it on, once.
 */
export function holdProcess(launch: Launch): Held {
  const started = start(launch, "pipe", "pipe");
  const { child } = started;
  const [order, line] = [child.stdio[3] as Writable, child.stdio[4] as unknown as Duplex];
  const ends = [child, order, line, child.stdout, child.stderr] as { ref(): void; unref(): void }[];
  let isSound = true;
  const abandon = (): void => end(child, "SIGKILL");
  // One that could not be started, or that has ended, is not used.
  const spoil = (): void => {
    isSound = false;
  };
  child.on("error", spoil);
  child.on("exit", spoil);
  order.on("error", spoil);
  line.on("error", spoil);
  process.on("exit", abandon);
  for (const each of ends) each.unref();
  return {
    isAlive: () => isSound,
    run(args, attendance) {
      for (const each of ends) each.ref();
      process.off("exit", abandon);
      order.end(JSON.stringify({ args, handed: launch.handed ?? {} }));
      attendance.talk(line);
      return attend(started, attendance).finally(() => line.destroy());
    },
  };
}

async function attend(started: Started, { say, signal, stop }: Attendance): Promise<End> {
  const { child, exited, closed, tell } = started;
  const kill = (by: NodeJS.Signals): void => end(child, by);
  const interrupt = (): void => kill("SIGINT");
  const abandon = (): void => kill("SIGKILL");
  signal.addEventListener("abort", interrupt, { once: true });
  stop.addEventListener("abort", abandon, { once: true });
  process.on("exit", abandon);
  if (signal.aborted) interrupt();
  tell(say);
  try {
    const [code, by] = await exited;
    // Nobody waits for the rest of that time, this process's own end least of all.
    await Promise.race([closed, setTimeout(lastWordsMs, undefined, { ref: false })]);
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
function end(child: ChildProcess, by: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    if (hasDescriptors) process.kill(-pid, by);
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
