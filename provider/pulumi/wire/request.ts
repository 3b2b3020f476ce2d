/** What requests of the engine say beside their properties: who they are about, and for how long. It knows no verb. */

import { nameOf, typeOf } from "../../core/engines/urn.ts";
import type { Catalogue, ResourceIdentity } from "../../core/protocol.ts";

/** A request about one resource. */
export interface Named {
  getUrn(): string;
  getType(): string;
  getName(): string;
}

/** The type as the engine has it; engines before the protocol's 2024 edition name none, the URN does. */
export function typeIn(request: Named): string {
  return request.getType() || typeOf(request.getUrn());
}

/** Who the request is about. */
export function identityOf(request: Named, catalogue: Catalogue): ResourceIdentity {
  const urn = request.getUrn();
  const type = typeIn(request);
  return { urn, type: catalogue.resolveResource(type) ?? type, name: request.getName() || nameOf(urn) };
}

/** The seconds of a custom timeout; 0 on the wire means none. */
export function timeoutOf(request: { getTimeout(): number }): { timeoutSeconds?: number } {
  const seconds = request.getTimeout();
  return seconds > 0 ? { timeoutSeconds: seconds } : {};
}
