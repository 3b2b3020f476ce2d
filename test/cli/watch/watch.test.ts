/** `plumbline watch` as a process beside people who change files and the account: what it does then, what it never does, and how it ends. */

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FilesOptions, filesOf } from "../../../provider/cli/watch/files.ts";
import { killNow } from "../../kill.ts";
import { type Desk, openDesk } from "../plumbline.ts";
import { watching } from "./watching.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

let count = 0;
/** Each test has a project of its own: a state of another one is never met. */
let project = "";
beforeEach(() => {
  desk.emulator.reset();
  project = `watched${++count}`;
});

const domain = (name: string, ttl = 300) =>
  `  ${name}: { type: "plumbline:dns:Domain", properties: { domain: ${name}.example, type: master, soaEmail: a@a.example, ttlSec: ${ttl} } }`;
const text = (...resources: string[]) =>
  `name: ${project}\nruntime: yaml\n${resources.length > 0 ? `resources:\n${resources.join("\n")}\n` : ""}`;
/** As an editor saves: the old file or the new one. */
function declare(...resources: string[]): void {
  desk.write("Pulumi.yaml.new", text(...resources));
  renameSync(join(desk.folder, "Pulumi.yaml.new"), join(desk.folder, "Pulumi.yaml"));
}

type Found = { id: number; domain: string; ttl_sec: number };
async function onAccount(): Promise<Found[]> {
  const { data } = await desk.api("GET", "/domains");
  return data as unknown as Found[];
}
const names = async () => (await onAccount()).map((each) => each.domain).sort();

/** The processes that a process has begun. */
const childrenOf = (pid: number): number[] =>
  readdirSync("/proc").flatMap((name) => {
    // A process may end between the two looks.
    const status = /^\d+$/.test(name) ? ended(() => readFileSync(`/proc/${name}/status`, "utf8")) : "";
    return new RegExp(`^PPid:\\s+${pid}$`, "m").test(status) ? [Number(name)] : [];
  });

