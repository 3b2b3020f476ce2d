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
import { hasList, need, type Recalled, recall, recallList } from "./recall.ts";
import { createSeen, type Seen } from "./seen.ts";
import { createWrites, type Write } from "./writes.ts";
import { countDelete, noteWrite } from "./written.ts";

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

export function createMemory(options: { lists: Lists; freshnessMs: number; now: () => number }): Memory {
  const seen = createSeen(options);
  const writes = createWrites(options.lists);
  return {
    stamp(path) {
      const item = options.lists.itemOf(path);
      if (item !== undefined) seen.collection(item.collection);
      return seen.tick();
    },
    need: (item) => need(seen, item),
    recall: (item, least) => recall(seen, item, least),
    recallList: (path) => recallList(seen, path),
    hasList: (path) => hasList(seen, path),
    noteItem: (item, stamp, object) => noteItem(seen, item, stamp, object),
    beginReading: (collection) => ({
      collection,
      stamp: seen.tick(),
      at: options.now(),
      deletes: seen.collection(collection).deletes,
    }),
    noteList: (reading, items, pages, whole) => noteList(seen, reading, items, pages, whole),
    beginWrite(method, path) {
      const write = writes.begin(method, path);
      countDelete(seen, write, 1);
      return write;
    },
    endWrite(write, answer) {
      const stamp = seen.tick();
      writes.end(write);
      countDelete(seen, write, -1);
      noteWrite(seen, write, stamp, answer);
    },
    untouched: (path, stamp) => (seen.areas.get(segments(bare(path))[0] ?? "") ?? 0) <= stamp,
  };
}

function noteItem(seen: Seen, item: ItemPath, stamp: number, object: WireObject | undefined): void {
  const known = seen.entry(seen.collection(item.collection), item.key);
  if (stamp < known.stamp) return;
  known.stamp = stamp;
  known.at = seen.now();
  known.value = object ?? "gone";
}

function noteList(
  seen: Seen,
  reading: Reading,
  items: readonly WireObject[],
  pages: number,
  whole: boolean,
): boolean {
  const collection = seen.collection(reading.collection);
  const { field, whole: short } = seen.lists.traitsOf(reading.collection);
  const byKey = new Map(items.map((item) => [String(item[field]), item]));
  const settled = pages <= 1 || (reading.deletes === collection.deletes && !collection.deleting);
  if (!whole) {
    for (const [key, item] of byKey) {
      const known = seen.entry(collection, key);
      if (reading.stamp < known.stamp || (short !== undefined && !(short in item))) continue;
      Object.assign(known, { stamp: reading.stamp, at: reading.at, value: item });
    }
  } else if (reading.stamp >= (collection.list?.stamp ?? 0)) {
    collection.list = { stamp: reading.stamp, at: reading.at, rows: items, byKey, settled };
  }
  return settled;
}
