/** Whether reading a whole list costs less than reading its items one by one. Decides; asks nothing. */

import type { Clock } from "../clock.ts";
import type { ItemPath } from "../lists.ts";
import type { Memory } from "./memory.ts";

export interface Worth {
  /** True when these items of one list are better read by the list. `poll`: only what this one reading costs counts. */
  begin(collection: string, items: readonly ItemPath[], poll: boolean): boolean;
  /** The same, once the first page told how many there are. */
  goOn(collection: string, items: readonly ItemPath[], poll: boolean, pages: number): boolean;
  /** The list was read as far as its first page, or wholly. */
  noteRead(collection: string, pages: number, whole: boolean): void;
  /** The list cannot be read with this token, or is none. */
  refuse(collection: string): void;
}

/** A list is read for as many single reads as it has pages, divided by this: more reads of the same list are likely to come. */
const READS_PER_PAGE = 4;

interface Habit {
  /** Keys asked one by one lately, and since when. */
  readonly keys: Set<string>;
  readonly since: number;
}

export function createWorth(context: { memory: Memory; clock: Clock; freshnessMs: number }): Worth {
  const { memory, clock } = context;
  const habits = new Map<string, Habit>();
  const pagesOf = new Map<string, number>();
  const refused = new Set<string>();

  /** How many items of the list were asked one by one within the freshness limit, these included. */
  function asked(collection: string, items: readonly ItemPath[]): number {
    let habit = habits.get(collection);
    if (habit === undefined || clock.now() - habit.since > context.freshnessMs) {
      habit = { keys: new Set(), since: clock.now() };
      habits.set(collection, habit);
    }
    for (const { key } of items) habit.keys.add(key);
    return habit.keys.size;
  }

  function goOn(collection: string, items: readonly ItemPath[], poll: boolean, pages: number): boolean {
    if (items.length > pages) return true;
    // A list that is still good but for these items is not read anew for the sake of others.
    return !poll && !memory.hasList(collection) && asked(collection, items) * READS_PER_PAGE >= pages;
  }

  return {
    begin(collection, items, poll) {
      if (refused.has(collection)) return false;
      if (items.length === 1 && (poll || memory.hasList(collection) || asked(collection, items) === 1))
        return false;
      return goOn(collection, items, poll, pagesOf.get(collection) ?? 1);
    },
    goOn,
    noteRead(collection, pages, whole) {
      pagesOf.set(collection, pages);
      if (whole) habits.delete(collection);
    },
    refuse: (collection) => {
      refused.add(collection);
    },
  };
}
