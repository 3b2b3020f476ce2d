/** The process of a program: when its end is told, and what is left then. */

import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Attendance,
  type Held,
  holdProcess,
  runProcess,
} from "../../provider/engine/programs/process.ts";

const launch = (...lines: string[]) => ({
  ...{ command: process.execPath, args: ["-e", lines.join("\n")] },
  ...{ folder: import.meta.dirname, environment: process.env },
});

const ours = new AsyncLocalStorage<true>();
const timers: NodeJS.Timeout[] = [];
const hook = createHook({
  init(_, kind, __, resource) {
    if (kind === "Timeout" && ours.getStore()) timers.push(resource as NodeJS.Timeout);
  },
});
beforeAll(() => void hook.enable());
afterAll(() => void hook.disable());

function attendanceOf(said: string[]): Attendance {
  const [signal, stop] = [new AbortController().signal, new AbortController().signal];
  return { say: (line) => void said.push(line), signal, stop, talk: () => {} };
}

/** How it ended, what it said, and the timers that keep this process from its own end afterwards. */
async function attended(run: Held["run"]): Promise<unknown> {
  const said: string[] = [];
  timers.length = 0;
  const end = await ours.run(true, () => run(["two"], attendanceOf(said)));
  expect(timers.length).toBeGreaterThan(0);
  return { ...end, said, left: timers.filter((timer) => timer.hasRef()).length };
}

it("its last words are heard, and its end keeps nobody waiting", async () => {
  const greeting =
    'process.stdout.write("one\\n"); process.stderr.write("last words"); process.exitCode = 3;';
  const ended = await attended((_, attendance) => runProcess(launch(greeting), attendance));
  expect(ended).toEqual({ code: 3, signal: null, said: ["one", "last words"], left: 0 });
});

it("so it is with one that was started ahead", async () => {
  const held = holdProcess(
    launch(
      'const told = JSON.parse(require("node:fs").readFileSync(3, "utf8"));',
      "process.stdout.write(told.args[0]);",
    ),
  );
  expect(await attended(held.run)).toEqual({ code: 0, signal: null, said: ["two"], left: 0 });
  expect(held.isAlive()).toBe(false);
});

it("one that ended before anybody attended it is told as it ended", async () => {
  const held = holdProcess({ ...launch(), args: ["--no-such-option"] });
  while (held.isAlive()) await setTimeout(10);
  const ended = { code: 9, signal: null, said: [expect.stringMatching(/bad option/)], left: 0 };
  expect(await attended(held.run)).toEqual(ended);
});

it("so is one that could not be started", async () => {
  const held = holdProcess({ ...launch(), folder: join(import.meta.dirname, "nowhere") });
  while (held.isAlive()) await setTimeout(10);
  await expect(held.run([], attendanceOf([]))).rejects.toThrow(/ENOENT/);
});
