/** A clock that tests move: nothing sleeps for real. */

import type { Clock } from "../../provider/service/clock.ts";
import { cancelledBy } from "../../provider/service/clock.ts";

export interface FakeClock extends Clock {
  /** Moves on by `ms`; sleepers wake in order, and what they start gets its turn in between. */
  advance(ms: number): Promise<void>;
  /** Sleepers now. */
  sleepers(): number;
  /** Milliseconds that were asked for, in order. */
  readonly asked: number[];
}

/** With `skipUpTo`, sleeps of at most so many milliseconds end by themselves, shortest first, and the clock jumps. */
export function createFakeClock(options: { skipUpTo?: number; start?: number } = {}): FakeClock {
  let now = options.start ?? Date.UTC(2024, 3, 1, 10, 0, 0);
  let sleeping: { at: number; wake: () => void }[] = [];
  const asked: number[] = [];

  function wakeNext(until: number): boolean {
    const next = sleeping.reduce<(typeof sleeping)[number] | undefined>(
      (first, each) => (first === undefined || each.at < first.at ? each : first),
      undefined,
    );
    if (next === undefined || next.at > until) return false;
    sleeping = sleeping.filter((each) => each !== next);
    now = Math.max(now, next.at);
    next.wake();
    return true;
  }

  return {
    now: () => now,
    asked,
    sleepers: () => sleeping.length,
    sleep(ms, signal) {
      asked.push(ms);
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(cancelledBy(signal));
        const sleeper = {
          at: now + ms,
          wake: () => {
            signal?.removeEventListener("abort", stop);
            resolve();
          },
        };
        const stop = () => {
          sleeping = sleeping.filter((each) => each !== sleeper);
          reject(cancelledBy(signal));
        };
        signal?.addEventListener("abort", stop, { once: true });
        sleeping.push(sleeper);
        const limit = options.skipUpTo;
        if (limit !== undefined && ms <= limit) setImmediate(() => wakeNext(now + limit));
      });
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      while (wakeNext(end)) await settle();
      now = end;
    },
  };
}

/** Lets every promise that can go on go on. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
