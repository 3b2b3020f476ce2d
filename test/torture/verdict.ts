/** What can go wrong after a run has ended, how it is counted, and how it is told so that it can be repeated. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./place.ts";
import type { Family } from "./stack.ts";

/** What a run left wrong; see `meanings`. */
export type Kind = "lost" | "doubled" | "orphaned" | "stuck" | "silent" | "unshown";

export const meanings: { readonly [kind in Kind]: string } = {
  lost: "the next up ended, and something declared is not as declared",
  doubled: "the next up ended, and something is there that nobody declared",
  orphaned: "a destroy ended, and something that the stack had made is still there",
  stuck: "the next run refuses, fails, or never comes to an end of its changes",
  silent: "the next preview says that nothing is to be done, and something is",
  unshown: "something was deleted that the run's own preview did not show",
};

export interface Fault {
  readonly kind: Kind;
  readonly detail: string;
}

export interface Failure extends Fault {
  /** The command that repeats it. */
  readonly repeat: string;
  readonly at: string;
}

/** Counts of one part under one engine. */
export interface Tally {
  readonly part: string;
  readonly engine: string;
  points: number;
  readonly counts: { [kind in Kind]: number };
  readonly failures: Failure[];
  seconds: number;
}

export function newTally(part: string, engine: string): Tally {
  const counts = { lost: 0, doubled: 0, orphaned: 0, stuck: 0, silent: 0, unshown: 0 };
  return { part, engine, points: 0, counts, failures: [], seconds: 0 };
}

/** What every part is given: which of its points to try, and where to tell what happened. */
export interface Choice {
  readonly seed: number;
  /** Only this point. */
  readonly point: number | undefined;
  /** Every so many-th point, from an offset that the seed decides; 1: all. */
  readonly every: number;
  readonly say: (line: string) => void;
  /** Families of types, for parts that try them one by one; default: all. */
  readonly families?: readonly Family[];
}

/** True when the point of this number is to be tried. */
export function isChosen(number: number, { point, every, seed }: Choice): boolean {
  return point === undefined ? (number + seed) % every === 0 : number === point;
}

/** A point that was tried. */
export interface Point {
  readonly number: number;
  /** Of whose points the number is, for parts that count them by family. */
  readonly family?: Family;
  /** Where it is, for people. */
  readonly at: string;
  /** What `--again` needs to judge exactly this; absent where seed and number are enough. */
  readonly kept?: () => object;
}

/** Failures that are kept as files, of each part. */
const mostKept = 40;

/** Counts a point, and tells its faults at once with the command that repeats it. */
export function count(tally: Tally, choice: Choice, point: Point, faults: readonly Fault[]): void {
  tally.points++;
  if (faults.length === 0) return;
  const { part, engine, failures } = tally;
  const family = point.family === undefined ? "" : ` --family ${point.family}`;
  let repeat = `npm run torture -- ${part} --engine ${engine}${family} --seed ${choice.seed} --point ${point.number}`;
  if (point.kept && new Set(failures.map((failure) => failure.repeat)).size < mostKept) {
    const folder = "test-results/torture";
    const file = `${folder}/${part}-${engine}-${choice.seed}-${point.number}.json`;
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, file), JSON.stringify({ part, engine, at: point.at, ...point.kept() }));
    repeat = `npm run torture -- --again ${file}`;
  }
  for (const fault of faults) {
    tally.counts[fault.kind]++;
    failures.push({ ...fault, repeat, at: point.at });
    choice.say(`${fault.kind.toUpperCase()}: ${point.at}: ${fault.detail}\n  ${repeat}`);
  }
}
