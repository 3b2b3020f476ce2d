/** Part 2: `pulumi` killed with all its children at each request, and its plugin killed alone; by families of types, as each point costs an engine's start. */

import { areEqual, differences, idsOf, toldDifferences } from "./account.ts";
import { isShown } from "./judge.ts";
import { type Operation, operations, type Undisturbed } from "./kill.ts";
import { signal } from "./processes.ts";
import { openPulumi, type Planned, type PulumiBench } from "./pulumi-bench.ts";
import { digestOf, type Recorded } from "./recording.ts";
import { allFamilies, type Family, resourcesAt, stackFile } from "./stack.ts";
import { type Choice, count, type Fault, isChosen, type Kind, newTally, type Tally } from "./verdict.ts";

type Life = Omit<Undisturbed, "made" | "edited"> & { readonly made: string; readonly edited: string };

const stackOf = (life: Pick<Life, "made" | "edited">, operation: Operation): string =>
  operation === "up" ? life.made : life.edited;
const commandOf = (operation: Operation) => (operation === "destroy" ? "destroy" : "up");

async function succeed(bench: PulumiBench, life: Pick<Life, "made" | "edited">, operation: Operation) {
  const { refusal } = await bench.run(stackOf(life, operation), commandOf(operation), "--skip-preview");
  if (refusal !== undefined) throw new Error(`undisturbed ${operation}: ${refusal}`);
}

async function undisturbed(bench: PulumiBench, families: readonly Family[]): Promise<Life> {
  const made = stackFile(resourcesAt("made", families));
  const edited = stackFile(resourcesAt("edited", families));
  const up = bench.now();
  await succeed(bench, { made, edited }, "up");
  const edit = bench.now();
  await succeed(bench, { made, edited }, "edit");
  const destroy = bench.now();
  const accounts = {
    empty: up.account,
    made: edit.account,
    edited: destroy.account,
    destroyed: up.account,
  };
  return { made, edited, accounts, starts: { up, edit, destroy } };
}

/** Operations of the engine as the judge of deletions knows them. */
function asStep({ op, type, id }: Planned) {
  const known: { readonly [op: string]: string } = {
    "delete-replaced": "delete",
    "create-replacement": "create",
    "discard-replaced": "delete",
  };
  return { op: known[op] ?? op, type, ...(id !== undefined && { id }) };
}

/** Goes on after what the bench holds now, and tells all that is wrong. */
async function judge(
  bench: PulumiBench,
  life: Life,
  operation: Operation,
  thorough: boolean,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const fault = (kind: Kind, detail: string) => faults.push({ kind, detail });
  const wanted =
    operation === "destroy"
      ? life.accounts.empty
      : operation === "up"
        ? life.accounts.made
        : life.accounts.edited;
  const differs = differences(bench.emulator.data(), wanted);
  const stack = stackOf(life, operation);
  const seen =
    operation === "destroy"
      ? await bench.run(stack, "destroy", "--preview-only")
      : await bench.run(stack, "preview");
  if (seen.refusal !== undefined) fault("stuck", `the preview: ${seen.refusal}`);
  else if (seen.planned.length === 0 && !areEqual(differs))
    fault("silent", `the preview is empty, but ${toldDifferences(differs)}`);
  const deleted: string[] = [];
  bench.watch = (moment, { method, path }) => {
    if (moment === "before" && method === "DELETE") deleted.push(decodeURIComponent(path));
    return undefined;
  };
  const done = await bench.run(stack, commandOf(operation), "--skip-preview");
  bench.watch = undefined;
  if (done.refusal !== undefined) fault("stuck", `${commandOf(operation)}: ${done.refusal}`);
  const before = idsOf(life.starts[operation].account);
  const shown = seen.planned.map(asStep) as unknown as Parameters<typeof isShown>[1];
  const unshown = seen.refusal === undefined ? deleted.filter((each) => !isShown(each, shown, before)) : [];
  for (const path of unshown) fault("unshown", `DELETE ${path}`);
  if (done.refusal !== undefined) {
    const again = await bench.run(stack, commandOf(operation), "--skip-preview");
    if (again.refusal !== undefined) return faults;
  }
  const left = differences(bench.emulator.data(), wanted);
  if (left.extra.length > 0) fault(operation === "destroy" ? "orphaned" : "doubled", left.extra.join("; "));
  if (left.missing.length + left.other.length > 0) fault("lost", toldDifferences({ ...left, extra: [] }));
  if (operation === "destroy") return faults;
  if (!thorough) return faults;
  const after = await bench.run(stack, "preview");
  if (after.refusal !== undefined || after.planned.length > 0)
    fault("stuck", `a preview after the up: ${after.refusal ?? JSON.stringify(after.planned)}`);
  const gone = await bench.run(stack, "destroy", "--skip-preview");
  if (gone.refusal !== undefined) fault("stuck", `the destroy after it: ${gone.refusal}`);
  const orphans = differences(bench.emulator.data(), life.accounts.empty);
  if (!areEqual(orphans)) fault("orphaned", toldDifferences(orphans));
  return faults;
}

