/** Create, once for every type: look for what an earlier attempt made, make it, save its id, bring it to its declared state. */

import { comparable } from "../core/judgement/compare.ts";
import { sentIn } from "../core/judgement/unapplied.ts";
import { collectionPath } from "../core/object/identifier.ts";
import { appliedInputs, foretoldCreate, observedState, stateOf } from "../core/object/state.ts";
import type {
  CreateRequest,
  CreateResponse,
  EarlierAttempt,
  FindRequest,
  FindResponse,
} from "../core/protocol.ts";
import { isGone } from "../core/service-port.ts";
import { annotations } from "../core/type/field.ts";
import type { ResourceType } from "../core/type/resource.ts";
import type { Value, ValueMap } from "../core/value.ts";
import { converge, initFailed, isConverged } from "./converge.ts";
import { examine } from "./foresight/examine.ts";
import { lookUp } from "./foresight/lookup.ts";
import { refuseTakeover } from "./foresight/presence.ts";
import { type Found, findMade } from "./making/adopt.ts";
import { notedBefore } from "./making/before.ts";
import { type Creation, createOf, isTaken, type Made, make, taken, type Values } from "./making/make.ts";
import { knowParts } from "./making/parts.ts";
import { discard, isUseless, onceShown } from "./making/shown-once.ts";
import { begin, type Operation } from "./operation.ts";
import { actionContext, type Task } from "./task.ts";
import { valuesToApply } from "./values/applied.ts";
import { fieldsToSync, isInvisible } from "./values/due.ts";

export async function createResource(
  operation: Operation,
  type: ResourceType,
  request: CreateRequest,
): Promise<CreateResponse> {
  if (request.preview) {
    await lookUp(operation, type, request, { newInputs: request.inputs });
    return { id: "", state: foretoldCreate(type, request, request.inputs) };
  }
  const scope = begin(operation, request, request.timeoutSeconds || type.timeouts.create);
  const values = valuesToApply(type, request.inputs);
  // The next one that could be taken for it begins when the id of this one is known for good.
  const creation = { operation, type, request, scope, values };
  const { task, whole } = await operation.exclusive(queueOf(type, values), () =>
    begun(creation, request.onCreated),
  );
  const { id, object } = task;
  if (whole) {
    knowParts(operation, type, { id, inputs: request.inputs, state: whole });
    return { id, state: whole };
  }
  const { object: finished, spent } = await converge(task);
  const first = stateOf(type, id, object, request.inputs);
  const state = stateOf(type, id, finished, request.inputs, first);
  knowParts(operation, type, { id, inputs: request.inputs, state });
  return { id, state, ...(spent.length > 0 && { spent }) };
}

/** Makes the object, or finds it, and has its id saved with what surely was applied. `whole`: its state, where making it was all that there is to do. */
async function begun(
  creation: Creation,
  onCreated: CreateRequest["onCreated"],
): Promise<{ readonly task: Task; readonly whole?: ValueMap }> {
  const { operation, type, request, scope, values } = creation;
  const { inputs } = request;
  const { id, object, posted, isResumed } = await ensure(creation);
  const task: Task = {
    ...{ type, identity: request, id, scope, inputs, values, object, posted },
    ...(isResumed && { isResumed }),
    unapplied: new Set(Object.keys(sentIn(scope.notes))),
  };
  if (type.takesOver) await examine(operation, task);
  const pending = fieldsToSync(task, object);
  const isWhole = creation.request.earlierAttempt === undefined && isConverged(type, object, pending);
  const applied = isWhole
    ? inputs
    : appliedInputs(type, inputs, undefined, pending, observedState(type, id, object));
  const state = stateOf(type, id, object, applied);
  try {
    await onCreated?.(id, state, applied, isWhole);
  } catch (error) {
    throw (await initFailed(task, object, pending, error)).failed;
  }
  return { task, ...(isWhole && { whole: state }) };
}

/** Looks for what an earlier create made; makes and changes nothing. */
export async function findResource(
  operation: Operation,
  type: ResourceType,
  request: FindRequest,
): Promise<FindResponse> {
  const scope = begin(operation, request);
  const { inputs } = request;
  const values = valuesToApply(type, inputs);
  const creation = { operation, type, request, scope, values };
  const found = await operation.exclusive(queueOf(type, values), async () => {
    const one = await resume(creation, request.earlierAttempt);
    if (one) operation.plan.know(type, one.id, request.urn);
    return one;
  });
  if (!found) return undefined;
  const { id, object } = found;
  // Where the request cannot be made any more (what it asks about is gone), nothing counts as carried: what is left is then sent again.
  const carried = await createOf(creation).then(
    ({ fields }) => fields,
    (error: unknown) => (isGone(error) ? [] : Promise.reject(error)),
  );
  const posted = new Set<string>(carried.filter((name) => isInvisible(type, name)));
  const task = { type, id, inputs, posted };
  const pending = fieldsToSync(task, object);
  const applied = appliedInputs(type, inputs, undefined, pending, observedState(type, id, object));
  const known = { id, inputs: applied, state: stateOf(type, id, object, applied) };
  return isUseless(type, request, found) ? { ...known, lost: true } : known;
}

/** Creates whose objects could be taken for each other have the same one. */
const queueOf = (type: ResourceType, values: Values) =>
  type.turns ? `${type.key} ${type.turns.queue(values)}` : adoptKeyOf(type, values);

/** The object: taken over from an earlier attempt, or made now. */
async function ensure(creation: Creation): Promise<Made> {
  const { operation, type, request, scope, values } = creation;
  const { earlierAttempt } = request;
  let earlier = earlierAttempt && !type.takesOver ? await resume(creation, earlierAttempt) : undefined;
  if (earlier && isUseless(type, request, earlier)) {
    await discard(type, request, scope, values, earlier);
    earlier = undefined;
  }
  if (!earlier) {
    await refuseTakeover(type, request, scope, values);
    await type.turns?.idle?.(actionContext({ identity: request, scope, values }));
  }
  const made: Made = earlier ? { ...earlier, posted: new Set(), isResumed: true } : await make(creation);
  operation.plan.know(type, made.id, request.urn);
  return made;
}

async function resume(creation: Creation, earlier: EarlierAttempt): Promise<Found | undefined> {
  const { type, request, scope, values } = creation;
  const { startedAt, id } = earlier;
  if (type.takesOver) return taken(creation);
  const present = id === undefined ? notedBefore(type, scope.notes) : new Set<string>();
  if (!present) return undefined;
  const isOther = isTaken(creation, present);
  if (id !== undefined && isOther(id)) return undefined;
  if (id === undefined) await type.turns?.idle?.(actionContext({ identity: request, scope, values }));
  const search = { type, values, scope, startedAt: () => startedAt, isTaken: isOther };
  const found = await findMade({ ...search, takesOneOfTwins: true }, id);
  if (found || id === undefined || onceShown(type).length === 0) return found;
  // That one was removed because its secret was lost, and another may have been made in its place.
  return resume(creation, { startedAt });
}

/** Creates of objects that could be taken for each other run one after the other. */
function adoptKeyOf(type: ResourceType, values: Values): string {
  const keys = Object.entries(type.inputs).filter(([, field]) => annotations(field).adoptKey);
  const path = collectionPath(type, values) ?? "";
  return JSON.stringify([
    type.key,
    path,
    ...keys.map(([name, field]) => comparable(field, values[name] as Value) ?? null),
  ]);
}
