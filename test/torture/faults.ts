/** Part 3: each write of up, edit and destroy meets each kind of trouble, alone. Part 4: storms, in which one request of five meets some. */

import type { Disturbance, Watched } from "../../emulator/index.ts";
import { randomFrom } from "../resilience/random.ts";
import { areEqual, differences } from "./account.ts";
import { keep } from "./again.ts";
import { type Bench, openBench } from "./bench.ts";
import { judge } from "./judge.ts";
import { aimOf, type Operation, operations, type Undisturbed, undisturbed } from "./kill.ts";
import { allFamilies, type Family } from "./stack.ts";
import { type Choice, count, type Fault, isChosen, newTally, type Tally } from "./verdict.ts";

/** Trouble with one request: when it comes, and what is played. */
interface Trouble {
  readonly at: "before" | "after";
  readonly play: () => Disturbance | Promise<Disturbance>;
}

const html = { "Content-Type": "text/html" };
const error = (status: number, reason: string, headers = {}): Disturbance => ({
  status,
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify({ errors: [{ reason }] }),
});

/** Seconds after which the client of these parts takes an answer for lost. */
const patience = 0.4;

export const troubles: { readonly [name: string]: Trouble } = {
  "cut before": { at: "before", play: () => "cut" },
  "cut after": { at: "after", play: () => "cut" },
  "502 after": { at: "after", play: () => ({ status: 502, headers: html, body: "<h1>Bad gateway</h1>" }) },
  "429": { at: "before", play: () => error(429, "Too many requests", { "Retry-After": "1" }) },
  truncated: { at: "after", play: () => "truncate" },
  "HTML 200 in its place": { at: "before", play: () => ({ status: 200, headers: html, body: "<p>Sign in" }) },
  "HTML 200 after": { at: "after", play: () => ({ status: 200, headers: html, body: "<p>Welcome" }) },
  stall: {
    at: "after",
    play: () => new Promise((resolve) => setTimeout(resolve, patience * 1500, "cut" as const)),
  },
};

/** One write of an operation: so many-th of its kind. */
interface Write {
  readonly key: string;
  readonly nth: number;
}

const isWrite = ({ method }: Watched): boolean => method !== "GET";
const keyOf = ({ method, template }: Watched): string => `${method} ${template}`;

/** Does the operation; true when it ended well. */
async function run(bench: Bench, life: Undisturbed, operation: Operation): Promise<boolean> {
  const stack = operation === "up" ? life.made : life.edited;
  try {
    const result = await bench.run(stack, (engine) =>
      operation === "destroy" ? engine.destroy() : engine.up(),
    );
    return result.result === "succeeded";
  } catch {
    return false;
  }
}

async function writesOf(bench: Bench, life: Undisturbed, operation: Operation): Promise<Write[]> {
  const writes: Write[] = [];
  bench.restore(life.starts[operation]);
  bench.watch = (moment, request) => {
    if (moment === "before" && isWrite(request)) {
      const key = keyOf(request);
      writes.push({ key, nth: writes.filter((write) => write.key === key).length + 1 });
    }
    return undefined;
  };
  if (!(await run(bench, life, operation))) throw new Error(`undisturbed ${operation} failed`);
  bench.watch = undefined;
  return writes;
}

/** Disturbs the one write; true when it came. */
async function disturb(bench: Bench, write: Write, { at, play }: Trouble, work: () => Promise<unknown>) {
  let [came, isHit] = [0, false];
  let target: number | undefined;
  bench.watch = (moment, request) => {
    if (moment === "before" && isWrite(request) && keyOf(request) === write.key && ++came === write.nth)
      target = request.n;
    if (request.n !== target || moment !== at) return undefined;
    isHit = true;
    return play();
  };
  await work();
  bench.watch = undefined;
  return isHit;
}

/** The judgement of a run that has ended by itself: when it ended well, nothing must be left to do. */
async function judgeEnded(
  bench: Bench,
  life: Undisturbed,
  operation: Operation,
  endedWell: boolean,
): Promise<{ readonly faults: Fault[]; readonly kept: () => object }> {
  const moment = bench.now();
  const whole = aimOf(life, operation);
  const isDone = endedWell && areEqual(differences(moment.account, whole.account));
  // Where nothing is left to do, the destroy would be that of any other point.
  const aim = isDone ? { ...whole, empty: undefined } : whole;
  return { faults: await judge(bench, moment, aim), kept: keep(bench, moment, aim) };
}

export async function faultsEmbedded(choice: Choice): Promise<Tally> {
  const tally = newTally("faults", "embedded");
  const began = Date.now();
  let number = 0;
  for (const family of allFamilies) {
    const bench = await openBench({ patience });
    const life = await undisturbed(bench, [family]);
    for (const operation of operations) {
      for (const write of await writesOf(bench, life, operation)) {
        for (const [name, trouble] of Object.entries(troubles)) {
          if (!isChosen(++number, choice)) continue;
          bench.restore(life.starts[operation]);
          let endedWell = false;
          const isHit = await disturb(bench, write, trouble, async () => {
            endedWell = await run(bench, life, operation);
          });
          if (!isHit) continue;
          const at = `${operation} of ${family}: ${name}: ${write.key}, ${write.nth}. time`;
          const { faults, kept } = await judgeEnded(bench, life, operation, endedWell);
          count(tally, choice, { number, at, kept }, faults);
        }
      }
    }
    await bench.close();
  }
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}

/** The part of requests that meet trouble in a storm. */
const strength = 0.2;
/** Runs that a person would start in a storm before waiting for its end. */
const patientRuns = 4;

/** Trouble by chance for every request. */
function storm(bench: Bench, random: () => number): void {
  const kinds = Object.values(troubles).filter((trouble) => trouble !== troubles["stall"]);
  bench.watch = (moment, _request) => {
    if (random() >= strength / 2) return undefined;
    const fitting = kinds.filter(({ at }) => at === moment);
    return fitting[Math.floor(random() * fitting.length)]!.play();
  };
}

export async function stormEmbedded(
  choice: Choice,
  { seeds = 100, families = allFamilies }: { seeds?: number; families?: readonly Family[] } = {},
): Promise<Tally> {
  const tally = newTally("storm", "embedded");
  const began = Date.now();
  const bench = await openBench();
  const life = await undisturbed(bench, families);
  for (let number = 1; number <= seeds; number++) {
    if (!isChosen(number, choice)) continue;
    const random = randomFrom(choice.seed * 1000 + number);
    bench.restore(life.starts.up);
    for (const operation of operations) {
      storm(bench, random);
      let endedWell = false;
      for (let tries = 0; tries < patientRuns && !endedWell; tries++)
        endedWell = await run(bench, life, operation);
      bench.watch = undefined;
      const left = bench.now();
      const { faults, kept } = await judgeEnded(bench, life, operation, endedWell);
      count(tally, choice, { number, at: `storm ${number}: ${operation}`, kept }, faults);
      // The next operation begins where this one's storm ended, and calm had finished it.
      bench.restore(left);
      if (!endedWell && !(await run(bench, life, operation))) break;
    }
  }
  await bench.close();
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}
