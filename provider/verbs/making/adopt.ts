/** Finds the object that a create made although its answer never came: by its adopt key, by its age, and by whose it is. */

import { CodedError } from "../../core/error-code.ts";
import { same, toldOf } from "../../core/judgement/compare.ts";
import { canonicalOf } from "../../core/judgement/diff.ts";
import { collectionPath, idOf, idOfListed } from "../../core/object/identifier.ts";
import { isUnreadable, observedState } from "../../core/object/state.ts";
import type { WireObject } from "../../core/service-port.ts";
import { annotations } from "../../core/type/field.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import type { ValueMap } from "../../core/value.ts";
import { fetchIfThere } from "../fetch.ts";
import type { VerbScope } from "../operation.ts";

export interface Search {
  readonly type: ResourceType;
  /** Declared values, all known, ids as text. */
  readonly values: { readonly [name: string]: unknown };
  readonly scope: VerbScope;
  /** When the create began, by the service's clock (RFC 3339); asked after the list was read. */
  readonly startedAt: () => string;
  /** True for ids that another resource has already. */
  readonly isTaken: (id: string) => boolean;
  /** True: of several that are alike in all that can be read, one is as good as the other, and the first is taken. */
  readonly takesOneOfTwins?: true;
}

export interface Found {
  readonly id: string;
  readonly object: WireObject;
}

/**
 * The one object that the create must have made, or undefined: the one with the id that its answer gave or its declaration tells, else the
 * one of the list that is like it: of several, the one that has all that is declared. Throws when several could be it.
 */
export async function findMade(search: Search, id?: string): Promise<Found | undefined> {
  const { type, values } = search;
  const { service } = search.scope;
  if (id !== undefined) return findById(search, id);
  if (type.ownParameter === undefined) {
    const named = idOf(type, values, {});
    return search.isTaken(named) ? undefined : findById(search, named);
  }
  const collection = collectionPath(type, values);
  if (collection === undefined) throw new Error(`the parents of this ${type.name} are not known`);
  const answered = await (type.asAnswered?.(values, service) ?? values);
  const candidates: Found[] = [];
  const objects = await service.list(collection, {
    fresh: true,
    ...(type.list?.own && { filter: type.list.own }),
  });
  const startedAt = search.startedAt();
  for (const object of objects) {
    if (type.list?.includes?.(object) === false) continue;
    const id = idOfListed(type, values, object);
    if (!search.isTaken(id) && isNotOlder(object, startedAt) && matches(type, id, answered, object)) {
      candidates.push({ id, object });
    }
  }
  const found = likest(search, answered, candidates);
  // A list does not show what is read in a way of its own.
  return found && type.fetch ? findById(search, found.id) : found;
}

/** The only one, or the only one with all that is declared; of several such, where one may be taken, the one with the lowest id. */
function likest(
  { type, takesOneOfTwins }: Search,
  values: Search["values"],
  candidates: readonly Found[],
): Found | undefined {
  if (candidates.length <= 1) return candidates[0];
  const alike = candidates.filter((one) => isWhole(type, values, one));
  const [first] = alike.sort((one, other) => one.id.localeCompare(other.id, "en", { numeric: true }));
  if (first && (alike.length === 1 || takesOneOfTwins)) return first;
  const ids = candidates.map(({ id }) => id).join(", ");
  throw new CodedError(
    "PLB-LOST",
    `the answer to the create was lost, and ${candidates.length} objects could be what it made (ids ${ids}): delete those that you do not want, or import the one that you do`,
  );
}

/** True when it has every value that a create carries and a list shows, and the default of what is not declared. */
function isWhole(type: ResourceType, values: Search["values"], { id, object }: Found): boolean {
  const live = observedState(type, id, object);
  const observed = canonicalOf(type, live, live);
  const declared = canonicalOf(type, values as ValueMap, live);
  return Object.entries(type.inputs).every(([name, field]) => {
    const { updateOnly, default: fallback } = annotations(field);
    const isLeft = declared[name] === undefined && fallback === undefined;
    if (updateOnly || isLeft || isUnreadable(type, name)) return true;
    return same(field, declared[name], toldOf(field, observed[name], declared[name]));
  });
}

/** The object with an id that an earlier attempt was given, if it is still what that attempt made. */
async function findById(search: Search, id: string): Promise<Found | undefined> {
  const { type, values, scope } = search;
  const object = await fetchIfThere({ type, id, scope, values }, { fresh: true });
  if (!object) return undefined;
  const answered = await (type.asAnswered?.(values, scope.service) ?? values);
  return isNotOlder(object, search.startedAt()) && matches(type, id, answered, object)
    ? { id, object }
    : undefined;
}

/** True when every adopt key of the declaration is what the object has. */
function matches(
  type: ResourceType,
  id: string,
  values: { readonly [name: string]: unknown },
  object: WireObject,
): boolean {
  const live = observedState(type, id, object);
  const observed = canonicalOf(type, live, live);
  const declared = canonicalOf(type, values as ValueMap, live);
  return Object.entries(type.inputs).every(([name, field]) => {
    if (!annotations(field).adoptKey || (name in values && values[name] === undefined)) return true;
    return same(field, declared[name], observed[name]);
  });
}

/** The service tells whole seconds, in UTC without a zone; one second of rounding is allowed on each side. */
function isNotOlder(object: WireObject, startedAt: string): boolean {
  const created = object["created"] ?? object["updated"]; // some tell only when they were last changed
  if (typeof created !== "string") return true;
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(created) ? created : `${created}Z`;
  return Date.parse(zoned) >= Math.floor(Date.parse(startedAt) / 1000) * 1000 - 1000;
}
