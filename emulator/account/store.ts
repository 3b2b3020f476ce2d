/** The account's objects in memory: named collections in order of id; knows nothing of what they mean. */

import type { Collection, Item, Json } from "../area.ts";
import { createTouched, type ItemChange } from "./touched.ts";

export interface StoreData {
  account: { [name: string]: Json };
  /** Last id given, by collection. */
  counters: { [collection: string]: number };
  collections: { [name: string]: Item[] };
}

export interface Store {
  readonly account: { [name: string]: Json };
  collection<T extends Item = Item>(name: string): Collection<T>;
  /** True when there is a collection of that name. */
  holds(name: string): boolean;
  names(): string[];
  data(): StoreData;
  /** What changed since the last time it was asked, or since `setData`; nothing the first time. */
  changes(): ItemChange[];
  /** Replaces everything; collections handed out earlier stay valid. */
  setData(data: StoreData): void;
  clear(): void;
}

interface Kept {
  readonly collection: Collection;
  changes(): ItemChange[];
  counter(): number;
  replace(items: readonly Item[], counter: number): void;
}

export function createStore(): Store {
  const account: { [name: string]: Json } = {};
  const collections = new Map<string, Kept>();

  // Nothing is noted until somebody asks for the first time, so that an account that is kept nowhere does not grow by it.
  let asked = false;

  const kept = (name: string): Kept => {
    let found = collections.get(name);
    if (!found) {
      found = createCollection(name, () => asked);
      collections.set(name, found);
    }
    return found;
  };
  const setAccount = (values: { [name: string]: Json }) => {
    for (const name of Object.keys(account)) delete account[name];
    Object.assign(account, values);
  };

  return {
    account,
    collection: <T extends Item = Item>(name: string) => kept(name).collection as unknown as Collection<T>,
    holds: (name) => collections.has(name),
    names: () => [...collections.keys()],
    data: () => ({
      account,
      counters: Object.fromEntries([...collections].map(([name, { counter }]) => [name, counter()])),
      collections: Object.fromEntries(
        [...collections].map(([name, { collection }]) => [name, collection.all()]),
      ),
    }),
    changes: () => {
      asked = true;
      return [...collections.values()].flatMap(({ changes }) => changes());
    },
    setData: (data) => {
      setAccount(data.account);
      for (const { replace } of collections.values()) replace([], 0);
      for (const [name, items] of Object.entries(data.collections))
        kept(name).replace(items, data.counters[name] ?? 0);
    },
    clear: () => {
      setAccount({});
      for (const { replace } of collections.values()) replace([], 0);
    },
  };
}

/** Each collection counts from its own start, so that an id of one kind is hardly ever the id of another. */
function firstId(name: string): number {
  let hash = 2_166_136_261;
  for (const letter of name) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619) >>> 0;
  return 10_001 + (hash % 900) * 10_000;
}

interface Index {
  add(item: Item): void;
  /** Forgets the item under the value that it has now. */
  remove(item: Item): void;
  get(value: unknown): Map<number, Item> | undefined;
}

function createIndex(keyOf: (item: Item) => unknown): Index {
  const buckets = new Map<unknown, Map<number, Item>>();
  return {
    add: (item) => {
      const value = keyOf(item);
      const bucket = buckets.get(value);
      if (bucket) bucket.set(item.id, item);
      else buckets.set(value, new Map([[item.id, item]]));
    },
    remove: (item) => {
      const value = keyOf(item);
      const bucket = buckets.get(value);
      bucket?.delete(item.id);
      if (bucket?.size === 0) buckets.delete(value);
    },
    get: (value) => buckets.get(value),
  };
}

function createCollection(name: string, isWatched: () => boolean): Kept {
  let items = new Map<number, Item>();
  let ordered = true;
  let last = 0;
  let counter = firstId(name) - 1;
  const indexes = new Map<string | ((item: Item) => unknown), Index>();
  const touched = createTouched(name, (id) => items.get(id), isWatched);

  function inOrder(): Map<number, Item> {
    if (!ordered) {
      items = new Map([...items].sort(([a], [b]) => a - b));
      ordered = true;
    }
    return items;
  }
  function indexOf(by: string | ((item: Item) => unknown)): Index {
    let index = indexes.get(by);
    if (!index) {
      index = createIndex(typeof by === "string" ? (item) => item[by] : by);
      for (const item of items.values()) index.add(item);
      indexes.set(by, index);
    }
    return index;
  }
  function add(item: Item): void {
    if (items.has(item.id)) throw new Error(`${name} already has an item ${item.id}`);
    if (item.id < last) ordered = false;
    else last = item.id;
    if (item.id > counter) counter = item.id;
    items.set(item.id, item);
    for (const index of indexes.values()) index.add(item);
  }

  const collection: Collection = {
    insert: (fields) => {
      const item = { ...fields, id: fields.id ?? counter + 1 } as Item;
      add(item);
      touched.whole(item.id);
      return item;
    },
    get: (id) => items.get(id),
    find: (test) => {
      for (const item of inOrder().values()) if (test(item)) return item;
      return undefined;
    },
    filter: (test) => {
      const found: Item[] = [];
      for (const item of inOrder().values()) if (test(item)) found.push(item);
      return found;
    },
    by: (by: string | ((item: Item) => unknown), value: unknown) => {
      const found = [...(indexOf(by).get(value)?.values() ?? [])];
      for (let at = 1; at < found.length; at++)
        if (found[at]!.id < found[at - 1]!.id) return found.sort((a, b) => a.id - b.id);
      return found;
    },
    count: (field, value) => indexOf(field).get(value)?.size ?? 0,
    all: () => [...inOrder().values()],
    update: (id, fields) => {
      const item = items.get(id);
      if (!item) throw new Error(`${name} has no item ${id}`);
      const changed = Object.entries(fields).filter(([field]) => field !== "id");
      for (const index of indexes.values()) index.remove(item);
      for (const [field, value] of changed) {
        item[field] = value;
        touched.field(id, field);
      }
      for (const index of indexes.values()) index.add(item);
      return item;
    },
    setEntry: (id, field, key, value) => {
      const entries = items.get(id)?.[field] as { [key: string]: unknown } | undefined;
      if (!entries) throw new Error(`${name} has no item ${id} with ${field}`);
      if (value === undefined) delete entries[key];
      else entries[key] = value;
      touched.entry(id, field, key);
    },
    delete: (id) => {
      const item = items.get(id);
      if (!item) return false;
      for (const index of indexes.values()) index.remove(item);
      touched.whole(id);
      return items.delete(id);
    },
    get size() {
      return items.size;
    },
  };
  return {
    collection,
    changes: touched.changes,
    counter: () => counter,
    replace: (content, atLeast) => {
      touched.forget();
      items = new Map();
      indexes.clear();
      ordered = true;
      last = 0;
      counter = Math.max(atLeast, firstId(name) - 1);
      for (const item of content) add({ ...item });
    },
  };
}
