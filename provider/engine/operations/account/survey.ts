/**
 * What a whole account holds that the stack does not have yet: listed, read, named, checked, in the order of its dependencies. Writes
 * nothing, to the service or the state. Objects that cannot be taken over come back with the reason.
 */

import { stackUrn, urnParts } from "../../../core/engines/urn.ts";
import type { Provider, Urn } from "../../../core/protocol.ts";
import { shortToken } from "../../../core/token.ts";
import type { ValueMap } from "../../../core/value.ts";
import { newEntry } from "../../deployment/goal.ts";
import { createRegistry } from "../../deployment/registry.ts";
import type { Run } from "../../deployment/run.ts";
import type { ResourceState } from "../../state/state.ts";
import { type Candidate, type GivenObject, type LeftOut, takeGiven, takeInventory } from "./inventory.ts";
import {
  keyOf,
  type Managed,
  managedStates,
  type Referred,
  relationsOf,
  resolved,
  urnsById,
} from "./managed.ts";
import { type Nameless, nameAll } from "./naming.ts";

export interface SurveyOptions {
  /** Only these objects, in place of all, each by this name and with these inputs, as far as it is so; `area` means nothing then. */
  readonly given?: readonly GivenObject[];
  /** Only types of this area (`dns`); absent: all. */
  readonly area?: string;
  /** Names that new resources cannot have, beside those in the state. */
  readonly taken?: ReadonlySet<string>;
}

/** An object that can be taken over as a resource. */
export interface Discovery {
  readonly urn: Urn;
  readonly type: string;
  readonly name: string;
  readonly id: string;
  /** As the provider checked them; with them as declaration, a preview finds nothing to do. */
  readonly inputs: ValueMap;
  readonly state: ValueMap;
  /** To one of the discoveries before it, or to a resource that the stack has. */
  readonly references: readonly Referred[];
  readonly options?: Pick<ResourceState, "protect" | "retainOnDelete">;
}

export interface Survey {
  /** What others need comes before them; children follow their parent. */
  readonly found: readonly Discovery[];
  /** Resources that the stack has already, whether they exist still or not; what they need comes before them. */
  readonly managed: readonly Managed[];
  readonly leftOut: readonly LeftOut[];
}

/** Surveys the account. Throws what a list failed of, unless it is a refusal of that list alone. */
export async function surveyAccount(
  run: Run,
  options: SurveyOptions,
  defaultConfig: ValueMap,
): Promise<Survey> {
  const provider = await defaultProvider(run, defaultConfig);
  const managed = managedStates(run);
  const isKnown = run.ledger.isKnownId;
  const { candidates, leftOut } = options.given
    ? await takeGiven(run, provider, options.given, isKnown)
    : await takeInventory(run, provider, { area: options.area, isKnown });
  const known = urnsById(managed);
  const parts = partsOf(run, candidates, managed);
  const wanted = inOrder(
    run,
    candidates.filter((candidate) => !known.has(keyOf(candidate)) && !parts.has(keyOf(candidate))),
  );
  const taken = new Set([...(options.taken ?? []), ...managed.map(({ urn }) => urnParts(urn).name)]);
  const names = nameAll(
    wanted.map((each) => (each.given ? named(each) : nameless(each))),
    taken,
    new Map([...known].map(([key, urn]) => [key, urnParts(urn).name])),
  );
  const kept = managed.map((state) => ({ state, references: resolved(relationsOf(run, state), known) }));
  for (const state of managed) await remember(provider, state);
  const found: Discovery[] = [];
  for (const [i, candidate] of wanted.entries()) {
    run.throwIfCancelled();
    const urn = run.urnOf(candidate.type, names[i]!);
    const judged = await judge(provider, candidate, urn, names[i]!);
    if ("reason" in judged) {
      leftOut.push({
        type: candidate.type,
        id: candidate.id,
        name: candidate.listed.name,
        reason: judged.reason,
      });
      continue;
    }
    const references = resolved(candidate.relations, known);
    known.set(keyOf(candidate), urn);
    const { type, id, state, given: { protect = false, retainOnDelete = false } = {} } = candidate;
    const options = { ...(protect && { protect }), ...(retainOnDelete && { retainOnDelete }) };
    found.push({ urn, type, name: names[i]!, id, inputs: judged.inputs, state, references, options });
  }
  return { found, managed: kept, leftOut };
}

