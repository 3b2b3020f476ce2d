/** A clock that tests move: what is due happens in order, and what it starts gets its turn in between. */

import type { Clock } from "../../provider/kubernetes/clock.ts";

export interface VirtualTime {
  readonly clock: Clock;
  /** Lets time pass, and everything happen that is due by then. */
  readonly until: (end: number) => Promise<void>;
}

interface Due {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
  isOff: boolean;
}

export function createTime(): VirtualTime {
  let [now, order] = [0, 0];
  /** A heap, the next one first. */
  const due: Due[] = [];
  const isBefore = (one: Due, other: Due): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  function swap(one: number, other: number): void {
    [due[one], due[other]] = [due[other]!, due[one]!];
  }

  function put(one: Due): void {
    let at = due.push(one) - 1;
    for (let above = (at - 1) >> 1; at > 0 && isBefore(due[at]!, due[above]!); above = (at - 1) >> 1) {
      swap(at, above);
      at = above;
    }
  }

  function take(): Due | undefined {
    if (due.length === 0) return undefined;
    swap(0, due.length - 1);
    const first = due.pop();
    for (let at = 0; ; ) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < due.length && isBefore(due[below]!, due[least]!)) least = below;
      if (least === at) return first;
      swap(at, least);
      at = least;
    }
  }

  return {
    clock: {
      now: () => now,
      told: () => now,
      at(time, act) {
        const one: Due = { at: Math.max(time, now), order: order++, act, isOff: false };
        put(one);
        return () => {
          one.isOff = true;
        };
      },
    },
    async until(end) {
      for (;;) {
        await new Promise((done) => setImmediate(done));
        while (due[0]?.isOff) take();
        if (due[0] === undefined || due[0].at > end) break;
        const { at, act } = take()!;
        now = at;
        act();
      }
      now = Math.max(now, end);
    },
  };
}
