/** Part 6: damaged states. Whatever the files of a stack hold, a run says one clear sentence or does what is right, and deletes nothing that its preview did not show. */

import { randomFrom } from "../resilience/random.ts";
import { differences, toldDifferences } from "./account.ts";
import { type Bench, type Moment, openBench } from "./bench.ts";
import { perform, undisturbed } from "./kill.ts";
import { record } from "./recording.ts";
import { type Choice, count, type Fault, isChosen, newTally, type Tally } from "./verdict.ts";

type Random = () => number;

const at = (random: Random, text: string): number => Math.floor(random() * text.length);

/** What a disk, a person or an editor does to a file. */
const damages: { readonly [name: string]: (text: string, random: Random) => string } = {
  truncated: (text, random) => text.slice(0, at(random, text)),
  "with its first line gone": (text) => text.slice(text.indexOf("\n") + 1),
  empty: () => "",
  null: () => "null\n",
  "a list": () => "[]\n",
  "an empty object": () => "{}\n",
  "a number": () => "7",
  "no JSON": () => "<<<<<<< HEAD\n",
  "of zeros": (text) => "\0".repeat(text.length),
  doubled: (text) => text + text,
  "with a bit flipped": (text, random) => {
    const place = at(random, text);
    const flipped = String.fromCharCode(text.charCodeAt(place) ^ (1 << Math.floor(random() * 7)));
    return text.slice(0, place) + flipped + text.slice(place + 1);
  },
  "with a value gone": (text, random) => replaceValue(text, random, "null"),
  "with a value that is a list": (text, random) => replaceValue(text, random, "[1]"),
  "with a value that is an object": (text, random) => replaceValue(text, random, '{"a":{}}'),
};

/** Puts something else in place of one quoted value. */
function replaceValue(text: string, random: Random, by: string): string {
  const values = [...text.matchAll(/(?<=:)"(?:[^"\\]|\\.)*"/g)];
  const one = values[Math.floor(random() * values.length)];
  if (one === undefined) return by;
  return text.slice(0, one.index) + by + text.slice(one.index + one[0].length);
}

/** Words of a crash, which no user can act on. */
const crash =
  /is not a function|undefined|Cannot (?:read|convert)|not iterable|\n\s+at |\[object |TypeError|RangeError/;

/** What is wrong with what was said; nothing when it is a clear sentence. */
export function unclear(message: string): string | undefined {
  if (message.trim() === "") return "nothing is said";
  if (crash.test(message)) return `a crash is told: ${message.slice(0, 200)}`;
  return message.length > 2000 ? `${message.length} characters are said` : undefined;
}

async function tryDamaged(bench: Bench, stack: string, moment: Moment): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const operation of ["preview", "up", "destroy"] as const) {
    bench.restore(moment);
    const before = bench.emulator.data();
    const shown = new Set<string>();
    let refusal: string | undefined;
    try {
      const seen = await bench.run(stack, (engine) =>
        operation === "destroy" ? engine.destroy({ previewOnly: true }) : engine.preview(),
      );
      for (const { op, id } of seen.steps)
        if (op !== "same" && id !== undefined) for (const part of id.split("/")) shown.add(part);
      if (operation !== "preview") {
        const deleted: string[] = [];
        bench.watch = (when, { method, path }) => {
          if (when === "before" && method === "DELETE") deleted.push(path);
          return undefined;
        };
        const done = await bench.run(stack, (engine) =>
          operation === "up" ? engine.up() : engine.destroy(),
        );
        bench.watch = undefined;
        for (const path of deleted)
          if (!path.split("/").some((part) => shown.has(decodeURIComponent(part))))
            faults.push({ kind: "unshown", detail: `${operation}: DELETE ${path}` });
        refusal = done.diagnostics.find(({ severity }) => severity === "error")?.message;
      }
    } catch (error) {
      refusal = (error as Error).message;
    }
    bench.watch = undefined;
    const wrong = refusal === undefined ? undefined : unclear(refusal);
    if (wrong !== undefined) faults.push({ kind: "stuck", detail: `${operation}: ${wrong}` });
    const differs = differences(bench.emulator.data(), before);
    // What the service is about to finish by itself may be finished by a look at it.
    if (operation === "preview" && differs.extra.length + differs.missing.length > 0)
      faults.push({ kind: "lost", detail: `a preview changed the account: ${toldDifferences(differs)}` });
  }
  return faults;
}

export async function damageEmbedded(choice: Choice, { rounds = 8 } = {}): Promise<Tally> {
  const tally = newTally("damage", "embedded");
  const began = Date.now();
  const bench = await openBench();
  const life = await undisturbed(bench, ["networks", "monitoring"]);
  bench.restore(life.starts.edit);
  const { moments } = await record(bench, () => perform(bench, life, "edit"));
  let number = 0;
  for (let round = 0; round < rounds; round++) {
    const random = randomFrom(choice.seed * 1000 + round);
    const moment = moments[Math.floor(random() * moments.length)]!;
    for (const [name, text] of moment.files) {
      if (!/\.(?:json|journal|lock)$/.test(name)) continue;
      for (const [how, damage] of Object.entries(damages)) {
        const damaged = damage(text, random);
        if (!isChosen(++number, choice)) continue;
        const files = new Map(moment.files).set(name, damaged);
        const faults = await tryDamaged(bench, life.edited, { account: moment.account, files });
        count(tally, choice, { number, at: `${name.split("/").at(-1)}, ${how} (${moment.at})` }, faults);
      }
    }
  }
  await bench.close();
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}