/** The stack's default provider, configured. */
export async function defaultProvider(run: Run, defaultConfig: ValueMap): Promise<Provider> {
  const root = stackUrn(run.stack, run.project);
  const registry = createRegistry(run, { stackUrn: root, defaultConfig });
  const asking = newEntry(root);
  return (await registry.providerFor(asking)).provider;
}

/** An object, as a name is made of it. */
export const nameless = ({ type, id, listed, relations }: Candidate): Nameless => ({
  type,
  id,
  proposed: listed.name,
  ...(relations.parent && { parent: relations.parent }),
});

/** One that has a name already: its parent's is no part of it. */
const named = ({ type, id, listed }: Candidate): Nameless => ({ type, id, proposed: listed.name });

/** Objects that are declared within another one, which is found or managed. */
export function partsOf(
  run: Run,
  candidates: readonly Candidate[],
  managed: readonly ResourceState[],
): Set<string> {
  const relations = [
    ...candidates.map((candidate) => candidate.relations),
    ...managed.map((state) => relationsOf(run, state)),
  ];
  return new Set(relations.flatMap(({ parts }) => parts.map(keyOf)));
}

/** What others refer to comes before them; children follow their parent; else the order is kept. */
export function inOrder(run: Run, candidates: readonly Candidate[]): Candidate[] {
  const byKey = new Map(candidates.map((candidate) => [keyOf(candidate), candidate]));
  const children = new Map<string, Candidate[]>();
  const roots: Candidate[] = [];
  for (const candidate of candidates) {
    const above = candidate.relations.parent && keyOf(candidate.relations.parent);
    const siblings = above === undefined ? undefined : children.get(above);
    if (above === undefined || !byKey.has(above)) roots.push(candidate);
    else if (siblings) siblings.push(candidate);
    else children.set(above, [candidate]);
  }
  const order: Candidate[] = [];
  const entered = new Set<Candidate>();
  const visit = (candidate: Candidate) => {
    if (entered.has(candidate)) return;
    entered.add(candidate);
    for (const reference of candidate.relations.references) {
      const needed = byKey.get(keyOf(reference));
      if (needed) visit(needed);
    }
    order.push(candidate);
    for (const child of children.get(keyOf(candidate)) ?? []) visit(child);
  };
  for (const root of roots) {
    run.throwIfCancelled();
    visit(root);
  }
  return order;
}

/** Has the provider know a resource that the stack has, as what is found must be able to stand beside it. Its own faults are a preview's to tell. */
async function remember(provider: Provider, { urn, type, id = "", inputs, outputs: state }: ResourceState) {
  const { name } = urnParts(urn);
  const checked = await provider.check({ urn, type, name, oldInputs: inputs, newInputs: inputs });
  const newInputs = checked.inputs;
  await provider.diff({ urn, type, name, id, oldInputs: newInputs, state, newInputs });
}

/** The checked inputs, or why they cannot be declared. */
async function judge(
  provider: Provider,
  { type, id, inputs: newInputs, state, given }: Candidate,
  urn: Urn,
  name: string,
): Promise<{ readonly inputs: ValueMap } | { readonly reason: string }> {
  const { inputs, failures } = await provider.check({ urn, type, name, oldInputs: newInputs, newInputs });
  if (failures.length > 0) {
    const faults = failures.map(({ property, reason }) =>
      property === "" ? reason : `${property}: ${reason}`,
    );
    return { reason: `it does not pass the checks of ${shortToken(type)}: ${faults.join("; ")}` };
  }
  const { changes, detailedDiff } = await provider.diff({
    urn,
    type,
    name,
    id,
    oldInputs: { ...inputs, ...given?.read },
    state,
    newInputs: inputs,
  });
  if (!changes) return { inputs };
  const what = given ? "it is declared otherwise than it is" : "what was read of it would be changed at once";
  return { reason: `${what}: ${Object.keys(detailedDiff).join(", ")}` };
}

export type { GivenObject, LeftOut };
