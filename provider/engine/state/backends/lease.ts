/**
 * A lock that ends by itself unless it is renewed: renews it while a run lasts, and says when it is lost. Measures time by this machine alone,
 * always from before a request was sent, so that its own patience ends before the store's. Knows no store.
 */

import { duration } from "../../../core/duration.ts";
import { EngineError, messageOf } from "../../failure.ts";
import type { LockOwner } from "../backend.ts";

/** Seconds that a lease lasts where the address says nothing else. */
export const usualLease = 60;

export interface Lease {
  /** Resolves at once while the lease is fresh, else as soon as it was renewed. Rejects once it is lost. Whoever is about to write asks. */
  readonly ensure: () => Promise<void>;
  /**
   * Does a write that others rely on, under a lease that is fresh. An answer that comes late may be older than another run's hold, so that it counts
   * only once the lease was renewed after it.
   */
  readonly under: <T>(write: () => Promise<T>) => Promise<T>;
  /** Aborted with an EngineError when the lease is lost. */
  readonly lost: AbortSignal;
  /** Says that it is lost, which the store has told. */
  readonly lose: (cause: EngineError) => void;
  readonly stop: () => void;
}

export interface LeaseOptions {
  readonly seconds: number;
  /** When the request was begun that took it. */
  readonly since: Moment;
  /** Renews it, in one attempt that the signal ends. Throws an EngineError `locked` when it is another's by now. */
  readonly renew: (signal: AbortSignal) => Promise<void>;
}

/** How much of a lease may pass before it is renewed, before nothing is begun any more, and before it is given up. */
const [renewalAt, staleAt, lostAt] = [1 / 4, 3 / 4, 1];

/** Seconds from which on an answer is late: nobody takes a living run's stack in less, be it by hand. */
const late = 1;

/** By a clock that only counts but stands still while the machine sleeps, and by one that goes on but may be set. */
export interface Moment {
  readonly counted: number;
  readonly told: number;
}

export const moment = (): Moment => ({ counted: performance.now(), told: Date.now() });

/** By the clock that says more: too much costs a renewal, too little the stack. */
const secondsSince = ({ counted, told }: Moment): number =>
  Math.max(performance.now() - counted, Date.now() - told) / 1000;

export function keepLease({ seconds, since, renew }: LeaseOptions): Lease {
  const gone = new AbortController();
  let renewedAt = since;
  let renewing: Promise<void> | undefined;
  let fault: unknown;
  /** How much of it has passed. */
  const passed = (): number => secondsSince(renewedAt) / seconds;

  const lose = (cause: EngineError): void => {
    clearInterval(timer);
    gone.abort(cause);
  };

  async function attempt(): Promise<void> {
    const begun = moment();
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

  async function until(isFresh: () => boolean): Promise<void> {
    while (!gone.signal.aborted && !isFresh()) {
      await renewed();
      if (!isFresh()) await new Promise((next) => setTimeout(next, (seconds * 1000) / 24));
    }
    gone.signal.throwIfAborted();
  }

  const ensure = () => until(() => passed() < staleAt);

  return {
    lost: gone.signal,
    lose,
    stop: () => clearInterval(timer),
    ensure,
    async under(write) {
      await ensure();
      const begun = moment();
      const answer = await write();
      if (secondsSince(begun) < late) return answer;
      const { counted } = moment();
      await until(() => renewedAt.counted >= counted);
      return answer;
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

/** The same for one whose stack has that owner now. */
export const leaseTaken = (owner: LockOwner | undefined): EngineError =>
  leaseLost(owner === undefined ? "it was unlocked" : `${owner.user} on ${owner.host} has it now`);

/** What a run is stopped with that holds its stack no more; `how` completes "The run lost its hold on the stack: …". */
export function leaseLost(how: string, cause?: unknown): EngineError {
  return new EngineError(
    "locked",
    `The run lost its hold on the stack: ${how}. Nothing more was begun or saved. Run the same again: it continues from what was saved.`,
    { errorCode: "PLB-LEASE", ...(cause === undefined ? {} : { cause }) },
  );
}
