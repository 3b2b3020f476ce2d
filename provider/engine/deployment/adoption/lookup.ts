/**
 * Finds on the account the objects that declared resources are, where the state does not know them: by their id where their inputs tell it, else by
 * what people call them, from lists. What could be several objects is refused. Writes nothing.
 */

import type { Catalogue, Provider, Urn } from "../../../core/protocol.ts";
import { shortToken } from "../../../core/token.ts";
import { containsUnknown, type Value, type ValueMap } from "../../../core/value.ts";
import type { Goal } from "../../host.ts";
import type { Run } from "../run.ts";

export interface Wanted {
  readonly urn: Urn;
  readonly goal: Goal;
  readonly provider: Provider;
  /** Checked. */
  readonly inputs: ValueMap;
}

/** Resolves to the id of the object that the resource is; undefined: there is none. Throws where it could be one of several. */
export type Lookup = (wanted: Wanted) => Promise<string | undefined>;

/** An object that no resource of the stack is. */
interface Candidate {
  readonly id: string;
  readonly inputs: ValueMap;
  readonly state: ValueMap;
}

/** `declared`: everything that the program declares, as far as it is known without the service. */
export function createLookup(
  run: Run,
  declared: Iterable<{ readonly goal: Goal; readonly inputs: ValueMap }>,
): Lookup {
  const lists = new WeakMap<Provider, Map<string, Promise<ReadonlyMap<string, Candidate[]>>>>();
  const taken = new Map<string, Urn>();
  const likes = countLikes(run.catalogue, declared);

  const read = async ({ goal, provider, urn }: Wanted, id: string): Promise<Candidate | undefined> => {
    const { type, name } = goal;
    const live = await provider.read({ urn, type, name, id, log: run.logOf(urn), signal: run.signal });
    return live && { id: live.id, inputs: live.inputs, state: live.state };
  };

  /** The objects under a parent by their names, read from the list of them. */
  const listed = (wanted: Wanted, parentId: string) => {
    const { goal, provider } = wanted;
    const info = run.catalogue.resources.get(goal.type);
    const within = info?.parents?.length === 1 && parentId !== "" ? { parentId } : {};
    const key = JSON.stringify([goal.type, within]);
    const known = lists.get(provider) ?? new Map<string, Promise<ReadonlyMap<string, Candidate[]>>>();
    lists.set(provider, known);
    const asked = known.get(key) ?? byName(wanted, within);
    known.set(key, asked);
    return asked;
  };

  async function byName(wanted: Wanted, within: { readonly parentId?: string }) {
    const { type } = wanted.goal;
    const all = await wanted.provider.list({ type, ...within, log: run.logOf(), signal: run.signal });
    const found = new Map<string, Candidate[]>();
    await Promise.all(
      all.map(async ({ id, leftOut }) => {
        if (leftOut !== undefined || run.ledger.isKnownId(type, id)) return;
        const candidate = await read(wanted, id);
        if (candidate === undefined) return;
        const key = nameKey(run.catalogue.naturalKey?.(type, candidate.inputs));
        const alike = found.get(key);
        if (alike) alike.push(candidate);
        else found.set(key, [candidate]);
      }),
    );
    return found;
  }

  const isFree = (type: string, { id }: Candidate, urn: Urn): boolean =>
    !run.ledger.isKnownId(type, id) &&
    !run.imports.has(`${type} ${id}`) &&
    [undefined, urn].includes(taken.get(`${type} ${id}`));

  const take = ({ goal, urn }: Wanted, { id }: Candidate): string => {
    taken.set(`${goal.type} ${id}`, urn);
    return id;
  };

  /** True when a preview would find nothing to do for it. */
  async function isAsDeclared(
    { goal, provider, urn, inputs }: Wanted,
    candidate: Candidate,
  ): Promise<boolean> {
    const oldInputs = withUntold(run.catalogue, goal.type, candidate.inputs, inputs);
    const { type, name } = goal;
    const { id, state } = candidate;
    const { ignoreChanges } = goal.options;
    const options = ignoreChanges ? { ignoreChanges } : {};
    return !(await provider.diff({ urn, type, name, id, oldInputs, state, newInputs: inputs, ...options }))
      .changes;
  }

  return async (wanted) => {
    const { goal, urn, inputs } = wanted;
    const key = run.catalogue.naturalKey?.(goal.type, inputs);
    if (key === undefined) return undefined;
    if (key.id !== undefined) {
      const found = await read(wanted, key.id);
      return found && isFree(goal.type, found, urn) ? take(wanted, found) : undefined;
    }
    const alike = (await listed(wanted, key.parentId)).get(nameKey(key)) ?? [];
    const judged = await Promise.all(alike.map((each) => isAsDeclared(wanted, each)));
    // Nothing is waited for from here on: what is free stays so.
    const isThere = (each: Candidate) => isFree(goal.type, each, urn);
    const same = alike.filter((each, at) => judged[at] && isThere(each));
    const [only] = same;
    if (only && same.length === 1) return take(wanted, only);
    const free = alike.filter(isThere);
    if (key.name === undefined && same.length === 0) return undefined;
    if (free.length === 0) return undefined;
    const isAlone = alike.length === 1 && likes.get(likeKey(run.catalogue, goal.type, inputs)) === 1;
    if (isAlone) return take(wanted, free[0]!);
    const what = key.name === undefined ? "are as it is declared" : `are called ${key.name}`;
    throw new Error(
      `${free.length === 1 ? "an object" : `${free.length} objects`} that ${what.replace(/^are/, free.length === 1 ? "is" : "are")} could be it, and nothing tells which is: take over the one that is meant by its id: plumbline import ${shortToken(goal.type)} ${goal.name} ID (${free.map(({ id }) => id).join(", ")})`,
    );
  };
}

type Key = ReturnType<NonNullable<Catalogue["naturalKey"]>>;

const nameKey = (key: Key): string => JSON.stringify([key?.parentId, key?.name]);

/** How many of the declared resources are called alike under the same parent. */
function countLikes(
  catalogue: Catalogue,
  declared: Iterable<{ readonly goal: Goal; readonly inputs: ValueMap }>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { goal, inputs } of declared) {
    const key = likeKey(catalogue, goal.type, inputs);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Type and name alone, under whatever parent: a parent that is not made yet has no id that could tell. */
function likeKey(catalogue: Catalogue, type: string, inputs: ValueMap): string {
  const known = Object.entries(inputs).map(([name, value]) => [name, containsUnknown(value) ? "0" : value]);
  return `${type} ${catalogue.naturalKey?.(type, Object.fromEntries(known) as ValueMap)?.name}`;
}

/** Inputs that were read, with those that the service keeps and never tells as they are declared: there is no other word on them. */
export function withUntold(catalogue: Catalogue, type: string, live: ValueMap, declared: ValueMap): ValueMap {
  const infos = catalogue.resources.get(type)?.inputs ?? {};
  const untold: { [name: string]: Value } = {};
  for (const [name, value] of Object.entries(declared))
    if (infos[name]?.untold && live[name] === undefined) untold[name] = value;
  return { ...live, ...untold };
}
