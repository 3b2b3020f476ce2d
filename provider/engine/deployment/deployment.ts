/** The Host that a program meets: registers, reads and calls for one preview or update, and afterwards removes what was not registered. */

import { isProviderType, makeUrn, stackType, stackUrn, urnParts } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";
import { containsUnknown, type Value, type ValueMap } from "../../core/value.ts";
import type { Goal, Host, Registered } from "../host.ts";
import type { ResourceState } from "../state/state.ts";
import type { Lookup } from "./adoption/lookup.ts";
import { type Entry, goalAliases, inherited, newEntry } from "./goal.ts";
import { settleCreations } from "./leftover.ts";
import { sameValue } from "./property.ts";
import { registered, settle } from "./registration.ts";
import { createRegistry } from "./registry.ts";
import { refuseDependants, removeAll } from "./removal.ts";
import type { Run } from "./run.ts";
import type { Succession } from "./succession.ts";
import { callFunction } from "./unmanaged/call.ts";
import { completeComponent, settleComponent } from "./unmanaged/component.ts";
import { readExternal } from "./unmanaged/external.ts";

export interface DeploymentOptions {
  readonly organization: string;
  readonly defaultConfig: ValueMap;
  readonly stackOutputs: (name: string) => Promise<ValueMap>;
  /** Everything that the program registers, where that is known. */
  readonly declared?: ReadonlySet<Urn>;
  readonly succession?: Succession;
  readonly lookup?: Lookup | undefined;
}

export interface Deployment {
  readonly host: Host;
  /** Deletes what interrupted creations made of resources that are not declared any more, before anything else needs their names. */
  readonly clearOrphans: (isDeclared: (state: ResourceState) => boolean) => Promise<void>;
  /** Resolves when every registration has ended, however. */
  readonly settled: () => Promise<void>;
  /** Deletes what the program did not register, and what replacements left. `isDeclared` keeps what it might have registered had nothing failed. */
  readonly removeUndeclared: (isDeclared: (state: ResourceState) => boolean) => Promise<void>;
  /** False when they are those that were saved before. */
  readonly saveOutputs: (outputs: ValueMap) => boolean;
}

/** The slot of the stack's own resource, which is made when there is none. */
export function ensureStack(run: Run): number {
  const urn = stackUrn(run.stack, run.project);
  const known = run.ledger.slotOf(urn);
  if (known !== undefined) return known;
  const slot = run.ledger.reserve();
  const blank = { inputs: {}, outputs: {}, dependencies: [], propertyDependencies: {} };
  run.ledger.note([[slot, { urn, type: stackType, custom: false, ...blank }]]);
  return slot;
}

