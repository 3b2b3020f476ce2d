/**
 * Names that must be unique and go from one resource to another in one run: who takes whose, and so who comes first. Told from what is declared
 * and what the state has; calls no provider.
 */

import { referencedProvider } from "../../core/engines/urn.ts";
import type { UniqueName, Urn } from "../../core/protocol.ts";
import { isUnknown, type Value, type ValueMap } from "../../core/value.ts";
import { EngineError } from "../failure.ts";
import type { Goal, ProgramNode } from "../host.ts";
import type { ResourceState } from "../state/state.ts";
import type { Run } from "./run.ts";

/** A declaration as the rehearsal has seen it. */
export interface Declaration {
  readonly goal: Goal;
  /** Of the state that it is found by. */
  readonly slot?: number;
  /** Checked. */
  readonly inputs: ValueMap;
}

export interface SuccessionOptions {
  readonly declared: ReadonlyMap<Urn, Declaration>;
  /** Slots that some declaration is found by, targets or not. */
  readonly claimed: ReadonlySet<number>;
  readonly graph: readonly Pick<ProgramNode, "key" | "dependsOn">[];
  /** The key of a declaration in the graph. */
  readonly keyOf: (goal: Goal) => string;
  /** True when the object of a state may be deleted or replaced in this run. */
  readonly mayGo: (state: ResourceState, declared: Declaration | undefined) => Promise<boolean>;
}

export interface Succession {
  /** By key: what comes first beside what the program refers to. */
  readonly first: ReadonlyMap<string, readonly string[]>;
  /** Slots that hold a name which the resource takes: it has them empty or renamed before it is made or changed itself. */
  readonly heldFor: (urn: Urn) => readonly number[];
  /** True for what the state had at first and the program neither registers nor reads; not for what waited for its deletion already. */
  readonly isLeft: (slot: number) => boolean;
}

interface Holder {
  readonly slot: number;
  readonly state: ResourceState;
  /** The declaration that decides what becomes of it. */
  readonly heir: readonly [Urn, Declaration] | undefined;
}

/** A name that a declaration takes from a holder. */
interface Taking {
  readonly urn: Urn;
  readonly declaration: Declaration;
  readonly name: UniqueName;
  readonly holder: Holder;
}

/** Settles the order. What has none is refused: reported of the resource that takes the name. */
export async function settleSuccession(run: Run, options: SuccessionOptions): Promise<Succession> {
  const { declared, claimed, graph, keyOf } = options;
  const order = createOrder(graph);
  const held = new Map<Urn, number[]>();
  const takings = takingsOf(run, options);
  for (const { urn, declaration, name, holder } of takings) {
    const { goal, inputs } = declaration;
    const said = `${name.property}: ${JSON.stringify(inputs[name.property])} is still the ${name.property} of`;
    const { urn: other } = holder.state;
    held.set(urn, [...(held.get(urn) ?? []), holder.slot]);
    if (!run.isTargeted(other)) {
      const message = `${said} ${other}, which is no target: make it one, too`;
      run.failure(new EngineError("usage", message), urn, goal);
    } else if (holder.heir && !order.add(keyOf(goal), keyOf(holder.heir[1].goal))) {
      const heir = JSON.stringify(holder.heir[1].goal.name);
      const message = `${said} ${heir}, which needs "${goal.name}" before it can leave it: give one of the two another ${name.property} first, and this one in the next run`;
      run.failure(new EngineError("usage", message, { errorCode: "PLB-SWAP" }), urn, goal);
    }
  }
  const heirs = heirsOf(run, declared);
  for (const { declaration, holder } of takings) {
    if (!(await options.mayGo(holder.state, holder.heir?.[1]))) continue;
    // What moves away from the old object by itself does so before it goes; what waits for the new one is deleted with the old one.
    for (const slot of dependantsOf(run, holder.state.urn)) {
      const heir = heirs.get(slot);
      if (heir) order.add(keyOf(declaration.goal), keyOf(heir[1].goal));
    }
  }
  const left = new Set<number>();
  for (const [slot, state] of run.ledger.resources)
    if (state.custom && !state.delete && !claimed.has(slot)) left.add(slot);
  return {
    first: order.added,
    heldFor: (urn) => held.get(urn) ?? [],
    isLeft: (slot) => left.has(slot),
  };
}

