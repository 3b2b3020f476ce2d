/** Deletes objects in an order in which nothing goes before what depends on it, as concurrently as that allows. Decides nothing about what goes. */

import { isProviderType, stackType } from "../../core/engines/urn.ts";
import { grouped } from "../../core/grouped.ts";
import type { Urn } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import type { Step } from "../event.ts";
import { EngineError } from "../failure.ts";
import type { Changes } from "../state/ledger.ts";
import { type ResourceState, references } from "../state/state.ts";
import { goingAlong } from "./along.ts";
import { deleteObject } from "./apply.ts";
import { refuseProtected } from "./comparison.ts";
import { type Run, stepFor } from "./run.ts";

export interface Removal {
  readonly slot: number;
  /** What the slot has afterwards; null: nothing. */
  readonly left: ResourceState | null;
  /** Only part of a replacement: not counted as a delete. */
  readonly replaced: boolean;
  /** Set when this run deleted the object already, to make room for a replacement of what it depended on: it is only told and counted. */
  readonly wentAhead?: boolean;
}

interface Node {
  readonly removal: Removal;
  readonly state: ResourceState;
  /** True when everything that depends on it is gone. */
  ready: Promise<boolean>;
  /** True when it is gone itself. */
  done: Promise<boolean>;
}

/**
 * Throws EngineError `usage` when targets leave something out that depends on what goes. What the run replaces is judged where it does so.
 */
export function refuseDependants(run: Run, doomed: readonly (readonly [number, ResourceState])[]): void {
  if (run.targets.length === 0) return;
  const going = new Set(doomed.map(([slot]) => slot));
  const urns = new Set(doomed.flatMap(([, state]) => (state.delete ? [] : [state.urn])));
  const dependants = [...run.ledger.resources].filter(
    ([slot, state]) =>
      !going.has(slot) && !run.isTargeted(state.urn) && [...references(state)].some((urn) => urns.has(urn)),
  );
  if (dependants.length === 0) return;
  throw new EngineError(
    "usage",
    `Nothing was deleted, because these depend on a target and are none themselves; make them targets, too:\n  ${dependants.map(([, state]) => state.urn).join("\n  ")}`,
  );
}

/**
 * Removes everything in the list; `position` puts what is depended on before what depends on it. Resolves to false when something could not be removed; what that depends on is then left alone, with
 * the reason reported.
 */
export async function removeAll(
  run: Run,
  removals: readonly Removal[],
  position: (slot: number) => number,
): Promise<boolean> {
  const at = (removal: Removal): number => position(removal.slot);
  // Dependants stand behind what they depend on, so from the end on each node meets only nodes that are under way.
  const backwards = [...removals].sort((a, b) => at(b) - at(a));
  const byUrn = grouped(backwards, ({ slot }) => run.ledger.resources.get(slot)?.urn ?? "");
  const waitsFor = new Map<number, Node[]>();
  const nodes: Node[] = [];
  const gone = new Map<Urn, (isGone: boolean) => void>();
  const goneOf = new Map<Urn, Promise<boolean>>();
  const along = goingAlong(run, removals);
  const parentOf = new Map<number, number>();
  for (const [parent, slots] of along) for (const slot of slots) parentOf.set(slot, parent);
  const leftOf = new Map(removals.map(({ slot, left }) => [slot, left]));
  const parents = new Map<number, { done: Promise<boolean>; end: (isGone: boolean) => void }>();
  for (const parent of along.keys()) {
    let end: (isGone: boolean) => void = () => {};
    const done = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    parents.set(parent, { done, end });
  }
  for (const urn of new Set(removals.map((removal) => run.ledger.resources.get(removal.slot)?.deletedWith))) {
    if (urn === undefined || !byUrn.has(urn)) continue;
    goneOf.set(urn, new Promise((resolve) => gone.set(urn, resolve)));
  }
  for (const removal of backwards) {
    const state = run.ledger.resources.get(removal.slot);
    if (state === undefined) continue;
    const dependants = waitsFor.get(removal.slot) ?? [];
    const ready = Promise.all(dependants.map((node) => node.ready)).then((all) => all.every(Boolean));
    const parent = parentOf.get(removal.slot);
    const declared = state.deletedWith === undefined ? undefined : goneOf.get(state.deletedWith);
    const holder = parent === undefined ? declared : parents.get(parent)?.done;
    const within = (along.get(removal.slot) ?? []).map((slot) => [slot, leftOf.get(slot) ?? null] as const);
    // What goes together with its holder is out of everybody's way once its own dependants are gone.
    const done = remove(run, removal, state, { ready, holder, isWithin: parent !== undefined, within });
    void done.then((isGone) => parents.get(removal.slot)?.end(isGone));
    const node: Node = { removal, state, ready: holder ? ready : done, done };
    nodes.push(node);
    for (const urn of references(state)) {
      for (const needed of byUrn.get(urn) ?? []) {
        if (needed.slot === removal.slot || at(needed) >= at(removal)) continue;
        const waiting = waitsFor.get(needed.slot);
        if (waiting) waiting.push(node);
        else waitsFor.set(needed.slot, [node]);
      }
    }
  }
  for (const [urn, resolve] of gone) {
    const holders = nodes.filter((node) => node.state.urn === urn);
    void Promise.all(holders.map((node) => node.done)).then((all) => resolve(all.every(Boolean)));
  }
  const all = await Promise.all(nodes.map((node) => node.done));
  return all.every(Boolean);
}

