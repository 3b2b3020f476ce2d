/** What is remembered of a stack: its resources in the words of Pulumi's deployment version 3, and what was begun and not ended. Pure. */

import type { Urn, ValueMap } from "../../core/protocol.ts";

/** One resource as it was left. Never changed in place: a new state replaces the old one. */
export interface ResourceState {
  readonly urn: Urn;
  readonly type: string;
  /** False for what has no object of its own: components, and the stack itself. */
  readonly custom: boolean;
  /** Absent where there is no object. */
  readonly id?: string;
  /** True: it was replaced, and its object is still to be deleted. */
  readonly delete?: boolean;
  /** Checked inputs last applied, secrets marked. */
  readonly inputs: ValueMap;
  /** Outputs last read, secrets marked. */
  readonly outputs: ValueMap;
  readonly parent?: Urn;
  readonly protect?: boolean;
  readonly taint?: boolean;
  /** True: only read (`get`), never managed. */
  readonly external?: boolean;
  readonly dependencies: readonly Urn[];
  readonly propertyDependencies: { readonly [property: string]: readonly Urn[] };
  /** Why it is not as declared; the next run updates it whatever the diff says. */
  readonly initErrors?: readonly string[];
  /** `<urn>::<id>` of its provider; absent for providers, components and the stack. */
  readonly provider?: string;
  /** True: its object is deleted already, and the new one is not made yet. */
  readonly pendingReplacement?: boolean;
  readonly additionalSecretOutputs?: readonly string[];
  readonly aliases?: readonly Urn[];
  /** Seconds. */
  readonly customTimeouts?: { readonly create?: number; readonly update?: number; readonly delete?: number };
  /** The id that it was imported by. */
  readonly importID?: string;
  readonly retainOnDelete?: boolean;
  readonly deletedWith?: Urn;
  readonly replaceWith?: readonly Urn[];
  readonly ignoreChanges?: readonly string[];
  readonly hideDiff?: readonly string[];
  readonly replaceOnChanges?: readonly string[];
  /** RFC 3339. */
  readonly created?: string;
  readonly modified?: string;
}

/** A write that was begun, and of whose end nothing is known. */
export interface Attempt {
  readonly kind: "creating" | "updating" | "deleting";
  /** By the service's clock where known (RFC 3339). */
  readonly startedAt: string;
  /** creating: what was to be made, without id. Else the resource as it was. */
  readonly resource: ResourceState;
}

/** Every URN that a resource refers to: these must be in the state before it. */
export function references(state: ResourceState): Set<Urn> {
  const all = new Set<Urn>(state.dependencies);
  for (const urns of Object.values(state.propertyDependencies)) for (const urn of urns) all.add(urn);
  if (state.parent !== undefined) all.add(state.parent);
  if (state.deletedWith !== undefined) all.add(state.deletedWith);
  if (state.provider !== undefined) all.add(state.provider.slice(0, state.provider.lastIndexOf("::")));
  return all;
}

/**
 * The keys so ordered that what a resource refers to comes before it, else as they came. Where references go round (an operation that ended
 * half-way between two declarations), the edge that closes the circle is left out.
 */
export function ordered<Key>(resources: ReadonlyMap<Key, ResourceState>): Key[] {
  const byUrn = new Map<Urn, Key[]>();
  for (const [key, state] of resources) {
    const alike = byUrn.get(state.urn);
    if (alike) alike.push(key);
    else byUrn.set(state.urn, [key]);
  }
  const needs = (key: Key): Key[] =>
    [...references(resources.get(key) as ResourceState)].flatMap((urn) => byUrn.get(urn) ?? []);
  const entered = new Set<Key>();
  const order: Key[] = [];
  for (const root of resources.keys()) {
    if (entered.has(root)) continue;
    entered.add(root);
    const path: { key: Key; needs: Key[]; next: number }[] = [{ key: root, needs: needs(root), next: 0 }];
    while (path.length > 0) {
      const top = path[path.length - 1] as (typeof path)[number];
      const next = top.needs[top.next];
      top.next += 1;
      if (next === undefined) {
        order.push(top.key);
        path.pop();
      } else if (!entered.has(next)) {
        entered.add(next);
        path.push({ key: next, needs: needs(next), next: 0 });
      }
    }
  }
  return order;
}
