/**
 * What this client has seen of the account, and which of it may still be served: never anything older than its own last write, nor
 * older than the freshness limit. Pure bookkeeping: makes no request and knows no clock but the one it is given.
 *
 * Every event gets a stamp from one counter. Data carries the stamp of the moment when its request *started*; a write dirties what it
 * touches with the stamp of the moment when it *ended*. Data may be served when its stamp is not below the dirt.
 */

import type { WireObject } from "../../core/service-port.ts";
import type { ItemPath, Lists } from "../lists.ts";
import { bare, segments } from "../path.ts";
import { prefixes, showsOtherSide, touchedAreas } from "./effects.ts";
import { createWrites, type Write } from "./writes.ts";

export type Recalled = { readonly object: WireObject } | { readonly gone: true };

/** A reading of a list under way. */
export interface Reading {
  readonly collection: string;
  readonly stamp: number;
  readonly at: number;
  readonly deletes: number;
}

export interface Memory {
  /** A stamp for a read that starts now; `path` is what it reads. */
  stamp(path: string): number;
  /** The lowest stamp that data on the item must have now. */
  need(item: ItemPath): number;
  /** What may be said of the item without asking; `undefined` when it must be asked. */
  recall(item: ItemPath, need: number): Recalled | undefined;
  /** The whole list, own writes worked in; `undefined` when it must be asked. */
  recallList(collection: string): WireObject[] | undefined;
  /** True when the list was seen lately and is still true but for single items. */
  hasList(collection: string): boolean;
  noteItem(item: ItemPath, stamp: number, object: WireObject | undefined): void;
  beginReading(collection: string): Reading;
  /** Keeps what was read. `false`: own deletes overlapped it, so an item may have slipped between two pages. */
  noteList(reading: Reading, items: readonly WireObject[], pages: number, whole: boolean): boolean;
  beginWrite(method: Write["method"], path: string): Write;
  /** `answer` is absent when the write failed or nobody knows. */
  endWrite(write: Write, answer?: WireObject): void;
  /** True when no write that could change what `path` shows has ended since `stamp`. */
  untouched(path: string, stamp: number): boolean;
}

interface Entry {
  /** Stamp of the last own write that touched it. */
  dirty: number;
  /** Stamp and time of `value`. */
  stamp: number;
  at: number;
  value: WireObject | "gone" | undefined;
  /** Made by this process, so a list that lacks it proves nothing. */
  created: boolean;
}

interface Collection {
  readonly parts: readonly string[];
  readonly items: Map<string, Entry>;
  /** True when no write of an account changes it. */
  readonly fixed: boolean;
  list?: Listed;
  /** Everything of it must be at least this new. */
  floor: number;
  /** Its members may have changed in a way that is not known. */
  members: number;
  /** Own deletes begun and ended, and how many are under way. */
  deletes: number;
  deleting?: number;
}

interface Listed {
  readonly stamp: number;
  readonly at: number;
  /** In the service's order. */
  readonly rows: readonly WireObject[];
  readonly byKey: ReadonlyMap<string, WireObject>;
  readonly settled: boolean;
}

