/** What holds of programs of every language that do not come to their end: nothing that is declared is deleted, and none is taken for one that declares nothing. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { isAlive } from "../../provider/machine/process.ts";
import { kept, leftovers, writes } from "../e2e/account.ts";
import { killNow } from "../kill.ts";
import type { Projects, TestProject } from "./project.ts";

/** The programs of a language. */
interface Texts {
  /** A domain with records of these names. */
  readonly zoneOf: (...names: string[]) => string;
  /** Declares nothing, and comes to its end. */
  readonly nothing: string;
  /** Each with how it ends, and what is said of that. */
  readonly ends: readonly (readonly [name: string, source: string, told: RegExp])[];
  /** Ways to end, each with its statement. */
  readonly stops: readonly (readonly [name: string, statement: string])[];
  /** A domain with the record `b`; no preview, does the statement a second after the domain is made. */
  readonly stopping: (statement: string) => string;
  /** Writes its process's number into the file `pid`. */
  readonly noted: string;
  /** To follow a domain: waits for long, unless it is a preview. */
  readonly lasting: string;
  /** Never ends by itself, not in a preview either. */
  readonly endless: string;
}

const plumbline = join(import.meta.dirname, "../../bin/plumbline");

export const recordNames = (p: TestProject) =>
  kept(p.emulator, "domain_records")
    .map(({ name }) => String(name))
    .sort();

export function judgesStack(projects: () => Projects, { zoneOf, nothing, ends }: Texts): void {
  let p: TestProject;
  beforeAll(async () => {
    p = await projects().project(zoneOf("a", "b", "c"));
    await p.succeed("up", "-y", "--skip-preview");
    expect(recordNames(p)).toEqual(["a", "b", "c"]);
  }, 60_000);

  it.each(ends)("is left as it is by %s", async (_, source, told) => {
    const before = writes(p.emulator);
    p.write(source);
    const { code, said } = await p.run("up", "-y", "--skip-preview");
    expect(said).toMatch(told);
    expect(code).toBe(1);
    expect(writes(p.emulator)).toEqual(before);
  });

  it("is deleted by a program that comes to its end and declares nothing", async () => {
    p.write(nothing);
    expect(await p.succeed("preview")).toContain("4 to delete");
  });
}

export function judgesEarnest(projects: () => Projects, { zoneOf, stops, stopping }: Texts): void {
  it.each(stops)(
    "of %s: what was made stays, what was there stays, and the next run goes on",
    async (_, stop) => {
      const p = await projects().project(zoneOf("a"));
      await p.succeed("up", "-y", "--skip-preview");
      p.write(stopping(stop));
      const { code } = await p.run("up", "-y", "--skip-preview");
      expect(code).toBe(1);
      // The old one was to go last.
      expect(recordNames(p)).toContain("a");
      p.write(zoneOf("b"));
      await p.succeed("up", "-y", "--skip-preview");
      expect(recordNames(p)).toEqual(["b"]);
    },
  );
}

export function judgesKills(projects: () => Projects, { zoneOf, noted, lasting, endless }: Texts): void {
  const many = Array.from({ length: 20 }, (_, at) => `r${at}`);
  const up = ["up", "-y", "--skip-preview"];

  it.each([1, 4, 12])("by a kill after %i steps leaves no process, and the next goes on", async (after) => {
    const p = await projects().project(`${noted}${zoneOf(...many)}`);
    const child = started(p, up);
    let steps = 0;
    hear(child, (text) => {
      steps += text.split("created").length - 1;
      if (steps >= after) killNow(child.pid!);
    });
    await once(child, "close");
    expect(await gone(pidOf(p))).toBe(true);
    await p.succeed(...up);
    expect(recordNames(p)).toEqual([...many].sort());
    expect(await p.succeed("preview")).toContain("21 unchanged");
  });

  it.each(["SIGKILL", "SIGHUP"] as const)(
    "by %s leaves no process of a program without an end",
    async (signal) => {
      const p = await projects().project(`${noted}${endless}\n`);
      const child = started(p, ["validate"]);
      for (let tries = 0; tries < 400 && !existsSync(join(p.folder, "pid")); tries += 1) await setTimeout(50);
      await setTimeout(300);
      expect(isAlive(pidOf(p))).toBe(true);
      child.kill(signal);
      await once(child, "close");
      expect(await gone(pidOf(p))).toBe(true);
    },
  );

  it("by a kill of the program's process ends with what it was, and the next goes on", async () => {
    const p = await projects().project(`${noted}${zoneOf(...many)}\n${lasting}\n`);
    const child = started(p, up);
    let said = "";
    hear(child, (text) => {
      said += text;
      if (said.includes("created")) killNow(pidOf(p));
    });
    const [code] = await once(child, "close");
    expect(said).toMatch(/ended by SIGKILL/);
    expect(code).toBe(1);
    p.write(zoneOf(...many));
    await p.succeed(...up);
    expect(recordNames(p)).toEqual([...many].sort());
  });
}

/** Runs `validate` of a program that notes its process and then lasts, and ends it by Ctrl-C. */
export async function interrupted(p: TestProject): Promise<{ code: number; said: string }> {
  const child = started(p, ["validate"]);
  let said = "";
  hear(child, (text) => {
    said += text;
  });
  const ended = once(child, "close");
  for (let tries = 0; tries < 400 && !existsSync(join(p.folder, "pid")); tries += 1) await setTimeout(50);
  await setTimeout(500);
  // As a terminal does it: the signal goes to the whole group of what runs in front.
  process.kill(-child.pid!, "SIGINT");
  const [code] = await ended;
  expect(await gone(pidOf(p))).toBe(true);
  expect(leftovers(p.emulator)).toEqual({});
  return { code: Number(code), said };
}

/** A command as the first of a group of its own. */
function started(p: TestProject, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [plumbline, ...args], {
    ...{ cwd: p.folder, env: p.env, stdio: ["ignore", "pipe", "pipe"], detached: true },
  });
}

function hear(child: ChildProcess, listener: (text: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", listener);
}

const pidOf = (p: TestProject) => Number(readFileSync(join(p.folder, "pid"), "utf8"));

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 200 && isAlive(pid); tries += 1) await setTimeout(50);
  return !isAlive(pid);
}
