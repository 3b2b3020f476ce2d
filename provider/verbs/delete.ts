/** Delete, once for every type: what is gone already counts as deleted. */

import { pathOf } from "../core/identifier.ts";
import { knownValues, plainInputs } from "../core/plain.ts";
import type { DeleteRequest } from "../core/protocol.ts";
import type { ResourceType } from "../core/resource.ts";
import { isApiError, isGone } from "../core/service-port.ts";
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
    await attempt.service.delete(path);
  } catch (error) {
    if (isGone(error)) return;
    if (!isApiError(error, 400)) throw error;
    const explanation = await type.explainDelete?.(context).catch(() => undefined);
    if (explanation === undefined) throw error;
    throw new Error(explanation, { cause: error });
  }
}