/** Every so many-th point is followed to another preview and a destroy. */
const thoroughness = 5;

async function record(bench: PulumiBench, life: Life, operation: Operation): Promise<readonly Recorded[]> {
  const moments: Recorded[] = [];
  let last = "";
  bench.restore(life.starts[operation]);
  bench.watch = (when, { method, path }) => {
    const moment = bench.now();
    const digest = digestOf(moment);
    if (digest !== last) moments.push({ ...moment, at: `${when} ${method} ${path}` });
    last = digest;
    return undefined;
  };
  await succeed(bench, life, operation);
  bench.watch = undefined;
  return moments;
}

/** The engine killed with everything that it started: a copy of all that is on disk at each request. */
export async function killPulumi(choice: Choice): Promise<Tally> {
  const tally = newTally("kill", "pulumi");
  const began = Date.now();
  for (const family of choice.families ?? allFamilies) {
    let number = 0;
    const bench = await openPulumi();
    try {
      const life = await undisturbed(bench, [family]);
      for (const operation of operations) {
        const moments = await record(bench, life, operation);
        for (const moment of moments) {
          if (!isChosen(++number, choice)) continue;
          bench.restore(moment);
          const faults = await judge(bench, life, operation, number % thoroughness === 0);
          count(tally, choice, { number, family, at: `${operation} of ${family}: ${moment.at}` }, faults);
        }
      }
    } finally {
      await bench.close();
    }
  }
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}

/** The plugin alone killed at each write, before the service acts and after it did: the engine lives, and saves what it knows. */
export async function killPlugin(choice: Choice): Promise<Tally> {
  const tally = newTally("kill", "plugin");
  const began = Date.now();
  for (const family of choice.families ?? allFamilies) {
    const bench = await openPulumi();
    try {
      const life = await undisturbed(bench, [family]);
      for (const [stage, operation] of operations.entries()) {
        points: for (let nth = 1; nth <= mostWrites; nth++) {
          for (const [side, when] of (["before", "after"] as const).entries()) {
            // The same point has the same number, whichever others are tried.
            const number = 2 * (stage * mostWrites + nth) + side - 1;
            if (!isChosen(number, choice)) continue;
            bench.restore(life.starts[operation]);
            const hit = await strike(bench, life, operation, nth, when);
            if (hit === undefined) break points;
            const faults = await judge(bench, life, operation, number % thoroughness === 0);
            count(tally, choice, { number, family, at: `${operation} of ${family}: ${when} ${hit}` }, faults);
          }
        }
      }
    } finally {
      await bench.close();
    }
  }
  tally.seconds = (Date.now() - began) / 1000;
  return tally;
}

/** No operation of one family writes more often than this. */
const mostWrites = 25;

/** Runs the operation and kills the plugin at its so many-th write; the write, or nothing when there are fewer. */
async function strike(
  bench: PulumiBench,
  life: Life,
  operation: Operation,
  nth: number,
  when: "before" | "after",
): Promise<string | undefined> {
  let [writes, hit] = [0, undefined as string | undefined];
  let target: number | undefined;
  bench.watch = (moment, { n, method, path }) => {
    if (moment === "before" && method !== "GET" && ++writes === nth) target = n;
    if (n !== target || moment !== when) return undefined;
    hit = `${method} ${path}`;
    signal(
      bench.processes().filter(({ command }) => /pulumi-resource-plumbline|dist.plugin/.test(command)),
      "SIGKILL",
    );
    return moment === "before" ? "cut" : undefined;
  };
  await bench.run(stackOf(life, operation), commandOf(operation), "--skip-preview");
  bench.watch = undefined;
  return hit;
}
