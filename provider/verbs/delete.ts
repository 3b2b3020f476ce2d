/** Delete, once for every type: what is gone already counts as deleted. */

import { pathOf } from "../core/identifier.ts";
import { knownValues, plainInputs } from "../core/plain.ts";
import type { DeleteRequest } from "../core/protocol.ts";
import type { Removal, ResourceType } from "../core/resource.ts";
import { isAnswerLost, isApiError, isGone, type ServicePort } from "../core/service-port.ts";
import { actionContext } from "./converge.ts";
import { begin, type Session } from "./session.ts";

export async function deleteResource(
  session: Session,
  type: ResourceType,
  request: DeleteRequest,
): Promise<void> {
  const attempt = begin(session, request, request.timeoutSeconds || type.timeouts.delete);
  const path = pathOf(type, request.id);
  const values = knownValues(plainInputs(type.inputs, { ...request.state, ...request.oldInputs }));
  const context = { ...actionContext({ identity: request, attempt, values }), id: request.id, path };
  try {
    await type.beforeDelete?.(context);
    await remove(attempt.service, type.removal?.(values, path) ?? { method: "delete", path }, path);
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

/** Sends the removal; a POST whose answer is lost is sent again only while the object is still there. */
export async function remove(
  service: ServicePort,
  { method, path, body }: Removal,
  own: string,
): Promise<void> {
  if (method === "delete") return service.delete(path);
  if (method === "put") return void (await service.put(path, body ?? {}));
  for (let round = 1; ; round++) {
    try {
      await service.post(path, body);
      return;
    } catch (error) {
      if (!isAnswerLost(error) || round === removals) throw error;
      await service.getFresh(own); // gone: so the caller is told
    }
  }
}
