/** Part 7, first half: mutated stack files. Each is judged in the time of a breath, without a crash, and by sentences. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine } from "../../provider/engine/engine.ts";
import { loadProgram } from "../../provider/engine/language/program.ts";
import { catalogue } from "../../provider/provider.ts";
import { memoryDisk } from "../engine/deployment/world.ts";
import { randomFrom } from "../resilience/random.ts";
import { unclear } from "./damage.ts";
import { root } from "./place.ts";
import { type Choice, count, type Fault, isChosen, newTally, type Tally } from "./verdict.ts";

type Random = () => number;

/** Words that mean something to YAML or to a stack file. */
const words = [
  ..."{}[]:,-?|>&*!%@`'\"#\n\t\0".split(""),
  ...["${", "}", "${a.b}", "${pulumi.stack}", "fn::", "fn::invoke:", "fn::join: [a, b]", "fn::readFile: ./x"],
  ...["null", "~", "1e999", "-0", "0x1F", ".inf", "yes", "<<: *a", "&a", "*a", "!!binary", "---", "..."],
  ...[
    "options:",
    "properties:",
    "resources:",
    "dependsOn:",
    "get:",
    "\u{1F642}",
    "\u2028",
    "__proto__:",
    "constructor:",
  ],
  ...["[".repeat(200), "{a: ".repeat(100), "  ".repeat(300), "9".repeat(400)],
];

const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!;

function mutated(text: string, random: Random): string {
  let result = text;
  for (let times = 1 + Math.floor(random() * 4); times > 0; times--) {
    const from = Math.floor(random() * result.length);
    const to = Math.min(result.length, from + Math.floor(random() * 30));
    const lines = result.split("\n");
    const line = Math.floor(random() * lines.length);
    result = pick(random, [
      () => result.slice(0, from) + pick(random, words) + result.slice(from),
      () => result.slice(0, from) + result.slice(to),
      () => result.slice(0, from) + result.slice(from, to).repeat(3) + result.slice(to),
      () => lines.toSpliced(line, 1).join("\n"),
      () => lines.toSpliced(line, 0, pick(random, lines)).join("\n"),
      () => lines.with(line, `  ${lines[line]}`).join("\n"),
      () => lines.with(line, lines[line]!.replace(/:.*/, `: ${pick(random, words)}`)).join("\n"),
    ])();
  }
  return result;
}

/** Seconds that no file of a few kilobytes may take. */
const mostSeconds = 10;

async function tryFile(text: string): Promise<Fault[]> {
  const faults: Fault[] = [];
  const began = performance.now();
  try {
    const program = await loadProgram({
      file: "/stack/Pulumi.yaml",
      stack: "dev",
      catalogue,
      environment: {},
      readFile: async (path) => {
        if (path.endsWith("/Pulumi.yaml")) return text;
        throw Object.assign(new Error(`${path} is not there`), { code: "ENOENT" });
      },
    });
    const engine = createEngine({
      project: "torture",
      stack: "dev",
      stateFolder: "/state",
      program,
      environment: { PLUMBLINE_BASE_URL: "http://127.0.0.1:9/v4", PLUMBLINE_TOKEN: "none" },
      disk: memoryDisk(new Map()),
    });
    const { diagnostics } = await engine.validate();
    for (const { message } of diagnostics) {
      const wrong = unclear(message.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, ""));
      if (wrong !== undefined) faults.push({ kind: "stuck", detail: `${wrong}: ${message.slice(0, 200)}` });
    }
  } catch (error) {
    const { name, message, stack } = error as Error;
    if (name !== "EngineError") faults.push({ kind: "stuck", detail: stack ?? message });
  }
  const seconds = (performance.now() - began) / 1000;
  if (seconds > mostSeconds) faults.push({ kind: "stuck", detail: `${seconds.toFixed(0)} s for one file` });
  return faults;
}

export async function filesEmbedded(choice: Choice, { files = 10_000 } = {}): Promise<Tally> {
  const tally = newTally("files", "embedded");
  const began = Date.now();
  const examples = readdirSync(join(root, "examples"))
    .map((name) => join(root, "examples", name, "Pulumi.yaml"))
    .filter(existsSync)
    .map((path) => readFileSync(path, "utf8"));
  for (let number = 1; number <= files; number++) {
    if (!isChosen(number, choice)) continue;
    const random = randomFrom(choice.seed * 1_000_000 + number);
    const faults = await tryFile(mutated(pick(random, examples), random));
    count(tally, choice, { number, at: `file ${number}` }, faults);
  }
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}
