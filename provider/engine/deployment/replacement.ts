/** Makes room for a replacement that cannot exist beside the old object: what cannot live without the old one goes first, then it goes itself. */

import { setImmediate } from "node:timers/promises";
import { urnParts } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import { some, unknownFrom, type Value } from "../../core/value.ts";
import { EngineError } from "../failure.ts";
import { references } from "../state/state.ts";
import { refuseProtected, refuseRetained } from "./comparison.ts";
import type { Entry, Found } from "./goal.ts";
import { settleDependants } from "./leftover.ts";
import type { Registry } from "./registry.ts";
import { type Removal, removeAll } from "./removal.ts";
import { stepFor } from "./run.ts";

/**
 * Deletes the object in the slot, and first every object of the state that would have to be replaced for it: found by asking the provider what
 * an unknown in place of each value that came from the old object would mean. The states stay, waiting for their replacement. `entry` is who needs the room.
 * Throws EngineError `protect` before anything is deleted, and an Error when something could not be deleted.
 */
export async function makeRoom(registry: Registry, root: number, entry: Entry): Promise<void> {
  const { ledger } = registry.run;
  // Whatever can be registered without an answer of the service is, before it is looked at who still needs the object.
  await setImmediate();
  const rootUrn = ledger.resources.get(root)?.urn;
  if (rootUrn === undefined) return;
  const named = closure(registry, rootUrn, root).map((slot) => ledger.resources.get(slot)?.urn ?? rootUrn);
  const interrupted = await settleDependants(registry, new Set([rootUrn, ...named]));
  let doomed = await doomedBy(registry, root);
  // What this run works on already may still be letting go of the old object: that is awaited, and then all is looked at anew.
  for (;;) {
    const busy = registry.underWay([...doomed.alive, ...doomed.reasons.keys()], entry);
    const removals = registry.removalsOf([root, ...doomed.reasons.keys()]);
    const isSettled = busy.length === 0 && removals.length === 0;
    if (isSettled && ![...doomed.reasons.keys()].some(registry.isTouched)) break;
    await registry.aside([...busy, ...removals]);
    // What goes with another one's old object and is still there has to stay.
    if ((await Promise.all(removals)).includes(false)) refuseKept(registry, root);
    // Whoever took it along tells of it.
    const present = ledger.resources.get(root);
    if (present === undefined || present.pendingReplacement) return;
    doomed = await doomedBy(registry, root);
  }
  const removals: Removal[] = [];
  for (const slot of [...interrupted, ...doomed.reasons.keys(), root]) {
    const state = ledger.resources.get(slot);
    if (state === undefined) continue;
    // What waited for its deletion before, or is not declared any more, is no part of this replacement.
    const isReplaced = !state.delete && !(registry.isLeft(root) && registry.isLeft(slot));
    if (isReplaced) refuseProtected(state, "replaced");
    if (isReplaced && slot !== root) refuseRetained(state, "what it depends on has to be deleted first");
    removals.push({
      slot,
      replaced: isReplaced,
      left: isReplaced ? { ...state, pendingReplacement: true } : null,
    });
  }
  // Slots of the opened state are in the order of dependencies.
  const work = removeAll(registry.run, removals, (slot) => slot);
  for (const [slot, reasons] of doomed.reasons) registry.reserveForReplacement(slot, reasons, work);
  if (!(await work)) refuseKept(registry, root);
}

/** Throws because the object in the slot is still there. */
function refuseKept({ run, isLeft }: Registry, root: number): never {
  run.throwIfCancelled();
  throw new Error(
    isLeft(root)
      ? `the object that holds its name, of ${run.ledger.resources.get(root)?.urn}, could not be deleted, so nothing was done here`
      : "the old object could not be deleted, so the new one was not made",
  );
}

/**
 * Shows the end of an object that this run deleted to make room for another, where another object, which exists already, takes its place. Made
 * anew, it is shown as replaced.
 */
export async function tellWentAhead({ run, reasonsOf }: Registry, found: Found | undefined): Promise<void> {
  if (!found?.state.pendingReplacement || reasonsOf(found.slot) === undefined) return;
  const step = stepFor("delete", found.state, { oldInputs: found.state.inputs });
  run.plan?.expect(step, {});
  await run.perform(step, async () => ({}));
}

