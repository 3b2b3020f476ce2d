/** Part 5: random programs of edits, each run killed at any moment, and then gone on with, turned back or edited again, under either engine. What is to hold is the invariant. */

import { catalogue } from "../../provider/provider.ts";
import { randomFrom } from "../resilience/random.ts";
import { keep } from "./again.ts";
import { type Moment, openBench } from "./bench.ts";
import { type Aim, type JudgedBench, judge } from "./judge.ts";
import { openPluginBench, type PluginBench, type Stroke } from "./plugin-bench.ts";
import { type Recorded, record } from "./recording.ts";
import { allFamilies, type Family, type Resources, resourcesAt, stackFile } from "./stack.ts";
import { type Choice, count, isChosen, newTally, type Tally } from "./verdict.ts";

type Random = () => number;

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

/** Names that the resource refers to. */
const neededBy = ({ properties }: Resources[string]): string[] =>
  [...JSON.stringify(properties).matchAll(/\$\{(\w+)\./g)].map(([, other]) => other!);

/** Any resources of the families, each absent, or as it is first, or as it is later; none without what it refers to. */
function anyProgram(random: Random, families: readonly Family[]): Resources {
  const [made, edited] = [resourcesAt("made", families), resourcesAt("edited", families)];
  const chosen: { [name: string]: Resources[string] } = {};
  for (const name of new Set([...Object.keys(made), ...Object.keys(edited)])) {
    const variant = pick(random, [made[name], edited[name], made[name], undefined]);
    if (variant !== undefined) chosen[name] = variant;
  }
  for (let before = -1; before !== Object.keys(chosen).length; ) {
    before = Object.keys(chosen).length;
    for (const [name, resource] of Object.entries(chosen)) {
      if (neededBy(resource).some((other) => !(other in chosen))) delete chosen[name];
    }
  }
  for (const [name, fixed] of Object.entries(oneWay)) {
    const resource = chosen[name];
    if (resource) chosen[name] = { ...resource, properties: { ...resource.properties, ...fixed } };
  }
  return chosen as Resources;
}

/** A resource has two names, each an alias of the other. */
const otherName = (name: string): string => (name.endsWith("2") ? name.slice(0, -1) : `${name}2`);

/** The program with some resources under their other names, but not what the service's object is named after. */
function renamed(random: Random, program: Resources): Resources {
  const isNamed = ({ type, properties }: Resources[string]): boolean =>
    "label" in properties ||
    !("label" in (catalogue.resources.get(catalogue.resolveResource(type)!)?.inputs ?? {}));
  const others = new Set(
    Object.entries(program).flatMap(([name, resource]) =>
      random() < 0.2 && isNamed(resource) ? [name] : [],
    ),
  );
  const now = (name: string): string => (others.has(name) ? otherName(name) : name);
  return Object.fromEntries(
    Object.entries(program).map(([name, { type, properties }]) => {
      const text = JSON.stringify(properties).replace(/\$\{(\w+)\./g, (_, other) => `\${${now(other)}.`);
      const options = { aliases: [{ name: otherName(now(name)) }] };
      return [now(name), { type, properties: JSON.parse(text) as object, options }];
    }),
  );
}

/** The account that the program makes when nothing was before it and nothing disturbs it. */
async function accountOf(bench: JudgedBench, empty: Moment, stack: string): Promise<unknown> {
  bench.restore(empty);
  const result = await bench.run(stack, (engine) => engine.up());
  if (result.result !== "succeeded") {
    const said = result.diagnostics.filter(({ severity }) => severity === "error");
    throw new Error(`undisturbed: ${said.map(({ message }) => message).join("; ")}`);
  }
  return bench.now().account;
}

/** One engine, as programs are led under it. */
interface Led {
  /** Of one program. */
  readonly edits: number;
  readonly bench: JudgedBench;
  readonly empty: Moment;
  readonly draw: (random: Random, families: readonly Family[]) => Resources;
  /** Runs the program and kills it somewhere; undefined when it came to its end. */
  readonly strike: (random: Random, program: Resources) => Promise<Recorded | undefined>;
  /** The program that follows the killed one: the drawn one, as far as the engine can go on with it. */
  readonly following: (drawn: Resources) => Resources;
}

type JudgeMoment = (at: string, moment: Moment, aim: Aim) => Promise<boolean>;

/** Leads one program; its points are its kills. */
async function lead(
  { bench, empty, draw, strike, following, edits }: Led,
  random: Random,
  judged: JudgeMoment,
): Promise<void> {
  const families = [...allFamilies].sort(() => random() - 0.5).slice(0, breadth);
  let [settled, program] = [empty, draw(random, families)];
  let declared: Resources = {};
  for (let edit = 1; edit <= edits; edit++) {
    bench.restore(settled);
    const moment = await strike(random, program);
    if (moment === undefined) {
      settled = bench.now();
      [declared, program] = [program, draw(random, families)];
      continue;
    }
    const [how, drawn] = pick(random, [
      ["gone on with", program],
      ["turned back", declared],
      ["edited again", draw(random, families)],
    ] as const);
    const then = following(drawn);
    const stack = stackFile(then);
    const account = await accountOf(bench, empty, stack);
    const at = `edit ${edit} of ${families.join(" and ")}, killed ${moment.at}, ${how}`;
    const aim: Aim = { stack, operation: "up", account, before: settled.account };
    if (!(await judged(at, moment, aim))) return;
    // Now and then the next run begins where this one was killed.
    settled = random() < 0.3 && edit < edits ? moment : bench.now();
    bench.restore(settled);
    [declared, program] = [then, following(draw(random, families))];
  }
}

/** Leads every chosen program, and each to the destroy at its end. */
async function leadAll(tally: Tally, choice: Choice, programs: number, led: Led): Promise<void> {
  const { bench, empty } = led;
  for (let number = 1; number <= programs; number++) {
    if (!isChosen(number, choice)) continue;
    const judged: JudgeMoment = async (at, moment, aim) => {
      const faults = await judge(bench, moment, aim);
      const kept = keep(bench, moment, aim);
      count(tally, choice, { number, at: `program ${number}: ${at}`, kept }, faults);
      return faults.length === 0;
    };
    await lead(led, randomFrom(choice.seed * 100_000 + number), judged);
    const moment = bench.now();
    const { account } = empty;
    const aim: Aim = { stack: stackFile({}), operation: "destroy", account, before: moment.account };
    await judged("the destroy at its end", moment, aim);
  }
}

export async function programsEmbedded(choice: Choice, { programs = 100 } = {}): Promise<Tally> {
  const tally = newTally("programs", "embedded");
  const began = Date.now();
  const bench = await openBench();
  const first = stackFile(resourcesAt("made", ["databases"]));
  await bench.run(first, (engine) => engine.up());
  await bench.run(first, (engine) => engine.destroy());
  await leadAll(tally, choice, programs, {
    edits: 5,
    bench,
    // A stack that was there before: its key need not be derived anew.
    empty: bench.now(),
    draw: anyProgram,
    async strike(random, program) {
      const run = () => bench.run(stackFile(program), (engine) => engine.up()).catch(() => {});
      const { moments } = await record(bench, run);
      return moments.length === 0 ? undefined : pick(random, moments);
    },
    following: (drawn) => drawn,
  });
  await bench.close();
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}

/** Where the plugin of a run of so many resources is killed. */
function anyStroke(random: Random, resources: number): Stroke {
  const when = pick(random, ["before", "after", "unsaved"] as const);
  const most = when === "unsaved" ? resources : 2 * resources;
  return { when, nth: 1 + Math.floor(random() * most), isRefreshed: random() < 0.2 };
}

/**
 * The drawn program, with what a killed run began to make under a name that the resource now is an alias of: Pulumi tells no plugin of aliases. So does a
 * replacement, which Pulumi has another object of. Anything else may be dropped; a person deletes what the plugin then tells of.
 */
function withUnfinished(bench: PluginBench, drawn: Resources, struck: Resources): Resources {
  let all: Resources = drawn;
  const add = (name: string): void => {
    const resource = struck[name];
    if (resource === undefined) return;
    const twin = otherName(name);
    const { [twin]: _, ...rest } = all;
    const text = JSON.stringify(rest).replaceAll(`\${${twin}.`, `\${${name}.`);
    all = { ...(JSON.parse(text) as Resources), [name]: resource };
    for (const needed of neededBy(resource)) if (!(needed in all)) add(needed);
  };
  for (const { name, isReplacement } of bench.unfinished())
    if (isReplacement || (!(name in all) && otherName(name) in all)) add(name);
  return all;
}

export async function programsPlugin(choice: Choice, { programs = 200 } = {}): Promise<Tally> {
  const tally = newTally("programs", "plugin");
  const began = Date.now();
  const bench = await openPluginBench();
  /** Every resource of a program that was killed, as it was last. */
  const struck: { [name: string]: Resources[string] } = {};
  try {
    await leadAll(tally, choice, programs, {
      edits: 3,
      bench,
      empty: bench.now(),
      draw: (random, families) => renamed(random, anyProgram(random, families)),
      strike(random, program) {
        Object.assign(struck, program);
        return bench.strike(stackFile(program), anyStroke(random, Object.keys(program).length));
      },
      following: (drawn) => withUnfinished(bench, drawn, struck),
    });
  } finally {
    await bench.close();
  }
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}
