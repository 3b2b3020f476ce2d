/** Time as the client uses it, so that no test has to sleep. Knows nothing of requests. */

import { CancelledError } from "../core/protocol/failures.ts";

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends after `ms` milliseconds; rejects with CancelledError as soon as `signal` is aborted, and then leaves no timer. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(cancelledBy(signal));
      const stop = () => {
        clearTimeout(timer);
        reject(cancelledBy(signal));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal?.addEventListener("abort", stop, { once: true });
    }),
};

/** The error of a call that an abort ended; keeps the abort's own reason as its cause. */
export function cancelledBy(signal: AbortSignal | undefined): CancelledError {
  return signal?.reason instanceof CancelledError
    ? signal.reason
    : new CancelledError("cancelled", signal?.reason === undefined ? {} : { cause: signal.reason });
}

/** The promise, or CancelledError at once when `signal` is aborted first. What the promise stands for goes on. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(cancelledBy(signal));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
