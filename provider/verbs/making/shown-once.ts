/** Objects whose secret only the answer to their create shows: when it is lost, the object is of no use and is made anew. Removes only what is surely this resource's own. */

import { CodedError } from "../../core/error-code.ts";
import { pathOf } from "../../core/object/identifier.ts";
import { observedState } from "../../core/object/state.ts";
import type { CreateRequest, ResourceIdentity } from "../../core/protocol.ts";
import { isGone } from "../../core/service-port.ts";
import { isAutomaticName } from "../../core/type/automatic-name.ts";
import { annotations } from "../../core/type/field.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import { remove } from "../delete.ts";
import type { VerbScope } from "../operation.ts";
import { actionContext } from "../task.ts";
import type { Found } from "./adopt.ts";

type Request = Pick<CreateRequest, "name" | "inputs" | "earlierAttempt">;
type Values = { readonly [name: string]: unknown };

/** True when values that only the create's answer shows are gone with it. */
export function isSecretLost(type: ResourceType, { id, object }: Found): boolean {
  const observed = observedState(type, id, object);
  return onceShown(type).some((name) => observed[name] === undefined);
}

/** Outputs that only the create's answer shows. */
export const onceShown = (type: ResourceType): string[] =>
  Object.keys(type.outputs).filter((name) => annotations(type.outputs[name]!).shownOnce);

/** True when the object is told apart by a name that was made for this resource alone. */
function isNamedHere(type: ResourceType, request: Request): boolean {
  return Object.entries(type.inputs).some(([name, field]) => {
    const { adoptKey, naming } = annotations(field);
    return adoptKey && naming && isAutomaticName(request.inputs[name], request.name, naming);
  });
}

/** True when what an earlier attempt made has lost its secret, so that it is to be removed. Throws when it cannot be told from somebody else's object. */
export function isUseless(type: ResourceType, request: Request, found: Found): boolean {
  if (!isSecretLost(type, found)) return false;
  if (request.earlierAttempt?.id !== undefined || type.indistinct || isNamedHere(type, request)) return true;
  const { id } = found;
  throw new CodedError(
    "PLB-PENDING",
    `${type.name} ${id} may be what an interrupted run made, but its ${onceShown(type).join(", ")} was shown only once and is lost: delete it if it is, or give the resource another name, and run again`,
  );
}

/** Removes what this resource made and cannot use. */
export async function discard(
  type: ResourceType,
  identity: ResourceIdentity,
  scope: VerbScope,
  values: Values,
  { id }: Found,
): Promise<void> {
  const context = actionContext({ identity, scope, values });
  await remove(type, { ...context, id, path: pathOf(type, id), scope, values }).catch((error: unknown) => {
    if (!isGone(error)) throw error;
  });
  scope.log(
    "warning",
    `the answer to the create of ${type.name} ${id} was lost with its secret: it is removed and made anew`,
  );
}
