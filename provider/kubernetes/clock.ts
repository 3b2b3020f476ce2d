/** Time as the controller's parts measure it, so that tests may move it. */

import type { QueueClock } from "./queue.ts";

export interface Clock extends QueueClock {
  /** Milliseconds that only count, and stand still while the machine sleeps. */
  readonly now: () => number;
  /** Milliseconds since 1970, which go on while it sleeps, but may be set. */
  readonly told: () => number;
}

/** A moment by both. */
export interface Moment {
  readonly counted: number;
  readonly told: number;
}

export const momentOf = ({ now, told }: Clock): Moment => ({ counted: now(), told: told() });

/** Milliseconds since then, by the clock that says more. */
export const sinceOf = (clock: Clock, { counted, told }: Moment): number =>
  Math.max(clock.now() - counted, clock.told() - told);

/** The longest that a timer of Node waits. Milliseconds. */
const longest = 2 ** 31 - 1;

/** This machine's. */
export const machineClock: Clock = {
  now: () => performance.now(),
  told: () => Date.now(),
  at(time, act) {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const left = time - performance.now();
      timer = setTimeout(left > longest ? wait : act, Math.min(longest, Math.max(0, left)));
    };
    wait();
    return () => clearTimeout(timer);
  },
};
