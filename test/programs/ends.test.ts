/** Programs that do not come to their end: nothing that is declared is deleted, and none is taken for one that declares nothing. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../provider/machine/process.ts";
import { kept, leftovers, writes } from "../e2e/account.ts";
import { killNow } from "../kill.ts";
import { openNodeProjects, type TestProject, zoneOf } from "./project.ts";

const projects = openNodeProjects();
afterAll(() => projects.close());

const plumbline = join(import.meta.dirname, "../../bin/plumbline");

const recordNames = (p: TestProject) =>
  kept(p.emulator, "domain_records")
    .map(({ name }) => String(name))
    .sort();

/** Only what comes before `stop` is declared. */
const cut = (stop: string) => `${zoneOf("a")}\n${stop}\n${zoneOf("b", "c").split("\n").slice(2).join("\n")}`;

describe("a stack of three records", { timeout: 60_000 }, () => {
  let p: TestProject;
  beforeAll(async () => {
    p = await projects.project(zoneOf("a", "b", "c"));
    await p.succeed("up", "-y", "--skip-preview");
    expect(recordNames(p)).toEqual(["a", "b", "c"]);
  }, 60_000);

  it.each([
    ["an exception", cut('throw new Error("no such luck");'), /no such luck/],
    ["a rejection that nobody handles", cut('Promise.reject(new Error("no such luck"));'), /no such luck/],
    ["process.exit(0)", cut("process.exit(0);"), /still active|before it was done/],
    ["process.exit(0) before anything", "process.exit(0);", /still active|before it was done/],
    [
      "process.exit(0) once all has begun",
      `${zoneOf("a")}setTimeout(() => process.exit(0), 300);`,
      /before it was/,
    ],
    ["process.exit(3)", cut("process.exit(3);"), /exit code 3/],
    ["its own end by a signal", cut('process.kill(process.pid, "SIGKILL");'), /ended by SIGKILL/],
    [
      "an input that never comes",
      `${zoneOf("a")}new plumbline.dns.Record("b", { domainId: new Promise(() => {}), type: "A", target: "203.0.113.1" });`,
      /still active/,
    ],
    [
      "outputs that never come",
      `module.exports = async () => {\n${zoneOf("a")}\nawait new Promise(() => {});\n};`,
      /before it was done|still active/,
    ],
    ["an error that it logs", `${zoneOf("a")}pulumi.log.error("all wrong");`, /all wrong/],
    ["a fault in its text", "const a = ;", /SyntaxError|Unexpected token/],
    ["a package that it has not", 'require("left-pad-of-nobody");', /left-pad-of-nobody/],
  ])("is left as it is by %s", async (_, source, told) => {
    const before = writes(p.emulator);
    p.write(source);
    const { code, said } = await p.run("up", "-y", "--skip-preview");
    expect(said).toMatch(told);
    expect(code).toBe(1);
    expect(writes(p.emulator)).toEqual(before);
  });

  it("is deleted by a program that comes to its end and declares nothing", async () => {
    p.write("exports.done = true;");
    expect(await p.succeed("preview")).toContain("4 to delete");
  });
});

describe("an end that only comes when it is done in earnest", { timeout: 60_000 }, () => {
  it.each([
    ["an exception", 'throw new Error("no such luck");'],
    ["process.exit(0)", "process.exit(0);"],
    ["a signal", 'process.kill(process.pid, "SIGKILL");'],
  ])("of %s: what was made stays, what was there stays, and the next run goes on", async (_, stop) => {
    const p = await projects.project(zoneOf("a"));
    await p.succeed("up", "-y", "--skip-preview");
    p.write(
      `${zoneOf("b")}\nif (!pulumi.runtime.isDryRun()) zone.id.apply(() => setTimeout(() => { ${stop} }, 1000));`,
    );
    const { code } = await p.run("up", "-y", "--skip-preview");
    expect(code).toBe(1);
    // The old one was to go last.
    expect(recordNames(p)).toContain("a");
    p.write(zoneOf("b"));
    await p.succeed("up", "-y", "--skip-preview");
    expect(recordNames(p)).toEqual(["b"]);
  });
});

describe("a run that is ended from outside", { timeout: 90_000 }, () => {
  const many = Array.from({ length: 20 }, (_, at) => `r${at}`);
  const noted = `require("node:fs").writeFileSync(require("node:path").join(__dirname, "pid"), String(process.pid));\n`;

  const pidOf = (p: TestProject) => Number(readFileSync(join(p.folder, "pid"), "utf8"));

  async function gone(pid: number): Promise<boolean> {
    for (let tries = 0; tries < 200 && isAlive(pid); tries += 1) await setTimeout(50);
    return !isAlive(pid);
  }

  it.each([1, 4, 12])("by a kill after %i steps leaves no process, and the next goes on", async (after) => {
    const p = await projects.project(`${noted}${zoneOf(...many)}`);
    const child = spawn(process.execPath, [plumbline, "up", "-y", "--skip-preview"], {
      ...{ cwd: p.folder, env: p.env, stdio: ["ignore", "pipe", "ignore"] },
    });
    let steps = 0;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      steps += text.split("created").length - 1;
      if (steps >= after) killNow(child.pid!);
    });
    await once(child, "close");
    expect(await gone(pidOf(p))).toBe(true);
    await p.succeed("up", "-y", "--skip-preview");
    expect(recordNames(p)).toEqual([...many].sort());
    expect(await p.succeed("preview")).toContain("21 unchanged");
  });

  it("by a kill of the program's process ends with what it was, and the next goes on", async () => {
    const p = await projects.project(
      `${noted}${zoneOf(...many)}\nif (!pulumi.runtime.isDryRun()) setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, [plumbline, "up", "-y", "--skip-preview"], {
      ...{ cwd: p.folder, env: p.env, stdio: ["ignore", "pipe", "pipe"] },
    });
    let said = "";
    const hear = (text: string) => {
      said += text;
      if (said.includes("created")) killNow(pidOf(p));
    };
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
    const [code] = await once(child, "close");
    expect(said).toMatch(/ended by SIGKILL/);
    expect(code).toBe(1);
    p.write(zoneOf(...many));
    await p.succeed("up", "-y", "--skip-preview");
    expect(recordNames(p)).toEqual([...many].sort());
  });

  it("by Ctrl-C in a terminal reaches the program once, and is an interruption", async () => {
    const p = await projects.project(
      `${noted}process.on("SIGINT", () => { require("node:fs").appendFileSync(__dirname + "/signals", "x"); setTimeout(() => process.exit(1), 300); });
${zoneOf("a")}
setInterval(() => {}, 1000);
console.log("waiting");`,
    );
    // As a terminal does it: the signal goes to the whole group of what runs in front.
    const child = spawn(process.execPath, [plumbline, "validate"], {
      ...{ cwd: p.folder, env: p.env, stdio: ["ignore", "pipe", "pipe"], detached: true },
    });
    const ended = once(child, "close");
    for (let tries = 0; tries < 400 && !existsSync(join(p.folder, "pid")); tries += 1) await setTimeout(50);
    await setTimeout(500);
    process.kill(-child.pid!, "SIGINT");
    const [code] = await ended;
    expect(code).toBe(130);
    expect(readFileSync(join(p.folder, "signals"), "utf8")).toBe("x");
    expect(await gone(pidOf(p))).toBe(true);
    expect(leftovers(p.emulator)).toEqual({});
  });
});
