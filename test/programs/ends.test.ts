/** Programs of Node that do not come to their end. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { interrupted, judgesEarnest, judgesKills, judgesStack } from "./ends-judge.ts";
import { openNodeProjects, zoneOf } from "./project.ts";

const projects = openNodeProjects();
afterAll(() => projects.close());

/** Only what comes before `stop` is declared. */
const cut = (stop: string) => `${zoneOf("a")}\n${stop}\n${zoneOf("b", "c").split("\n").slice(2).join("\n")}`;
const noted = `require("node:fs").writeFileSync(require("node:path").join(__dirname, "pid"), String(process.pid));\n`;

const texts = {
  ...{ zoneOf, noted, nothing: "exports.done = true;" },
  ends: [
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
    [
      "an exception in what is called later",
      `${zoneOf("a")}setTimeout(() => { throw new Error("no such luck"); }, 100);`,
      /no such luck/,
    ],
    [
      "an error of an emitter that nobody hears",
      `${zoneOf("a")}setTimeout(() => new (require("node:events"))().emit("error", new Error("no such luck")), 100);`,
      /no such luck/,
    ],
    [
      "an exception in a worker",
      `${zoneOf("a")}new (require("node:worker_threads").Worker)("throw new Error('no such luck')", { eval: true });`,
      /no such luck/,
    ],
    [
      "an exception that it hides by its exit code",
      `${zoneOf("a")}process.on("exit", () => { process.exitCode = 0; });\nsetTimeout(() => { throw new Error("no such luck"); }, 100);`,
      /no such luck/,
    ],
    ["an exit code that it sets", `${zoneOf("a")}process.exitCode = 3;`, /exit code 3/],
    ["an error that it logs", `${zoneOf("a")}pulumi.log.error("all wrong");`, /all wrong/],
    ["a fault in its text", "const a = ;", /SyntaxError|Unexpected token/],
    ["a package that it has not", 'require("left-pad-of-nobody");', /left-pad-of-nobody/],
  ],
  stops: [
    ["an exception", 'throw new Error("no such luck");'],
    ["process.exit(0)", "process.exit(0);"],
    ["a signal", 'process.kill(process.pid, "SIGKILL");'],
  ],
  stopping: (stop: string) =>
    `${zoneOf("b")}\nif (!pulumi.runtime.isDryRun()) zone.id.apply(() => setTimeout(() => { ${stop} }, 1000));`,
  endless: "setInterval(() => {}, 1000);",
  lasting: "if (!pulumi.runtime.isDryRun()) setInterval(() => {}, 1000);",
} as const;

describe("a stack of three records", { timeout: 60_000 }, () => judgesStack(() => projects, texts));

describe("an end that only comes when it is done in earnest", { timeout: 60_000 }, () =>
  judgesEarnest(() => projects, texts),
);

describe("a run that is ended from outside", { timeout: 90_000 }, () => {
  judgesKills(() => projects, texts);

  it("by Ctrl-C in a terminal reaches the program once, and is an interruption", async () => {
    const p = await projects.project(
      `${noted}process.on("SIGINT", () => { require("node:fs").appendFileSync(__dirname + "/signals", "x"); setTimeout(() => process.exit(1), 300); });
${zoneOf("a")}
setInterval(() => {}, 1000);
console.log("waiting");`,
    );
    expect((await interrupted(p)).code).toBe(130);
    expect(readFileSync(join(p.folder, "signals"), "utf8")).toBe("x");
  });
});
