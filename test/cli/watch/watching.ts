/** A watch as its user has it: a process that goes on, and what it said until now. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { onTestFinished } from "vitest";
import type { Desk } from "../plumbline.ts";

const program = resolve(import.meta.dirname, "../../../bin/plumbline");

export interface Line {
  readonly event: string;
  readonly message: string;
  readonly [name: string]: unknown;
}

export interface Watching {
  readonly child: ChildProcess;
  /** Everything that it said, on both outputs. */
  readonly text: () => string;
  readonly lines: () => Line[];
  /** Resolves to the first line of this event after those that were waited for before. */
  readonly next: (event: string) => Promise<Line>;
  /** Sends a signal; resolves to the exit code once it is over. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Starts `plumbline watch --json` on the desk, at short times. */
export function watching(
  desk: Pick<Desk, "folder" | "emulator">,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Watching {
  const own = {
    PATH: process.env["PATH"],
    HOME: desk.folder,
    PLUMBLINE_BASE_URL: desk.emulator.baseUrl,
    PLUMBLINE_TOKEN: desk.emulator.token,
    PLUMBLINE_PASSPHRASE: "correct horse",
    ...env,
  };
  const words = ["watch", "--json", "--interval", "1s", "--poll", "100ms", ...args];
  const child = spawn(process.execPath, [program, ...words], { cwd: desk.folder, env: own });
  let text = "";
  let heard = () => {};
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      heard();
    });
  const closed = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await closed;
  });
  const lines = () =>
    text
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Line);
  let waitedFor = 0;
  return {
    child,
    text: () => text,
    lines,
    async next(event) {
      for (;;) {
        const all = lines();
        const at = all.findIndex((line, i) => i >= waitedFor && line.event === event);
        if (at >= 0) {
          waitedFor = at + 1;
          return all[at]!;
        }
        const isOver = await Promise.race([
          new Promise<false>((told) => {
            heard = () => told(false);
          }),
          closed.then(() => true),
        ]);
        if (isOver && !lines().some((line, i) => i >= waitedFor && line.event === event))
          throw new Error(`it ended without "${event}":\n${text}`);
      }
    },
    end(signal = "SIGTERM") {
      child.kill(signal);
      return closed;
    },
  };
}
