/** Runs a program with nothing but checks: no request, no state changed. Finds what the declarations alone show, before anything is asked of the service. */

import { CheckFailedError, type Urn } from "../../core/protocol.ts";
import { unknownFrom, type ValueMap } from "../../core/value.ts";
import { type Host, type Position, type Program, ProgramError, type Registered } from "../host.ts";
import { ignoreChanges, sameValue } from "./property.ts";
import type { Run } from "./run.ts";
import { nameSeed } from "./seed.ts";
import type { ResourceState } from "./state.ts";
import { isProviderType, makeUrn } from "./urn.ts";

export interface Declared {
  readonly inputs: ValueMap;
  readonly position?: Position;
}

/** Checks every resource that can be reached without the service. Resolves to the checked inputs by URN; faults are reported. */
export async function rehearse(
  run: Run,
  program: Program,
  options: { readonly organization: string; readonly stackOutputs: (name: string) => Promise<ValueMap> },
): Promise<ReadonlyMap<Urn, Declared>> {
  const declared = new Map<Urn, Declared>();
  const seen = new Set<Urn>();
  const provider = run.pool.plain();
  const saved = (urn: Urn): ResourceState | undefined => {
    const slot = run.ledger.slotOf(urn);
    return slot === undefined ? undefined : run.ledger.resources.get(slot);
  };
  const unknownOutputs = (type: string, urn: Urn): ValueMap =>
    Object.fromEntries(
      Object.keys(run.catalogue.resources.get(type)?.outputs ?? {}).map((name) => [
        name,
        unknownFrom(`${urn}#${name}`),
      ]),
    );

  const register: Host["register"] = async (goal) => {
    const urn = makeUrn(run.stack, run.project, goal.type, goal.name, goal.options.parent);
    try {
      if (seen.has(urn)) throw new Error(`two resources have the URN ${urn}: give one of them another name`);
      seen.add(urn);
      const old = saved(urn);
      const known = old && !old.external ? old : undefined;
      if (!run.isTargeted(urn)) {
        const outputs = known?.outputs ?? { ...unknownOutputs(goal.type, urn), ...goal.inputs };
        return { urn, id: known?.id ?? unknownFrom(`${urn}#id`), outputs };
      }
      const newInputs = known
        ? ignoreChanges(goal.inputs, known.inputs, goal.options.ignoreChanges ?? [])
        : goal.inputs;
      const oldInputs = known?.inputs;
      const { inputs, failures } = isProviderType(goal.type)
        ? await provider.checkConfig({ urn, oldInputs: oldInputs ?? {}, newInputs })
        : await provider.check({
            urn,
            type: goal.type,
            name: goal.name,
            newInputs,
            randomSeed: nameSeed(run, urn, old?.id),
            log: () => {},
            ...(oldInputs ? { oldInputs } : {}),
          });
      if (failures.length > 0) throw new CheckFailedError(failures);
      const place = goal.positionOf("");
      declared.set(urn, { inputs, ...(place ? { position: place } : {}) });
      // Outputs of a resource that is as it was are what they were; of one that is to change, anything may move.
      if (known?.id && sameValue(known.inputs, inputs)) return { urn, id: known.id, outputs: known.outputs };
      return { urn, id: unknownFrom(`${urn}#id`), outputs: { ...unknownOutputs(goal.type, urn), ...inputs } };
    } catch (error) {
      throw run.failure(error, urn, goal);
    }
  };

  const host: Host = {
    project: run.project,
    stack: run.stack,
    organization: options.organization,
    preview: true,
    catalogue: run.catalogue,
    urn: (type, name, parent) => makeUrn(run.stack, run.project, type, name, parent),
    register,
    async read(goal): Promise<Registered> {
      const urn = makeUrn(run.stack, run.project, goal.type, goal.name, goal.options.parent);
      return { urn, id: goal.id, outputs: { ...unknownOutputs(goal.type, urn), ...goal.state } };
    },
    async invoke(token) {
      const names = Object.keys(run.catalogue.functions.get(token)?.outputs ?? {});
      return Object.fromEntries(names.map((name) => [name, unknownFrom(`${token}#${name}`)]));
    },
    stackReference: options.stackOutputs,
    log: () => {},
  };
  try {
    await program.run(host);
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    for (const diagnostic of error.diagnostics) if (!run.isTold(diagnostic)) run.report(diagnostic);
  }
  run.tellRepeated();
  return declared;
}
