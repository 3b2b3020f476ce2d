/** Create, once for every type: look for what an earlier attempt made, make it, save its id, bring it to its declared state. */

import { comparable } from "../core/compare.ts";
import { annotations, type Fields } from "../core/field.ts";
import { collectionPath, idOf } from "../core/identifier.ts";
import {
  CheckFailedError,
  type CreateRequest,
  type CreateResponse,
  type FindRequest,
  type FindResponse,
} from "../core/protocol.ts";
import type { CreateVariant, ResourceType } from "../core/resource.ts";
import { isAnswerLost, isApiError } from "../core/service-port.ts";
import { foretoldCreate, stateOf } from "../core/state.ts";
import type { Value } from "../core/value.ts";
import { type Found, findMade, type Search } from "./adopt.ts";
import { idsBefore, notedBefore } from "./before.ts";
import { actionContext, bodyOf, converge, initFailed } from "./converge.ts";
import { examine } from "./examine.ts";
import { refusal } from "./failure.ts";
import { fetchIfThere, fetchObject } from "./fetch.ts";
import { lookUp } from "./lookup.ts";
import { refuseTakeover } from "./presence.ts";
import { type Attempt, begin, type Session } from "./session.ts";
import { discard, isSecretLost, isUseless } from "./shown-once.ts";
import { alreadyExists, nameTaken } from "./taken.ts";
import { valuesToApply } from "./values.ts";

/** How often a create is sent whose answer is lost each time and which surely made nothing. */
const creationAttempts = 3;

export async function createResource(
  session: Session,
  type: ResourceType,
  request: CreateRequest,
): Promise<CreateResponse> {
  if (request.preview) {
    await lookUp(session, type, request, { newInputs: request.inputs });
    return { id: "", state: foretoldCreate(type, request, request.inputs) };
  }
  const attempt = begin(session, request, request.timeoutSeconds || type.timeouts.create);
  const values = valuesToApply(type, request.inputs);
  const queue = type.createQueue ? `${type.key} ${type.createQueue(values)}` : adoptKeyOf(type, values);
  const made = await session.exclusive(queue, () => ensure(session, type, request, attempt, values));
  const { id, object } = made;
  if (type.takesOver)
    await examine(session, { type, identity: request, id, attempt, inputs: request.inputs, values, object });
  try {
    await request.onCreated?.(id, stateOf(type, id, object, request.inputs));
  } catch (error) {
    throw await initFailed({ type, id, inputs: request.inputs, values, attempt }, object, new Set(), error);
  }
  const task = {
    type,
    identity: request,
    id,
    attempt,
    inputs: request.inputs,
    values,
    object,
    posted: made.posted,
  };
  const finished = await converge(task);
  return {
    id,
    state: stateOf(type, id, finished, request.inputs, stateOf(type, id, object, request.inputs)),
  };
}

/** Looks for what an earlier create made; makes and changes nothing. */
export async function findResource(
  session: Session,
  type: ResourceType,
  request: FindRequest,
): Promise<FindResponse> {
  const attempt = begin(session, request);
  const found = await resume(session, type, request, attempt, valuesToApply(type, request.inputs));
  if (!found) return undefined;
  const known = { id: found.id, state: stateOf(type, found.id, found.object, request.inputs) };
  return isUseless(type, request, found) ? { ...known, lost: true } : known;
}

interface Made extends Found {
  /** Fields that the object surely has as declared. */
  readonly posted: ReadonlySet<string>;
}

/** The object: taken over from an earlier attempt, or made now. */
async function ensure(
  session: Session,
  type: ResourceType,
  request: CreateRequest,
  attempt: Attempt,
  values: Values,
): Promise<Made> {
  const isResumed = request.earlierAttempt !== undefined && !type.takesOver;
  let earlier = isResumed ? await resume(session, type, request, attempt, values) : undefined;
  if (earlier && isUseless(type, request, earlier)) {
    await discard(type, request, attempt, values, earlier);
    earlier = undefined;
  }
  if (!earlier) {
    await refuseTakeover(type, request, attempt, values);
    await type.beforeCreate?.(actionContext({ identity: request, attempt, values }));
  }
  const made: Made = earlier
    ? { ...earlier, posted: new Set() }
    : await make(session, type, request, attempt, values);
  session.plan.know(type, made.id, request.urn);
  return made;
}

type Values = { readonly [name: string]: unknown };

async function resume(
  session: Session,
  type: ResourceType,
  request: FindRequest | CreateRequest,
  attempt: Attempt,
  values: Values,
): Promise<Found | undefined> {
  const { startedAt, id } = request.earlierAttempt!;
  if (type.takesOver) return taken(type, attempt, values);
  const present = id === undefined ? notedBefore(type, attempt.notes) : new Set<string>();
  if (!present) return undefined;
  const isOther = isTaken(session, type, request, present);
  if (id !== undefined && isOther(id)) return undefined;
  if (id === undefined) await type.appears?.(actionContext({ identity: request, attempt, values }));
  return findMade({ type, values, attempt, startedAt: () => startedAt, isTaken: isOther }, id);
}

/** What exists from the beginning. */
async function taken(type: ResourceType, attempt: Attempt, values: Values): Promise<Found | undefined> {
  const id = idOf(type, values, {});
  const object = await fetchIfThere({ type, id, attempt, values }, { fresh: true });
  return object && { id, object };
}

