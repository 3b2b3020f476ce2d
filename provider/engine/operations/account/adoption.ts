/** Takes one existing object into the state. */

import { makeUrn, stackUrn } from "../../../core/engines/urn.ts";
import type { Provider, Urn } from "../../../core/protocol.ts";
import type { ValueMap } from "../../../core/value.ts";
import { ensureStack } from "../../deployment/deployment.ts";
import { undeclared, wantedState } from "../../deployment/goal.ts";
import { readObject } from "../../deployment/observation.ts";
import { createRegistry } from "../../deployment/registry.ts";
import { type Run, stepFor } from "../../deployment/run.ts";
import { EngineError } from "../../failure.ts";
import { intakeOf } from "./intake.ts";
import { writable } from "./inventory.ts";
import { type Managed, managedStates, relationsOf, resolved, urnsById } from "./managed.ts";
import type { Discovery } from "./survey.ts";

export interface Adoption {
  /** Canonical token. */
  readonly type: string;
  readonly name: string;
  /** Canonical id, or a natural name (`example.com/www/A`). */
  readonly id: string;
  /** Protects it from deletion, in the state and in the block. Default true, as Pulumi's import does. */
  readonly protect?: boolean;
}

/** Reads the object and saves it. Throws when there is none, or when the URN is in the state already. */
export async function adoptOne(run: Run, adoption: Adoption, defaultConfig: ValueMap): Promise<Managed> {
  const { type, name, id, protect = true } = adoption;
  const urn = makeUrn(run.stack, run.project, type, name);
  const root = stackUrn(run.stack, run.project);
  ensureStack(run);
  const slot = run.ledger.slotOf(urn);
  const known = slot === undefined ? undefined : run.ledger.resources.get(slot);
  if (known && !known.external) {
    throw new EngineError(
      "usage",
      `The stack has a resource ${urn} already (${known.id}): choose another name.`,
    );
  }
  const registry = createRegistry(run, { stackUrn: root, defaultConfig });
  const { entry, goal } = undeclared(urn, { type, name, protect });
  const use = await registry.providerFor(entry);
  const blank = wantedState(goal, entry, root, use.reference, {});
  const live = await readObject(run, use.provider, { ...blank, id }, undefined);
  if (live === undefined) throw new Error(`There is no ${type} with the id ${JSON.stringify(id)}.`);
  if (run.ledger.isKnownId(type, live.id)) {
    throw new EngineError("usage", `The stack manages ${type} ${live.id} already, under another name.`);
  }
  const inputs = await checked(run, use.provider, { urn, type, name }, writable(live.inputs));
  const object = { type, id: live.id, inputs, outputs: live.state };
  const references = resolved(relationsOf(run, object), urnsById(managedStates(run)));
  const discovery: Discovery = { urn, type, name, id: live.id, inputs, state: live.state, references };
  const state = await intakeOf(run, registry, discovery, { protect, importID: id });
  await run.perform(stepFor("import", state, { newInputs: inputs }), async () => {
    await run.ledger.set([[slot ?? run.ledger.reserve(), state]]);
    return state;
  });
  return { state, references };
}

/** What was read, as a declaration; what its type's checks have against it is told. */
async function checked(
  run: Run,
  provider: Provider,
  identity: { readonly urn: Urn; readonly type: string; readonly name: string },
  read: ValueMap,
): Promise<ValueMap> {
  const { inputs, failures } = await provider.check({ ...identity, oldInputs: read, newInputs: read });
  for (const { property, reason } of failures) {
    run.report({
      severity: "warning",
      message: `What was read does not pass the checks of ${identity.type}: ${property ? `${property}: ` : ""}${reason}`,
      urn: identity.urn,
    });
  }
  return inputs;
}
