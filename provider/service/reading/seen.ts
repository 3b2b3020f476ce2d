/** What was seen of each list and its objects, each with the stamp of its moment, and how new it must be to be told again (`memory.ts`). */

import type { WireObject } from "../../core/service-port.ts";
import type { Lists } from "../lists.ts";
import { segments } from "../path.ts";
import { prefixes } from "./effects.ts";

export interface Entry {
  /** Stamp of the last own write that touched it. */
  dirty: number;
  /** Stamp and time of `value`. */
  stamp: number;
  at: number;
  value: WireObject | "gone" | undefined;
  /** Made by this process, so a list that lacks it proves nothing. */
  created: boolean;
}

export interface Collection {
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

export interface Seen {
  readonly lists: Lists;
  readonly collections: ReadonlyMap<string, Collection>;
  /** By path: everything below it must be at least this new. */
  readonly below: Map<string, number>;
  /** By area: the last write that could have changed something in it. */
  readonly areas: Map<string, number>;
  readonly now: () => number;
  /** True when what was seen then is still within the freshness limit. */
  readonly fresh: (at: number) => boolean;
  /** The next stamp. */
  readonly tick: () => number;
  readonly collection: (path: string) => Collection;
  readonly entry: (collection: Collection, key: string) => Entry;
  /** The lowest stamp that anything of the list must have now. */
  readonly floorOf: (path: string, collection: Collection) => number;
}

export function createSeen(options: { lists: Lists; freshnessMs: number; now: () => number }): Seen {
  const { lists, now, freshnessMs } = options;
  const collections = new Map<string, Collection>();
  const below = new Map<string, number>();
  let last = 0;

  return {
    ...{ lists, collections, below, areas: new Map(), now },
    fresh: (at) => now() - at <= freshnessMs,
    tick: () => ++last,
    collection(path) {
      let found = collections.get(path);
      if (found === undefined) {
        const { fixed } = lists.traitsOf(path);
        found = { parts: segments(path), fixed, items: new Map(), floor: 0, members: 0, deletes: 0 };
        collections.set(path, found);
      }
      return found;
    },
    entry(collection, key) {
      let found = collection.items.get(key);
      if (found === undefined) {
        found = { dirty: 0, stamp: 0, at: 0, value: undefined, created: false };
        collection.items.set(key, found);
      }
      return found;
    },
    floorOf(path, collection) {
      let floor = collection.floor;
      for (const prefix of prefixes(path)) floor = Math.max(floor, below.get(prefix) ?? 0);
      return floor;
    },
  };
}
