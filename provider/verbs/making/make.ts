/** The request that makes an object, sent once: when its answer is lost, what it made is looked for before it is sent again. */

import { collectionPath, idOf } from "../../core/object/identifier.ts";
import { CheckFailedError, type CreateRequest, type FindRequest } from "../../core/protocol.ts";
import { isAnswerLost, isApiError } from "../../core/service-port.ts";
import { annotations, type Fields } from "../../core/type/field.ts";
import type { CreateVariant, ResourceType } from "../../core/type/resource.ts";
import { refusal } from "../failure.ts";
import { fetchIfThere, fetchObject } from "../fetch.ts";
import { alreadyExists, nameTaken } from "../foresight/taken.ts";
import type { Operation, VerbScope } from "../operation.ts";
import { actionContext } from "../task.ts";
import { bodyOf } from "../values/due.ts";
import { type Found, findMade, type Search } from "./adopt.ts";
import { idsBefore } from "./before.ts";
import { discard, isSecretLost } from "./shown-once.ts";

/** How often a create is sent whose answer is lost each time and which surely made nothing. */
const creationAttempts = 3;

export type Values = { readonly [name: string]: unknown };

/** What is to be made, or looked for, by one verb. */
export interface Creation {
  readonly operation: Operation;
  readonly type: ResourceType;
  readonly request: Omit<FindRequest, "earlierAttempt"> & Pick<CreateRequest, "earlierAttempt">;
  readonly scope: VerbScope;
  /** The request's inputs, plain and known. */
  readonly values: Values;
}

export interface Made extends Found {
  /** Fields that the object surely has as declared. */
  readonly posted: ReadonlySet<string>;
  /** True for what an earlier attempt made. */
  readonly isResumed?: true;
}

/** What exists from the beginning. */
export async function taken({ type, scope, values }: Creation): Promise<Found | undefined> {
  const id = idOf(type, values, {});
  const object = await fetchIfThere({ type, id, scope, values }, { fresh: true });
  return object && { id, object };
}

/** True for ids that cannot be what the create made: they were there before it, or another resource has them. */
export const isTaken =
  ({ operation, type, request }: Creation, present: ReadonlySet<string>): Search["isTaken"] =>
  (id) =>
    present.has(id) ||
    operation.plan.isPart(type, id) ||
    operation.plan.isOurs(type, id, request.urn) ||
    (request.isKnownId?.(id) ?? false);

export async function make(creation: Creation): Promise<Made> {
  const { operation, type, request, scope, values } = creation;
  if (type.takesOver) {
    const found = await taken(creation);
    if (found) return { ...found, posted: new Set() };
    throw new Error(`there is no ${type.name} ${idOf(type, values, {})} to take over`);
  }
  if (type.create) return madeByAction(creation, type.create);
  const variant = await createOf(creation);
  const posted = new Set<string>(variant.fields);
  const began = performance.now();
  // The service's clock may be learnt only from an answer after the request, so the start is counted back from then.
  const startedAt = () =>
    new Date(Date.parse(operation.service().serviceTime()) - (performance.now() - began)).toISOString();
  // A wait for what appears late may outlast the service's clock; such a type has asked the service before.
  const sentAt = type.turns?.idle && startedAt();
  const present = await idsBefore(type, scope, values);
  const look = async () => {
    const since = sentAt ? () => sentAt : startedAt;
    const found = await afterLostAnswer(creation, since, present);
    if (!found || !isSecretLost(type, found)) return found;
    await discard(type, request, scope, values, found);
    return undefined;
  };
  let lost: Error | undefined;
  for (let round = 1; round <= creationAttempts; round++) {
    try {
      const object = await scope.service.post(variant.path, variant.body);
      if (object["id"] !== undefined || type.ownParameter === undefined) {
        return { id: idOf(type, values, object), object, posted };
      }
      const appeared = type.turns?.idle && (await look());
      if (appeared) return { ...appeared, posted };
      throw new Error(`POST ${variant.path} was answered, but what it made is not there`);
    } catch (error) {
      const isLost = isAnswerLost(error);
      // A refusal after a lost answer may mean that the first request was carried out after it was looked for.
      if (!isLost && !(lost && isApiError(error, 400))) throw await explained(creation, error);
      const found = await look().catch(unclear(lost ?? error));
      if (found) return { ...found, posted };
      if (!isLost) throw await explained(creation, error);
      lost = error;
    }
  }
  throw new Error(`${lost?.message}; nothing was made by ${creationAttempts} attempts`, { cause: lost });
}

/** Makes it by the type's own action, which may be repeated. */
async function madeByAction(creation: Creation, create: NonNullable<ResourceType["create"]>): Promise<Made> {
  const { type, request, scope, values } = creation;
  const id = idOf(type, values, {});
  for (let round = 1; ; round++) {
    try {
      await create(actionContext({ identity: request, scope, values }));
      break;
    } catch (error) {
      if (!isAnswerLost(error)) throw await explained(creation, error);
      if (round === creationAttempts) throw error;
    }
  }
  const object = await fetchObject({ type, id, scope, values }, { fresh: true });
  return { id, object, posted: new Set(Object.keys(type.inputs)) };
}

/** What a create made whose answer did not tell, if anything. */
async function afterLostAnswer(
  creation: Creation,
  startedAt: () => string,
  present: ReadonlySet<string>,
): Promise<Found | undefined> {
  const { type, request, scope, values } = creation;
  await type.turns?.idle?.(actionContext({ identity: request, scope, values }));
  return findMade({ type, values, scope, startedAt, isTaken: isTaken(creation, present) });
}

/** A look-up that fails leaves it open what a lost create made, and says so. */
function unclear(lost: Error): (error: unknown) => never {
  return (error) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${lost.message}; it could not be found out: ${why}`, { cause: lost });
  };
}

function plainCreate({ type, request, values }: Creation): CreateVariant<Fields> {
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
async function explained(creation: Creation, error: unknown): Promise<unknown> {
  const { type, request, values } = creation;
  if (!isApiError(error, 400)) return error;
  const taken = await takenName(creation).catch(() => undefined);
  if (!taken) return refusal(type, error);
  const failure = alreadyExists(type, request.name, taken.property, values[taken.property], taken.id);
  return new CheckFailedError([failure], { cause: error });
}

async function takenName({ type, scope, values }: Creation) {
  const collection = collectionPath(type, values);
  const unique = Object.entries(type.inputs).filter(([, field]) => annotations(field).unique);
  if (collection === undefined || unique.length === 0) return undefined;
  const objects = await scope.service.list(collection, { fresh: true });
  return nameTaken(type, values, objects, () => false);
}

/** The request that makes the object; one that takes it over, or is the type's own action, carries what the type says. */
export async function createOf(creation: Creation): Promise<CreateVariant<Fields>> {
  const { type, scope, values } = creation;
  if (type.takesOver) return { path: "", body: {}, fields: [] };
  if (type.create) return { path: "", body: {}, fields: Object.keys(type.inputs) };
  return (await type.createRequest?.(values, scope.service)) ?? plainCreate(creation);
}