export function createMemory(options: { lists: Lists; freshnessMs: number; now: () => number }): Memory {
  const { isCollection, itemOf, traitsOf } = options.lists;
  const collections = new Map<string, Collection>();
  /** By path: everything below it must be at least this new. */
  const below = new Map<string, number>();
  /** By area: the last write that could have changed something in it. */
  const areas = new Map<string, number>();
  const writes = createWrites(options.lists);
  let last = 0;

  const fresh = (at: number) => options.now() - at <= options.freshnessMs;

  function touch(path: string): Collection {
    let found = collections.get(path);
    if (found === undefined) {
      const { fixed } = traitsOf(path);
      found = { parts: segments(path), fixed, items: new Map(), floor: 0, members: 0, deletes: 0 };
      collections.set(path, found);
    }
    return found;
  }

  function entry(collection: Collection, key: string): Entry {
    let found = collection.items.get(key);
    if (found === undefined) {
      found = { dirty: 0, stamp: 0, at: 0, value: undefined, created: false };
      collection.items.set(key, found);
    }
    return found;
  }

  function floorOf(path: string, collection: Collection): number {
    let floor = collection.floor;
    for (const prefix of prefixes(path)) floor = Math.max(floor, below.get(prefix) ?? 0);
    return floor;
  }

  function need(item: ItemPath): number {
    const collection = touch(item.collection);
    return Math.max(floorOf(item.path, collection), collection.items.get(item.key)?.dirty ?? 0);
  }

  function recall(item: ItemPath, least: number): Recalled | undefined {
    const collection = touch(item.collection);
    const known = collection.items.get(item.key);
    const list = collection.list;
    const single = known?.value !== undefined && known.stamp >= least && fresh(known.at) ? known : undefined;
    const listed = list !== undefined && list.stamp >= least && fresh(list.at) ? list : undefined;
    if (single !== undefined && single.stamp >= (listed?.stamp ?? 0)) {
      return single.value === "gone" ? { gone: true } : { object: single.value as WireObject };
    }
    if (listed === undefined) return undefined;
    const object = listed.byKey.get(item.key);
    const { complete, whole } = traitsOf(item.collection);
    if (object !== undefined) return whole === undefined || whole in object ? { object } : undefined;
    const proves =
      complete && listed.settled && listed.stamp >= collection.members && known?.created !== true;
    return proves ? { gone: true } : undefined;
  }

  function recallList(path: string): WireObject[] | undefined {
    const collection = collections.get(path);
    const list = collection?.list;
    if (collection === undefined || list === undefined || !list.settled || !fresh(list.at)) return undefined;
    if (traitsOf(path).filter !== undefined) return undefined;
    if (list.stamp < Math.max(floorOf(path, collection), collection.members)) return undefined;
    const newer = [...collection.items].filter(
      ([, known]) => Math.max(known.stamp, known.dirty) > list.stamp,
    );
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

  function noteItem(item: ItemPath, stamp: number, object: WireObject | undefined): void {
    const known = entry(touch(item.collection), item.key);
    if (stamp < known.stamp) return;
    known.stamp = stamp;
    known.at = options.now();
    known.value = object ?? "gone";
  }

  function noteList(reading: Reading, items: readonly WireObject[], pages: number, whole: boolean): boolean {
    const collection = touch(reading.collection);
    const { field, whole: short } = traitsOf(reading.collection);
    const byKey = new Map(items.map((item) => [String(item[field]), item]));
    const settled = pages <= 1 || (reading.deletes === collection.deletes && !collection.deleting);
    if (!whole) {
      for (const [key, item] of byKey) {
        const known = entry(collection, key);
        if (reading.stamp < known.stamp || (short !== undefined && !(short in item))) continue;
        Object.assign(known, { stamp: reading.stamp, at: reading.at, value: item });
      }
    } else if (reading.stamp >= (collection.list?.stamp ?? 0)) {
      collection.list = { stamp: reading.stamp, at: reading.at, rows: items, byKey, settled };
    }
    return settled;
  }

  function countDelete({ method, path }: Write, underWay: 1 | -1): void {
    const item = method === "DELETE" ? itemOf(path) : undefined;
    const collection = item && touch(item.collection);
    if (collection === undefined) return;
    collection.deletes += 1;
    collection.deleting = (collection.deleting ?? 0) + underWay;
  }

  function beginWrite(method: Write["method"], path: string): Write {
    const write = writes.begin(method, path);
    countDelete(write, 1);
    return write;
  }

  function endWrite(write: Write, answer?: WireObject): void {
    const now = ++last;
    const { path, method } = write;
    writes.end(write);
    countDelete(write, -1);

    const item = itemOf(path);
    if (item !== undefined) {
      const shown = write.overlapped ? undefined : answer;
      remember(item, now, method === "DELETE" && answer !== undefined ? "gone" : shown);
      below.set(path, now);
      // The buckets of one cluster are shown by the list of all buckets too.
      const above = item.collection.slice(0, item.collection.lastIndexOf("/"));
      if (traitsOf(item.collection).field !== "id") touch(above).floor = now;
    } else if (method === "POST" && isCollection(path)) {
      const id = answer?.["id"] ?? answer?.[traitsOf(path).field];
      const made =
        typeof id === "number" || typeof id === "string"
          ? itemOf(`${path}/${encodeURIComponent(id)}`)
          : undefined;
      if (made === undefined) {
        // A bucket: it has no id, and its cluster's own list lies below.
        touch(path).members = now;
        below.set(path, now);
      } else {
        remember(made, now, answer);
        entry(touch(path), made.key).created = true;
      }
    } else {
      // An action or a view's write (`/volumes/7/resize`, `/domains/import`): what it hangs on may look different, and may have multiplied.
      const on = path.slice(0, path.lastIndexOf("/"));
      below.set(path, now);
      if (!isCollection(on)) below.set(on, now);
      for (const prefix of prefixes(path)) if (isCollection(prefix)) touch(prefix).members = now;
    }
    for (const prefix of prefixes(path)) {
      const above = itemOf(prefix);
      if (above !== undefined) entry(touch(above.collection), above.key).dirty = now;
    }
    dirtyRelated(path, item?.collection ?? path, now);
  }

  function remember(item: ItemPath, stamp: number, value: WireObject | "gone" | undefined): void {
    const known = entry(touch(item.collection), item.key);
    // An empty answer (`{}`) says that it was done, not what the object is.
    const shows = traitsOf(item.collection).echoes && Object.keys(value ?? {}).length > 0;
    Object.assign(known, {
      dirty: stamp,
      stamp,
      at: options.now(),
      value: shows || value === "gone" ? value : undefined,
    });
    if (value === "gone") known.created = false;
  }

  /** Lists that show the written object from another side (`/databases/instances`, `/vpcs/ips`), and other areas that show it. */
  function dirtyRelated(path: string, own: string, now: number): void {
    const touched = touchedAreas(path);
    for (const area of touched) areas.set(area, now);
    const parts = segments(path);
    for (const [name, collection] of collections) {
      if (name === own || collection.fixed || !touched.includes(collection.parts[0] ?? "")) continue;
      if (collection.parts[0] !== parts[0] || showsOtherSide(parts, collection.parts)) collection.floor = now;
    }
  }

  return {
    stamp: (path) => {
      const item = itemOf(path);
      if (item !== undefined) touch(item.collection);
      return ++last;
    },
    need,
    recall,
    recallList,
    hasList: (path) => {
      const collection = collections.get(path);
      const list = collection?.list;
      return (
        collection !== undefined &&
        list !== undefined &&
        fresh(list.at) &&
        list.stamp >= floorOf(path, collection)
      );
    },
    noteItem,
    beginReading: (collection) => ({
      collection,
      stamp: ++last,
      at: options.now(),
      deletes: touch(collection).deletes,
    }),
    noteList,
    beginWrite,
    endWrite,
    untouched: (path, stamp) => (areas.get(segments(bare(path))[0] ?? "") ?? 0) <= stamp,
  };
}
