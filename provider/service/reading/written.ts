/** What a write that has ended says of the account: what its answer shows, and what may look different since, its dirt. */

import type { WireObject } from "../../core/service-port.ts";
import type { ItemPath } from "../lists.ts";
import { segments } from "../path.ts";
import { prefixes, showsOtherSide, touchedAreas } from "./effects.ts";
import type { Seen } from "./seen.ts";
import type { Write } from "./writes.ts";

/** Counts own deletes of a list, as they begin and end. */
export function countDelete(seen: Seen, { method, path }: Write, underWay: 1 | -1): void {
  const item = method === "DELETE" ? seen.lists.itemOf(path) : undefined;
  const collection = item && seen.collection(item.collection);
  if (collection === undefined) return;
  collection.deletes += 1;
  collection.deleting = (collection.deleting ?? 0) + underWay;
}

/** Takes in a write that has ended, at this stamp. `answer` is absent when it failed or nobody knows. */
export function noteWrite(seen: Seen, write: Write, stamp: number, answer?: WireObject): void {
  const { path, method } = write;
  const item = seen.lists.itemOf(path);
  if (item !== undefined) noteItemWrite(seen, write, item, stamp, answer);
  else if (method === "POST" && seen.lists.isCollection(path)) noteCreate(seen, path, stamp, answer);
  else noteAction(seen, path, stamp);
  for (const prefix of prefixes(path)) {
    const above = seen.lists.itemOf(prefix);
    if (above !== undefined) seen.entry(seen.collection(above.collection), above.key).dirty = stamp;
  }
  dirtyRelated(seen, path, item?.collection ?? path, stamp);
}

function noteItemWrite(
  seen: Seen,
  { path, method, overlapped }: Write,
  item: ItemPath,
  stamp: number,
  answer: WireObject | undefined,
): void {
  const shown = overlapped ? undefined : answer;
  remember(seen, item, stamp, method === "DELETE" && answer !== undefined ? "gone" : shown);
  seen.below.set(path, stamp);
  // The buckets of one cluster are shown by the list of all buckets too.
  const above = item.collection.slice(0, item.collection.lastIndexOf("/"));
  if (seen.lists.traitsOf(item.collection).field !== "id") seen.collection(above).floor = stamp;
}

function noteCreate(seen: Seen, path: string, stamp: number, answer: WireObject | undefined): void {
  const id = answer?.["id"] ?? answer?.[seen.lists.traitsOf(path).field];
  const made =
    typeof id === "number" || typeof id === "string"
      ? seen.lists.itemOf(`${path}/${encodeURIComponent(id)}`)
      : undefined;
  if (made === undefined) {
    // A bucket: it has no id, and its cluster's own list lies below.
    seen.collection(path).members = stamp;
    seen.below.set(path, stamp);
  } else {
    remember(seen, made, stamp, answer);
    seen.entry(seen.collection(path), made.key).created = true;
  }
}

/** An action or a view's write (`/volumes/7/resize`, `/domains/import`): what it hangs on may look different, and may have multiplied. */
function noteAction({ below, lists, collection }: Seen, path: string, stamp: number): void {
  const on = path.slice(0, path.lastIndexOf("/"));
  below.set(path, stamp);
  if (!lists.isCollection(on)) below.set(on, stamp);
  for (const prefix of prefixes(path)) if (lists.isCollection(prefix)) collection(prefix).members = stamp;
}

function remember(seen: Seen, item: ItemPath, stamp: number, value: WireObject | "gone" | undefined): void {
  const known = seen.entry(seen.collection(item.collection), item.key);
  // An empty answer (`{}`) says that it was done, not what the object is.
  const shows = seen.lists.traitsOf(item.collection).echoes && Object.keys(value ?? {}).length > 0;
  Object.assign(known, {
    dirty: stamp,
    stamp,
    at: seen.now(),
    value: shows || value === "gone" ? value : undefined,
  });
  if (value === "gone") known.created = false;
}

/** Lists that show the written object from another side (`/databases/instances`, `/vpcs/ips`), and other areas that show it. */
function dirtyRelated(seen: Seen, path: string, own: string, stamp: number): void {
  const touched = touchedAreas(path);
  for (const area of touched) seen.areas.set(area, stamp);
  const parts = segments(path);
  for (const [name, collection] of seen.collections) {
    if (name === own || collection.fixed || !touched.includes(collection.parts[0] ?? "")) continue;
    if (collection.parts[0] !== parts[0] || showsOtherSide(parts, collection.parts)) collection.floor = stamp;
  }
}
