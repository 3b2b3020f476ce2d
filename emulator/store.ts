/** The account's objects in memory: named collections in order of id; knows nothing of what they mean. */

import type { Collection, Item, Json } from "./area.ts";

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
  data(): StoreData;
  /** Replaces everything; collections handed out earlier stay valid. */
  setData(data: StoreData): void;
  clear(): void;
}

interface Kept {
  readonly collection: Collection;
  counter(): number;
  replace(items: readonly Item[], counter: number): void;
}

export function createStore(): Store {
  const account: { [name: string]: Json } = {};
  const collections = new Map<string, Kept>();

  const kept = (name: string): Kept => {
    let found = collections.get(name);
    if (!found) {
      found = createCollection(name);
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
    data: () => ({
      account,
      counters: Object.fromEntries([...collections].map(([name, { counter }]) => [name, counter()])),
      collections: Object.fromEntries(
        [...collections].map(([name, { collection }]) => [name, collection.all()]),
      ),
    }),
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

function createCollection(name: string): Kept {
  let items = new Map<number, Item>();
  let ordered = true;
  let last = 0;
  let counter = firstId(name) - 1;
  const indexes = new Map<string, Map<unknown, Map<number, Item>>>();

  function inOrder(): Map<number, Item> {
    if (!ordered) {
      items = new Map([...items].sort(([a], [b]) => a - b));
      ordered = true;
    }
    return items;
  }
  function addToIndex(index: Map<unknown, Map<number, Item>>, value: unknown, item: Item): void {
    const bucket = index.get(value);
    if (bucket) bucket.set(item.id, item);
    else index.set(value, new Map([[item.id, item]]));
  }
  function removeFromIndex(index: Map<unknown, Map<number, Item>>, value: unknown, id: number): void {
    const bucket = index.get(value);
    bucket?.delete(id);
    if (bucket?.size === 0) index.delete(value);
  }
  function add(item: Item): void {
    if (items.has(item.id)) throw new Error(`${name} already has an item ${item.id}`);
    if (item.id < last) ordered = false;
    else last = item.id;
    if (item.id > counter) counter = item.id;
    items.set(item.id, item);
    for (const [field, index] of indexes) addToIndex(index, item[field], item);
  }

  const collection: Collection = {
    insert: (fields) => {
      const item = { ...fields, id: fields.id ?? counter + 1 } as Item;
      add(item);
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
    by: (field, value) => {
      let index = indexes.get(field);
      if (!index) {
        index = new Map();
        for (const item of items.values()) addToIndex(index, item[field], item);
        indexes.set(field, index);
      }
      const found = [...(index.get(value)?.values() ?? [])];
      for (let at = 1; at < found.length; at++)
        if (found[at]!.id < found[at - 1]!.id) return found.sort((a, b) => a.id - b.id);
      return found;
    },
    all: () => [...inOrder().values()],
    update: (id, fields) => {
      const item = items.get(id);
      if (!item) throw new Error(`${name} has no item ${id}`);
      for (const [field, value] of Object.entries(fields)) {
        if (field === "id") continue;
        const index = indexes.get(field);
        if (index) removeFromIndex(index, item[field], id);
        item[field] = value;
        if (index) addToIndex(index, value, item);
      }
      return item;
    },
    delete: (id) => {
      const item = items.get(id);
      if (!item) return false;
      for (const [field, index] of indexes) removeFromIndex(index, item[field], id);
      return items.delete(id);
    },
    get size() {
      return items.size;
    },
  };
  return {
    collection,
    counter: () => counter,
    replace: (content, atLeast) => {
      items = new Map();
      indexes.clear();
      ordered = true;
      last = 0;
      counter = Math.max(atLeast, firstId(name) - 1);
      for (const item of content) add({ ...item });
    },
  };
}
