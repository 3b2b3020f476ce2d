/** How long to wait before something is tried again. Pure but for the clock. */

import { setTimeout } from "node:timers/promises";

/**
 * Milliseconds to wait after so many failures in a row (from 1): twice as long each time, from `first` on and at most `most`, by chance down to half
 * of that, so that many do not come back at once.
 */
export function backOff(
  failures: number,
  { first, most, random = Math.random }: { first: number; most: number; random?: () => number },
): number {
  const whole = Math.min(most, first * 2 ** Math.min(failures - 1, 30));
  return whole * (0.5 + random() / 2);
}

/** Waits, or until the signal is given. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(Math.max(0, milliseconds), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