/** How one removal stands to the others. */
interface Way {
  /** True when everything that depends on it is gone. */
  readonly ready: Promise<boolean>;
  /** True when what it goes with is gone; absent: it goes by itself. */
  readonly holder: Promise<boolean> | undefined;
  /** It goes with its parent, because the service deletes them together. */
  readonly isWithin: boolean;
  /** What goes with it in that way. */
  readonly within: Changes;
}

async function remove(run: Run, removal: Removal, state: ResourceState, way: Way): Promise<boolean> {
  const { ready, holder } = way;
  if (!(await ready)) {
    if (!run.signal.aborted) {
      run.report({
        severity: "warning",
        message: `${state.type} ${state.id ?? ""} is kept, because something that depends on it could not be deleted.`,
        urn: state.urn,
      });
    }
    return false;
  }
  if (holder && !(await holder)) return false;
  try {
    await removeOne(run, removal, state, way);
    return true;
  } catch (error) {
    run.failure(error, state.urn);
    return false;
  }
}

async function removeOne(
  run: Run,
  removal: Removal,
  state: ResourceState,
  { holder, isWithin, within }: Way,
): Promise<void> {
  const { slot, left } = removal;
  const isOnlyKnown =
    state.external || state.pendingReplacement || isProviderType(state.type) || !state.custom;
  if (isOnlyKnown) {
    const isComponent = !state.custom && state.type !== stackType;
    if (isComponent) refuseProtected(state, "deleted");
    const isTold = isProviderType(state.type) || isComponent || removal.wentAhead;
    if (!isTold) return run.ledger.set([[slot, left]], [slot]);
    const step = stepFor("delete", state, { oldInputs: state.inputs, ...marks(removal, false) });
    run.plan?.expect(step, {});
    return void (await run.perform(step, async () => {
      await run.ledger.set([[slot, left]], [slot]);
      return {};
    }));
  }
  if (!state.delete) refuseProtected(state, "deleted");
  const stays = state.retainOnDelete === true || (holder !== undefined && !isWithin);
  const step = stepFor("delete", state, {
    oldInputs: state.inputs,
    oldOutputs: state.outputs,
    ...marks(removal, stays),
    ...(isWithin ? { along: true } : {}),
  });
  if (!removal.replaced) run.plan?.expect(step, {});
  if (run.preview && !stays && !isWithin) tellParts(run, state);
  await run.perform(step, async () => {
    // What went with its parent was forgotten with it.
    if (isWithin) return {};
    if (stays) await run.ledger.set([[slot, left]], [slot]);
    else
      await deleteObject(run, await run.pool.ofReference(state.provider), slot, state, [
        [slot, left],
        ...within,
      ]);
    return {};
  });
}

/** A plan that deletes says how many objects within it go too. */
function tellParts(run: Run, state: ResourceState): void {
  const { type, id, urn, inputs, outputs } = state;
  if (id === undefined) return;
  const counts = new Map<string, number>();
  for (const part of run.catalogue.relations?.(type, { id, inputs, state: outputs }).parts ?? [])
    counts.set(part.type, (counts.get(part.type) ?? 0) + 1);
  for (const [token, count] of counts) {
    const message = `${count} ${shortToken(token)} ${count === 1 ? "is" : "are"} deleted with it`;
    run.report({ severity: "info", message, urn });
  }
}

function marks(removal: Removal, stays: boolean): Partial<Step> {
  return { ...(removal.replaced ? { replaced: true } : {}), ...(stays ? { retained: true } : {}) };
}
