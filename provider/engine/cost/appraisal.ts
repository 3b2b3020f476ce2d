/** Asks the provider what the objects of a plan are charged for, before and after it. */

import type { Appraised, Catalogue, ValueMap } from "../../core/protocol.ts";
import { isUnknown, reveal } from "../../core/value.ts";
import type { Run } from "../deployment/run.ts";
import type { Step } from "../event.ts";
import { type Charges, estimate } from "./estimate.ts";
import type { CostReport } from "./report.ts";
import type { PriceTable } from "./table.ts";

/** The cost of the steps that a preview has planned. */
export async function costOf(run: Run, table: PriceTable | undefined): Promise<CostReport> {
  const { resources } = run.catalogue;
  const steps = run.steps.filter(({ type, replaced }) => resources.has(type) && replaced !== true);
  const aboveOf = parents(steps, run.catalogue);
  const objects: Appraised[] = [];
  const note = (step: Step, inputs: readonly (ValueMap | undefined)[]): number[] =>
    inputs.flatMap((each) => {
      if (each === undefined) return [];
      const above = aboveOf(step.type, each);
      return [objects.push({ type: step.type, inputs: each, ...(above ? { above } : {}) }) - 1];
    });
  const sides = steps.map((step) => ({
    step,
    before: note(step, [inputsBefore(step)]),
    after: note(step, inputsAfter(step)),
  }));
  const provider = await run.pool.usual();
  const charges = (await provider.appraise?.({ objects, signal: run.signal })) ?? [];
  const of = (places: readonly number[]) => places.flatMap((at) => charges[at] ?? []);
  const all = sides.map(
    ({ step, before, after }): Charges => ({ step, before: of(before), after: of(after) }),
  );
  return estimate(all, table);
}

/** What is paid for already: an object that is taken over, too. */
const inputsBefore = ({ op, oldInputs, newInputs }: Step): ValueMap | undefined =>
  op === "import" ? (oldInputs ?? newInputs) : op === "read" ? undefined : oldInputs;

/** An object that is left where it is costs what it cost. */
function inputsAfter({ op, retained, oldInputs, newInputs }: Step): readonly (ValueMap | undefined)[] {
  if (op === "read") return [];
  return [op === "delete" ? undefined : newInputs, retained ? oldInputs : undefined];
}

/** The inputs of the object that another one is under: what it names by id, or by what is still to be made. */
function parents(
  steps: readonly Step[],
  { resources }: Catalogue,
): (type: string, inputs: ValueMap) => ValueMap | undefined {
  const inputsOf = ({ newInputs, oldInputs }: Step) => newInputs ?? oldInputs;
  const byUrn = new Map(steps.map((step) => [step.urn, step]));
  const byId = new Map(
    steps.flatMap((step): [string, Step][] => (step.id ? [[`${step.type} ${step.id}`, step]] : [])),
  );
  return (type, inputs) => {
    for (const parent of resources.get(type)?.parents ?? []) {
      for (const given of Object.values(inputs)) {
        const value = reveal(given);
        const step = isUnknown(value)
          ? byUrn.get(value.source?.split("#")[0] ?? "")
          : byId.get(`${parent} ${String(value)}`);
        if (step?.type === parent) return inputsOf(step);
      }
    }
    return undefined;
  };
}
