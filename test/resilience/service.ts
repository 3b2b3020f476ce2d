/** The emulator as a process of its own, which outlives every engine that is killed: what was asked of it is read from it, and its clock is moved on from here. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { LoggedRequest } from "../../emulator/http/stats.ts";
import { beginning } from "../beginning.ts";
import type { Kept } from "../e2e/account.ts";

const cli = resolve(import.meta.dirname, "../../bin/plumbline");

export interface Service {
  readonly baseUrl: string;
  readonly token: string;
  /** What was asked after the request of this number, oldest first. */
  readonly requests: (since: number) => Promise<readonly LoggedRequest[]>;
  /** Moves its clock on. */
  readonly advance: (seconds: number) => Promise<void>;
  /** The objects of a collection of its own data. */
  readonly kept: (collection: string) => Promise<readonly Kept[]>;
  readonly close: () => Promise<void>;
}

/** Starts it. Transitions take `slowness` times what they take on the service, unless the clock is moved on. */
export async function startService(slowness: number): Promise<Service> {
  const child = spawn(
    process.execPath,
    [
      cli,
      "emulator",
      "--json",
      "--port",
      "0",
      "--speed",
      String(1 / slowness),
      "--start-time",
      beginning.toISOString().replace(".000", ""),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const { baseUrl, token } = JSON.parse(await firstLine(child)) as { baseUrl: string; token: string };
  async function control<T>(path: string, body?: object): Promise<T> {
    const answer = await fetch(`${baseUrl.replace(/\/v4$/, "")}/_emulator/${path}`, {
      ...(body && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }
  return {
    baseUrl,
    token,
    requests: async (since) =>
      (await control<readonly LoggedRequest[]>("requests")).filter(({ n }) => n > since),
    advance: async (seconds) => void (await control("advance", { seconds })),
    kept: async (collection) => {
      const data = await control<{ collections: { [name: string]: Kept[] } }>("data");
      return data.collections[collection] ?? [];
    },
    close: async () => {
      if (child.exitCode !== null) throw new Error(`the emulator ended by itself, with ${child.exitCode}`);
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the emulator ended before it listened, with ${code}`);
  });
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
  ended.catch(() => {}); // It ends one day.
  return line;
}