export function createDeployment(run: Run, options: DeploymentOptions): Deployment {
  const root = stackUrn(run.stack, run.project);
  const stackSlot = ensureStack(run);
  const registry = createRegistry(run, { stackUrn: root, ...options });
  const underWay: Promise<unknown>[] = [];

  /** Begins an entry, and reports what it fails of. */
  function enter(
    goal: Omit<Goal, "inputs">,
    work: (entry: Entry, parent: Urn) => Promise<ResourceState>,
  ): Promise<Registered> {
    const urn = makeUrn(run.stack, run.project, goal.type, goal.name, goal.options.parent);
    const above = goal.options.parent === undefined ? undefined : registry.entry(goal.options.parent);
    const entry = newEntry(
      urn,
      inherited(goal.options, above),
      goalAliases(urn, goal.options, registry.entry),
    );
    const doing = (async () => {
      try {
        run.throwIfCancelled();
        registry.add(entry);
        await othersFirst(entry);
        entry.state = await work(entry, above?.urn ?? root);
        return registered(entry.state);
      } catch (error) {
        throw run.failure(error, urn, goal);
      } finally {
        entry.ended = true;
      }
    })();
    entry.done = doing;
    underWay.push(doing.catch(() => {}));
    return doing;
  }

  /** What `replaceWith` and `deletedWith` name is decided first. */
  async function othersFirst(entry: Entry): Promise<void> {
    const named = [
      ...(entry.options.replaceWith ?? []),
      ...(entry.options.deletedWith ? [entry.options.deletedWith] : []),
    ];
    await Promise.allSettled(named.map((urn) => registry.entry(urn)?.done));
  }

  const host: Host = {
    project: run.project,
    stack: run.stack,
    organization: options.organization,
    preview: run.preview,
    catalogue: run.catalogue,
    signal: run.signal,
    urn: (type, name, parent) => makeUrn(run.stack, run.project, type, name, parent),
    register: (goal) =>
      enter(goal, (entry, parent) =>
        goal.isComponent
          ? settleComponent(registry, goal, entry, parent)
          : isProviderType(goal.type)
            ? registry.settleProvider(goal, entry, parent)
            : settle(registry, goal, entry, parent),
      ),
    complete: (component, outputs) => completeComponent(registry, component, outputs),
    read: (goal) => enter(goal, (entry, parent) => readExternal(registry, goal, entry, parent)),
    async invoke(token, args, { provider, version }) {
      run.throwIfCancelled();
      const entry = newEntry(root, {
        ...(provider === undefined ? {} : { provider }),
        ...(version === undefined ? {} : { version }),
      });
      const use = await registry.providerFor(entry);
      return callFunction(run, use.provider, token, args);
    },
    stackReference: options.stackOutputs,
    log: run.logOf(),
  };

  return {
    host,
    async clearOrphans(isDeclared) {
      try {
        const slots = await settleCreations(run, {
          keep: false,
          isOpen: (urn) => isDeclaredUrn(urn, isDeclared),
        });
        // What was never saved has nothing that depends on it.
        await removeAll(
          run,
          slots.map((slot) => ({ slot, left: null, replaced: false })),
          (slot) => slot,
        );
      } catch (error) {
        run.failure(error, root);
      }
    },
    async settled() {
      for (let count = -1; count !== underWay.length; ) {
        count = underWay.length;
        await Promise.all(underWay);
      }
    },
    async removeUndeclared(isDeclared) {
      try {
        await settleCreations(run, {
          keep: false,
          // What failed just now, or was not reached, is for the next run to settle.
          isOpen: (urn) => {
            const entry = registry.entry(urn);
            return entry ? entry.state === undefined : isDeclaredUrn(urn, isDeclared);
          },
        });
      } catch (error) {
        run.failure(error, root);
        return;
      }
      const gone = [...run.ledger.resources].filter(([slot, state]) => {
        if (slot === stackSlot) return false;
        // It was to make room, and stayed.
        if (registry.reasonsOf(slot) !== undefined && !state.pendingReplacement) return false;
        // Under an alias it may have a URN that is no target.
        if (state.delete) return run.isTargeted(state.urn) || registry.superseded.has(slot);
        if (registry.entry(state.urn) !== undefined || registry.isTouched(slot)) return false;
        return run.isTargeted(state.urn) && !isDeclared(state);
      });
      if (gone.length === 0) return;
      try {
        refuseDependants(run, gone);
      } catch (error) {
        run.failure(error, root);
        return;
      }
      const positions = run.ledger.positions();
      await removeAll(
        run,
        gone.map(([slot, state]) => ({
          slot,
          left: null,
          replaced: registry.superseded.has(slot),
          wentAhead: state.pendingReplacement === true && registry.reasonsOf(slot) !== undefined,
        })),
        (slot) => positions.get(slot) ?? 0,
      );
    },
    saveOutputs(outputs) {
      const stack = run.ledger.resources.get(stackSlot);
      if (!stack) return true;
      // What is left out by targets may leave an output unknown: the saved one stays.
      const known = Object.entries(outputs).flatMap(([name, value]): [string, Value][] => {
        const kept = containsUnknown(value) ? stack.outputs[name] : value;
        return kept === undefined ? [] : [[name, kept]];
      });
      const next = { ...stack, outputs: Object.fromEntries(known) };
      const isSame = sameValue(stack.outputs, next.outputs);
      if (!isSame) run.ledger.note([[stackSlot, next]]);
      return !isSame;
    },
  };
}

const isDeclaredUrn = (urn: Urn, isDeclared: (state: ResourceState) => boolean): boolean =>
  isDeclared({ urn, type: urnParts(urn).type } as ResourceState);
