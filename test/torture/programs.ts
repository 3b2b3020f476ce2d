/** Part 5: random programs of edits, each run killed at any moment, and then gone on with, turned back or edited again. What is to hold is the invariant. */

import { randomFrom } from "../resilience/random.ts";
import { keep } from "./again.ts";
import { type Bench, type Moment, openBench } from "./bench.ts";
import { type Aim, judge } from "./judge.ts";
import { record } from "./recording.ts";
import { allFamilies, type Family, type Resources, resourcesAt, stackFile } from "./stack.ts";
import { type Choice, count, isChosen, newTally, type Tally } from "./verdict.ts";

type Random = () => number;

/** Edits of one program. */
const edits = 5;
/** Families that one program has of. */
const breadth = 2;

const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!;

/** What the service changes in one direction only, by resource: a way back from it is rightly refused. */
const oneWay: { readonly [name: string]: object } = {
  disk: { size: 30 },
  sales: { type: "g6-standard-1" },
  platform: { k8sVersion: "1.28" },
  // A name that is taken out of the file stays.
  key: { label: "named" },
};

/** Any resources of the families, each absent, or as it is first, or as it is later; none without what it refers to. */
export function anyProgram(random: Random, families: readonly Family[]): Resources {
  const [made, edited] = [resourcesAt("made", families), resourcesAt("edited", families)];
  const chosen: { [name: string]: Resources[string] } = {};
  for (const name of new Set([...Object.keys(made), ...Object.keys(edited)])) {
    const variant = pick(random, [made[name], edited[name], made[name], undefined]);
    if (variant !== undefined) chosen[name] = variant;
  }
  for (let before = -1; before !== Object.keys(chosen).length; ) {
    before = Object.keys(chosen).length;
    for (const [name, resource] of Object.entries(chosen)) {
      const needed = [...JSON.stringify(resource).matchAll(/\$\{(\w+)\./g)].map(([, other]) => other!);
      if (needed.some((other) => !(other in chosen))) delete chosen[name];
    }
  }
  for (const [name, fixed] of Object.entries(oneWay)) {
    const resource = chosen[name];
    if (resource) chosen[name] = { ...resource, properties: { ...resource.properties, ...fixed } };
  }
  return chosen as Resources;
}

/** The account that the program makes when nothing was before it and nothing disturbs it. */
async function accountOf(bench: Bench, empty: Moment, stack: string): Promise<unknown> {
  bench.restore(empty);
  const result = await bench.run(stack, (engine) => engine.up());
  if (result.result !== "succeeded") {
    const said = result.diagnostics.filter(({ severity }) => severity === "error");
    throw new Error(`undisturbed: ${said.map(({ message }) => message).join("; ")}`);
  }
  return bench.now().account;
}

/** Leads one program; its points are its kills. */
async function lead(
  bench: Bench,
  empty: Moment,
  random: Random,
  judged: (edit: number, at: string, moment: Moment, aim: Aim) => Promise<boolean>,
): Promise<void> {
  const families = [...allFamilies].sort(() => random() - 0.5).slice(0, breadth);
  const next = () => stackFile(anyProgram(random, families));
  let [settled, stack] = [empty, next()];
  let declared = stackFile({});
  for (let edit = 1; edit <= edits; edit++) {
    bench.restore(settled);
    const { moments } = await record(bench, () => bench.run(stack, (engine) => engine.up()).catch(() => {}));
    if (moments.length === 0) {
      [declared, stack] = [stack, next()];
      continue;
    }
    const moment = pick(random, moments);
    const [how, then] = pick(random, [
      ["gone on with", stack],
      ["turned back", declared],
      ["edited again", next()],
    ] as const);
    const account = await accountOf(bench, empty, then);
    const at = `edit ${edit} of ${families.join(" and ")}, killed ${moment.at}, ${how}`;
    const aim: Aim = { stack: then, operation: "up", account, before: settled.account };
    if (!(await judged(edit, at, moment, aim))) return;
    // Now and then the next run begins where this one was killed.
    settled = random() < 0.3 ? moment : bench.now();
    [declared, stack] = [then, next()];
  }
}

export async function programsEmbedded(choice: Choice, { programs = 100 } = {}): Promise<Tally> {
  const tally = newTally("programs", "embedded");
  const began = Date.now();
  const bench = await openBench();
  const first = resourcesAt("made", ["databases"]);
  await bench.run(stackFile(first), (engine) => engine.up());
  await bench.run(stackFile(first), (engine) => engine.destroy());
  // A stack that was there before: its key need not be derived anew.
  const empty = bench.now();
  for (let number = 1; number <= programs; number++) {
    if (!isChosen(number, choice)) continue;
    const random = randomFrom(choice.seed * 100_000 + number);
    await lead(bench, empty, random, async (_edit, at, moment, aim) => {
      const faults = await judge(bench, moment, aim);
      const kept = keep(bench, moment, aim);
      count(tally, choice, { number, at: `program ${number}: ${at}`, kept }, faults);
      return faults.length === 0;
    });
    {
      const moment = bench.now();
      const aim: Aim = {
        ...{ stack: stackFile({}), operation: "destroy" },
        ...{ account: empty.account, before: moment.account },
      };
      const faults = await judge(bench, moment, aim);
      const kept = keep(bench, moment, aim);
      count(tally, choice, { number, at: `program ${number}: the destroy at its end`, kept }, faults);
    }
  }
  await bench.close();
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}