function ended(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

const held = (method: string, path: string) => [
  { method, path, do: "delay" as const, seconds: 1.5, times: 1 },
];
/** Resolves once the service has this request. */
async function asked(operation: string): Promise<void> {
  while (!desk.emulator.stats().requests[operation]) await setTimeout(20);
}

describe("watch", { timeout: 60_000 }, () => {
  it("applies at the start and at each change, puts drift right on the interval, and ends with 0 on SIGTERM", async () => {
    declare(domain("one"));
    const watch = watching(desk);
    expect((await watch.next("step")).message).toBe("created plumbline:dns:Domain one");
    expect(await watch.next("succeeded")).toMatchObject({ reason: "start", summary: { create: 1 } });
    declare(domain("one"), domain("two"));
    await watch.next("changed");
    expect(await watch.next("succeeded")).toMatchObject({
      reason: "change",
      summary: { create: 1, same: 1 },
    });
    expect(await names()).toEqual(["one.example", "two.example"]);
    const [one] = await onAccount();
    await desk.api("PUT", `/domains/${one!.id}`, { ttl_sec: 3600 });
    expect(await watch.next("step")).toMatchObject({ step: { op: "update", name: "one" } });
    expect(await watch.next("succeeded")).toMatchObject({ reason: "interval" });
    expect((await onAccount())[0]!.ttl_sec).toBe(300);
    declare(domain("two"));
    expect(await watch.next("step")).toMatchObject({ step: { op: "delete", name: "one" } });
    await watch.next("succeeded");
    expect(await names()).toEqual(["two.example"]);
    expect(await watch.end()).toBe(0);
    expect(watch.lines().at(-1)).toMatchObject({ event: "ended" });
  });

  it("tells of a file that is broken, empty or gone, deletes nothing, and goes on when it is whole", async () => {
    declare(domain("one"));
    const watch = watching(desk);
    await watch.next("succeeded");
    for (const [broken, said] of [
      [`${text(domain("one"))}  two: [`, "Pulumi.yaml:"],
      ["", "the stack file is empty"],
      [`${text()}resources: { one: { type: "plumbline:dns:Domain" `, "Pulumi.yaml:"],
    ] as const) {
      desk.write("Pulumi.yaml", broken);
      await watch.next("changed");
      expect((await watch.next("failed")).message).toContain(said);
      expect(await names()).toEqual(["one.example"]);
    }
    renameSync(join(desk.folder, "Pulumi.yaml"), join(desk.folder, "aside.yaml"));
    await watch.next("changed");
    expect((await watch.next("failed")).message).toContain("there is no Pulumi.yaml");
    expect(await names()).toEqual(["one.example"]);
    declare(domain("one"), domain("two"));
    await watch.next("succeeded");
    expect(await names()).toEqual(["one.example", "two.example"]);
  });

  it("reads no file while it is written, however long its writer takes between two lines", async () => {
    declare(domain("one"), domain("two"));
    const watch = watching(desk, ["--poll", "500ms"]);
    await watch.next("succeeded");
    const lines = text(domain("one"), domain("two"), domain("three")).split("\n");
    for (let end = 3; end <= lines.length; end += 1) {
      desk.write("Pulumi.yaml", lines.slice(0, end).join("\n"));
      await setTimeout(250);
    }
    expect(await watch.next("changed")).toBeDefined();
    expect(await watch.next("succeeded")).toMatchObject({ summary: { create: 1, delete: 0 } });
    const deleted = Object.keys(desk.emulator.stats().requests).filter((each) => each.startsWith("DELETE"));
    expect(deleted).toEqual([]);
  });

  it("stops at a guard, tells it once, and asks the service nothing until the declaration changes", async () => {
    declare(domain("one"), domain("two"));
    const watch = watching(desk, ["--listen", "0"]);
    const { url } = await watch.next("listening");
    await watch.next("succeeded");
    for (const { id } of await onAccount()) await desk.api("DELETE", `/domains/${id}`);
    expect(await watch.next("guarded")).toMatchObject({ code: "PLB-GONE" });
    const before = desk.emulator.stats().total;
    await setTimeout(2500);
    expect(desk.emulator.stats().total).toBe(before);
    expect(watch.lines().filter(({ event }) => event === "guarded")).toHaveLength(1);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { condition: "guarded" }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    declare(domain("one"), domain("two", 3600));
    expect(await watch.next("guarded")).toMatchObject({ code: "PLB-GONE", reason: "change" });
    expect(await watch.end()).toBe(0);
    const forced = watching(desk, ["--allow-gone"]);
    expect(await forced.next("succeeded")).toMatchObject({ summary: { create: 2 } });
  });

  it("is held to policies, and goes on when one of their modules lets it", async () => {
    const module = (answer: string) =>
      desk.write("rule.js", `export default { name: "closed", check: () => [${answer}] };`);
    module('"not today"');
    desk.write("outside.yaml", "modules: [rule.js]\n");
    desk.write(
      "Pulumi.yaml",
      `name: ${project}\nruntime: yaml\npolicies: { modules: [rule.js] }\nresources:\n${domain("one")}\n`,
    );
    const watch = watching(desk);
    expect(await watch.next("guarded")).toMatchObject({ code: "PLB-POLICY" });
    expect(await names()).toEqual([]);
    module("");
    expect(await watch.next("succeeded")).toMatchObject({ reason: "change", summary: { create: 1 } });
    expect(await watch.end()).toBe(0);
    module('"not today"');
    declare(domain("one"), domain("two"));
    expect(await watching(desk, ["--policies", "outside.yaml"]).next("guarded")).toMatchObject({
      code: "PLB-POLICY",
    });
  });

  it("tries again after a failure, later each time but never later than the interval, and says no secret", async () => {
    declare(domain("one"));
    desk.emulator.setFaults([{ method: "POST", path: "/domains", do: "status", status: 400, times: 3 }]);
    const watch = watching(desk, ["--interval", "2s"], { PLUMBLINE_TOKEN: "a-very-secret-token" });
    for (let failure = 1; failure <= 3; failure++) {
      const { again } = await watch.next("failed");
      expect(again).toBeGreaterThanOrEqual(1);
      expect(again).toBeLessThanOrEqual(2);
    }
    expect(await watch.next("succeeded")).toMatchObject({ reason: "retry" });
    expect(await names()).toEqual(["one.example"]);
    expect(watch.text()).not.toContain("a-very-secret-token");
  });

  it("waits for another run's lock, tells it once, and goes on when it is gone", async () => {
    declare(domain("one"));
    await desk.run(["up", "-y"]);
    const owner = { user: "eve", host: `not-${hostname()}`, pid: 7, since: "2026-01-01T00:00:00Z" };
    const lock = join(desk.folder, ".plumbline/stacks", project, "dev.lock");
    writeFileSync(lock, JSON.stringify({ ...owner, operation: "up", nonce: "1" }));
    declare(domain("one"), domain("two"));
    const watch = watching(desk);
    expect((await watch.next("locked")).message).toContain("eve on not-");
    await setTimeout(2500);
    expect(watch.lines().filter(({ event }) => event !== "watching")).toHaveLength(1);
    expect((await desk.run(["stack", "unlock", "--force"])).code).toBe(0);
    expect(await watch.next("succeeded")).toMatchObject({ reason: "lock" });
    expect(await names()).toEqual(["one.example", "two.example"]);
  });

  it("ends what is under way when it is told to end, and the next one goes on", async () => {
    declare(domain("one"), domain("two"), domain("three"));
    desk.emulator.setFaults(held("POST", "/domains"));
    const watch = watching(desk, ["--parallel", "1"]);
    await asked("POST /domains");
    expect(await watch.end()).toBe(0);
    const made = await names();
    expect(made).toHaveLength(1);
    const { stdout } = await desk.run(["state", "list"]);
    expect(stdout.match(/dns:Domain/g)).toHaveLength(1);
    const next = watching(desk);
    expect(await next.next("succeeded")).toMatchObject({ summary: { create: 2, same: 1 } });
    expect(await names()).toEqual(["one.example", "three.example", "two.example"]);
  });

  it("a second signal stops at once, with 130, and the next one finds what was under way", async () => {
    declare(domain("one"));
    desk.emulator.setFaults(held("POST", "/domains"));
    const watch = watching(desk);
    await asked("POST /domains");
    watch.child.kill("SIGINT");
    await setTimeout(200);
    expect(await watch.end("SIGINT")).toBe(130);
    const next = watching(desk);
    await next.next("succeeded");
    expect(await names()).toEqual(["one.example"]);
  });

  it("after a kill at any point the next one goes on, and nothing is made twice", async () => {
    declare(domain("one"), domain("two"), domain("three"));
    for (const operation of ["GET /domains", "POST /domains"]) {
      desk.emulator.setFaults(held("POST", "/domains"));
      const killed = watching(desk, ["--parallel", "1"]);
      await asked(operation);
      await killed.end("SIGKILL");
    }
    const next = watching(desk);
    await next.next("succeeded");
    expect(await names()).toEqual(["one.example", "three.example", "two.example"]);
  });

  it("after a machine that went away at any moment, again and again, all is made, and nothing twice", async () => {
    const all = ["five", "four", "one", "three", "two"];
    declare(...all.map((name) => domain(name)));
    desk.emulator.setFaults([{ method: "POST", path: "/domains", do: "delay", seconds: 0.2, times: 1000 }]);
    for (const moment of fc.sample(fc.integer({ min: 0, max: 1500 }), 6)) {
      const watch = watching(desk, ["--parallel", "1"]);
      let run: number[] = [];
      while (run.length === 0) {
        await setTimeout(50);
        run = childrenOf(watch.child.pid!);
      }
      await setTimeout(moment);
      await watch.end("SIGKILL");
      for (const pid of run) killNow(pid);
    }
    const last = watching(desk);
    await last.next("succeeded");
    expect(await names()).toEqual(all.map((name) => `${name}.example`));
    expect((await desk.run(["preview", "--refresh", "--expect-no-changes"])).code).toBe(0);
  });

  it("watches policies from outside, and not what runs change themselves among the sources of a program", async () => {
    desk.write("rules.yaml", "rules:\n  ttl-bounds: { level: mandatory, min: 300, max: 3600 }\n");
    declare(domain("one", 7200));
    const watch = watching(desk, ["--policies", "rules.yaml"]);
    await watch.next("guarded");
    desk.write("rules.yaml", "rules:\n  ttl-bounds: { level: mandatory, min: 300, max: 9000 }\n");
    await watch.next("succeeded");
    expect(await names()).toEqual(["one.example"]);
    const look = (files: Partial<FilesOptions>) =>
      filesOf({
        ...{
          file: join(desk.folder, "program", "Pulumi.yaml"),
          stack: "dev",
          words: [],
          also: [],
          apart: [],
        },
        ...{ poll: 1, signal: new AbortController().signal, ...files },
      }).look();
    mkdirSync(join(desk.folder, "program/.plumbline"), { recursive: true });
    mkdirSync(join(desk.folder, "program/node_modules"));
    desk.write("program/Pulumi.yaml", "name: program\nruntime: nodejs\n");
    const apart = [join(desk.folder, "program/account.json")];
    const before = await look({ apart });
    for (const name of ["account.json", ".plumbline/x.json", "node_modules/x.js", "watch.log"])
      desk.write(`program/${name}`, "{}");
    expect(await look({ apart })).toBe(before);
    desk.write("program/index.ts", "export {};");
    expect(await look({ apart })).not.toBe(before);
  });

  it("is told to end while nothing is under way, and ends at once", async () => {
    declare(domain("one"));
    const watch = watching(desk, ["--interval", "1h"]);
    await watch.next("succeeded");
    const begun = performance.now();
    expect(await watch.end("SIGHUP")).toBe(0);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it("serves figures that Prometheus reads, on this machine alone, and no value of any resource", async () => {
    declare(domain("one"));
    const watch = watching(desk, ["--listen", "0"]);
    const { url } = (await watch.next("listening")) as unknown as { url: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await watch.next("succeeded");
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^plumbline_watch_runs_total\{result="succeeded",stack="dev"\} 1$/m);
    expect(metrics).toMatch(/^plumbline_watch_changes_total\{op="create",stack="dev"\} 1$/m);
    expect(metrics).toMatch(/^plumbline_watch_requests_total\{method="POST",stack="dev"\} 1$/m);
    expect(metrics).toMatch(/^plumbline_watch_in_order\{stack="dev"\} 1$/m);
    expect(metrics).toMatch(/^process_cpu_seconds_total/m);
    expect(metrics).not.toContain("one.example");
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(404);
  });

  it("watches what the file names, and not what happens to lie beside it", async () => {
    desk.write("email.txt", "a@a.example");
    const record = `  one: { type: "plumbline:dns:Domain", properties: { domain: one.example, type: master, soaEmail: { "fn::readFile": ./email.txt } } }`;
    declare(record);
    const watch = watching(desk, ["--interval", "1h"]);
    await watch.next("succeeded");
    desk.write("watch.log", "something else");
    await setTimeout(1000);
    expect(watch.lines().filter(({ event }) => event === "changed")).toEqual([]);
    desk.write("email.txt", "b@b.example");
    await watch.next("changed");
    expect(await watch.next("succeeded")).toMatchObject({ summary: { update: 1 } });
  });
});

it.each([
  [["--interval", "soon"], "--interval needs a duration"],
  [["--interval", "0s"], "--interval needs a duration"],
  [["--poll", "200h"], "--poll needs a duration"],
  [["--ref", "main"], "--ref goes with --git"],
  [["--checkout", "here"], "--checkout goes with --git"],
  [["--listen", "here"], "--listen needs PORT or HOST:PORT"],
  [["--listen", "70000"], "--listen needs PORT or HOST:PORT"],
  [["--emulator"], "--emulator=FILE"],
  [["--git", "https://me:word@git.example/infra.git"], "no user, password or token in the address"],
  [["--git", "https://a-token@git.example/infra.git"], "no user, password or token in the address"],
  [["--git", "https://me:wo/rd@git.example/infra.git"], "no user, password or token in the address"],
  [["--git", "ssh://me:word@git.example/infra.git"], "no user, password or token in the address"],
  [["--git", "ext::sh -c true"], "not the name of a helper"],
  [["--git", "--upload-pack=true"], "is no address of a repository"],
  [["--git", "https://git.example/infra.git", "--ref", "--all"], "is no name of a branch"],
  [["--git", "https://git.example/infra.git", "-f", "../Pulumi.yaml"], "a path within the repository"],
])("%j is refused before anything is done", async (args, said) => {
  const ran = await desk.run(["watch", ...args]);
  expect([ran.code, ran.stdout]).toEqual([1, ""]);
  expect(ran.stderr).toContain(said);
  expect(ran.stderr).not.toContain("me:word");
});

it("a port that is taken is refused before anything is done", async () => {
  declare(domain("one"));
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => taken.once("listening", done));
  const { port } = taken.address() as { port: number };
  const ran = await desk.run(["watch", "--listen", String(port)]);
  taken.close();
  expect([ran.code, ran.text]).toEqual([1, expect.stringContaining("EADDRINUSE")]);
  expect(await names()).toEqual([]);
});
