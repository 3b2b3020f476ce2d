/**
 * When which object of an Account is looked at without a reason: all of them, one interval after the last time, in an order in which their reads become
 * pages of lists, and no faster than leaves the rest of the service's limit to changes.
 */

import { parseDuration } from "../core/duration.ts";
import type { Allowance } from "../core/protocol.ts";
import { annotation, idOf } from "./annotations.ts";
import type { KubeObject } from "./api.ts";
import type { QueueClock } from "./queue.ts";

export interface SweepsOptions<Key> {
  readonly clock: QueueClock;
  /** 0 to 1, as `Math.random`. */
  readonly random: () => number;
  /** Looks at it as a sweep does; `looked` is called when that has ended. False: it is not looked at now. */
  readonly look: (key: Key) => boolean;
  /** Of the Account, as they are now: seconds, and the percentage of the limit that sweeps may use. */
  readonly settings: () => { readonly interval: number; readonly budget: number };
  /** What is known of the service's limit. */
  readonly allowance: () => Allowance | undefined;
  /** Requests to the service so far. */
  readonly requests: () => number;
  /** Told of each sweep when it has ended. */
  readonly ended: (sweep: Sweep) => void;
}

export interface Sweep {
  readonly objects: number;
  readonly seconds: number;
  /** Of the Account meanwhile, those of changes among them. */
  readonly requests: number;
  /** False for one of objects that have an interval of their own. */
  readonly isWhole: boolean;
}

/** Where an object stands in a sweep. */
export interface Place {
  /** Objects that a list shows together stand beside each other. */
  readonly order: string;
  /** Seconds; absent: the Account's. */
  readonly interval?: number;
}

export interface Sweeps<Key> {
  /** It is there, or its place is another. */
  readonly put: (key: Key, place: Place) => void;
  /** A look at it has ended. */
  readonly looked: (key: Key) => void;
  /** It is not looked at any more. */
  readonly forget: (key: Key) => void;
  /** Begins anew with everything. */
  readonly now: () => void;
  /** The keys in the order in which a sweep looks at them. */
  readonly inOrder: (keys: Iterable<Key>) => readonly Key[];
  /** The settings are others: what is not under way begins by them. */
  readonly changed: () => void;
  readonly close: () => void;
}

/** Seconds between two sweeps, at the least; the client believes a list for as long. */
export const leastInterval = 30;
/** Objects looked at at once: more than the client asks at once, so that its reads of one list wait for each other and become pages. */
export const sweepsAtOnce = 64;
/** By how much sweeps of two Accounts drift apart: the part of an interval that is drawn. */
const jitter = 0.1;
/** Milliseconds after which one that has to wait for the limit looks at it again, at the most. */
const longestPause = 5_000;

/** Where the object stands: beside those that hang on the same parent. */
export function placeOf(object: KubeObject): Place {
  const { apiVersion, kind, metadata } = object;
  const id = idOf(object) ?? "";
  const parent = id.slice(0, id.lastIndexOf("/") + 1);
  const order = `${apiVersion} ${kind} ${parent} ${metadata.namespace}/${metadata.name}`;
  const given = parseDuration(metadata.annotations?.[annotation("interval")] ?? "");
  return given === undefined ? { order } : { order, interval: Math.max(leastInterval, given) };
}

/** Objects of one interval, which are looked at together. */
interface Group<Key> {
  readonly interval: number | undefined;
  readonly keys: Set<Key>;
  /** Takes the next sweep back; undefined: one is under way. */
  stop: (() => void) | undefined;
  /** Seconds by which the next one was planned. */
  planned: number;
}

/** A sweep under way. */
interface Running<Key> {
  readonly keys: readonly Key[];
  /** Where the next one stands. */
  at: number;
  /** Looks that have not ended. */
  readonly open: Set<Key>;
  readonly begunAt: number;
  readonly requests: number;
}

