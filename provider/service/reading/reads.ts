/**
 * Reads that cost little: what several callers ask of one list at nearly the same time is asked once, and what was just seen is not
 * asked again. What may be served is the memory's decision; this file decides what is asked.
 */

import { ApiError, type CallOptions, isGone, notThere, type WireObject } from "../../core/service-port.ts";
import { abortable, type Clock } from "../clock.ts";
import { ListChangedError } from "../errors.ts";
import type { ItemPath, Lists } from "../lists.ts";
import type { Call } from "../retry.ts";
import type { Memory } from "./memory.ts";
import { readList } from "./paging.ts";
import type { Recalled } from "./recall.ts";
import { createSharing } from "./sharing.ts";
import { createWorth } from "./worth.ts";

export interface ListOptions extends CallOptions {
  readonly filter?: WireObject;
  readonly fresh?: boolean;
}

export interface Reads {
  get(path: string, options?: CallOptions): Promise<WireObject>;
  getFresh(path: string, options?: CallOptions): Promise<WireObject>;
  list(path: string, options?: ListOptions): Promise<WireObject[]>;
  /** What each path shows now, each request tried once: the object, `undefined` when it is gone, or the error. */
  poll(paths: readonly string[]): Promise<Map<string, WireObject | undefined | Error>>;
}

export interface ReadsContext {
  readonly call: Call;
  readonly memory: Memory;
  readonly lists: Lists;
  readonly clock: Clock;
  readonly windowMs: number;
  readonly freshnessMs: number;
  /** Aborted when the client is cancelled; shared requests end by it only. */
  readonly signal: AbortSignal;
}

/** Refusals of a list that do not speak for its items: restricted users, odd lists, no list at all. */
const UNLISTABLE = [400, 403, 405, 501];
const MOST_UNSETTLED_READINGS = 3;

interface Batch {
  readonly items: Map<string, ItemPath>;
  readonly outcome: Promise<Map<string, Recalled | Error>>;
}

interface ListReading {
  readonly items: readonly WireObject[];
  readonly settled: boolean;
}

