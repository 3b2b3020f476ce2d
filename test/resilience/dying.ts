/** Commands that are killed in the middle: the built command line against an emulator that takes its time, and moments chosen by a seed that is printed. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { createEmbedded, type Embedded } from "../e2e/embedded.ts";
import { killNow } from "../kill.ts";
import { randomFrom } from "./random.ts";

const cli = resolve(import.meta.dirname, "../../bin/plumbline");

/** When to strike: so many milliseconds after so many requests came in; 0 requests: after the state folder is there. */
export interface Moment {
  readonly requests: number;
  readonly milliseconds: number;
  /** The same for people. */
  readonly text: string;
}

/** The seed of this run: PLUMBLINE_TEST_SEED, or in CI always the same, or a new one each time, so that over the days every moment has its turn. */
export const seed = Number(
  process.env["PLUMBLINE_TEST_SEED"] ?? (process.env["CI"] ? 322_584 : Date.now() % 1_000_000),
);

/** Moments while the first `requests` requests are made. */
export function moments(count: number, requests: number, of: number = seed): Moment[] {
  const random = randomFrom(of);
  return Array.from({ length: count }, () => {
    const moment = { requests: Math.floor(random() * requests), milliseconds: Math.floor(random() * 80) };
    return { ...moment, text: `${moment.milliseconds} ms after request ${moment.requests}` };
  });
}

export interface Scene {
  readonly emulator: Emulator;
  readonly stack: Embedded;
  /** Starts a command and leaves it running. */
  readonly start: (...args: string[]) => ChildProcess;
  /** Starts a command, kills it at the moment and resolves when it is dead. Throws when it ended before by itself. */
  readonly killed: (moment: Moment, ...args: string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** An emulator whose every answer takes a moment, and a stack for it. */
export async function openScene(text: string, { speed = 10 }: { speed?: number } = {}): Promise<Scene> {
  const emulator = await startEmulator({ seed: starterAccount, speed });
  const stack = createEmbedded(text, { baseUrl: emulator.baseUrl, token: emulator.token });
  const stateFolder = join(stack.folder, ".plumbline");
  const start = (...args: string[]) =>
    spawn(process.execPath, [cli, ...args], { cwd: stack.folder, env: stack.env, stdio: "ignore" });
  return {
    emulator,
    stack,
    start,
    async killed({ requests, milliseconds }, ...args) {
      emulator.setFaults([{ method: "*", path: "*", probability: 1, do: "delay", seconds: 0.06 }]);
      const before = emulator.stats().total;
      const hasCome = () =>
        requests === 0 ? existsSync(stateFolder) : emulator.stats().total - before >= requests;
      const child = start(...args, "--parallel", "3");
      const dead = once(child, "exit");
      while (!hasCome() && child.exitCode === null) await setTimeout(2);
      await setTimeout(milliseconds);
      child.kill("SIGKILL");
      await dead;
      emulator.setFaults([]);
      if (child.signalCode !== "SIGKILL") throw new Error(`it ended by itself, with ${child.exitCode}`);
    },
    async close() {
      stack.remove();
      await emulator.close();
    },
  };
}

/** Kills a process and everything that it started, as the loss of the machine would. Needs /proc, as Linux has it. */
export function killTree(root: number): void {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, "latin1")) ?? [];
      parents.set(Number(name), Number(parent));
    } catch {
      // It has ended meanwhile.
    }
  }
  const doomed = new Set([root]);
  for (let before = 0; before < doomed.size; ) {
    before = doomed.size;
    for (const [pid, parent] of parents) if (doomed.has(parent)) doomed.add(pid);
  }
  for (const pid of doomed) killNow(pid);
}
