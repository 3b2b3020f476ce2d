/** Repeats what is safe to repeat, and says plainly when nobody can know whether a write ran. Knows no limit of requests and no HTTP. */

import {
  AnswerLostError,
  ApiError,
  type CallOptions,
  isGone,
  type WireObject,
} from "../core/service-port.ts";
import type { Clock } from "./clock.ts";
import { UnreachableError } from "./errors.ts";
import { isBusy } from "./http/answer.ts";
import type { Brand } from "./http/brand.ts";
import { NoAnswer, type Request } from "./http/transport.ts";
import { LONGEST_PAUSE_SECONDS } from "./limiter.ts";
import { bare } from "./path.ts";

/** Told before each repeat. */
export interface RetryNotice {
  readonly method: string;
  readonly path: string;
  /** How many times it was tried so far. */
  readonly attempt: number;
  readonly waitSeconds: number;
  /** `429`, `connection reset`… */
  readonly reason: string;
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly brand: Brand;
  /** The base URL as messages may show it. */
  readonly address: string;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
}

/** One call: a request with its repeats. `once` leaves every repeat to the caller. */
export type Call = (request: Request, options?: SendOptions) => Promise<WireObject>;

export interface SendOptions extends CallOptions {
  readonly once?: boolean;
}

/** Tries and seconds for what is broken; being told to wait has its own, longer limit. */
const MOST_TRIES = 8;
/** An internal error is often there to stay. */
const INTERNAL_ERROR_TRIES = 3;
const MOST_SECONDS = 180;
/** Tries while this client never had an answer: a wrong address should be told at once. */
const FIRST_TRIES = 3;
const MOST_LIMITED_SECONDS = 3 * LONGEST_PAUSE_SECONDS;
const FIRST_WAIT_SECONDS = 0.5;
const LONGEST_WAIT_SECONDS = 15;

type Verdict =
  /** The request surely did not run, or may run twice: again, after `wait` seconds (none: the backoff's). */
  | {
      readonly again: true;
      readonly limited: boolean;
      readonly wait?: number | undefined;
      readonly reason: string;
    }
  | { readonly again: false };

/**
 * Wraps `next`. Reads, PUT and DELETE are repeated after a broken connection, an unusable answer, 408, 429, 500, 502, 503, 504 and "busy";
 * a POST only when it surely did not run: connection refused, 429, 503 with Retry-After, "busy". Throws ApiError, AnswerLostError
 * (a write whose fate is not known, in the end), UnreachableError or CancelledError. A DELETE that finds nothing on a repeat has succeeded.
 */
export function retried(
  next: (request: Request, signal?: AbortSignal) => Promise<WireObject>,
  options: RetryOptions,
): Call {
  const { clock, random } = options;
  let everAnswered = false;

  return async (request, { signal, once = false } = {}) => {
    const started = clock.now();
    /** Set as soon as a try may have changed something without saying so. */
    let lost: NoAnswer | ApiError | undefined;
    /** The same of a PUT or DELETE after any answer that says nothing about it. */
    let mayHaveRun = false;
    let broken = 0;
    for (let attempt = 1; ; attempt++) {
      let failure: unknown;
      try {
        const object = await next(request, signal);
        everAnswered = true;
        return object;
      } catch (error) {
        failure = error;
      }
      if (failure instanceof ApiError && failure.enveloped) everAnswered = true;
      if (request.method !== "GET" && isLost(request.method, failure)) lost = failure;
      if (mayHaveRun && failure instanceof ApiError && !leavesOpen(failure)) failure.mayHaveRun = true;
      if (request.method !== "GET" && isOpen(failure)) mayHaveRun = true;
      if (request.method === "DELETE" && attempt > 1 && isGone(failure)) return {};

      const verdict = judge(request, failure, options.brand);
      const seconds = (clock.now() - started) / 1000;
      if (verdict.again && !verdict.limited) broken++;
      const wait = verdict.again ? waitFor(verdict, broken, random) : 0;
      const enough =
        !verdict.again ||
        once ||
        wait > LONGEST_PAUSE_SECONDS ||
        (verdict.limited
          ? seconds + wait > MOST_LIMITED_SECONDS
          : broken >= triesFor(failure, everAnswered) || seconds + wait > MOST_SECONDS);
      if (enough) throw final(request, failure, lost, attempt, options.address);

      const reason = verdict.reason;
      options.onRetry?.({
        method: request.method,
        path: bare(request.path),
        attempt,
        waitSeconds: wait || (verdict.wait ?? 0),
        reason,
      });
      try {
        // After a 429 the limiter holds every start back, this one too.
        if (wait > 0) await clock.sleep(wait * 1000, signal);
      } catch (error) {
        throw final(request, error, lost, attempt, options.address);
      }
    }
  };
}

