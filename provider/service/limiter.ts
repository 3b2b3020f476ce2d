/**
 * How many requests are under way at once, and when none may start: one limiter for all calls of a client.
 * It knows answers by status and headers only.
 */

import { type Clock, cancelledBy } from "./clock.ts";
import { allowance, retryAfterSeconds } from "./http/hints.ts";
import type { Answer, Request, Send } from "./http/transport.ts";
import { createQuotas, GENERAL_LIMIT, type Quota } from "./quota.ts";

export interface LimiterOptions {
  /** The most requests at once; also what it starts with. */
  readonly parallel: number;
  readonly clock: Clock;
  /** 0 to 1, as `Math.random`. */
  readonly random: () => number;
}

/** A Retry-After beyond this is not waited for; the call that got it fails instead. Seconds. */
export const LONGEST_PAUSE_SECONDS = 900;

interface Waiting {
  readonly list: boolean;
  readonly quotas: readonly Quota[];
  start(): void;
}

/** What one kind of request (pages of lists, everything else) is known to be allowed. */
interface Budget {
  left: number;
  resetAt: number;
  flying: number;
}

/**
 * Wraps `next`: a request waits until its turn. The number of requests at once halves on a 429 and grows with successes; a 429
 * stops every start until its Retry-After is over; what the service says is left in its window is never overdrawn knowingly, nor are its limits
 * of single kinds of requests, once it is seen to count.
 * Rejects with CancelledError when `signal` is aborted before the turn came; a request that started is never stopped.
 */
export function limited(next: Send, options: LimiterOptions): Send {
  const { clock, random } = options;
  const queue: Waiting[] = [];
  const quotasOf = createQuotas();
  const budgets = { list: newBudget(), other: newBudget() };
  let limit = options.parallel;
  let flying = 0;
  let started = 0;
  let cutAt = 0;
  let refusals = 0;
  let pausedUntil = 0;
  /** True once the service has told that it counts requests, and by the limits that are known. */
  let isCounting = false;
  let waking: { at: number; stop: AbortController } | undefined;

  function pump(): void {
    const now = clock.now();
    while (queue.length > 0) {
      if (now < pausedUntil) {
        wakeAt(pausedUntil);
        return;
      }
      if (flying >= Math.max(1, Math.floor(limit))) return;
      let soonest = Number.POSITIVE_INFINITY;
      const at = queue.findIndex((waiting) => {
        const opens = opensAt(waiting, now);
        soonest = Math.min(soonest, opens);
        return opens <= now;
      });
      if (at < 0) {
        if (soonest < Number.POSITIVE_INFINITY) wakeAt(soonest);
        return;
      }
      queue.splice(at, 1)[0]?.start();
    }
    waking?.stop.abort();
    waking = undefined;
  }

  /** When the request may start as far as it is known; `Infinity`: an answer under way will tell. */
  function opensAt({ list, quotas }: Waiting, now: number): number {
    const budget = budgetOf(list);
    // A budget that is used up with nothing under way learns nothing new before its window ends.
    const byBudget = isOpen(budget, now)
      ? now
      : budget.flying > 0
        ? Number.POSITIVE_INFINITY
        : budget.resetAt;
    return isCounting ? Math.max(byBudget, ...quotas.map((quota) => quota.opensAt(now))) : byBudget;
  }

  function wakeAt(at: number): void {
    if (waking !== undefined && waking.at <= at) return;
    waking?.stop.abort();
    const wake = { at, stop: new AbortController() };
    waking = wake;
    clock.sleep(Math.max(0, at - clock.now()), wake.stop.signal).then(
      () => {
        if (waking === wake) waking = undefined;
        pump();
      },
      () => undefined, // replaced by an earlier wake, or nobody waits any more
    );
  }

  const budgetOf = (list: boolean): Budget => (list ? budgets.list : budgets.other);

  function turn(request: Request, quotas: readonly Quota[], signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(cancelledBy(signal));
    return new Promise((resolve, reject) => {
      const list = request.list === true;
      const waiting: Waiting = {
        list,
        quotas,
        start() {
          signal?.removeEventListener("abort", leave);
          flying++;
          const budget = budgetOf(list);
          budget.flying++;
          budget.left--;
          for (const quota of quotas) quota.start();
          resolve();
        },
      };
      const leave = () => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(cancelledBy(signal));
        pump();
      };
      signal?.addEventListener("abort", leave, { once: true });
      queue.push(waiting);
      pump();
    });
  }

  function learn(answer: Answer, list: boolean, number: number): void {
    const now = clock.now();
    const allowed = allowance(answer, now);
    if (allowed !== undefined) {
      const budget = budgetOf(list);
      budget.left = allowed.remaining - budget.flying;
      budget.resetAt = now + allowed.resetSeconds * 1000;
      if (allowed.limit === GENERAL_LIMIT && allowed.remaining < GENERAL_LIMIT) isCounting = true;
    }
    if (answer.status !== 429) {
      refusals = 0;
      limit = Math.min(options.parallel, limit + 1 / limit);
      return;
    }
    // Requests that started before the last cut say nothing about the rate after it.
    if (number > cutAt) {
      cutAt = started;
      limit = Math.max(1, limit / 2);
      refusals++;
    }
    const said = retryAfterSeconds(answer, now) ?? allowed?.resetSeconds;
    const seconds = said ?? Math.min(30, 2 ** (refusals - 1));
    if (seconds > LONGEST_PAUSE_SECONDS) return;
    pausedUntil = Math.max(pausedUntil, now + seconds * 1000 + random() * 250);
  }

  return async (request, signal) => {
    const quotas = quotasOf(request);
    await turn(request, quotas, signal);
    const number = ++started;
    const list = request.list === true;
    let answer: Answer | undefined;
    try {
      answer = await next(request, signal);
      return answer;
    } finally {
      flying--;
      budgetOf(list).flying--;
      for (const quota of quotas) quota.end(clock.now(), answer?.status === 429);
      if (answer !== undefined) learn(answer, list, number);
      pump();
    }
  };
}

function newBudget(): Budget {
  return { left: Number.POSITIVE_INFINITY, resetAt: 0, flying: 0 };
}

function isOpen(budget: Budget, now: number): boolean {
  if (now >= budget.resetAt) budget.left = Number.POSITIVE_INFINITY;
  return budget.left > 0;
}
