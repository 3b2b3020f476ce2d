/** How often a program runs for a command, and that what is left aside to make it quick is there when it is asked for. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { isAlive } from "../../provider/machine/process.ts";
import { killNow } from "../kill.ts";
import { openNodeProjects, type TestProject, zoneOf } from "./project.ts";

const projects = openNodeProjects();
afterAll(() => projects.close());

/** Notes each run in a file, `p` for one that only looks. */
const noting = `require("node:fs").appendFileSync(__dirname + "/runs", pulumi.runtime.isDryRun() ? "p" : "u");\n`;

function runsOf({ folder }: TestProject): string {
  const file = join(folder, "runs");
  const runs = readFileSync(file, "utf8");
  rmSync(file);
  return runs;
}

/** The outputs of the stack after a run that told its events. */
function outputsOf(told: string): unknown {
  const events = told.split("\n").filter((line) => line.startsWith("{"));
  return events.map((line) => JSON.parse(line)).findLast(({ event }) => event === "outputs").outputs;
}

describe("a program", { timeout: 120_000 }, () => {
  it("runs once to be previewed, and once more to be done", async () => {
    const p = await projects.project(`${noting}${zoneOf("a", "b")}`);
    await p.succeed("preview");
    expect(runsOf(p)).toBe("p");
    await p.succeed("up", "-y");
    expect(runsOf(p)).toBe("pu");
    await p.succeed("up", "-y");
    expect(runsOf(p)).toBe("pu");
    p.write(`${noting}${zoneOf("a", "b", "c")}`);
    await p.succeed("up", "-y");
    expect(runsOf(p)).toBe("pu");
    await p.succeed("up", "-y", "--skip-preview");
    expect(runsOf(p)).toBe("pu");
  });

  it("that asks for more than it declares runs twice to be previewed, as its answers are not known before", async () => {
    const asking = `${noting}${zoneOf("a")}exports.kinds = plumbline.dns.getDomainsOutput({}).domains.length;\n`;
    const p = await projects.project(asking);
    await p.succeed("up", "-y");
    expect(runsOf(p)).toBe("ppu");
    await p.succeed("up", "-y", "--skip-preview");
    expect(runsOf(p)).toBe("pu");
  });

  it("says a thousand things in no time", async () => {
    const p = await projects.project(`for (let n = 0; n < 1000; n += 1) pulumi.log.info("thing " + n);`);
    const begun = performance.now();
    const said = await p.succeed("preview");
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect(said.match(/thing \d+/g)).toEqual(Array.from({ length: 1000 }, (_, n) => `thing ${n}`));
  });

  it("sees its own arguments, and nothing of who started it", async () => {
    const p = await projects.project(`
const { fork } = require("node:child_process");
exports.argv = process.argv.slice(2);
exports.named = [pulumi.getProject(), pulumi.getStack(), pulumi.runtime.getOrganization?.() ?? "", pulumi.runtime.isDryRun()];
if (process.argv[2] !== "forked") {
  require("node:fs").writeFileSync(__dirname + "/child.js", "process.send(process.argv.slice(2)); setTimeout(() => process.exit(0), 50)");
  exports.forked = new Promise((done) => fork(__dirname + "/child.js", ["forked"]).once("message", done));
}
`);
    expect(outputsOf(await p.succeed("up", "-y", "--json"))).toMatchObject({
      argv: [],
      named: ["shop", "dev", expect.any(String), false],
      forked: ["forked"],
    });
  });

  it("has what the runtime loads later than by itself", async () => {
    const p = await projects.project(`
const { getFunctionLocationAsync } = require("@pulumi/pulumi/runtime/closure/v8");
exports.kinds = [typeof pulumi.automation.LocalWorkspace, pulumi.automation === require("@pulumi/pulumi/automation"), Object.keys(pulumi).includes("automation")];
exports.place = getFunctionLocationAsync(() => 42).then(({ file, line }) => [file === "file://" + __filename || file === __filename, line]);
exports.paths = pulumi.runtime.computeCodePaths().then((paths) => paths instanceof Map);
class Zone extends pulumi.ComponentResource { constructor(name) { super("shop:index:Zone", name); new plumbline.dns.Domain("zone", { domain: "shop.example", type: "nonsense", soaEmail: "a@shop.example" }, { parent: this }); } }
new Zone("all");
`);
    const { code, said } = await p.run("preview");
    expect(code).toBe(1);
    // Where it is declared, as ever.
    expect(said).toMatch(/index\.js:8:\d+/);
    p.write(
      readFileSync(join(p.folder, "index.js"), "utf8")
        .split("\n")
        .slice(2)
        .join("\n")
        .replace("nonsense", "master"),
    );
    expect(outputsOf(await p.succeed("up", "-y", "--json"))).toEqual({
      kinds: ["function", true, true],
      place: [true, expect.any(Number)],
      paths: true,
    });
  });

  it.skipIf(process.platform !== "linux").each([
    ["fails", "setTimeout(() => process.exit(1), 1500);", false],
    ["is killed with its command", "setTimeout(() => process.exit(1), 4000);", true],
  ])("that %s leaves no process that waits for its update", async (_, source, kills) => {
    const p = await projects.project(`${noting}${source}`);
    const plumbline = join(import.meta.dirname, "../../bin/plumbline");
    const child = spawn(process.execPath, [plumbline, "up", "-y"], {
      ...{ cwd: p.folder, env: p.env, stdio: "ignore" },
    });
    const ended = once(child, "close");
    for (let tries = 0; tries < 400 && !existsSync(join(p.folder, "runs")); tries += 1) await setTimeout(25);
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
    expect(children).toHaveLength(2);
    if (kills) killNow(child.pid!);
    await ended;
    for (let tries = 0; tries < 200 && children.some((pid) => isAlive(Number(pid))); tries += 1)
      await setTimeout(50);
    expect(children.filter((pid) => isAlive(Number(pid)))).toEqual([]);
    expect(runsOf(p)).toBe("p");
  });
});
