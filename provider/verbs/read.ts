/** Read, once for every type: by canonical id for a refresh, by that or by a natural name for an import. Also lists what exists. */

import {
  collectionPath,
  idFormat,
  idOf,
  isCanonicalId,
  parametersOf,
  pathOf,
} from "../core/object/identifier.ts";
import { importedInputs, observedState, refreshedInputs, stateOf } from "../core/object/state.ts";
import { objectFromWire } from "../core/object/wire.ts";
import { knownValues, plainInputs } from "../core/plain.ts";
import type { ListedResource, ListRequest, ReadRequest, ReadResponse } from "../core/protocol.ts";
import { isGone, type WireObject } from "../core/service-port.ts";
import type { ResourceType } from "../core/type/resource.ts";
import type { ValueMap } from "../core/value.ts";
import { withArticle } from "../core/wording.ts";
import { fetchIfThere, fetchObject } from "./fetch.ts";
import { begin, type Operation, type VerbScope } from "./operation.ts";
import { actionContext } from "./task.ts";
import { noteSeen } from "./values/sent.ts";

export async function readResource(
  operation: Operation,
  type: ResourceType,
  request: ReadRequest,
): Promise<ReadResponse> {
  const scope = begin(operation, request);
  const id = await resolveId(operation, type, scope, request.id);
  if (id === undefined) return undefined;
  let object: WireObject;
  try {
    object = await fetchObject(
      {
        type,
        id,
        scope,
        ...(request.inputs && { values: knownValues(plainInputs(type.inputs, request.inputs)) }),
        ...(request.state && { state: request.state }),
      },
      { fresh: false },
    );
    if (type.observe) {
      const values = parametersOf(type, id);
      const context = actionContext({ identity: request, scope, values });
      object = await type.observe({ ...context, id, path: pathOf(type, id) }, object);
    }
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  operation.plan.know(type, id, request.urn);
  const live = observedState(type, id, object);
  if (!request.inputs || !request.state) {
    const inputs = importedInputs(type, live, object);
    return { id, inputs, state: stateOf(type, id, object, inputs) };
  }
  const inputs: ValueMap = refreshedInputs(type, request.inputs, request.state, live);
  await noteSeen(type, scope, { live, inputs, state: request.state });
  return { id, inputs, state: stateOf(type, id, object, inputs, request.state) };
}

/** The canonical id of what the user named, or undefined when there is no such object. Throws when the text is neither, or means several. */
export async function resolveId(
  operation: Operation,
  type: ResourceType,
  scope: VerbScope,
  text: string,
): Promise<string | undefined> {
  if (isCanonicalId(type, text)) return text;
  const families = familiesOf(operation, type);
  const only = families[0]?.parent;
  if (only && isOnePer(type, only)) return resolveId(operation, only, scope, text);
  const family = families.find(({ kind }) => kind === undefined || text.startsWith(`${kind}/`));
  const [parentText, name] = parentAndName(family, text);
  if (!family || name === undefined || name === "") {
    throw new Error(
      `"${text}" does not name ${withArticle(type.name)}: write ${idFormat(type)} or ${type.nameFormat}`,
    );
  }
  const { parent } = family;
  const parentId = parent ? await resolveId(operation, parent, scope, parentText) : "";
  if (parentId === undefined) return undefined;
  const ids = (await listUnder(type, scope, family, parentId))
    .filter((listed) => naturalName(type, listed).toLowerCase() === name.toLowerCase())
    .map(({ id }) => id);
  if (ids.length > 1)
    throw new Error(`"${text}" names ${ids.length} objects; use one of their ids: ${ids.join(", ")}`);
  return ids[0];
}

/** A way in which objects of a type hang under a parent: by the only type that it has, or by the kind that its id begins with. */
interface Family {
  readonly kind?: string;
  readonly parent: ResourceType | undefined;
}

function familiesOf(operation: Operation, type: ResourceType): Family[] {
  if (!type.parentsByKind) {
    const key = type.parents?.at(-1);
    return [{ parent: key === undefined ? undefined : operation.types.get(key) }];
  }
  return Object.entries(type.parentsByKind).map(([kind, key]) => ({
    kind,
    parent: operation.types.get(key),
  }));
}

/** What names the parent, and the rest. Under a kind, the parent's natural name begins with the kind too (`mysql/shop`). */
function parentAndName(family: Family | undefined, text: string): [string, string | undefined] {
  if (!family?.parent) return ["", family && text];
  const { kind, parent } = family;
  if (kind === undefined) return cut(text, parent.parameters.length);
  const [parentText, name] = cut(text.slice(kind.length + 1), parent.parameters.length);
  return [isCanonicalId(parent, parentText) ? parentText : `${kind}/${parentText}`, name];
}

/** The first `count` segments, and the rest (undefined when there is none). */
function cut(text: string, count: number): [string, string | undefined] {
  const segments = text.split("/");
  const rest = segments.slice(count);
  return [segments.slice(0, count).join("/"), rest.length > 0 ? rest.join("/") : undefined];
}

const naturalName = (type: ResourceType, { id, object }: { id: string; object: WireObject }) =>
  type.naturalName?.(object) ?? String(object["label"] ?? object["id"] ?? id);

/** The leading parameters of a type's paths, from the id of its parent. */
function parentValues(type: ResourceType, { kind, parent }: Family, parentId: string) {
  if (!parent) return {};
  const own = Object.values(parametersOf(parent, parentId));
  const parts = kind === undefined ? own : [kind, ...own];
  return Object.fromEntries(parts.map((part, i) => [type.parameters[i]!, part]));
}

/** True for a type of which each parent has at most one object: its id is the parent's. */
const isOnePer = (type: ResourceType, parent: ResourceType) =>
  type.ownParameter === undefined && type.parameters.length === parent.parameters.length;

async function listUnder(
  type: ResourceType,
  scope: VerbScope,
  family: Family,
  parentId: string,
  includes = (object: WireObject) => type.list?.includes?.(object) !== false,
): Promise<{ id: string; object: WireObject }[]> {
  const { service } = scope;
  if (type.list?.none) return [];
  if (family.parent && isOnePer(type, family.parent)) {
    const object = await fetchIfThere({ type, id: parentId, scope }, { fresh: false });
    return object ? [{ id: parentId, object }] : [];
  }
  const parents = parentValues(type, family, parentId);
  try {
    const objects = await service.list(
      collectionPath(type, parents)!,
      type.list?.own && { filter: type.list.own },
    );
    return objects.filter(includes).map((object) => {
      const own = objectFromWire(type.inputs, type.asDeclared?.(object) ?? object);
      return { id: idOf(type, { ...own, ...parents }, object), object };
    });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** Every object of the type (under one parent, or under all), with names to propose. */
export async function listResources(
  operation: Operation,
  type: ResourceType,
  request: ListRequest,
): Promise<readonly ListedResource[]> {
  const scope = begin(operation, request);
  const reasonOf = (object: WireObject) =>
    typeof type.leftOut === "function" ? type.leftOut(object) : type.leftOut;
  const includes = (object: WireObject) =>
    type.list?.includes?.(object) !== false || reasonOf(object) !== undefined;
  const lists = await Promise.all(
    familiesOf(operation, type).map(async (family) => {
      const { parent } = family;
      const parentIds = !parent
        ? [""]
        : request.parentId !== undefined
          ? [request.parentId]
          : (await listResources(operation, parent, { ...request, type: parent.token })).map(({ id }) => id);
      return Promise.all(parentIds.map((parentId) => listUnder(type, scope, family, parentId, includes)));
    }),
  );
  return lists.flat(2).map((listed) => {
    const leftOut = reasonOf(listed.object);
    const name = proposedName(naturalName(type, listed));
    return { id: listed.id, name, ...(leftOut !== undefined && { leftOut }) };
  });
}

/** A natural name as a resource name: `www/A` becomes `www-a`. */
function proposedName(name: string): string {
  const text = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/\*/g, "wildcard")
    .replace(/@/g, "apex")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return text === "" ? "unnamed" : text;
}
