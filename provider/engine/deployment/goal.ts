/** What a program asks for, settled: URN, parent, provider, inherited options, the state that would result. Calls no provider. */

import { createHash } from "node:crypto";
import type { CheckResponse, Provider, Urn } from "../../core/protocol.ts";
import type { ValueMap } from "../../core/value.ts";
import type { Goal, Position, ResourceOptions } from "../host.ts";
import { aliasUrns } from "../state/alias.ts";
import type { ResourceState } from "../state/state.ts";

/** A provider as the resources that use it see it. */
export interface ProviderUse {
  readonly urn: Urn;
  /** `<urn>::<id>`. */
  readonly reference: string;
  readonly provider: Provider;
  readonly inputs: ValueMap;
}

/** A state and where it is kept. */
export interface Found {
  readonly slot: number;
  readonly state: ResourceState;
}

/** One registration of this run. */
export interface Entry {
  readonly urn: Urn;
  readonly options: ResourceOptions;
  /** URNs that it was known by. */
  readonly aliases: readonly Urn[];
  /** Slot of the state that it was found by, and of the state that it has since. */
  readonly slots: number[];
  /** Set when it was replaced in this run. */
  replaced: boolean;
  /** Set when the registration has ended well. */
  state?: ResourceState;
  /** For provider resources. */
  use?: ProviderUse;
  /** Settles when the registration has ended, however. */
  done: Promise<unknown>;
  /** True when it has ended. */
  ended: boolean;
}

/** A registration that has just begun, or stands for one that never will. */
export function newEntry(urn: Urn, options: ResourceOptions = {}, aliases: readonly Urn[] = []): Entry {
  return {
    urn,
    options,
    aliases,
    slots: [],
    replaced: false,
    done: Promise.resolve(),
    ended: false,
  };
}

/** Options with what a resource takes over from its parent. */
export function inherited(options: ResourceOptions, parent: Entry | undefined): ResourceOptions {
  if (parent === undefined) return options;
  const above = parent.options;
  const provider = options.provider ?? above.provider ?? above.providers?.[0];
  return {
    ...options,
    ...(provider === undefined ? {} : { provider }),
    ...(options.protect === undefined && above.protect !== undefined ? { protect: above.protect } : {}),
    ...(options.retainOnDelete === undefined && above.retainOnDelete !== undefined
      ? { retainOnDelete: above.retainOnDelete }
      : {}),
    ...(options.deletedWith === undefined && above.deletedWith !== undefined
      ? { deletedWith: above.deletedWith }
      : {}),
  };
}

/** Where the goal is declared, as a step shows it. */
export function positionOf(goal: Pick<Goal, "positionOf">): { readonly position?: Position } {
  const place = goal.positionOf("");
  return place ? { position: place } : {};
}

/** Aliases of a goal, as URNs; `entryOf` knows what this run has registered. */
export function goalAliases(
  urn: Urn,
  { parent, aliases = [] }: ResourceOptions,
  entryOf: (urn: Urn) => Pick<Entry, "aliases"> | undefined,
): Urn[] {
  return aliasUrns(urn, { parent, aliases, formerOf: (other) => entryOf(other)?.aliases ?? [] });
}

/** What stands for a declaration where there is none: of an object that is taken into the state as it was found. */
export function undeclared(
  urn: Urn,
  {
    type,
    name,
    protect,
    retainOnDelete,
  }: {
    readonly type: string;
    readonly name: string;
    readonly protect: boolean | undefined;
    readonly retainOnDelete?: boolean;
  },
): { readonly entry: Entry; readonly goal: Omit<Goal, "inputs"> } {
  const options = { ...(protect && { protect }), ...(retainOnDelete && { retainOnDelete }) };
  return {
    entry: newEntry(urn, options),
    goal: {
      ...{ type, name, options, positionOf: () => undefined },
      ...{ dependencies: [], propertyDependencies: {} },
    },
  };
}

/** The state that a goal results in, without what only the provider knows. */
export function wantedState(
  goal: Omit<Goal, "inputs">,
  entry: Pick<Entry, "urn" | "options" | "aliases">,
  parent: Urn,
  provider: string | undefined,
  inputs: ValueMap,
): ResourceState {
  const { options } = entry;
  const cut = provider?.lastIndexOf("::");
  const ownProvider = provider?.slice(0, cut);
  // Parent and provider have places of their own, and are no dependencies unless the program refers to them as well.
  const declared = new Set([
    ...Object.values(goal.propertyDependencies).flat(),
    ...(options.dependsOn ?? []),
  ]);
  const isOrdinary = (urn: Urn): boolean => (urn !== parent && urn !== ownProvider) || declared.has(urn);
  return {
    urn: entry.urn,
    type: goal.type,
    custom: true,
    inputs,
    outputs: {},
    parent,
    dependencies: [...new Set(goal.dependencies)].filter(isOrdinary).sort(),
    propertyDependencies: Object.fromEntries(
      Object.entries(goal.propertyDependencies)
        .filter(([, urns]) => urns.length > 0)
        .map(([name, urns]) => [name, [...new Set(urns)].sort()]),
    ),
    ...(provider === undefined ? {} : { provider }),
    ...(options.protect ? { protect: true } : {}),
    ...(options.retainOnDelete ? { retainOnDelete: true } : {}),
    ...(options.deletedWith === undefined ? {} : { deletedWith: options.deletedWith }),
    ...listed("replaceWith", options.replaceWith),
    ...listed("additionalSecretOutputs", options.additionalSecretOutputs),
    ...listed("aliases", options.aliases ? entry.aliases : []),
    ...(options.customTimeouts && Object.keys(options.customTimeouts).length > 0
      ? { customTimeouts: options.customTimeouts }
      : {}),
    ...listed("ignoreChanges", options.ignoreChanges),
    ...listed("hideDiff", options.hideDiffs),
    ...listed("replaceOnChanges", options.replaceOnChanges),
  };
}

/** An empty list says what its absence says, and is saved as that. */
function listed<Name extends string>(name: Name, list: readonly string[] | undefined) {
  return (list === undefined || list.length === 0 ? {} : { [name]: list }) as {
    [name in Name]?: readonly string[];
  };
}

/** What automatic names are drawn from: 32 bytes, equal in the rehearsal, the preview and the run that follows them, and in every attempt at the same creation. */
export function nameSeed(lineage: string, urn: Urn, id: string | undefined): Uint8Array {
  return createHash("sha256")
    .update(JSON.stringify([lineage, urn, id ?? ""]))
    .digest();
}

/** What is known of a goal before it is decided what to do. */
export interface Settled {
  readonly goal: Goal;
  readonly entry: Entry;
  readonly use: ProviderUse;
  readonly parent: Urn;
  /** Checks the declared inputs, as a change of `old` or as something new; rejects with what is wrong. */
  readonly check: (old: ResourceState | undefined) => Promise<CheckResponse["inputs"]>;
  readonly wanted: (inputs: ValueMap) => ResourceState;
}
