/** Programs in Python that do not come to their end: nothing that is declared is deleted, and none is taken for one that declares nothing. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../provider/machine/process.ts";
import { kept, leftovers, writes } from "../e2e/account.ts";
import { python } from "../e2e/python.ts";
import { killNow } from "../kill.ts";
import { openPythonProjects, type TestProject, pythonZoneOf as zoneOf } from "./project.ts";

let projects: ReturnType<typeof openPythonProjects>;
beforeAll(() => {
  if (python) projects = openPythonProjects();
}, 60_000);
afterAll(() => projects?.close());

const plumbline = join(import.meta.dirname, "../../bin/plumbline");

const recordNames = (p: TestProject) =>
  kept(p.emulator, "domain_records")
    .map(({ name }) => String(name))
    .sort();

/** Only what comes before `stop` is declared. */
const cut = (stop: string) =>
  `import asyncio, os, signal, sys\n${zoneOf("a")}\n${stop}\n${zoneOf("b", "c").split("\n").slice(2).join("\n")}`;
/** Done in a callback, when the zone's id is known. */
const later = (stop: string) => `import os, signal, sys
${zoneOf("a")}
def stop(_):
    ${stop}
zone.id.apply(stop)
`;

describe.skipIf(!python)("a stack of three records", { timeout: 60_000 }, () => {
  let p: TestProject;
  beforeAll(async () => {
    p = await projects.project(zoneOf("a", "b", "c"));
    await p.succeed("up", "-y", "--skip-preview");
    expect(recordNames(p)).toEqual(["a", "b", "c"]);
  }, 60_000);

  it.each([
    ["an exception", cut('raise ValueError("no such luck")'), /__main__\.py", line \d+.*no such luck/s],
    [
      "an exception in a callback",
      later('raise ValueError("no such luck")'),
      /line \d+, in stop.*no such luck/s,
    ],
    ["an error of Pulumi's own kind", cut('raise pulumi.RunError("no such luck")'), /error: no such luck/],
    [
      "an argument that it has not",
      cut('dns.Domain("d", domian="shop.example")'),
      /unexpected keyword argument/,
    ],
    ["sys.exit()", cut("sys.exit()"), /before it was done/],
    ["sys.exit(0) before anything", "import sys; sys.exit(0)", /before it was done/],
    ["sys.exit(0) in a callback", later("sys.exit(0)"), /before it was done/],
    ["sys.exit(3)", cut("sys.exit(3)"), /exit code 3/],
    ["sys.exit with a reason", cut('sys.exit("no such luck")'), /no such luck.*exit code 1/s],
    ["os._exit(0)", cut("os._exit(0)"), /before it was done/],
    ["os._exit(0) in a callback", later("os._exit(0)"), /before it was done/],
    ["its own end by a signal", cut("os.kill(os.getpid(), signal.SIGKILL)"), /ended by SIGKILL/],
    ["an interrupt of its own", cut("raise KeyboardInterrupt()"), /exit code 130/],
    [
      "a task that nobody waits for",
      `import asyncio
${zoneOf("a")}
async def rest():
    await asyncio.sleep(5)
    dns.Record("b", domain_id=zone.id, type="A", name="b", target="203.0.113.10")
asyncio.ensure_future(rest())
`,
      /without waiting.*rest \(.*__main__\.py:\d+\)/,
    ],
    ["an error that it logs", `${zoneOf("a")}pulumi.log.error("all wrong")`, /all wrong/],
    ["an error that it logs of a resource", `${zoneOf("a")}pulumi.log.error("all wrong", zone)`, /all wrong/],
    ["a fault in its text", "a = = 1", /__main__\.py", line \d+.*SyntaxError/s],
    ["a package that it has not", "import left_pad_of_nobody", /No module named 'left_pad_of_nobody'/],
  ])("is left as it is by %s", async (_, source, told) => {
    const before = writes(p.emulator);
    p.write(source);
    const { code, said } = await p.run("up", "-y", "--skip-preview");
    expect(said).toMatch(told);
    expect(code).toBe(1);
    expect(writes(p.emulator)).toEqual(before);
  });

  it("is deleted by a program that comes to its end and declares nothing", async () => {
    p.write('pulumi.export("done", True)');
    expect(await p.succeed("preview")).toContain("4 to delete");
  });
});

describe.skipIf(!python)("an end that only comes when it is done in earnest", { timeout: 60_000 }, () => {
  it.each([
    ["an exception", 'raise ValueError("no such luck")'],
    ["sys.exit(0)", "sys.exit(0)"],
    ["os._exit(0)", "os._exit(0)"],
    ["a signal", "os.kill(os.getpid(), signal.SIGKILL)"],
  ])("of %s: what was made stays, what was there stays, and the next run goes on", async (_, stop) => {
    const p = await projects.project(zoneOf("a"));
    await p.succeed("up", "-y", "--skip-preview");
    p.write(`import asyncio, os, signal, sys
${zoneOf("b")}
async def stop(_):
    await asyncio.sleep(1)
    ${stop}
if not pulumi.runtime.is_dry_run():
    pulumi.export("stopped", zone.id.apply(stop))
`);
    const { code } = await p.run("up", "-y", "--skip-preview");
    expect(code).toBe(1);
    // The old one was to go last.
    expect(recordNames(p)).toContain("a");
    p.write(zoneOf("b"));
    await p.succeed("up", "-y", "--skip-preview");
    expect(recordNames(p)).toEqual(["b"]);
  });

  it("of a resource: those that need it are left out, the others are made, and no callback is told", async () => {
    const p = await projects.project(`${zoneOf("www")}
net = vpc.Vpc("net", label="net", region="us-east")
vpc.Subnet("lost", vpc_id=net.id, label="lost", ipv4="10.0.1.0/24")
net.id.apply(lambda id: print("known as", id))
`);
    p.emulator.setFaults([{ method: "POST", path: "/vpcs", do: "status", status: 400 }]);
    const { code, said } = await p.run("up", "-y", "--skip-preview");
    expect(code).toBe(1);
    expect(said).not.toContain("known as");
    expect(recordNames(p)).toEqual(["www"]);
    expect(kept(p.emulator, "vpcs")).toEqual([]);
    p.emulator.setFaults([]);
    expect(await p.succeed("up", "-y", "--skip-preview")).toMatch(
      /known as \d+[\s\S]*2 created, 2 unchanged/,
    );
  });
});

describe.skipIf(!python)("a run that is ended from outside", { timeout: 90_000 }, () => {
  const many = Array.from({ length: 20 }, (_, at) => `r${at}`);
  const noted =
    'import os, signal, sys, time\nwith open("pid", "w") as file:\n    file.write(str(os.getpid()))\n';

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
    const p = await projects.project(`${noted}${zoneOf(...many)}
if not pulumi.runtime.is_dry_run():
    zone.id.apply(lambda _: time.sleep(60))
`);
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

  /** As a terminal does it: the signal goes to the whole group of what runs in front. */
  async function interrupted(p: TestProject): Promise<{ code: number; said: string }> {
    const child = spawn(process.execPath, [plumbline, "validate"], {
      ...{ cwd: p.folder, env: p.env, stdio: ["ignore", "pipe", "pipe"], detached: true },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    const ended = once(child, "close");
    for (let tries = 0; tries < 400 && !existsSync(join(p.folder, "pid")); tries += 1) await setTimeout(50);
    await setTimeout(500);
    process.kill(-child.pid!, "SIGINT");
    const [code] = await ended;
    expect(await gone(pidOf(p))).toBe(true);
    expect(leftovers(p.emulator)).toEqual({});
    return { code: Number(code), said };
  }

  it("by Ctrl-C in a terminal reaches the program once, and is an interruption", async () => {
    const p = await projects.project(`${noted}
def heard(*_):
    with open("signals", "a") as file:
        file.write("x")
    time.sleep(0.3)
    sys.exit(1)
signal.signal(signal.SIGINT, heard)
${zoneOf("a")}
time.sleep(60)
`);
    expect((await interrupted(p)).code).toBe(130);
    expect(readFileSync(join(p.folder, "signals"), "utf8")).toBe("x");
  });

  it("by Ctrl-C while it imports what it needs is an interruption without a word of Python's", async () => {
    const p = await projects.project(zoneOf("a"));
    mkdirSync(join(p.folder, "slow"));
    // Pulumi's package imports it.
    writeFileSync(join(p.folder, "slow", "semver.py"), `${noted}time.sleep(60)\n`);
    Object.assign(p.env, { PYTHONPATH: `${join(p.folder, "slow")}:${p.env["PYTHONPATH"]}` });
    const { code, said } = await interrupted(p);
    expect(code).toBe(130);
    expect(said).not.toMatch(/Traceback|KeyboardInterrupt/);
  });

  it.each([
    ["computes", "time.sleep(60)"],
    [
      "waits for something that never comes",
      'import asyncio\npulumi.export("never", asyncio.get_event_loop().create_future())',
    ],
  ])(
    "by Ctrl-C while it %s runs what it is to run at its end, without a word of Python's",
    async (_, wait) => {
      const p = await projects.project(`${noted}
import atexit
atexit.register(lambda: open("told", "w").close())
${zoneOf("a")}
${wait}
`);
      const { code, said } = await interrupted(p);
      expect(code).toBe(130);
      expect(said).not.toMatch(/Traceback|KeyboardInterrupt|Task was destroyed/);
      expect(existsSync(join(p.folder, "told"))).toBe(true);
    },
  );
});
