/** Takes the objects of a survey into the state, all of them or none. Asks the service nothing. */

import { stackUrn } from "../../../core/engines/urn.ts";
import type { Urn } from "../../../core/protocol.ts";
import type { ValueMap } from "../../../core/value.ts";
import { guarded } from "../../deployment/apply.ts";
import { ensureStack } from "../../deployment/deployment.ts";
import { undeclared, wantedState } from "../../deployment/goal.ts";
import { createRegistry, type Registry } from "../../deployment/registry.ts";
import { type Run, stepFor } from "../../deployment/run.ts";
import { EngineError } from "../../failure.ts";
import { ProgramError } from "../../host.ts";
import type { ResourceState } from "../../state/state.ts";
import type { Discovery } from "./survey.ts";

export interface Intake {
  readonly found: readonly Discovery[];
  /** Protects each from deletion. */
  readonly protect?: boolean;
}

/** Saves the resources. Throws, with the state as it was, when one of them came into the stack meanwhile. */
export async function takeIn(
  run: Run,
  { found, protect }: Intake,
  defaultConfig: ValueMap,
): Promise<ResourceState[]> {
  const root = stackUrn(run.stack, run.project);
  for (const { urn, type, id } of found) {
    if (run.ledger.slotOf(urn) === undefined && !run.ledger.isKnownId(type, id)) continue;
    throw new EngineError("usage", `The stack has got ${urn} (${id}) meanwhile: import again.`);
  }
  ensureStack(run);
  if (found.length === 0) return [];
  const registry = createRegistry(run, { stackUrn: root, defaultConfig });
  const states: ResourceState[] = [];
  for (const discovery of found)
    states.push(await intakeOf(run, registry, discovery, { protect, importID: discovery.id }));
  const steps = states.map((state) => stepFor("import", state, { newInputs: state.inputs }));
  await run.hold?.plan(run, steps);
  if (run.hasFailed()) throw new ProgramError([]); // told already
  run.throwIfCancelled();
  await run.ledger.set(states.map((state) => [run.ledger.reserve(), state]));
  for (const [at, state] of states.entries()) await run.perform(steps[at]!, async () => state);
  return states;
}

/** The state of an object that is taken in as it was found. `importID`: what it was called by. */
export async function intakeOf(
  run: Run,
  registry: Registry,
  discovery: Discovery,
  { protect, importID }: { readonly protect: boolean | undefined; readonly importID: string },
): Promise<ResourceState> {
  const { urn, type, name, id, inputs, state } = discovery;
  const own = discovery.options ?? {};
  const { entry, goal: bare } = undeclared(urn, {
    ...{ type, name, protect: protect || own.protect },
    ...(own.retainOnDelete && { retainOnDelete: true }),
  });
  const goal = { ...bare, ...dependenciesOf(discovery) };
  const use = await registry.providerFor(entry);
  const blank = wantedState(goal, entry, stackUrn(run.stack, run.project), use.reference, inputs);
  const time = run.now().toISOString();
  return { ...blank, id, importID, outputs: guarded(run, blank, state), created: time, modified: time };
}

/** What the declared references make it depend on, as a run of the stack file would save it. */
function dependenciesOf({ references }: Discovery) {
  const byInput: { [input: string]: Urn[] } = {};
  for (const { path, urn } of references) {
    const input = String(path[0]);
    byInput[input] = [...(byInput[input] ?? []), urn];
  }
  return { dependencies: [...new Set(references.map(({ urn }) => urn))], propertyDependencies: byInput };
}
