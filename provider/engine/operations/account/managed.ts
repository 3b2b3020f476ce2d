/** What the stack has, and how objects refer to it. Asks the service nothing. */

import type { ObjectReference, Relations, Urn } from "../../../core/protocol.ts";
import type { Run } from "../../deployment/run.ts";
import type { ResourceState } from "../../state/state.ts";

/** An input that is to refer to a resource. */
export interface Referred {
  readonly path: ObjectReference["path"];
  readonly urn: Urn;
  readonly property: string;
}

/** A resource of the stack, with what a block has to say of it. */
export interface Managed {
  readonly state: ResourceState;
  readonly references: readonly Referred[];
}

/** Tells an object from all others. */
export const keyOf = ({ type, id }: { readonly type: string; readonly id: string }) => `${type} ${id}`;

/** The resources of the state that stand for objects of the account; what they need comes before them. */
export function managedStates(run: Run): ResourceState[] {
  return [...run.ledger.positions().keys()].flatMap((slot) => {
    const state = run.ledger.resources.get(slot);
    const isOurs = state?.custom && run.catalogue.resources.has(state.type);
    return isOurs && !state.external && !state.delete ? [state] : [];
  });
}

/** Their URNs by object. */
export function urnsById(managed: readonly ResourceState[]): Map<string, Urn> {
  return new Map(
    managed.flatMap(({ type, id, urn }) => (id === undefined ? [] : [[keyOf({ type, id }), urn]])),
  );
}

const nothing: Relations = { references: [], parts: [] };

/** How an object stands to others. */
export function relationsOf(
  run: Run,
  { type, id, inputs, outputs: state }: Pick<ResourceState, "type" | "id" | "inputs" | "outputs">,
): Relations {
  return (id === undefined ? undefined : run.catalogue.relations?.(type, { id, inputs, state })) ?? nothing;
}

/** References whose other side is a known resource. */
export function resolved({ references }: Relations, known: ReadonlyMap<string, Urn>): Referred[] {
  return references.flatMap(({ path, property, ...other }) => {
    const urn = known.get(keyOf(other));
    return urn === undefined ? [] : [{ path, property, urn }];
  });
}