/**
 * Throws EngineError `usage` when a replacement of the object takes along others that targets leave out: they would be deleted, or lose what they
 * hang on, and nothing would make them again.
 */
export async function refuseUntargeted(registry: Registry, root: number): Promise<void> {
  const { run } = registry;
  if (run.targets.length === 0) return;
  const states = [...(await doomedBy(registry, root)).reasons.keys()].map((slot) =>
    run.ledger.resources.get(slot),
  );
  const left = states.flatMap((state) =>
    state && !state.delete && !run.isTargeted(state.urn) ? [state.urn] : [],
  );
  if (left.length === 0) return;
  throw new EngineError(
    "usage",
    `its replacement takes along what depends on it, and these are no targets, so that nothing would make them again; make them targets, too:\n  ${left.join("\n  ")}`,
  );
}

interface Doomed {
  /** Slots that go, each with the properties that are why. */
  readonly reasons: Map<number, readonly string[]>;
  /** Slots that depended on the old object when the run began and are being handled by this run already. */
  readonly alive: readonly number[];
}

async function doomedBy(registry: Registry, root: number): Promise<Doomed> {
  const { ledger, pool } = registry.run;
  const rootState = ledger.resources.get(root);
  const reasons = new Map<number, readonly string[]>();
  const alive: number[] = [];
  if (rootState === undefined) return { reasons, alive };
  const going = new Set<Urn>([rootState.urn]);
  const successorSlot = rootState.delete ? ledger.slotOf(rootState.urn) : undefined;
  const successor = successorSlot === undefined ? undefined : ledger.resources.get(successorSlot);
  // Slots of the opened state are in the order of dependencies.
  for (const slot of closure(registry, rootState.urn, root)) {
    const state = ledger.resources.get(slot);
    if (state === undefined || state.external || state.pendingReplacement || !state.custom) continue;
    if (registry.isTouched(slot) && registry.run.isTargeted(state.urn)) {
      alive.push(slot);
      continue;
    }
    if (![...references(state)].some((urn) => going.has(urn))) continue;
    if (state.delete || (registry.isLeft(root) && registry.isLeft(slot))) {
      reasons.set(slot, []);
      if (!state.delete) going.add(state.urn);
      continue;
    }
    const changed = Object.entries(state.propertyDependencies).flatMap(([name, urns]) => {
      const source = urns.find((urn) => going.has(urn));
      if (source === rootState.urn && isFromSuccessor(state.inputs[name], rootState.id, successor?.id))
        return [];
      return source === undefined ? [] : [[name, unknownFrom(source)] as [string, Value]];
    });
    const goesAlong = state.deletedWith !== undefined && going.has(state.deletedWith);
    let why: readonly string[] = goesAlong ? ["deletedWith"] : [];
    if (!goesAlong && changed.length > 0) {
      const provider = await pool.ofReference(state.provider);
      const diff = await provider.diff({
        urn: state.urn,
        type: state.type,
        name: urnParts(state.urn).name,
        id: state.id ?? "",
        oldInputs: state.inputs,
        state: state.outputs,
        newInputs: { ...state.inputs, ...Object.fromEntries(changed) },
        log: registry.run.logOf(state.urn),
      });
      if (diff.changes) why = diff.replaces;
    }
    if (why.length === 0) continue;
    reasons.set(slot, why);
    going.add(state.urn);
  }
  return { reasons, alive };
}

/** True when a value came from the object that has taken the old one's place already, so that it does not need the old one. */
function isFromSuccessor(
  value: Value | undefined,
  oldId: string | undefined,
  newId: string | undefined,
): boolean {
  if (value === undefined || newId === undefined) return false;
  const names = (id: string): boolean => some(value, (part) => typeof part === "string" && part.includes(id));
  return names(newId) && !(oldId !== undefined && names(oldId));
}

/** Everything that depended on the URN when the run began, directly or not, dependencies first. */
function closure(registry: Registry, urn: Urn, root: number): number[] {
  const { ledger } = registry.run;
  const found = new Set<number>();
  const open: Urn[] = [urn];
  const asked = new Set<Urn>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (asked.has(next)) continue;
    asked.add(next);
    for (const slot of ledger.dependants(next)) {
      const state = ledger.resources.get(slot);
      if (slot === root || found.has(slot) || state === undefined) continue;
      found.add(slot);
      open.push(state.urn);
    }
  }
  return [...found].sort((a, b) => a - b);
}