/** True for ids that cannot be what the create made: they were there before it, or another resource has them. */
const isTaken =
  (
    session: Session,
    type: ResourceType,
    request: Pick<CreateRequest, "isKnownId">,
    present: ReadonlySet<string>,
  ): Search["isTaken"] =>
  (id) =>
    present.has(id) || session.plan.isOurs(type, id) || (request.isKnownId?.(id) ?? false);

async function make(
  session: Session,
  type: ResourceType,
  request: CreateRequest,
  attempt: Attempt,
  values: Values,
): Promise<Made> {
  if (type.takesOver) {
    const found = await taken(type, attempt, values);
    if (found) return { ...found, posted: new Set() };
    throw new Error(`there is no ${type.name} ${idOf(type, values, {})} to take over`);
  }
  if (type.create) return madeByAction(type, type.create, request, attempt, values);
  const variant = (await type.createRequest?.(values, attempt.service)) ?? plainCreate(type, request, values);
  const posted = new Set<string>(variant.fields);
  const began = performance.now();
  // The service's clock may be learnt only from an answer after the request, so the start is counted back from then.
  const startedAt = () =>
    new Date(Date.parse(session.service().serviceTime()) - (performance.now() - began)).toISOString();
  // A wait for what appears late may outlast the service's clock; such a type has asked the service before.
  const sentAt = type.appears && startedAt();
  const present = await idsBefore(type, attempt, values);
  const look = async () => {
    const since = sentAt ? () => sentAt : startedAt;
    const found = await afterLostAnswer(session, type, request, attempt, values, since, present);
    if (!found || !isSecretLost(type, found)) return found;
    await discard(type, request, attempt, values, found);
    return undefined;
  };
  let lost: Error | undefined;
  for (let round = 1; round <= creationAttempts; round++) {
    try {
      const object = await attempt.service.post(variant.path, variant.body);
      if (object["id"] !== undefined || type.ownParameter === undefined) {
        return { id: idOf(type, values, object), object, posted };
      }
      const appeared = type.appears && (await look());
      if (appeared) return { ...appeared, posted };
      throw new Error(`POST ${variant.path} was answered, but what it made is not there`);
    } catch (error) {
      const isLost = isAnswerLost(error);
      // A refusal after a lost answer may mean that the first request was carried out after it was looked for.
      if (!isLost && !(lost && isApiError(error, 400)))
        throw await explained(type, request, attempt, values, error);
      const found = await look().catch(unclear(lost ?? error));
      if (found) return { ...found, posted };
      if (!isLost) throw await explained(type, request, attempt, values, error);
      lost = error;
    }
  }
  throw new Error(`${lost?.message}; nothing was made by ${creationAttempts} attempts`, { cause: lost });
}

/** Makes it by the type's own action, which may be repeated. */
async function madeByAction(
  type: ResourceType,
  create: NonNullable<ResourceType["create"]>,
  request: CreateRequest,
  attempt: Attempt,
  values: Values,
): Promise<Made> {
  const id = idOf(type, values, {});
  for (let round = 1; ; round++) {
    try {
      await create(actionContext({ identity: request, attempt, values }));
      break;
    } catch (error) {
      if (!isAnswerLost(error)) throw await explained(type, request, attempt, values, error);
      if (round === creationAttempts) throw error;
    }
  }
  const object = await fetchObject({ type, id, attempt, values }, { fresh: true });
  return { id, object, posted: new Set(Object.keys(type.inputs)) };
}

/** What a create made whose answer did not tell, if anything. */
async function afterLostAnswer(
  session: Session,
  type: ResourceType,
  request: CreateRequest,
  attempt: Attempt,
  values: Values,
  startedAt: () => string,
  present: ReadonlySet<string>,
): Promise<Found | undefined> {
  await type.appears?.(actionContext({ identity: request, attempt, values }));
  return findMade({ type, values, attempt, startedAt, isTaken: isTaken(session, type, request, present) });
}

/** A look-up that fails leaves it open what a lost create made, and says so. */
function unclear(lost: Error): (error: unknown) => never {
  return (error) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${lost.message}; it could not be found out: ${why}`, { cause: lost });
  };
}

function plainCreate(type: ResourceType, request: CreateRequest, values: Values): CreateVariant<Fields> {
  const path = collectionPath(type, values);
  if (path === undefined) throw new Error(`the parents of this ${type.name} are not known`);
  const carried = Object.entries(type.inputs).filter(([name, field]) => {
    const { local, updateOnly, trigger } = annotations(field);
    if (local || updateOnly || trigger || type.collection.includes(`{${name}}`)) return false;
    return request.inputs[name] !== undefined && request.inputs[name] !== null;
  });
  const fields = carried.map(([name]) => name);
  return { path, body: bodyOf(type, request.inputs, values, fields), fields };
}

/** A refused create: what is wrong on the user's properties, and for a name that is taken, how to adopt its object. */
async function explained(
  type: ResourceType,
  request: CreateRequest,
  attempt: Attempt,
  values: Values,
  error: unknown,
): Promise<unknown> {
  if (!isApiError(error, 400)) return error;
  const taken = await takenName(type, attempt, values).catch(() => undefined);
  if (!taken) return refusal(type, error);
  const reason = alreadyExists(type, request.name, taken.property, values[taken.property], taken.id);
  return new CheckFailedError([{ property: taken.property, reason }], { cause: error });
}

async function takenName(type: ResourceType, attempt: Attempt, values: Values) {
  const collection = collectionPath(type, values);
  const unique = Object.entries(type.inputs).filter(([, field]) => annotations(field).unique);
  if (collection === undefined || unique.length === 0) return undefined;
  const objects = await attempt.service.list(collection, { fresh: true });
  return nameTaken(type, values, objects, () => false);
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