function isLost(method: string, failure: unknown): failure is NoAnswer | ApiError {
  // A PUT or DELETE is simply asked again; its caller learns the status, not that a fate is open.
  return isOpen(failure) && (method === "POST" || failure instanceof NoAnswer);
}

/** True when nobody knows whether the request ran. */
function isOpen(failure: unknown): failure is NoAnswer | ApiError {
  if (failure instanceof NoAnswer) return failure.sent;
  return failure instanceof ApiError && leavesOpen(failure);
}

/** Answers that say nothing about whether the request ran: gateways and internal errors, but not a refusal to begin. */
function leavesOpen(error: ApiError): boolean {
  if (error.status === 408) return true;
  if (error.status === 503)
    return error.retryable && (error.retryAfterSeconds === undefined || !error.enveloped);
  return error.status >= 500 && error.status !== 501 && error.status !== 505;
}

function triesFor(failure: unknown, everAnswered: boolean): number {
  if (failure instanceof ApiError && failure.status === 500) return INTERNAL_ERROR_TRIES;
  return everAnswered ? MOST_TRIES : FIRST_TRIES;
}

function judge(request: Request, failure: unknown, brand: Brand): Verdict {
  const repeatable = request.method !== "POST";
  if (failure instanceof NoAnswer) {
    if (failure.permanent || (failure.sent && !repeatable)) return { again: false };
    return { again: true, limited: false, reason: failure.what };
  }
  if (!(failure instanceof ApiError) || !failure.retryable) return { again: false };
  const reason = String(failure.status);
  const wait = failure.retryAfterSeconds;
  if (failure.status === 429) return { again: true, limited: true, wait, reason };
  if (isBusy(failure.status, failure.reasons, brand))
    return { again: true, limited: false, wait, reason: "busy" };
  if (repeatable || !leavesOpen(failure)) return { again: true, limited: false, wait, reason };
  return { again: false };
}

function waitFor(verdict: Verdict & { again: true }, broken: number, random: () => number): number {
  if (verdict.limited) return (verdict.wait ?? 0) > LONGEST_PAUSE_SECONDS ? (verdict.wait ?? 0) : 0;
  if (verdict.wait !== undefined) return verdict.wait + random() * 0.25;
  const full = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (broken - 1));
  return full * (0.5 + random() * 0.5);
}

/** The error of the whole call. What may have happened outweighs what happened last. */
function final(
  request: Request,
  failure: unknown,
  lost: NoAnswer | ApiError | undefined,
  attempt: number,
  address: string,
): unknown {
  const refused = failure instanceof ApiError && !leavesOpen(failure) && failure.status !== 429;
  const path = bare(request.path);
  if (lost !== undefined && !refused) {
    const status = lost instanceof ApiError ? lost.status : undefined;
    const what =
      lost instanceof ApiError ? lost.message.slice(`${lost.method} ${lost.path}: `.length) : lost.what;
    return new AnswerLostError(request.method, path, `${what}${times(attempt)}`, failure, status);
  }
  if (!(failure instanceof NoAnswer)) return failure;
  const advice = failure.permanent ? "" : ": check PLUMBLINE_BASE_URL or plumbline:baseUrl, and the network";
  return new UnreachableError(
    `${request.method} ${path}: no usable answer from ${address} (${failure.what})${times(attempt)}${advice}`,
    { cause: failure, errorCode: failure.errorCode },
  );
}

function times(attempt: number): string {
  return attempt === 1 ? "" : `, tried ${attempt} times`;
}
