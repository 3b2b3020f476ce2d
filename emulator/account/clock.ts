/** The emulator's time: the machine's, moved on by `advance`, and held still while work that was due earlier is done. */

import type { Clock } from "../area.ts";

export interface MovableClock extends Clock {
  /** Milliseconds since 1970. */
  millis(): number;
  /** Milliseconds that `advance` added so far. */
  offset(): number;
  setOffset(milliseconds: number): void;
  advance(seconds: number): void;
  /** Runs the function with the clock held at the given moment. */
  held(milliseconds: number, run: () => void): void;
}

/** A clock over `real`, the machine's milliseconds since 1970. */
export function createClock(real: () => number = Date.now): MovableClock {
  let offset = 0;
  let still: number | undefined;
  const millis = () => still ?? real() + offset;
  return {
    millis,
    now: () => new Date(millis()),
    stamp: () => stampOf(millis()),
    offset: () => offset,
    setOffset: (milliseconds) => {
      offset = milliseconds;
    },
    advance: (seconds) => {
      offset += seconds * 1000;
    },
    held: (milliseconds, run) => {
      const before = still;
      still = milliseconds;
      try {
        run();
      } finally {
        still = before;
      }
    },
  };
}

/** A moment as the service writes it (notes, section 1.8). */
function stampOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19);
}
