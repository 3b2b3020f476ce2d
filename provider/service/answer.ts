/** Turns an answer into the wire object it carries, or into the error it means (contract section 7; notes, section 1). Sends nothing. */

import { type Brand, capital } from "./brand.ts";
import { ApiError, type Reason } from "./errors.ts";
import { retryAfterSeconds } from "./hints.ts";
import { bare } from "./path.ts";
import { type Answer, NoAnswer, type Request } from "./transport.ts";

export interface WireObject {
  readonly [name: string]: unknown;
}

export interface AnswerContext {
  readonly brand: Brand;
  readonly token: string;
  /** The base URL as messages may show it. */
  readonly address: string;
  readonly now: () => number;
}

/**
 * The object of a success; `{}` for a success without a body where none is needed.
 * Throws ApiError for a refusal, and NoAnswer for a success whose body cannot be used: the request ran, its outcome is not known.
 */
export function readAnswer(request: Request, answer: Answer, context: AnswerContext): WireObject {
  if (answer.status < 300) {
    if (typeof answer.json === "object" && answer.json !== null) return answer.json as WireObject;
    if (answer.status === 204 || (answer.empty && request.method === "DELETE")) return {};
    const what = `the answer of ${context.address} is not JSON, or was cut off`;
    throw new NoAnswer(true, what, false, undefined);
  }
  const reasons = readReasons(request, answer, context);
  throw new ApiError({
    method: request.method,
    path: bare(request.path),
    status: answer.status,
    reasons,
    retryable: isRetryable(answer, reasons, context.brand),
    advice: adviceFor(answer, context),
    retryAfterSeconds: retryAfterSeconds(answer, context.now()),
  });
}

/** True for a refusal that only says "not now": another job holds the object. */
export function isBusy(status: number, reasons: readonly Reason[], brand: Brand): boolean {
  const text = reasons.length === 1 ? reasons[0]?.reason : undefined;
  return (
    status === 400 &&
    text !== undefined &&
    (text === `${capital(brand.word)} busy.` || text === "Compute busy.")
  );
}

function isRetryable(answer: Answer, reasons: readonly Reason[], brand: Brand): boolean {
  if (isMaintenance(answer)) return false;
  return [408, 429, 500, 502, 503, 504].includes(answer.status) || isBusy(answer.status, reasons, brand);
}

function isMaintenance(answer: Answer): boolean {
  return answer.status === 503 && answer.headers["x-maintenance-mode"] !== undefined;
}

function readReasons(request: Request, answer: Answer, context: AnswerContext): Reason[] {
  const errors = (answer.json as { errors?: unknown } | undefined | null)?.errors;
  const reasons: Reason[] = [];
  const secrets = [context.token, ...secretsOf(request.body)];
  for (const error of Array.isArray(errors) ? errors : []) {
    const { reason, field } = (error ?? {}) as { reason?: unknown; field?: unknown };
    if (typeof reason !== "string") continue;
    const shown = secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), reason);
    reasons.push(
      typeof field === "string" && field !== ""
        ? { reason: shown, field: context.brand.field(field) }
        : { reason: shown },
    );
  }
  if (reasons.length > 0) return reasons;
  const kind = answer.headers["content-type"]?.split(";", 1)[0] ?? "no content type";
  return [
    {
      reason: `${STATUS_WORDS[answer.status] ?? "refused"} (without a reason: ${answer.empty ? "empty answer" : kind})`,
    },
  ];
}

/** A service may repeat in a reason what it was sent; these values of a body must not be shown. */
function secretsOf(body: unknown, secret = false): string[] {
  if (typeof body === "string") return secret && body.length >= 4 ? [body] : [];
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    secretsOf(value, secret || /pass|secret|private_key|token|credential/i.test(name)),
  );
}

function adviceFor(answer: Answer, { address }: AnswerContext): string | undefined {
  if (isMaintenance(answer)) return `${address} is in maintenance: try again when it is over`;
  if (answer.status >= 300 && answer.status < 400) {
    return "The base URL redirects: set PLUMBLINE_BASE_URL or plumbline:baseUrl to where it leads";
  }
  if (answer.status !== 401) return undefined;
  const needed = answer.headers["x-accepted-oauth-scopes"];
  const has = answer.headers["x-oauth-scopes"];
  if (needed && has && has !== "unknown" && !["*", ""].includes(needed)) {
    return `The token (PLUMBLINE_TOKEN or plumbline:token) has the scopes "${has}", this call needs "${needed}"`;
  }
  return `Check the token that PLUMBLINE_TOKEN or plumbline:token gives for ${address}`;
}

const STATUS_WORDS: { readonly [status: number]: string } = {
  400: "bad request",
  401: "not authenticated",
  403: "not allowed",
  404: "not found",
  405: "method not allowed",
  408: "request timeout",
  429: "too many requests",
  500: "internal error",
  501: "not implemented",
  502: "bad gateway",
  503: "service unavailable",
  504: "gateway timeout",
};
