/** Part 1: the embedded engine killed at every request and at every change of a file of up, edit and destroy of a stack of every type. */

import { keep } from "./again.ts";
import { type Bench, openBench } from "./bench.ts";
import { type Aim, judge } from "./judge.ts";
import { record } from "./recording.ts";
import { allFamilies, type Family, resourcesAt, stackFile } from "./stack.ts";
import { type Choice, count, isChosen, newTally, type Tally } from "./verdict.ts";

/** One life of the stack that nothing disturbs: the accounts to hold others against. */
export interface Undisturbed {
  readonly made: string;
  readonly edited: string;
  /** The account before, after `up`, after the edit, and after `destroy`. */
  readonly accounts: { readonly [stage in Stage]: unknown };
  /** The moments to begin each run from. */
  readonly starts: { readonly [operation in Operation]: ReturnType<Bench["now"]> };
}

export type Stage = "empty" | "made" | "edited" | "destroyed";
export type Operation = "up" | "edit" | "destroy";
export const operations: readonly Operation[] = ["up", "edit", "destroy"];

/** Does one operation of the life; throws when it fails. */
export async function perform(
  bench: Bench,
  life: Pick<Undisturbed, "made" | "edited">,
  operation: Operation,
) {
  const stack = operation === "up" ? life.made : life.edited;
  const result = await bench.run(
    stack,
    (engine) => (operation === "destroy" ? engine.destroy() : engine.up()),
    { parallel: 8 },
  );
  if (result.result === "succeeded") return;
  const errors = result.diagnostics.filter(({ severity }) => severity === "error");
  throw new Error(`undisturbed ${operation}: ${errors.map(({ message }) => message).join("; ")}`);
}

/** Leads the whole life with nothing in its way. The bench is as new before, and after the life's end after. */
export async function undisturbed(
  bench: Bench,
  families: readonly Family[] = allFamilies,
): Promise<Undisturbed> {
  const made = stackFile(resourcesAt("made", families));
  const edited = stackFile(resourcesAt("edited", families));
  const life = { made, edited };
  const empty = bench.now();
  await perform(bench, life, "up");
  const afterUp = bench.now();
  await perform(bench, life, "edit");
  const afterEdit = bench.now();
  await perform(bench, life, "destroy");
  const accounts = {
    empty: empty.account,
    made: afterUp.account,
    edited: afterEdit.account,
    destroyed: bench.now().account,
  };
  // A first run of a stack that has been before: its key need not be derived anew.
  const fresh = { account: empty.account, files: bench.now().files };
  return { made, edited, accounts, starts: { up: fresh, edit: afterUp, destroy: afterEdit } };
}

/** What the run that follows a killed one must come to. */
export function aimOf(life: Undisturbed, operation: Operation): Aim {
  const { accounts, made, edited } = life;
  const before = life.starts[operation].account;
  if (operation === "destroy") return { stack: edited, operation, account: accounts.empty, before };
  const [stack, account] = operation === "up" ? [made, accounts.made] : [edited, accounts.edited];
  return { stack, operation: "up", account, empty: accounts.empty, before };
}

export async function killEmbedded(
  choice: Choice,
  {
    families = allFamilies,
    only = operations,
  }: { families?: readonly Family[]; only?: readonly Operation[] } = {},
): Promise<Tally> {
  const tally = newTally("kill", "embedded");
  const began = Date.now();
  const bench = await openBench();
  try {
    const life = await undisturbed(bench, families);
    let number = 0;
    for (const operation of operations) {
      for (const gathered of [false, true]) {
        bench.restore(life.starts[operation]);
        const { moments, seen } = await record(bench, () => perform(bench, life, operation), { gathered });
        const kind = `${operation}${gathered ? ", gathered" : ""}`;
        if (choice.point === undefined)
          choice.say(`kill embedded ${kind}: ${seen} moments, ${moments.length} of them different`);
        for (const moment of moments) {
          number++;
          if (!only.includes(operation) || !isChosen(number, choice)) continue;
          const aim = aimOf(life, operation);
          const faults = await judge(bench, moment, aim);
          count(
            tally,
            choice,
            { number, at: `${kind}: ${moment.at}`, kept: keep(bench, moment, aim) },
            faults,
          );
        }
      }
    }
  } finally {
    await bench.close();
  }
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}