export function createReads(context: ReadsContext): Reads {
  const { call, memory, clock, signal } = context;
  const { itemOf, traitsOf } = context.lists;
  const share = createSharing({ memory, clock });
  const batches = new Map<string, Batch>();
  const listings = new Map<string, { stamp: number; done: Promise<unknown> }>();
  const worth = createWorth(context);

  async function single(path: string, once = false): Promise<WireObject> {
    const stamp = memory.stamp(path);
    const item = itemOf(path);
    try {
      const object = await call({ method: "GET", path }, { signal, once });
      if (item !== undefined) memory.noteItem(item, stamp, object);
      return object;
    } catch (error) {
      if (item !== undefined && isGone(error)) memory.noteItem(item, stamp, undefined);
      throw error;
    }
  }

  /** Reads the list as it is now. */
  async function readAll(
    collection: string,
    goOn?: (pages: number) => boolean,
    once = false,
  ): Promise<ListReading> {
    const begun = memory.beginReading(collection);
    const done = readList(call, {
      path: collection,
      filter: traitsOf(collection).filter,
      signal,
      goOn,
      once,
    });
    const listing = { stamp: begun.stamp, done };
    listings.set(collection, listing);
    try {
      const answer = await done;
      const settled = memory.noteList(begun, answer.items, answer.pages, answer.whole);
      worth.noteRead(collection, answer.pages, answer.whole);
      return { items: answer.items, settled };
    } finally {
      if (listings.get(collection) === listing) listings.delete(collection);
    }
  }

  /** Reads the list into the memory if it can be read. True when the service says that there is no such list: mostly, the parent is gone. */
  async function tryList(
    collection: string,
    goOn: (pages: number) => boolean,
    once: boolean,
  ): Promise<boolean> {
    try {
      await readAll(collection, goOn, once);
    } catch (error) {
      if (isGone(error)) return true;
      if (error instanceof ApiError && UNLISTABLE.includes(error.status)) worth.refuse(collection);
      else if (!(error instanceof ListChangedError)) throw error;
    }
    return false;
  }

  /** What the items of one list show now, by the list or by each item's own GET, whichever costs less. */
  async function readItems(
    items: readonly ItemPath[],
    once: boolean,
  ): Promise<Map<string, Recalled | Error>> {
    const collection = items[0]?.collection ?? "";
    const least = memory.stamp(collection);
    const outcome = new Map<string, Recalled | Error>();
    const ask = async (item: ItemPath) => outcome.set(item.path, await outcomeOf(single(item.path, once)));
    let left = [...items];
    if (worth.begin(collection, items, once)) {
      const goOn = (pages: number) => worth.goOn(collection, items, once, pages);
      if (await tryList(collection, goOn, once)) {
        const probe = left.shift();
        if (probe !== undefined) await ask(probe);
        if (probe !== undefined && isGone(outcome.get(probe.path))) {
          for (const item of left) outcome.set(item.path, notThere(item.path));
          return outcome;
        }
        worth.refuse(collection);
      }
      left = left.filter((item) => {
        const found = memory.recall(item, least);
        if (found !== undefined) outcome.set(item.path, found);
        return found === undefined;
      });
    }
    await Promise.all(left.map(ask));
    return outcome;
  }

  /** Collects what is asked within the window, then reads it at once. */
  function join(item: ItemPath): Promise<Map<string, Recalled | Error>> {
    const running = batches.get(item.collection);
    if (running !== undefined) {
      running.items.set(item.path, item);
      return running.outcome;
    }
    const items = new Map([[item.path, item]]);
    const read = async () => {
      try {
        await clock.sleep(context.windowMs, signal);
      } finally {
        batches.delete(item.collection);
      }
      // A list or a write may have answered some of them meanwhile.
      const outcome = new Map<string, Recalled | Error>();
      const open = [...items.values()].filter((item) => {
        const found = memory.recall(item, memory.need(item));
        if (found !== undefined) outcome.set(item.path, found);
        return found === undefined;
      });
      if (open.length > 0) for (const [path, found] of await readItems(open, false)) outcome.set(path, found);
      return outcome;
    };
    const batch = { items, outcome: read() };
    batches.set(item.collection, batch);
    return batch.outcome;
  }

  async function getItem(item: ItemPath): Promise<WireObject> {
    const need = memory.need(item);
    let found: Recalled | Error | undefined = memory.recall(item, need);
    const listing = listings.get(item.collection);
    if (found === undefined && listing !== undefined && listing.stamp >= need) {
      // An error of that list is its own callers'; this read then goes its own way.
      await listing.done.catch(() => undefined);
      found = memory.recall(item, need);
    }
    found ??= (await join(item)).get(item.path);
    if (found instanceof Error) throw found;
    if (found === undefined || "gone" in found) throw notThere(item.path);
    return found.object;
  }

  async function readListOf(path: string, filter: WireObject | undefined): Promise<WireObject[]> {
    if (filter === undefined && !path.includes("?") && traitsOf(path).filter === undefined) {
      for (let reading = 1; ; reading++) {
        const seen = await readAll(path);
        // Our own deletes ran meanwhile, so an item may have slipped between two pages.
        if (seen.settled || reading === MOST_UNSETTLED_READINGS) return [...seen.items];
      }
    }
    return [...(await readList(call, { path, filter, signal })).items];
  }

  async function listOf(path: string, filter: WireObject | undefined): Promise<WireObject[]> {
    if (filter !== undefined) {
      const key = `${path} ${JSON.stringify(filter)}`;
      return [...(await share(key, path, context.freshnessMs, () => readListOf(path, filter)))];
    }
    // A list that is being read for its items will do, as long as no write came between.
    const listing = listings.get(path);
    if (listing !== undefined && memory.untouched(path, listing.stamp))
      await listing.done.catch(() => undefined);
    return memory.recallList(path) ?? [...(await share(path, path, 0, () => readListOf(path, undefined)))];
  }

  return {
    get(path, options = {}) {
      const item = itemOf(path);
      // A view is shared only while it is under way: nobody says how long it stays true.
      const asked = item ? getItem(item) : share(`GET ${path}`, path, 0, () => single(path));
      return abortable(asked, options.signal);
    },
    getFresh: (path, options = {}) => abortable(single(path), options.signal),
    list: (path, list = {}) =>
      abortable(list.fresh ? readListOf(path, list.filter) : listOf(path, list.filter), list.signal),
    async poll(paths) {
      const items = paths.map(itemOf).filter((item) => item !== undefined);
      const first = items[0];
      const together = first !== undefined && items.length === paths.length && items.length > 1;
      const seen = together
        ? await readItems(items, true)
        : new Map(
            await Promise.all(
              paths.map(async (path) => [path, await outcomeOf(single(path, true))] as const),
            ),
          );
      return new Map(
        [...seen].map(([path, outcome]): [string, WireObject | undefined | Error] => {
          if (outcome instanceof Error) return [path, isGone(outcome) ? undefined : outcome];
          return [path, "gone" in outcome ? undefined : outcome.object];
        }),
      );
    },
  };
}

async function outcomeOf(asked: Promise<WireObject>): Promise<Recalled | Error> {
  try {
    return { object: await asked };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
