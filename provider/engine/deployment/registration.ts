/** What becomes of one resource of a program: found in the state, checked, compared, and then left, changed, made, adopted or replaced. */

import { isProviderType, urnParts } from "../../core/engines/urn.ts";
import { CheckFailedError, type Urn } from "../../core/protocol.ts";
import { unknownFrom, type Value, type ValueMap } from "../../core/value.ts";
import type { Step } from "../event.ts";
import { EngineError } from "../failure.ts";
import type { Goal, Registered } from "../host.ts";
import type { ResourceState } from "../state/state.ts";
import { adopt } from "./adoption/adopt.ts";
import { createObject, guarded, interruptedCreate, updateObject } from "./apply.ts";
import { type Compared, compare, refuseProtected, refuseRetained, shown } from "./comparison.ts";
import { type Entry, type Found, nameSeed, positionOf, type Settled, wantedState } from "./goal.ts";
import { takeUpAttempt } from "./leftover.ts";
import { ignoreChanges, sameValue } from "./property.ts";
import type { Registry } from "./registry.ts";
import { makeRoom, refuseUntargeted } from "./replacement.ts";
import { clearRivals, revive } from "./rival.ts";
import { stepFor } from "./run.ts";

/** What a registration tells its program. */
export function registered(state: ResourceState): Registered {
  const { urn, outputs } = state;
  if (!state.custom) return { urn, id: null, outputs: {} };
  return { urn, id: state.id ?? unknownFrom(`${urn}#id`), outputs };
}

/** Makes a goal real, or plans it. Rejects with what stopped it, not yet reported. */
export async function settle(
  registry: Registry,
  goal: Goal,
  entry: Entry,
  parent: Urn,
): Promise<ResourceState> {
  const { run } = registry;
  const found = await registry.claim(entry);
  if (found?.state.custom === false)
    throw new Error(
      `the state has ${found.state.urn} as a component: give the resource another name or alias`,
    );
  if (!run.isTargeted(entry.urn)) return untargeted(registry, goal, entry, parent, found);
  refuseMissing(registry, goal);
  const use = await registry.providerFor(entry);
  return registry.atWork(async () => {
    const prepared = prepare(registry, goal, entry, parent, use, found?.state);
    const current = await takeUpAttempt(registry, prepared, found);
    return decide(registry, prepared, current.found, current.earlier);
  });
}

/** Throws EngineError `usage` for a target that needs what is none and does not exist yet. */
function refuseMissing(registry: Registry, goal: Goal): void {
  const { run } = registry;
  const needed = new Set([...goal.dependencies, ...Object.values(goal.propertyDependencies).flat()]);
  const missing = [...needed].filter((urn) => {
    const state =
      run.isTargeted(urn) || isProviderType(urnParts(urn).type) ? undefined : registry.entry(urn)?.state;
    if (state?.custom === false) return run.ledger.slotOf(urn) === undefined;
    return state !== undefined && (state.id === undefined || state.pendingReplacement);
  });
  if (missing.length === 0) return;
  throw new EngineError(
    "usage",
    `it needs what does not exist yet and is not a target; make these targets, too:\n  ${missing.join("\n  ")}`,
  );
}

/** A resource that is not a target stays as it is; one that is not there yet has no known outputs. */
function untargeted(registry: Registry, goal: Goal, entry: Entry, parent: Urn, found: Found | undefined) {
  if (found) return found.state;
  const info = registry.run.catalogue.resources.get(goal.type);
  const names = Object.keys(info?.outputs ?? {});
  const outputs = Object.fromEntries(
    names.map((name): [string, Value] => [name, unknownFrom(`${entry.urn}#${name}`)]),
  );
  return { ...wantedState(goal, entry, parent, undefined, goal.inputs), outputs };
}

function prepare(
  registry: Registry,
  goal: Goal,
  entry: Entry,
  parent: Urn,
  use: Settled["use"],
  saved: ResourceState | undefined,
): Settled {
  const { run } = registry;
  return {
    goal,
    entry,
    use,
    parent,
    wanted: (inputs) => wantedState(goal, entry, parent, use.reference, inputs),
    async check(old) {
      const keeps = old ?? (saved?.external ? undefined : saved);
      const newInputs = keeps
        ? ignoreChanges(goal.inputs, keeps.inputs, entry.options.ignoreChanges ?? [])
        : goal.inputs;
      const { inputs, failures } = await use.provider.check({
        urn: entry.urn,
        type: goal.type,
        name: goal.name,
        newInputs,
        get randomSeed() {
          return nameSeed(run.ledger.lineage, entry.urn, saved?.id);
        },
        log: run.logOf(entry.urn),
        signal: run.signal,
        ...(old ? { oldInputs: old.inputs } : {}),
      });
      if (failures.length > 0) throw new CheckFailedError(failures);
      return inputs;
    },
  };
}

