/** Takes one existing object into the state, and writes the block that declares it as it is. */

import { stringify } from "yaml";
import { makeUrn, stackUrn } from "../../../core/engines/urn.ts";
import { shortToken } from "../../../core/token.ts";
import { isSecret, isTagged, isValueMap, type Value, type ValueMap } from "../../../core/value.ts";
import { guarded } from "../../deployment/apply.ts";
import { ensureStack } from "../../deployment/deployment.ts";
import { undeclared, wantedState } from "../../deployment/goal.ts";
import { readObject } from "../../deployment/observation.ts";
import { createRegistry } from "../../deployment/registry.ts";
import { type Run, stepFor } from "../../deployment/run.ts";
import { EngineError } from "../../failure.ts";
import type { ResourceState } from "../../state/state.ts";

export interface Adoption {
  /** Canonical token. */
  readonly type: string;
  readonly name: string;
  /** Canonical id, or a natural name (`example.com/www/A`). */
  readonly id: string;
  /** Protects it from deletion, in the state and in the block. Default true, as Pulumi's import does. */
  readonly protect?: boolean;
}

export interface Adopted {
  readonly state: ResourceState;
  /** The block to put into the stack file: with it the next preview finds nothing to do. */
  readonly yaml: string;
  /** Properties whose secret values stand as `${name}` in the block, with the config key to set for each. */
  readonly secrets: readonly string[];
}

/** Reads the object and saves it. Throws when there is none, or when the URN is in the state already. */
export async function adoptOne(run: Run, adoption: Adoption, defaultConfig: ValueMap): Promise<Adopted> {
  const { type, name, id } = adoption;
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
  const { entry, goal } = undeclared(urn, { type, name, protect: adoption.protect ?? true });
  const use = await registry.providerFor(goal, entry);
  const blank = wantedState(goal, entry, root, use.reference, {});
  const live = await readObject(run, use.provider, { ...blank, id }, undefined);
  if (live === undefined) throw new Error(`There is no ${type} with the id ${JSON.stringify(id)}.`);
  if (run.ledger.isKnownId(type, live.id)) {
    throw new EngineError("usage", `The stack manages ${type} ${live.id} already, under another name.`);
  }
  const { inputs, failures } = await use.provider.check({
    urn,
    type,
    name,
    oldInputs: live.inputs,
    newInputs: live.inputs,
  });
  for (const failure of failures) {
    run.report({
      severity: "warning",
      message: `What was read does not pass the checks of ${type}: ${failure.property ? `${failure.property}: ` : ""}${failure.reason}`,
      urn,
    });
  }
  const time = run.now().toISOString();
  const state: ResourceState = {
    ...blank,
    id: live.id,
    importID: id,
    inputs,
    outputs: guarded(run, { ...blank, inputs }, live.state),
    created: time,
    modified: time,
  };
  await run.perform(stepFor("import", state, { newInputs: inputs }), async () => {
    await run.ledger.set([[slot ?? run.ledger.reserve(), state]]);
    return state;
  });
  return { state, ...blockOf(state) };
}

/** The YAML that declares a resource as its state is. */
export function blockOf(state: ResourceState): Pick<Adopted, "yaml" | "secrets"> {
  const secrets: string[] = [];
  const name = state.urn.slice(state.urn.lastIndexOf("::") + 2);
  const plain = (value: Value, path: string): unknown => {
    if (isSecret(value)) {
      const key = `${name}-${path}`.replace(/[^A-Za-z0-9]+(.)?/g, (_, next?: string) =>
        (next ?? "").toUpperCase(),
      );
      secrets.push(key);
      return `\${${key}}`;
    }
    if (isTagged(value)) return null;
    if (typeof value === "string") return value.replaceAll("$", "$$$$");
    if (Array.isArray(value)) return value.map((item, i) => plain(item as Value, `${path}-${i}`));
    if (isValueMap(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, plain(item, `${path}-${key}`)]),
      );
    }
    return value;
  };
  const properties = Object.fromEntries(
    Object.entries(state.inputs)
      .map(([key, value]) => [key, plain(value, key)] as const)
      .filter(([, value]) => value !== null && value !== undefined),
  );
  const block = {
    resources: {
      [name]: {
        type: shortToken(state.type),
        ...(Object.keys(properties).length > 0 ? { properties } : {}),
        ...(state.protect ? { options: { protect: true } } : {}),
      },
    },
  };
  return { yaml: stringify(block, { lineWidth: 0 }), secrets };
}
