/** What the service told last of its limit of requests, for whoever wants to leave a part of it to others. Knows headers only. */

import type { Allowance } from "../core/service-port.ts";
import type { Clock } from "./clock.ts";
import { allowance, retryAfterSeconds } from "./http/hints.ts";
import type { Answer, Send } from "./http/transport.ts";

export interface AllowanceMeter {
  /** Undefined: nothing was told yet. Once a window is over, the next one is whole. */
  now(): Allowance | undefined;
  /** Wraps `next`, and listens. */
  watched(next: Send): Send;
}

/** Two ends of windows that are no further apart are one: the service tells whole seconds. */
const SAME_WINDOW_MS = 2_500;

export function createAllowanceMeter(clock: Pick<Clock, "now">): AllowanceMeter {
  let told: { readonly limit: number; readonly remaining: number; readonly resetAt: number } | undefined;
  let flying = 0;
  let pausedUntil = 0;

  function hear(answer: Answer): void {
    const now = clock.now();
    const heard = allowance(answer, now);
    if (answer.status === 429) {
      // What was reached may be a limit of one kind of request alone.
      const seconds = retryAfterSeconds(answer, now) ?? heard?.resetSeconds ?? 0;
      pausedUntil = Math.max(pausedUntil, now + seconds * 1000);
      return;
    }
    if (heard?.limit === undefined) return;
    const { limit, remaining, resetSeconds } = heard;
    const resetAt = now + resetSeconds * 1000;
    const isSame = told !== undefined && Math.abs(told.resetAt - resetAt) < SAME_WINDOW_MS;
    // An answer that came late tells of a window that is over, or of more than there is.
    if (told !== undefined && !isSame && told.resetAt > resetAt) return;
    told = {
      limit,
      remaining: isSame && told ? Math.min(told.remaining, remaining) : remaining,
      resetAt: isSame && told ? told.resetAt : resetAt,
    };
  }

  return {
    now() {
      const now = clock.now();
      if (told === undefined) return undefined;
      const { limit, resetAt } = told;
      const left = now < resetAt ? told.remaining : limit;
      const remaining = now < pausedUntil ? 0 : Math.max(0, left - flying);
      return { limit, remaining, resetSeconds: Math.max(0, resetAt - now) / 1000 };
    },
    watched: (next) => async (request, signal) => {
      flying += 1;
      try {
        const answer = await next(request, signal);
        hear(answer);
        return answer;
      } finally {
        flying -= 1;
      }
    },
  };
}
