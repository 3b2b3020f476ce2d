/** What an answer's headers say about when to ask again (notes, sections 1.2 and 1.7). Knows no clock of its own. */

import type { Answer } from "./transport.ts";

/** Seconds of `Retry-After`, given as seconds or as a date; `undefined` when absent or unreadable. `now` in milliseconds. */
export function retryAfterSeconds(answer: Pick<Answer, "headers">, now: number): number | undefined {
  const value = answer.headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  const until = Date.parse(value);
  return Number.isNaN(until) ? undefined : Math.max(0, (until - serviceNow(answer, now)) / 1000);
}

export interface Allowance {
  /** Requests of the whole window, where that is told. */
  readonly limit: number | undefined;
  /** Requests that the window still allows. */
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

/** The longest window that the service limits by is two minutes; a reset much later is a wrong clock, and is not believed. */
const LONGEST_WINDOW_SECONDS = 300;

/** What `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (epoch seconds) say; `undefined` when absent or not to be believed. */
export function allowance(answer: Pick<Answer, "headers">, now: number): Allowance | undefined {
  const remaining = Number.parseInt(answer.headers["x-ratelimit-remaining"] ?? "", 10);
  const reset = Number.parseInt(answer.headers["x-ratelimit-reset"] ?? "", 10);
  const resetSeconds = reset - serviceNow(answer, now) / 1000;
  if (!(remaining >= 0) || !(resetSeconds > 0 && resetSeconds <= LONGEST_WINDOW_SECONDS)) return undefined;
  const limit = Number.parseInt(answer.headers["x-ratelimit-limit"] ?? "", 10);
  return { limit: limit >= 0 ? limit : undefined, remaining, resetSeconds };
}

function serviceNow(answer: Pick<Answer, "headers">, now: number): number {
  const date = Date.parse(answer.headers["date"] ?? "");
  return Number.isNaN(date) ? now : date;
}
