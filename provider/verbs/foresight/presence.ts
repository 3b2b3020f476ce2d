/** Objects that are named by their declaration (a bucket, a certificate of it): one that is there already is not taken over silently. */

import { idOf } from "../../core/object/identifier.ts";
import { CheckFailedError, type CheckFailure, type ResourceIdentity } from "../../core/protocol.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import { fetchIfThere } from "../fetch.ts";
import type { VerbScope } from "../operation.ts";
import { alreadyExists } from "./taken.ts";

/** True for types whose objects' ids are known before they are made. */
const isNamed = (type: ResourceType) => type.ownParameter === undefined && !type.takesOver;

/** The refusal of a declaration whose object is there already; undefined where none is, or where its name is not known yet. */
export async function presence(
  type: ResourceType,
  identity: ResourceIdentity,
  scope: VerbScope,
  values: { readonly [name: string]: unknown },
  options: { readonly fresh: boolean; readonly isOurs?: (id: string) => boolean },
): Promise<CheckFailure | undefined> {
  if (!isNamed(type) || type.parameters.some((name) => values[name] === undefined)) return undefined;
  const id = idOf(type, values, {});
  if (options.isOurs?.(id)) return undefined;
  const object = await fetchIfThere({ type, id, scope, values }, options);
  if (!object) return undefined;
  const property = type.parameters.at(-1)!;
  return alreadyExists(type, identity.name, property, values[property], id);
}

/** Throws when the object of a create that made nothing yet is there. */
export async function refuseTakeover(
  type: ResourceType,
  identity: ResourceIdentity,
  scope: VerbScope,
  values: { readonly [name: string]: unknown },
): Promise<void> {
  const failure = await presence(type, identity, scope, values, { fresh: true });
  if (failure) throw new CheckFailedError([failure]);
}