export function createSweeps<Key>(options: SweepsOptions<Key>): Sweeps<Key> {
  const { clock, random, look, settings, allowance, requests, ended } = options;
  const places = new Map<Key, Place>();
  const groups = new Map<number | undefined, Group<Key>>();
  const running = new Map<Group<Key>, Running<Key>>();
  let stopPause: (() => void) | undefined;
  let goingOn: (() => void) | undefined;
  let isOpen = true;

  const intervalOf = ({ interval }: { interval: number | undefined }): number =>
    interval ?? Math.max(leastInterval, settings().interval);

  function plan(group: Group<Key>, share: number): void {
    group.stop?.();
    group.planned = intervalOf(group);
    group.stop = clock.at(clock.now() + group.planned * 1000 * share, () => begin(group));
  }

  function inOrder(keys: Iterable<Key>): Key[] {
    const orderOf = (key: Key): string => places.get(key)?.order ?? "";
    return [...keys].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  }

  function begin(group: Group<Key>): void {
    group.stop?.();
    group.stop = undefined;
    const keys = inOrder(group.keys);
    running.set(group, { keys, at: 0, open: new Set(), begunAt: clock.now(), requests: requests() });
    feed();
  }

  /** True while a sweep may ask, if each look under way asks once more: what is left to changes is not touched. */
  function mayAsk(): boolean {
    const known = allowance();
    if (known === undefined) return true;
    let open = 0;
    for (const sweep of running.values()) open += sweep.open.size;
    return known.remaining - open > known.limit * (1 - settings().budget / 100);
  }

  /** Goes on once whatever else waits has had its turn: looks that memory answers would keep everything else waiting till their end. */
  function goOn(): void {
    goingOn ??= clock.at(clock.now(), () => {
      goingOn = undefined;
      feed();
    });
  }

  /** Goes on with what is under way, as far as it may. */
  function feed(): void {
    stopPause?.();
    stopPause = undefined;
    if (!isOpen) return;
    for (const [group, sweep] of running) {
      const isHeld = !fill(group, sweep);
      if (sweep.at >= sweep.keys.length && sweep.open.size === 0) finish(group, sweep);
      if (!isHeld) continue;
      const wait = Math.min(longestPause, (allowance()?.resetSeconds ?? 0) * 1000 + 100);
      stopPause = clock.at(clock.now() + wait, feed);
      return;
    }
  }

  /** False where the limit holds it. */
  function fill(group: Group<Key>, sweep: Running<Key>): boolean {
    while (sweep.at < sweep.keys.length && sweep.open.size < sweepsAtOnce) {
      if (!mayAsk()) return false;
      const key = sweep.keys[sweep.at++]!;
      if (!group.keys.has(key)) continue;
      sweep.open.add(key);
      if (!look(key)) sweep.open.delete(key);
    }
    return true;
  }

  function finish(group: Group<Key>, { keys, begunAt, requests: before }: Running<Key>): void {
    running.delete(group);
    ended({
      objects: keys.length,
      seconds: (clock.now() - begunAt) / 1000,
      // A Provider that was made anew counts from zero.
      requests: Math.max(0, requests() - before),
      isWhole: group.interval === undefined,
    });
    // From its end, so that no list is told again that this one has read.
    if (groups.get(group.interval) === group) plan(group, 1 + random() * jitter);
  }

  function groupOf(interval: number | undefined): Group<Key> {
    const known = groups.get(interval);
    if (known) return known;
    const group: Group<Key> = { interval, keys: new Set(), stop: undefined, planned: 0 };
    groups.set(interval, group);
    // Anywhere within the interval, so that Accounts that are there together do not ask together for ever.
    plan(group, 0.5 + random() / 2);
    return group;
  }

  function leave(key: Key): void {
    const place = places.get(key);
    const group = place && groups.get(place.interval);
    if (!group?.keys.delete(key)) return;
    running.get(group)?.open.delete(key);
    if (group.keys.size > 0) return;
    groups.delete(group.interval);
    group.stop?.();
  }

  return {
    put(key, place) {
      if (places.has(key) && places.get(key)!.interval !== place.interval) leave(key);
      places.set(key, place);
      groupOf(place.interval).keys.add(key);
    },
    looked(key) {
      let isOurs = false;
      for (const { open } of running.values()) isOurs = open.delete(key) || isOurs;
      if (isOurs) goOn();
    },
    forget(key) {
      leave(key);
      places.delete(key);
      if (running.size > 0) goOn();
    },
    now() {
      for (const group of groups.values()) begin(group);
    },
    inOrder,
    changed() {
      const group = groups.get(undefined);
      if (group?.stop && group.planned !== intervalOf(group)) plan(group, 0.5 + random() / 2);
      if (running.size > 0) feed();
    },
    close() {
      isOpen = false;
      stopPause?.();
      goingOn?.();
      for (const { stop } of groups.values()) stop?.();
    },
  };
}
