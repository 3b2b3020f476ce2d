/** Which objects were there before a create: where nothing else tells what it made from what it found. */

import { collectionPath, idOfListed } from "../../core/object/identifier.ts";
import type { Notes } from "../../core/protocol.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import type { VerbScope } from "../operation.ts";
import { onceShown } from "./shown-once.ts";

const key = "before";

/** Ids that are there before a create whose object would be told apart by nothing but its name, or by nothing at all; these are noted, for a next run. */
export async function idsBefore(
  type: ResourceType,
  scope: VerbScope,
  values: { readonly [name: string]: unknown },
): Promise<ReadonlySet<string>> {
  const collection = collectionPath(type, values);
  if (collection === undefined || (onceShown(type).length === 0 && !type.indistinct)) return new Set();
  const objects = await scope.service.list(collection, { fresh: true });
  const ids = objects.map((object) => idOfListed(type, values, object));
  if (type.indistinct) await scope.notes.set(key, ids);
  return new Set(ids);
}

/** What an earlier create noted. Undefined: it was cut off before it asked for anything, so it made nothing. */
export function notedBefore(type: ResourceType, notes: Notes): ReadonlySet<string> | undefined {
  if (!type.indistinct) return new Set();
  const ids = notes.get(key);
  return Array.isArray(ids) ? new Set(ids.map(String)) : undefined;
}
