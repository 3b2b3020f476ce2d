/** The refusals of a preview that need the live account: taken names, and what a type looks up itself. Writes nothing, and asks for each list once. */

import { same } from "../../core/judgement/compare.ts";
import { collectionPath, idOf, pathOf } from "../../core/object/identifier.ts";
import { knownValues, plainInputs } from "../../core/plain.ts";
import {
  CheckFailedError,
  type CheckFailure,
  type CreateRequest,
  type RequestContext,
  type ResourceIdentity,
} from "../../core/protocol.ts";
import { isGone, type WireObject } from "../../core/service-port.ts";
import { isAutomaticName } from "../../core/type/automatic-name.ts";
import { annotations } from "../../core/type/field.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import type { ValueMap } from "../../core/value.ts";
import { fetchIfThere } from "../fetch.ts";
import { begin, type Operation } from "../operation.ts";
import { examine } from "./examine.ts";
import { presence } from "./presence.ts";
import { alreadyExists, nameTaken } from "./taken.ts";

/** What is planned: a create (without `old`), or an update of the object with the id. */
export interface Planned {
  readonly newInputs: ValueMap;
  readonly old?: { readonly id: string; readonly inputs: ValueMap; readonly state: ValueMap };
}

/** Throws CheckFailedError when the live account shows that the plan cannot be carried out. */
export async function lookUp(
  operation: Operation,
  type: ResourceType,
  request: ResourceIdentity & RequestContext & Pick<CreateRequest, "isKnownId">,
  planned: Planned,
): Promise<void> {
  const failures: CheckFailure[] = [];
  const refuse = (property: string, reason: string) => void failures.push({ property, reason });
  const values = knownValues(plainInputs(type.inputs, planned.newInputs));
  const before = planned.old
    ? knownValues(plainInputs(type.inputs, { ...planned.old.state, ...planned.old.inputs }))
    : {};
  const collection = collectionPath(type, values);
  const scope = begin(operation, request);
  const { service } = scope;
  const holds = (other: ResourceType, id: string) =>
    operation.plan.isOurs(other, id) || (request.isKnownId?.(id, other.token) ?? false);
  const isOurs = (id: string) => id === planned.old?.id || holds(type, id);
  const list = (path: string) => shared(operation, path, () => service.list(path));

  const chosen = newNames(type, request, planned);
  if (collection !== undefined && chosen.length > 0) {
    const wanted = Object.fromEntries(
      Object.entries(values).filter(([name]) => chosen.includes(name) || !isUnique(type, name)),
    );
    const taken = nameTaken(type, wanted, await existing(list, collection), isOurs);
    if (taken) {
      failures.push(alreadyExists(type, request.name, taken.property, values[taken.property], taken.id));
    }
  }
  const creating = planned.old === undefined;
  const there = creating && (await presence(type, request, scope, values, { fresh: false, isOurs }));
  if (there) failures.push(there);
  await type.lookup?.({
    before,
    after: values,
    creating,
    refuse,
    isOurs: (id, key) => {
      const other = key === undefined ? type : operation.types.get(key);
      return other === type ? isOurs(id) : other !== undefined && holds(other, id);
    },
    warn: (message) => request.log?.("warning", message),
    path: planned.old && pathOf(type, planned.old.id),
    collection,
    list: (path, filter) => existing(filter ? (all) => service.list(all, { filter }) : list, path),
    get: (path) => service.get(path),
  });
  const { newInputs, old } = planned;
  const id =
    old?.id ??
    (type.takesOver && type.parameters.every((name) => values[name] !== undefined) && idOf(type, values, {}));
  const subject = { type, scope, values, ...(old && { state: old.state }) };
  const object = type.examine && id && (await fetchIfThere({ ...subject, id }, { fresh: false }));
  if (failures.length > 0) throw new CheckFailedError(failures);
  if (id && object)
    await examine(operation, { ...subject, id, object, identity: request, inputs: newInputs, preview: true });
}

const isUnique = (type: ResourceType, name: string) => {
  const field = type.inputs[name];
  return field !== undefined && annotations(field).unique === true;
};

/** Unique fields whose value the user chose and which the object does not have yet. */
function newNames(type: ResourceType, { name: logicalName }: ResourceIdentity, planned: Planned): string[] {
  return Object.entries(type.inputs).flatMap(([name, field]) => {
    const { unique, naming } = annotations(field);
    if (!unique || (naming && isAutomaticName(planned.newInputs[name], logicalName, naming))) return [];
    return planned.old && same(field, planned.old.inputs[name], planned.newInputs[name]) ? [] : [name];
  });
}

/** A list that is read once for all that look at it. */
export function shared(operation: Operation, path: string, read: () => Promise<readonly WireObject[]>) {
  let pending = operation.lists.get(path);
  if (!pending) {
    pending = read();
    operation.lists.set(path, pending);
    pending.catch(() => operation.lists.delete(path));
  }
  return pending;
}

/** A list whose parent is gone is empty: that is found when it is read, not here. */
async function existing(list: (path: string) => Promise<readonly WireObject[]>, path: string) {
  try {
    return await list(path);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