async function decide(
  registry: Registry,
  settled: Settled,
  found: Found | undefined,
  earlier: { slot: number; startedAt: string } | undefined,
): Promise<ResourceState> {
  const { entry } = settled;
  const old = found?.state;
  const wantsImport = entry.options.import;
  if (wantsImport !== undefined && (!old || old.external || ![old.id, old.importID].includes(wantsImport))) {
    return adopt(registry, settled, found, { id: wantsImport });
  }
  if (!found || !old || old.external || old.pendingReplacement) {
    const revived = await revive(registry, settled, found);
    if (revived) return decide(registry, settled, revived, undefined);
    const wanted = settled.wanted(await settled.check(undefined));
    const lost = old === undefined && !earlier ? await lostId(registry, settled, wanted.inputs) : undefined;
    if (lost !== undefined) return adopt(registry, settled, found, { id: lost, isLost: true });
    const isReplacement = old?.pendingReplacement === true;
    const step = stepFor(isReplacement ? "replace" : "create", wanted, {
      newInputs: wanted.inputs,
      ...(earlier ? { unfinished: [`${interruptedCreate} What it made is looked for first.`] } : {}),
      ...positionOf(settled.goal),
      ...(isReplacement
        ? {
            ...(old.id ? { id: old.id } : {}),
            oldInputs: old.inputs,
            oldOutputs: old.outputs,
            replaceReasons: registry.reasonsOf(found?.slot) ?? ["an earlier run deleted the old object"],
            deleteBeforeReplace: true,
            ...(old.retainOnDelete ? { retained: true } : {}),
          }
        : {}),
    });
    if (isReplacement) entry.replaced = true;
    return make(registry, settled, step, wanted, found ? [[found.slot, null]] : [], earlier);
  }
  const inputs = await settled.check(old);
  const diff = await compare(registry, settled, old, inputs, found.slot);
  if (!diff.changes) return leave(registry, settled, found, inputs);
  const revived = diff.reasons.length > 0 ? await revive(registry, settled, found) : undefined;
  if (revived) return decide(registry, settled, revived, undefined);
  if (diff.reasons.length > 0) return replace(registry, settled, found, diff, earlier);
  const wanted: ResourceState = {
    ...settled.wanted(inputs),
    ...(old.importID === undefined ? {} : { importID: old.importID }),
  };
  const step = stepFor("update", { ...wanted, id: old.id }, { ...shown(settled, old, inputs, diff) });
  registry.expect(step, inputs);
  return run(registry, step, async () => {
    await clearRivals(registry, settled, wanted);
    return updateObject(registry.run, settled.use.provider, found.slot, old, wanted);
  });
}

/** The object that the resource is, where the run looks for what the state has lost. */
async function lostId(
  registry: Registry,
  { entry, goal, use }: Settled,
  inputs: ValueMap,
): Promise<string | undefined> {
  return registry.lookup?.({ urn: entry.urn, goal, provider: use.provider, inputs });
}

const run = <T extends ResourceState>(registry: Registry, step: Step, work: () => Promise<T>): Promise<T> =>
  registry.run.perform(step, work);

/** Nothing to do for the service; what only the state knows (dependencies, options) is brought up to date. */
async function leave(
  registry: Registry,
  settled: Settled,
  found: Found,
  inputs: ValueMap,
): Promise<ResourceState> {
  const old = found.state;
  const wanted = settled.wanted(inputs);
  const next: ResourceState = {
    ...wanted,
    outputs: guarded(registry.run, wanted, old.outputs),
    ...(old.id === undefined ? {} : { id: old.id }),
    ...(old.created === undefined ? {} : { created: old.created }),
    ...(old.modified === undefined ? {} : { modified: old.modified }),
    ...(old.importID === undefined ? {} : { importID: old.importID }),
  };
  const step = stepFor("same", next, { oldInputs: old.inputs, newInputs: inputs });
  registry.expect(step, inputs);
  return run(registry, step, async () => {
    if (sameValue(old as unknown as Value, next as unknown as Value)) return old;
    registry.run.ledger.note([[found.slot, next]]);
    return next;
  });
}

async function make(
  registry: Registry,
  settled: Settled,
  step: Step,
  wanted: ResourceState,
  displaces: [number, ResourceState | null][],
  earlier: { slot: number; startedAt: string } | undefined,
): Promise<ResourceState> {
  registry.expect(step, wanted.inputs);
  return run(registry, step, async () => {
    await clearRivals(registry, settled, wanted);
    return createObject(registry.run, {
      provider: settled.use.provider,
      wanted,
      displaces,
      ...(earlier ? { earlier: { slot: earlier.slot, attempt: { startedAt: earlier.startedAt } } } : {}),
    });
  });
}

async function replace(
  registry: Registry,
  settled: Settled,
  found: Found,
  diff: Compared,
  earlier: { slot: number; startedAt: string } | undefined,
): Promise<ResourceState> {
  const { entry } = settled;
  const old = found.state;
  refuseProtected(old, "replaced");
  if (diff.deleteBeforeReplace && !registry.run.catalogue.resources.get(old.type)?.standsBeside)
    refuseRetained(old, "the new one cannot exist beside it");
  await refuseUntargeted(registry, found.slot);
  const wanted = settled.wanted(await settled.check(undefined));
  const first = entry.options.deleteBeforeReplace ?? diff.deleteBeforeReplace;
  const step = stepFor(
    "replace",
    { ...wanted, id: old.id },
    {
      ...shown(settled, old, wanted.inputs, diff),
      ...(first ? { deleteBeforeReplace: true } : {}),
      ...(old.retainOnDelete ? { retained: true } : {}),
    },
  );
  entry.replaced = true;
  registry.superseded.add(found.slot);
  registry.expect(step, wanted.inputs);
  return run(registry, step, async () => {
    await clearRivals(registry, settled, wanted);
    if (first) await makeRoom(registry, found.slot, entry);
    return createObject(registry.run, {
      provider: settled.use.provider,
      wanted,
      displaces: [[found.slot, first ? null : { ...old, delete: true }]],
      ...(earlier ? { earlier: { slot: earlier.slot, attempt: { startedAt: earlier.startedAt } } } : {}),
    });
  });
}
