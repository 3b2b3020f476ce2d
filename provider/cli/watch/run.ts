/** One run of a watch: `plumbline up` as a process of its own, so that nothing of a run outlives it, and what it tells. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { exitCode } from "../exit.ts";

export interface Ran {
  /** `guarded`: waits for another declaration. `locked`: another run holds the stack. `ended`: it was told to. */
  readonly result: "succeeded" | "failed" | "guarded" | "locked" | "ended";
  /** Why it did not succeed. */
  readonly message: string;
  readonly code?: string;
  readonly counts: { readonly [op: string]: number };
  readonly requests: { readonly [method: string]: number };
  readonly seconds: number;
}

/** A line of `up --json`. */
export type RunEvent = { readonly event: string } & { readonly [name: string]: unknown };

export interface RunOptions {
  /** Words of the command line. */
  readonly args: readonly string[];
  readonly onEvent: (event: RunEvent) => void;
  /** The run ends what is under way, and nothing else is begun. */
  readonly signal: AbortSignal;
  /** It stops at once. */
  readonly hurry: AbortSignal;
}

interface Heard {
  errors: { message: string; code?: string; place: string }[];
  summary?: RunEvent;
}

export async function runUp({ args, onEvent, signal, hurry }: RunOptions): Promise<Ran> {
  const begun = performance.now();
  // In a group of its own: what a terminal sends to ours reaches it through us, once.
  const child = spawn(process.execPath, [process.argv[1]!, ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => child.kill("SIGTERM");
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  hurry.addEventListener("abort", end);
  const heard: Heard = { errors: [] };
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4000);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event = eventOf(line);
    if (event === undefined) return;
    listen(heard, event);
    onEvent(event);
  });
  try {
    const [code] = (await once(child, "close")) as [number | null];
    const seconds = (performance.now() - begun) / 1000;
    return { ...judged(code, heard, said, signal.aborted), ...figuresOf(heard), seconds };
  } finally {
    signal.removeEventListener("abort", end);
    hurry.removeEventListener("abort", end);
  }
}

/** Undefined for a line that is none of the stream. */
function eventOf(line: string): RunEvent | undefined {
  try {
    const found: unknown = JSON.parse(line);
    return typeof (found as RunEvent | null)?.event === "string" ? (found as RunEvent) : undefined;
  } catch {
    return undefined;
  }
}

function listen(heard: Heard, event: RunEvent): void {
  if (event.event === "summary") heard.summary = event;
  if (event.event !== "diagnostic" || event.severity !== "error") return;
  const { file, line, column, message, code } = event;
  const place =
    file === undefined ? "" : `${[file, line, column].filter((part) => part !== undefined).join(":")}: `;
  heard.errors.push({ message: String(message), place, ...(typeof code === "string" && { code }) });
}

function judged(
  code: number | null,
  { errors, summary }: Heard,
  said: string,
  isTold: boolean,
): Pick<Ran, "result" | "message" | "code"> {
  if (code === exitCode.done) return { result: "succeeded", message: "" };
  if (isTold) return { result: "ended", message: "" };
  const guard = summary?.guard as { message: string; code?: string } | undefined;
  const [first, ...more] = errors;
  const told = guard
    ? { message: guard.message, ...(guard.code && { code: guard.code }) }
    : first
      ? {
          message: first.place + first.message + (more.length > 0 ? ` (and ${more.length} more)` : ""),
          ...(first.code && { code: first.code }),
        }
      : { message: said.trim() || `plumbline up ended with ${code ?? "a signal"}` };
  if (code === exitCode.guarded) return { result: "guarded", ...told };
  return { result: told.code === "PLB-LOCK" ? "locked" : "failed", ...told };
}

function figuresOf({ summary }: Heard): Pick<Ran, "counts" | "requests"> {
  const figures = (found: unknown) => (found ?? {}) as { readonly [name: string]: number };
  return { counts: figures(summary?.summary), requests: figures(summary?.requests) };
}
