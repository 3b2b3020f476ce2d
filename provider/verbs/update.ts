/** Update, once for every type: observe, refuse what cannot be, bring the object to its declared state. Also finishes what a create left half made. */

import { replaces } from "../core/judgement/check.ts";
import { foretoldUpdate, stateOf } from "../core/object/state.ts";
import { knownValues, plainInputs } from "../core/plain.ts";
import {
  CheckFailedError,
  type CheckFailure,
  type UpdateRequest,
  type UpdateResponse,
} from "../core/protocol.ts";
import { isGone } from "../core/service-port.ts";
import type { ResourceType } from "../core/type/resource.ts";
import type { ValueMap } from "../core/value.ts";
import { converge } from "./converge.ts";
import { refusal } from "./failure.ts";
import { fetchObject } from "./fetch.ts";
import { examine } from "./foresight/examine.ts";
import { lookUp } from "./foresight/lookup.ts";
import { knowParts } from "./making/parts.ts";
import { begin, type Operation } from "./operation.ts";
import { valuesToApply } from "./values/applied.ts";
import { unappliedOf } from "./values/sent.ts";

export async function updateResource(
  operation: Operation,
  type: ResourceType,
  request: UpdateRequest,
): Promise<UpdateResponse> {
  const { id, oldInputs, newInputs, state, ignoreChanges } = request;
  operation.plan.know(type, id, request.urn);
  refuseImpossible(type, { ...oldInputs, ...state }, newInputs);
  const unapplied = unappliedOf(operation, type, request);
  if (request.preview) {
    await lookUp(operation, type, request, { newInputs, old: { id, inputs: oldInputs, state } });
    return { state: foretoldUpdate(type, request, oldInputs, state, newInputs, unapplied) };
  }
  if (replaces(type, oldInputs, state, newInputs)) {
    throw new Error(`${type.name} ${id}: this change needs a replacement and cannot be made in place`);
  }
  const scope = begin(operation, request, request.timeoutSeconds || type.timeouts.update);
  const values = valuesToApply(type, newInputs);
  try {
    const object = await fetchObject({ type, id, scope, values, state }, { fresh: false });
    const before = { inputs: oldInputs, state, ...(ignoreChanges && { ignoreChanges }) };
    const task = {
      type,
      identity: request,
      id,
      scope,
      isOurs: (key: string, other: string) => {
        const of = operation.types.get(key);
        return (
          of !== undefined &&
          (operation.plan.isOurs(of, other) || request.isKnownId?.(other, of.token) === true)
        );
      },
      inputs: newInputs,
      values,
      object,
      before,
      unapplied,
    };
    await examine(operation, task);
    const { object: finished, spent } = await converge(task);
    const now = stateOf(type, id, finished, newInputs, state);
    knowParts(operation, type, { id, inputs: newInputs, state: now });
    return { state: now, ...(spent.length > 0 && { spent }) };
  } catch (error) {
    if (isGone(error)) {
      throw new Error(
        `${type.name} ${id} is not there any more: run a refresh, and the next update makes it again`,
        {
          cause: error,
        },
      );
    }
    throw refusal(type, error);
  }
}

function refuseImpossible(type: ResourceType, before: ValueMap, after: ValueMap): void {
  const failures: CheckFailure[] = [];
  type.refuseChange?.({
    before: knownValues(plainInputs(type.inputs, before)),
    after: knownValues(plainInputs(type.inputs, after)),
    refuse: (property, reason) => void failures.push({ property, reason }),
  });
  if (failures.length > 0) throw new CheckFailedError(failures);
}
