/** What a failure keeps, so that exactly it is judged again: which of two parallel writes is first is in nobody's hands. */

import { readFileSync } from "node:fs";
import { type Moment, openBench } from "./bench.ts";
import { type Aim, type JudgedBench, judge } from "./judge.ts";
import { openPluginBench } from "./plugin-bench.ts";
import type { Choice } from "./verdict.ts";

/** The port is part of it: a state belongs to its target. */
interface Kept {
  readonly engine: string;
  readonly at: string;
  readonly port: number;
  readonly account: unknown;
  readonly files: readonly (readonly [string, string])[];
  readonly aim: Aim;
}

export const keep =
  (bench: JudgedBench, { account, files }: Moment, aim: Aim) =>
  (): object => ({ port: bench.emulator.port, account, files: [...files], aim });

/** Judges what a file keeps; true when nothing is wrong with it any more. */
export async function judgeAgain(file: string, { say }: Pick<Choice, "say">): Promise<boolean> {
  const { engine, at, port, account, files, aim } = JSON.parse(readFileSync(file, "utf8")) as Kept;
  const bench = await (engine === "plugin" ? openPluginBench({ port }) : openBench({ port }));
  const faults = await judge(bench, { account, files: new Map(files) }, aim);
  await bench.close();
  say(`${at}: ${faults.length === 0 ? "nothing is wrong" : ""}`);
  for (const { kind, detail } of faults) say(`${kind.toUpperCase()}: ${detail}`);
  return faults.length === 0;
}
