/**
 * A lock that ends by itself unless it is renewed: renews it while a run lasts, and says when it is lost. Measures time by this process alone,
 * always from before a request was sent, so that its own patience ends before the store's. Knows no store.
 */

import { duration } from "../../../core/duration.ts";
import { EngineError, messageOf } from "../../failure.ts";

/** Seconds that a lease lasts where the address says nothing else. */
export const usualLease = 60;

export interface Lease {
  /** Resolves at once while the lease is fresh, else as soon as it was renewed. Rejects once it is lost. Whoever is about to write asks. */
  readonly ensure: () => Promise<void>;
  /** Aborted with an EngineError when the lease is lost. */
  readonly lost: AbortSignal;
  /** Says that it is lost, which the store has told. */
  readonly lose: (cause: EngineError) => void;
  readonly stop: () => void;
}

export interface LeaseOptions {
  readonly seconds: number;
  /** When the request was begun that took it, by `performance.now()`. */
  readonly since: number;
  /** Renews it, in one attempt that the signal ends. Throws an EngineError `locked` when it is another's by now. */
  readonly renew: (signal: AbortSignal) => Promise<void>;
}

/** How much of a lease may pass before it is renewed, before nothing is begun any more, and before it is given up. */
const [renewalAt, staleAt, lostAt] = [1 / 4, 3 / 4, 1];

export function keepLease({ seconds, since, renew }: LeaseOptions): Lease {
  const gone = new AbortController();
  let renewedAt = since;
  let renewing: Promise<void> | undefined;
  let fault: unknown;
  /** How much of it has passed. */
  const passed = (): number => (performance.now() - renewedAt) / 1000 / seconds;

  const lose = (cause: EngineError): void => {
    clearInterval(timer);
    gone.abort(cause);
  };

  async function attempt(): Promise<void> {
    const begun = performance.now();
    try {
      await renew(AbortSignal.timeout((seconds * 1000) / 4));
      renewedAt = begun;
    } catch (error) {
      fault = error;
      if (error instanceof EngineError && error.code === "locked") lose(error);
      else if (passed() >= lostAt) lose(leaseEnded(seconds, fault));
    }
  }

  function renewed(): Promise<void> {
    renewing ??= attempt().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  const tick = (): void => {
    if (passed() >= renewalAt) void renewed();
  };
  const timer = setInterval(tick, (seconds * 1000) / 12);
  timer.unref();

  return {
    lost: gone.signal,
    lose,
    stop: () => clearInterval(timer),
    async ensure() {
      while (!gone.signal.aborted && passed() >= staleAt) {
        await renewed();
        if (passed() >= staleAt) await new Promise((next) => setTimeout(next, (seconds * 1000) / 24));
      }
      gone.signal.throwIfAborted();
    },
  };
}

/** What a run is stopped with that cannot reach its store. */
function leaseEnded(seconds: number, cause: unknown): EngineError {
  return leaseLost(
    `its lease could not be renewed for ${duration(seconds)}${cause === undefined ? "" : ` (${messageOf(cause)})`}`,
    cause,
  );
}

/** What a run is stopped with that holds its stack no more; `how` completes "The run lost its hold on the stack: …". */
export function leaseLost(how: string, cause?: unknown): EngineError {
  return new EngineError(
    "locked",
    `The run lost its hold on the stack: ${how}. Nothing more was begun or saved. Run the same again: it continues from what was saved.`,
    { errorCode: "PLB-LEASE", ...(cause === undefined ? {} : { cause }) },
  );
}
