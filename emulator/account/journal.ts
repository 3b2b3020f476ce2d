/** What changed in the account since the last time, as plain data, and an account brought up to date by it; knows no file. */

import type { Item, Json } from "../area.ts";
import type { Job } from "./jobs.ts";
import type { StoreData } from "./store.ts";
import type { ItemChange } from "./touched.ts";

/** Everything that makes the account, plain JSON. */
export interface AccountData extends StoreData {
  format: 1;
  /** Milliseconds that `advance` added. */
  clockOffset: number;
  /** State of the repeatable randomness. */
  random: number;
  jobs: Job[];
}

/** Changes that hold together: all of them or none. What did not change is absent. */
export interface Changes {
  readonly items: ItemChange[];
  /** The account's own values; `gone` are their names. */
  readonly account?: { readonly set: { [name: string]: Json }; readonly gone: string[] };
  readonly jobs?: { readonly added: Job[]; readonly gone: number[] };
  readonly clockOffset?: number;
  readonly random?: number;
}

/** Brings an account up to date, one set of changes after the other. Throws when one of them does not fit. */
export function replay(data: AccountData, changes: Iterable<Changes>): AccountData {
  const collections = new Map(
    Object.entries(data.collections).map(([name, items]) => [
      name,
      new Map(items.map((item) => [item.id, item])),
    ]),
  );
  const counters = { ...data.counters };
  const account = { ...data.account };
  const jobs = new Map(data.jobs.map((job) => [job.id, job]));
  let { clockOffset, random } = data;

  function itemOf(name: string, id: number): Item {
    const item = collections.get(name)?.get(id);
    if (!item) throw new Error(`it changes ${name} ${id}, which is not there`);
    return item;
  }

  function apply(change: ItemChange): void {
    const [kind, name] = change;
    if (kind === "put") {
      const items = collections.get(name) ?? new Map<number, Item>();
      collections.set(name, items.set(change[2].id, change[2]));
      counters[name] = Math.max(counters[name] ?? 0, change[2].id);
    } else if (kind === "set") {
      const item = Object.assign(itemOf(name, change[2]), change[3]);
      for (const field of change[4]) delete item[field];
    } else if (kind === "entry") {
      const [, , id, field, key] = change;
      const entries = itemOf(name, id)[field] as { [key: string]: unknown };
      if (change.length === 6) entries[key] = change[5];
      else delete entries[key];
    } else if (kind === "delete") {
      collections.get(name)?.delete(change[2]);
      // An object that came and went between two savings has had its id all the same.
      counters[name] = Math.max(counters[name] ?? 0, change[2]);
    } else throw new Error(`there is no change "${kind}"`);
  }

  for (const each of changes) {
    each.items.forEach(apply);
    Object.assign(account, each.account?.set);
    for (const name of each.account?.gone ?? []) delete account[name];
    // A job that was moved to another moment went and came.
    for (const id of each.jobs?.gone ?? []) jobs.delete(id);
    for (const job of each.jobs?.added ?? []) jobs.set(job.id, job);
    clockOffset = each.clockOffset ?? clockOffset;
    random = each.random ?? random;
  }
  return {
    format: 1,
    clockOffset,
    random,
    account,
    counters,
    jobs: [...jobs.values()],
    collections: Object.fromEntries([...collections].map(([name, items]) => [name, [...items.values()]])),
  };
}

/** Remembers the account's own values, which are changed in place, and tells those that differ since the last look. */
export function watchValues(values: { [name: string]: Json }): () => Changes["account"] {
  let known = snapshot();
  function snapshot(): Map<string, string> {
    return new Map(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
  }
  return () => {
    const now = snapshot();
    const set = Object.fromEntries(
      [...now].filter(([name, text]) => known.get(name) !== text).map(([name]) => [name, values[name]!]),
    );
    const gone = [...known.keys()].filter((name) => !now.has(name));
    known = now;
    return Object.keys(set).length + gone.length === 0 ? undefined : { set, gone };
  };
}
