/** Turns the service's refusals into words about the user's own properties. Knows no verb. */

import { pathFromWire } from "../core/object/wire.ts";
import { CheckFailedError, type CheckFailure } from "../core/protocol.ts";
import { type ApiError, isApiError } from "../core/service-port.ts";
import type { ResourceType } from "../core/type/resource.ts";

/** A refused write (400) that names fields, as check failures on the user's properties; any other error as it is. */
export function refusal(type: ResourceType, error: unknown): unknown {
  if (!isApiError(error, 400) || !error.reasons.some((reason) => reason.field)) return error;
  return new CheckFailedError(failuresOf(type, error), { cause: error });
}

/** A name that another object has, maybe another customer's. */
const nameRefused = /\b(must be unique among your|already exists)\b/i;

function failuresOf(type: ResourceType, error: ApiError): CheckFailure[] {
  const operation = `${error.method} ${error.path}`;
  return error.reasons.map(({ field, reason }) => ({
    property: field ? pathFromWire(type.inputs, field) : "",
    reason: `the service refused it: ${reason} (${operation})`,
    ...(nameRefused.test(reason) ? { errorCode: "PLB-NAME" as const } : {}),
  }));
}

/** Reasons of a failure after the object existed, in the user's words. */
export function reasonsOf(type: ResourceType, error: unknown): string[] {
  const told = refusal(type, error);
  if (told instanceof CheckFailedError) {
    return told.failures.map(({ property, reason }) => (property ? `${property}: ${reason}` : reason));
  }
  return [told instanceof Error ? told.message : String(told)];
}
