/** The providers of a run: declared ones, registered like resources, and default ones, made when something first needs them. They make no request. */

import { randomUUID } from "node:crypto";
import { makeUrn, providerReference, providerTypePrefix } from "../../core/engines/urn.ts";
import { CheckFailedError, type Urn } from "../../core/protocol.ts";
import type { Value, ValueMap } from "../../core/value.ts";
import type { StepOp } from "../event.ts";
import type { Goal, Position } from "../host.ts";
import type { ResourceState } from "../state/state.ts";
import { type Entry, type Found, newEntry, type ProviderUse, positionOf, wantedState } from "./goal.ts";
import { replaceOnChanges, sameValue, withoutHidden } from "./property.ts";
import { type Run, stepFor } from "./run.ts";

export interface Providers {
  /** The provider that a registration uses: the one that it names, or the default one of its version. */
  readonly providerFor: (entry: Entry) => Promise<ProviderUse>;
  /** Registers a declared provider. */
  readonly settleProvider: (goal: Goal, entry: Entry, parent: Urn) => Promise<ResourceState>;
}

export interface ProvidersOptions {
  readonly stackUrn: Urn;
  /** Config of the default providers. */
  readonly defaultConfig: ValueMap;
  readonly entries: Map<Urn, Entry>;
  readonly claim: (entry: Entry) => Promise<Found | undefined>;
  readonly superseded: Set<number>;
}

export function createProviders(run: Run, options: ProvidersOptions): Providers {
  const { entries, claim, superseded } = options;
  const defaults = new Map<string, Promise<ProviderUse>>();

  /** Registers a provider resource: checked, compared with the saved one, configured. */
  async function settle(
    wantedOf: (inputs: ValueMap) => ResourceState,
    entry: Entry,
    inputs: ValueMap,
    place: { readonly position?: Position },
  ): Promise<ResourceState> {
    const found = await claim(entry);
    const old = found?.state;
    const { checked, diff } = await judge(run, entry, old, inputs);
    const isReplaced = (diff?.changes ?? false) && (diff?.replaces.length ?? 0) > 0;
    const op = old === undefined ? "create" : isReplaced ? "replace" : diff?.changes ? "update" : "same";
    const next = following(run, op, old, wantedOf(checked));
    const isNew = op === "create" || op === "replace";
    const step = stepFor(op, isNew ? { ...next, id: old?.id } : next, {
      detailedDiff: withoutHidden(diff?.detailedDiff ?? {}, entry.options.hideDiffs),
      replaceReasons: isReplaced ? (diff?.replaces ?? []) : [],
      newInputs: checked,
      ...(old ? { oldInputs: old.inputs } : {}),
      ...place,
    });
    run.plan?.expect(step, checked);
    await run.perform(step, async () => {
      const slot = found && !isReplaced ? found.slot : run.ledger.reserve();
      if (found && isReplaced)
        await run.ledger.set([
          [slot, next],
          [found.slot, { ...found.state, delete: true }],
        ]);
      else if (!old || !sameValue(old as unknown as Value, next as unknown as Value))
        run.ledger.note([[slot, next]]);
      return next;
    });
    entry.replaced = isReplaced;
    if (found && isReplaced) superseded.add(found.slot);
    const shownId = next.id ?? "unknown";
    entry.use = {
      urn: entry.urn,
      reference: providerReference(entry.urn, shownId),
      provider: await run.pool.use(entry.urn, shownId, next.inputs),
      inputs: next.inputs,
    };
    return next;
  }

  function defaultProvider(version: string | undefined): Promise<ProviderUse> {
    const name = version === undefined ? "default" : `default_${version.replace(/[.+-]/g, "_")}`;
    const known = defaults.get(name);
    if (known) return known;
    const type = `${providerTypePrefix}plumbline`;
    const urn = makeUrn(run.stack, run.project, type, name);
    const entry = newEntry(urn);
    entries.set(urn, entry);
    const goal = {
      type,
      name,
      options: {},
      dependencies: [],
      propertyDependencies: {},
      positionOf: () => undefined,
    };
    const making = settle(
      (inputs) => wantedState(goal, entry, options.stackUrn, undefined, inputs),
      entry,
      options.defaultConfig,
      {},
    ).then((state) => {
      entry.state = state;
      return entry.use as ProviderUse;
    });
    entry.done = making;
    making
      .finally(() => {
        entry.ended = true;
      })
      .catch(() => {});
    defaults.set(name, making);
    return making;
  }

  return {
    async providerFor(entry) {
      const wanted = entry.options.provider;
      if (wanted === undefined) return defaultProvider(entry.options.version);
      const declared = entries.get(wanted);
      await declared?.done;
      if (declared?.use === undefined)
        throw new Error(`its provider ${wanted} is not a provider of this stack`);
      return declared.use;
    },
    settleProvider: (goal, entry, parent) =>
      settle(
        (inputs) => wantedState(goal, entry, parent, undefined, inputs),
        entry,
        goal.inputs,
        positionOf(goal),
      ),
  };
}

/** The inputs as checked, and what they differ in from the saved ones. */
async function judge(run: Run, { urn, options }: Entry, old: ResourceState | undefined, newInputs: ValueMap) {
  const plain = run.pool.plain();
  const { inputs: checked, failures } = await plain.checkConfig({
    urn,
    oldInputs: old?.inputs ?? {},
    newInputs,
  });
  if (failures.length > 0) throw new CheckFailedError(failures);
  const diff = old && (await plain.diffConfig({ urn, oldInputs: old.inputs, newInputs: checked }));
  return { checked, diff: diff && replaceOnChanges(diff, options.replaceOnChanges ?? []) };
}

/** The state of a provider after the step. A new one gets its id here, for no service gives it one. */
function following(
  run: Run,
  op: StepOp,
  old: ResourceState | undefined,
  wanted: ResourceState,
): ResourceState {
  const isNew = op === "create" || op === "replace";
  const id = isNew ? (run.preview ? undefined : randomUUID()) : old?.id;
  const time = run.now().toISOString();
  return {
    ...wanted,
    outputs: wanted.inputs,
    ...(id === undefined ? {} : { id }),
    ...(isNew ? { created: time, modified: time } : {}),
    ...(!isNew && old?.created ? { created: old.created } : {}),
    ...(!isNew && old?.modified ? { modified: op === "same" ? old.modified : time } : {}),
  };
}