function takingsOf(run: Run, { declared }: SuccessionOptions): Taking[] {
  const { catalogue, ledger } = run;
  const namesOf = (type: string, inputs: ValueMap) => catalogue.uniqueNames?.(type, inputs) ?? [];
  const takers = [...declared].flatMap(([urn, declaration]) => {
    const { goal, slot, inputs } = declaration;
    const own = slot === undefined ? undefined : ledger.resources.get(slot);
    if (isImport(goal, own)) return [];
    const before = new Set(own ? namesOf(own.type, own.inputs).map(({ group }) => group) : []);
    const taken = namesOf(goal.type, withKnownIds(run, inputs)).filter(({ group }) => !before.has(group));
    return taken.length === 0 ? [] : [{ urn, declaration, taken }];
  });
  if (takers.length === 0) return [];
  const heirs = heirsOf(run, declared);
  const holders = new Map<string, Holder[]>();
  const attempted = [...ledger.attempts].filter(([slot]) => !ledger.resources.has(slot));
  const states: (readonly [number, ResourceState])[] = [
    ...ledger.resources,
    ...attempted.map(([slot, { resource }]) => [slot, resource] as const),
  ];
  for (const [slot, state] of states) {
    if (!state.custom || state.external || state.pendingReplacement) continue;
    const own = declared.get(state.urn);
    const heir = heirs.get(slot) ?? (own && ([state.urn, own] as const));
    for (const { group } of namesOf(state.type, state.inputs))
      holders.set(group, [...(holders.get(group) ?? []), { slot, state, heir }]);
  }
  return takers.flatMap(({ urn, declaration, taken }) =>
    taken.flatMap((name) =>
      (holders.get(name.group) ?? [])
        .filter(({ heir, state }) => heir?.[0] !== urn && isSameAccount(declaration, state))
        .map((holder) => ({ urn, declaration, name, holder })),
    ),
  );
}

/** True for what exists under its name already, and only becomes this resource. */
const isImport = ({ options }: Goal, own: ResourceState | undefined): boolean =>
  options.import !== undefined && (!own || own.external || ![own.id, own.importID].includes(options.import));

/** False for resources of different providers, as far as the declaration says. */
function isSameAccount({ goal }: Declaration, state: ResourceState): boolean {
  const { provider } = goal.options;
  return provider === undefined || !state.provider || referencedProvider(state.provider).urn === provider;
}

/** Who the state's resources are now, by slot: an own URN goes before an alias. */
function heirsOf({ ledger }: Run, declared: ReadonlyMap<Urn, Declaration>) {
  const heirs = new Map<number, readonly [Urn, Declaration]>();
  for (const [urn, declaration] of declared) {
    const { slot } = declaration;
    if (slot !== undefined && (!heirs.has(slot) || ledger.slotOf(urn) === slot))
      heirs.set(slot, [urn, declaration]);
  }
  return heirs;
}

/** Inputs in which the id of what is there already is known, also where a change of it leaves that open. */
function withKnownIds({ ledger }: Run, inputs: ValueMap): ValueMap {
  const known = (value: Value): Value => {
    if (!isUnknown(value) || !value.source?.endsWith("#id")) return value;
    const slot = ledger.slotOf(value.source.slice(0, -"#id".length));
    return (slot === undefined ? undefined : ledger.resources.get(slot)?.id) ?? value;
  };
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, known(value)]));
}

/** Slots of everything that depends on the URN, directly or not. */
function dependantsOf({ ledger }: Run, urn: Urn): Set<number> {
  const found = new Set<number>();
  const open = [urn];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const slot of ledger.dependants(next)) {
      const state = ledger.resources.get(slot);
      if (found.has(slot) || state === undefined) continue;
      found.add(slot);
      open.push(state.urn);
    }
  }
  return found;
}

/** The program's own order and what is added to it. */
function createOrder(graph: SuccessionOptions["graph"]) {
  const needs = new Map(graph.map(({ key, dependsOn }) => [key, dependsOn]));
  const added = new Map<string, string[]>();

  function needsItself(from: string, to: string): boolean {
    const seen = new Set<string>();
    const open = [from];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === to) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(needs.get(next) ?? []), ...(added.get(next) ?? []));
    }
    return false;
  }

  return {
    added: added as ReadonlyMap<string, readonly string[]>,
    /** Puts `other` before `key`; false, and nothing done, when that would be a circle. */
    add(key: string, other: string): boolean {
      if (needsItself(other, key)) return false;
      const known = added.get(key);
      if (known) known.push(other);
      else added.set(key, [other]);
      return true;
    },
  };
}
