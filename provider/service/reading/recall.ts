/** What may be told of what was seen, without asking: nothing that a write of this client has made older since. */

import type { WireObject } from "../../core/service-port.ts";
import type { ItemPath } from "../lists.ts";
import type { Seen } from "./seen.ts";

export type Recalled = { readonly object: WireObject } | { readonly gone: true };

/** The lowest stamp that data on the item must have now. */
export function need(seen: Seen, item: ItemPath): number {
  const collection = seen.collection(item.collection);
  return Math.max(seen.floorOf(item.path, collection), collection.items.get(item.key)?.dirty ?? 0);
}

/** What may be said of the item by data of this stamp at least; `undefined` when it must be asked. */
export function recall(seen: Seen, item: ItemPath, least: number): Recalled | undefined {
  const collection = seen.collection(item.collection);
  const known = collection.items.get(item.key);
  const list = collection.list;
  const single =
    known?.value !== undefined && known.stamp >= least && seen.fresh(known.at) ? known : undefined;
  const listed = list !== undefined && list.stamp >= least && seen.fresh(list.at) ? list : undefined;
  if (single !== undefined && single.stamp >= (listed?.stamp ?? 0)) {
    return single.value === "gone" ? { gone: true } : { object: single.value as WireObject };
  }
  if (listed === undefined) return undefined;
  const object = listed.byKey.get(item.key);
  const { complete, whole } = seen.lists.traitsOf(item.collection);
  if (object !== undefined) return whole === undefined || whole in object ? { object } : undefined;
  const proves = complete && listed.settled && listed.stamp >= collection.members && known?.created !== true;
  return proves ? { gone: true } : undefined;
}

/** The whole list, own writes worked in; `undefined` when it must be asked. */
export function recallList(seen: Seen, path: string): WireObject[] | undefined {
  const collection = seen.collections.get(path);
  const list = collection?.list;
  if (collection === undefined || list === undefined || !list.settled || !seen.fresh(list.at))
    return undefined;
  if (seen.lists.traitsOf(path).filter !== undefined) return undefined;
  if (list.stamp < Math.max(seen.floorOf(path, collection), collection.members)) return undefined;
  const newer = [...collection.items].filter(([, known]) => Math.max(known.stamp, known.dirty) > list.stamp);
  if (newer.length === 0) return [...list.rows];
  // Items without a key of their own (addresses of a VPC) cannot be told apart.
  if (list.byKey.size < list.rows.length) return undefined;
  const items = new Map(list.byKey);
  for (const [key, known] of newer) {
    if (known.value === undefined || known.stamp < known.dirty) return undefined;
    if (known.value === "gone") items.delete(key);
    else items.set(key, known.value);
  }
  return [...items.values()];
}

/** True when the list was seen lately and is still true but for single items. */
export function hasList(seen: Seen, path: string): boolean {
  const collection = seen.collections.get(path);
  const list = collection?.list;
  return (
    collection !== undefined &&
    list !== undefined &&
    seen.fresh(list.at) &&
    list.stamp >= seen.floorOf(path, collection)
  );
}
