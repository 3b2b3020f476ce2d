/** Programs in Python that do not come to their end. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kept } from "../e2e/account.ts";
import { python } from "../e2e/python.ts";
import { interrupted, judgesEarnest, judgesKills, judgesStack, recordNames } from "./ends-judge.ts";
import { openPythonProjects, type Projects, pythonZoneOf as zoneOf } from "./project.ts";

let projects: Projects;
beforeAll(() => {
  if (python) projects = openPythonProjects();
}, 60_000);
afterAll(() => projects?.close());

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

/** Begins what is to declare two of the records, and fails. */
const lost = (begin: string) => `import asyncio, threading, time
${zoneOf("a")}
def fail(*_):
    raise ValueError("no luck")
async def declare():
    fail()
async def forever():
    await asyncio.sleep(60)
${begin}
`;
const noLuck = /nobody waited.*__main__\.py", line \d+, in fail.*ValueError: no luck/s;

const noted =
  'import os, signal, sys, time\nwith open("pid", "w") as file:\n    file.write(str(os.getpid()))\n';

const texts = {
  ...{ zoneOf, noted, nothing: 'pulumi.export("done", True)' },
  ends: [
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
    ["a task that fails, and nobody waits for", lost("asyncio.create_task(declare())"), noLuck],
    ["tasks that fail together", lost("asyncio.gather(declare(), declare())"), noLuck],
    [
      "a task that fails and is kept, while others go on",
      lost("kept = asyncio.ensure_future(declare())\npulumi.export('x', asyncio.sleep(0.5))"),
      noLuck,
    ],
    [
      "a future that is given a failure",
      cut('asyncio.get_event_loop().create_future().set_exception(ValueError("no luck"))'),
      /nobody waited.*ValueError: no luck/s,
    ],
    ["a failure in what is called soon", lost("asyncio.get_event_loop().call_soon(fail)"), noLuck],
    [
      "a failure in what is called after a task",
      lost("asyncio.ensure_future(asyncio.sleep(0)).add_done_callback(fail)"),
      noLuck,
    ],
    [
      "a failure in an executor's thread",
      lost("asyncio.get_event_loop().run_in_executor(None, lambda: (time.sleep(0.5), fail()))"),
      noLuck,
    ],
    [
      "a failure in a thread of an executor of its own",
      lost(
        "from concurrent.futures import ThreadPoolExecutor\nkept = asyncio.get_event_loop().run_in_executor(ThreadPoolExecutor(1), lambda: (time.sleep(1), fail()))",
      ),
      noLuck,
    ],
    [
      "a failure in a thread of its own",
      lost("t = threading.Thread(target=fail)\nt.start()\nt.join()"),
      noLuck,
    ],
    [
      "a failure in a thread after its end",
      lost("threading.Timer(1, fail).start()"),
      /in fail.*no luck.*exit code 1/s,
    ],
    [
      "what a thread wants of it after its end",
      lost(
        "loop = asyncio.get_event_loop()\nthreading.Timer(1, lambda: loop.call_soon_threadsafe(fail)).start()",
      ),
      /planned for later: wait for fail.*exit code 1/s,
    ],
    [
      "a task that a thread begins after its end",
      lost(
        "loop = asyncio.get_event_loop()\nthreading.Timer(1, lambda: asyncio.run_coroutine_threadsafe(declare(), loop)).start()",
      ),
      /without waiting.*await declare.*exit code 1/s,
    ],
    [
      "what it wanted to do later",
      lost("asyncio.get_event_loop().call_later(60, fail)"),
      /before what it had planned for later: wait for fail \(.*__main__\.py:\d+\)/,
    ],
    [
      "a task within another that nobody waits for",
      lost("asyncio.ensure_future(asyncio.wait_for(forever(), 60))"),
      /without waiting.*forever \(.*__main__\.py:\d+\)/,
    ],
    [
      "a coroutine that it never awaits",
      lost("declare()"),
      /without waiting.*: await declare \(.*__main__\.py:\d+\)/,
    ],
    [
      "a coroutine that it keeps, and never awaits",
      lost("kept = [declare()]"),
      /without waiting.*: await declare \(.*__main__\.py:\d+\)/,
    ],
    ["an error that it logs", `${zoneOf("a")}pulumi.log.error("all wrong")`, /all wrong/],
    ["an error that it logs of a resource", `${zoneOf("a")}pulumi.log.error("all wrong", zone)`, /all wrong/],
    ["a fault in its text", "a = = 1", /__main__\.py", line \d+.*SyntaxError/s],
    ["a package that it has not", "import left_pad_of_nobody", /No module named 'left_pad_of_nobody'/],
  ],
  stops: [
    ["an exception", 'raise ValueError("no such luck")'],
    ["sys.exit(0)", "sys.exit(0)"],
    ["os._exit(0)", "os._exit(0)"],
    ["a signal", "os.kill(os.getpid(), signal.SIGKILL)"],
  ],
  stopping: (stop: string) => `import asyncio, os, signal, sys
${zoneOf("b")}
async def stop(_):
    await asyncio.sleep(1)
    ${stop}
if not pulumi.runtime.is_dry_run():
    pulumi.export("stopped", zone.id.apply(stop))
`,
  endless: "import threading\nthreading.Thread(target=time.sleep, args=(600,)).start()\nwhile True: pass",
  lasting: "if not pulumi.runtime.is_dry_run():\n    zone.id.apply(lambda _: time.sleep(60))",
} as const;

describe.skipIf(!python)("a stack of three records", { timeout: 60_000 }, () =>
  judgesStack(() => projects, texts),
);

describe.skipIf(!python)("an end that only comes when it is done in earnest", { timeout: 60_000 }, () => {
  judgesEarnest(() => projects, texts);

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
  judgesKills(() => projects, texts);

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
