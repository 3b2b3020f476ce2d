/** What the account holds that no stack of the backend owns. Writes nothing, to the service or a state. */

import { referencedProvider } from "../../../core/engines/urn.ts";
import type { Catalogue } from "../../../core/protocol.ts";
import type { ValueMap } from "../../../core/value.ts";
import type { Run } from "../../deployment/run.ts";
import type { Ledger } from "../../state/ledger.ts";
import type { ResourceState } from "../../state/state.ts";
import type { OpenedStack } from "../../state/states.ts";
import { type Target, targetKey } from "../../state/target.ts";
import { type LeftOut, takeInventory } from "./inventory.ts";
import { keyOf } from "./managed.ts";
import { nameAll } from "./naming.ts";
import { defaultProvider, inOrder, nameless, partsOf } from "./survey.ts";

/** An object that nobody declares. */
export interface Unowned {
  readonly type: string;
  readonly id: string;
  /** What a resource of it could be called. */
  readonly name: string;
}

export interface Ownership {
  /** What others need comes before them; children follow their parent. */
  readonly unowned: readonly Unowned[];
  readonly leftOut: readonly LeftOut[];
  /** The stacks whose objects were left out, `project/stack`: this one, and every other of the account. */
  readonly stacks: readonly string[];
  /** Those in which a run left something open: what it was making may be among the unowned. */
  readonly open: readonly string[];
}

export interface OwnershipOptions {
  /** Only types of this area (`dns`); absent: all. */
  readonly area?: string;
  readonly defaultConfig: ValueMap;
  /** The account that is asked; absent: the provider knows no accounts. */
  readonly target: () => Promise<Target | undefined>;
  readonly others: AsyncIterable<OpenedStack>;
}

/** Throws what a list failed of, unless it is a refusal of that list alone; EngineError `state` for a state that cannot be read. */
export async function findUnowned(run: Run, options: OwnershipOptions): Promise<Ownership> {
  const { catalogue } = run;
  const provider = await defaultProvider(run, options.defaultConfig);
  const target = await options.target();
  const owned = new Set<string>();
  const [stacks, open]: [string[], string[]] = [[], []];
  const take = ({ project, stack, ledger }: OpenedStack) => {
    const objects = objectsOf(catalogue, ledger, target);
    for (const state of objects) for (const key of keysOf(catalogue, state)) owned.add(key);
    if (objects.length > 0) stacks.push(`${project}/${stack}`);
    if (ledger.attempts.size > 0) open.push(`${project}/${stack}`);
  };
  take({ project: run.project, stack: run.stack, ledger: run.ledger });
  for await (const other of options.others) {
    run.throwIfCancelled();
    take(other);
  }
  const isOwned = (type: string, id: string) => owned.has(keyOf({ type, id }));
  const { candidates, leftOut } = await takeInventory(run, provider, {
    area: options.area,
    isKnown: isOwned,
  });
  const parts = partsOf(run, candidates, []);
  const found = inOrder(
    run,
    candidates.filter((candidate) => !parts.has(keyOf(candidate)) && !isOwned(candidate.type, candidate.id)),
  );
  const names = nameAll(found.map(nameless), new Set());
  const unowned = found.map(({ type, id }, i): Unowned => ({ type, id, name: names[i]! }));
  return { unowned, leftOut, stacks, open };
}

/** What a stack has on the account: everything that it manages, also what it is about to delete. */
function objectsOf(catalogue: Catalogue, ledger: Ledger, target: Target | undefined): ResourceState[] {
  const isHere = ({ provider }: ResourceState): boolean => {
    const key = targetKey(provider === undefined ? undefined : referencedProvider(provider).urn);
    const theirs = ledger.targets.get(key);
    if (theirs === undefined || target === undefined) return true;
    if (theirs.account !== undefined && target.account !== undefined)
      return theirs.account === target.account;
    return theirs.baseUrl === target.baseUrl;
  };
  return [...ledger.resources.values()].filter(
    (state) => catalogue.resources.has(state.type) && state.custom && !state.external && isHere(state),
  );
}

/** The object of a resource, and those that are declared within it. */
function keysOf(catalogue: Catalogue, { type, id, inputs, outputs: state }: ResourceState): string[] {
  if (id === undefined) return [];
  const parts = catalogue.relations?.(type, { id, inputs, state }).parts ?? [];
  return [{ type, id }, ...parts].map(keyOf);
}
