/** Delete, once for every type: what is gone already counts as deleted. */

import { pathOf } from "../core/object/identifier.ts";
import { knownValues, plainInputs } from "../core/plain.ts";
import type { DeleteRequest } from "../core/protocol.ts";
import { isAnswerLost, isApiError, isGone } from "../core/service-port.ts";
import type { Fields } from "../core/type/field.ts";
import type { ObjectContext, ResourceType } from "../core/type/resource.ts";
import { fetchObject } from "./fetch.ts";
import { begin, type Operation, type VerbScope } from "./operation.ts";
import { actionContext } from "./task.ts";

export async function deleteResource(
  operation: Operation,
  type: ResourceType,
  request: DeleteRequest,
): Promise<void> {
  const scope = begin(operation, request, request.timeoutSeconds || type.timeouts.delete);
  const path = pathOf(type, request.id);
  const held = { ...request.state, ...request.oldInputs };
  const owner = operation.plan.ownerOf(type, held);
  if (owner) {
    const text = `${type.name} ${request.id} is left to the ${owner.type.name} "${owner.name}", which owns it now`;
    return scope.log("info", text);
  }
  const values = knownValues(plainInputs(type.inputs, held));
  const isOurs = (key: string, id: string) => {
    const other = operation.types.get(key);
    return other !== undefined && operation.plan.isOurs(other, id);
  };
  const context = { ...actionContext({ identity: request, scope, values }), id: request.id, path, isOurs };
  try {
    await type.beforeDelete?.(context);
    await remove(type, { ...context, scope, values });
  } catch (error) {
    if (isGone(error)) return;
    if (!isApiError(error, 400)) throw error;
    const explanation = await type.explainDelete?.(context).catch(() => undefined);
    if (explanation === undefined) throw error;
    throw new Error(explanation, { cause: error });
  }
}

/** How often a removal is sent whose answer is lost each time and which did not remove. */
const removals = 3;

/** The object to remove, and what its type's actions work with. */
export interface Doomed extends ObjectContext<Fields> {
  readonly scope: VerbScope;
  readonly values: { readonly [name: string]: unknown };
}

/** Removes the object as its type says; an action whose answer is lost is repeated only while the object is still there. */
export async function remove(type: ResourceType, doomed: Doomed): Promise<void> {
  const { service, id, path, scope, values } = doomed;
  if (!type.delete) return service.delete(path);
  for (let round = 1; ; round++) {
    try {
      await type.delete(doomed);
      return;
    } catch (error) {
      if (!isAnswerLost(error) || round === removals) throw error;
      await fetchObject({ type, id, scope, values }, { fresh: true }); // gone: so the caller is told
    }
  }
}
