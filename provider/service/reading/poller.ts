/** Waits for objects of one list together: one poll serves every waiter. Knows what an object looks like only through its waiters. */

import { duration } from "../../core/duration.ts";
import {
  AnswerLostError,
  ApiError,
  TimeoutError,
  type WaitOptions,
  type WireObject,
} from "../../core/service-port.ts";
import { type Clock, cancelledBy } from "../clock.ts";
import { ListChangedError, UnreachableError } from "../errors.ts";
import { NoAnswer } from "../http/transport.ts";
import type { Lists } from "../lists.ts";
import { nameOf } from "../path.ts";

export type IsDone = (object: WireObject | undefined) => boolean;

export interface PollerContext {
  readonly lists: Lists;
  readonly poll: (paths: readonly string[]) => Promise<Map<string, WireObject | undefined | Error>>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Aborted when the client is cancelled. */
  readonly signal: AbortSignal;
}

export interface Poller {
  waitFor(path: string, isDone: IsDone, options: WaitOptions): Promise<WireObject | undefined>;
}

/** The first look comes soon: much of what is waited for is quick. */
const FIRST_LOOK_MS = 200;
const SHORTEST_MS = 500;
const LONGEST_MS = 15_000;
/** The pause is this part of how long the youngest wait has lasted. */
const PART_OF_AGE = 0.4;

interface Waiter {
  readonly path: string;
  readonly since: number;
  readonly deadline: number;
  looked: boolean;
  saidAt: number;
  lastStatus: string | undefined;
  trouble: Error | undefined;
  look(object: WireObject | undefined): void;
  progress(now: number): void;
  fail(error: unknown): void;
}

interface Round {
  readonly waiters: Set<Waiter>;
  /** Ends the pause early: somebody joined, or nobody is left. */
  wake: AbortController;
  lastPollAt: number;
}

export function createPoller(context: PollerContext): Poller {
  const { clock, random } = context;
  const rounds = new Map<string, Round>();

  /** Polls until nobody waits. Never rejects: each waiter is told its own outcome. */
  async function run(key: string, round: Round): Promise<void> {
    while (round.waiters.size > 0) {
      const pause = pauseOf(round);
      if (pause > 0 && !(await slept(pause, round))) continue;
      if (round.waiters.size === 0) break;
      round.lastPollAt = clock.now();
      const paths = [...new Set([...round.waiters].map(({ path }) => path))];
      const asked = new Set(round.waiters);
      const seen = await context.poll(paths).catch((error: unknown) => asError(error));
      for (const waiter of asked) {
        if (!round.waiters.has(waiter)) continue;
        waiter.looked = true;
        const object = seen instanceof Error ? seen : seen.get(waiter.path);
        tell(waiter, object);
      }
    }
    if (rounds.get(key) === round) rounds.delete(key);
  }

  /** False when it was woken before its end. */
  async function slept(ms: number, round: Round): Promise<boolean> {
    round.wake = new AbortController();
    try {
      await clock.sleep(ms, round.wake.signal);
      return true;
    } catch {
      return false; // woken: the pause is worked out anew
    }
  }

  function pauseOf(round: Round): number {
    const now = clock.now();
    const ages = [...round.waiters].map((waiter) => now - waiter.since);
    const youngest = Math.min(...ages);
    const unseen = [...round.waiters].filter((waiter) => !waiter.looked);
    if (unseen.length > 0) {
      const due = Math.min(...unseen.map((waiter) => waiter.since)) + FIRST_LOOK_MS;
      return Math.max(0, due - now);
    }
    const full = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, youngest * PART_OF_AGE));
    return Math.max(0, round.lastPollAt + full * (0.8 + random() * 0.4) - now);
  }

  function tell(waiter: Waiter, seen: WireObject | undefined | Error): void {
    if (!(seen instanceof Error)) {
      waiter.trouble = undefined;
      waiter.look(seen);
    } else if (isPassing(seen)) {
      waiter.trouble = seen;
    } else {
      waiter.fail(seen);
      return;
    }
    waiter.progress(clock.now());
  }

  function waitFor(path: string, isDone: IsDone, options: WaitOptions): Promise<WireObject | undefined> {
    const stopped = [context.signal, options.signal].find((signal) => signal?.aborted);
    if (stopped !== undefined) return Promise.reject(cancelledBy(stopped));
    const key = context.lists.itemOf(path)?.collection ?? path;
    return new Promise((resolve, reject) => {
      const since = clock.now();
      const timer = new AbortController();
      const end = (settle: () => void) => {
        if (!round.waiters.delete(waiter)) return;
        timer.abort();
        context.signal.removeEventListener("abort", cancel);
        options.signal?.removeEventListener("abort", abort);
        if (round.waiters.size === 0) round.wake.abort();
        settle();
      };
      const waiter: Waiter = {
        path,
        since,
        deadline: since + options.timeoutSeconds * 1000,
        looked: false,
        saidAt: Number.NEGATIVE_INFINITY,
        lastStatus: undefined,
        trouble: undefined,
        look(object) {
          waiter.lastStatus =
            typeof object?.["status"] === "string" ? object["status"] : object ? undefined : "gone";
          try {
            if (isDone(object)) end(() => resolve(object));
          } catch (error) {
            waiter.fail(error);
          }
        },
        progress(now) {
          if (options.onProgress === undefined || !round.waiters.has(waiter) || now - waiter.saidAt < 1000)
            return;
          waiter.saidAt = now;
          try {
            options.onProgress(progressOf(waiter, now));
          } catch (error) {
            waiter.fail(error);
          }
        },
        fail: (error) => end(() => reject(error)),
      };
      const cancel = () => waiter.fail(cancelledBy(context.signal));
      const abort = () => waiter.fail(cancelledBy(options.signal));
      context.signal.addEventListener("abort", cancel, { once: true });
      options.signal?.addEventListener("abort", abort, { once: true });

      const current = rounds.get(key);
      const running = current !== undefined && current.waiters.size > 0;
      const round: Round = running
        ? current
        : { waiters: new Set(), wake: new AbortController(), lastPollAt: since };
      round.waiters.add(waiter);
      rounds.set(key, round);
      clock.sleep(Math.max(0, waiter.deadline - since), timer.signal).then(
        () => waiter.fail(timedOut(waiter, options.timeoutSeconds)),
        () => undefined, // the wait ended before
      );
      if (running) round.wake.abort();
      else void run(key, round);
    });
  }

  return { waitFor };
}

/** What may be over by the next look. */
function isPassing(error: Error): boolean {
  if (error instanceof ApiError) return error.retryable || error.status >= 500;
  return (
    error instanceof UnreachableError ||
    error instanceof AnswerLostError ||
    error instanceof ListChangedError ||
    error instanceof NoAnswer
  );
}

function progressOf(waiter: Waiter, now: number): string {
  const trouble =
    waiter.trouble instanceof ApiError ? `; the service answered ${waiter.trouble.status}` : "; no answer";
  const lasting = duration((now - waiter.since) / 1000);
  return `${waiter.lastStatus ?? "waiting"} for ${lasting}${waiter.trouble ? trouble : ""}`;
}

function timedOut(waiter: Waiter, seconds: number): TimeoutError {
  const last = waiter.lastStatus === undefined ? "" : `; its last status was "${waiter.lastStatus}"`;
  const trouble = waiter.trouble === undefined ? "" : `; the last look failed: ${waiter.trouble.message}`;
  const message = `${nameOf(waiter.path)} was not ready after ${duration(seconds)}${last}${trouble}`;
  return new TimeoutError(waiter.path, seconds, waiter.lastStatus, message, waiter.trouble);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
