/** Turns an answer into the wire object it carries, or into the error it means (contract section 7; notes, section 1). Sends nothing. */

import type { ErrorCode } from "../../core/error-code.ts";
import { ApiError, type Reason, type WireObject } from "../../core/service-port.ts";
import { doubtOf } from "../belief.ts";
import type { Lists } from "../lists.ts";
import { bare } from "../path.ts";
import { type Brand, capital } from "./brand.ts";
import { retryAfterSeconds } from "./hints.ts";
import { type Answer, NoAnswer, type Request } from "./transport.ts";

export interface AnswerContext {
  readonly lists: Lists;
  readonly brand: Brand;
  readonly token: string;
  /** The base URL as messages may show it. */
  readonly address: string;
  readonly now: () => number;
}

/** Refusals that a gateway gives as well as the service, and that mean the same of both: not now, or nobody knows. */
const OF_GATEWAYS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** What has no body for an unrestricted user (notes, section 1.2). */
const WITHOUT_BODY = /^\/(profile|account\/users\/[^/]+)\/grants$/;
const MOST_REASONS = 50;
const LONGEST_REASON = 2000;

/**
 * The object of a success; `{}` for one without a body where the contract has none (204).
 * Throws ApiError for a refusal in the service's own envelope and for one that a gateway may give as well; NoAnswer for everything else,
 * which does not look like the service: whether the request ran is then not known.
 */
export function readAnswer(request: Request, answer: Answer, context: AnswerContext): WireObject {
  if (answer.status < 300) {
    if (answer.status === 204 && answer.empty && WITHOUT_BODY.test(request.path)) return {};
    const doubt = doubtOf(request, answer.json, context.lists);
    if (doubt === undefined) return answer.json as WireObject;
    throw strange(`${answer.status} with ${kindOf(answer)}: ${doubt}`);
  }
  const said = readReasons(request, answer, context);
  const isRedirect = answer.status < 400;
  if (said.length === 0 && !isRedirect && !OF_GATEWAYS.has(answer.status)) {
    throw strange(`${answer.status} with ${kindOf(answer)}, not in the service's form of an error`);
  }
  const word = STATUS_WORDS[answer.status] ?? "refused";
  const reasons = said.length > 0 ? said : [{ reason: `${word} (without a reason: ${kindOf(answer)})` }];
  throw new ApiError({
    method: request.method,
    path: bare(request.path),
    status: answer.status,
    reasons,
    retryable: isRetryable(answer, reasons, context.brand),
    advice: adviceFor(answer, context),
    retryAfterSeconds: retryAfterSeconds(answer, context.now()),
    enveloped: said.length > 0,
    errorCode: codesOfStatus[answer.status] ?? (said.length > 0 ? undefined : "PLB-PROXY"),
  });
}

const codesOfStatus: { readonly [status: number]: ErrorCode } = {
  401: "PLB-TOKEN",
  403: "PLB-GRANT",
  429: "PLB-LIMIT",
};

function strange(what: string): NoAnswer {
  return new NoAnswer(true, `${what}; this does not look like the service`, false, undefined, "PLB-PROXY");
}

function kindOf(answer: Answer): string {
  if (answer.empty) return "an empty body";
  const kind = /^[\w.+-]+\/[\w.+-]+/.exec(answer.headers["content-type"] ?? "")?.[0] ?? "no content type";
  return kind.slice(0, 60);
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

/** The reasons in the service's own envelope (notes, section 1.1); none where the answer has no such envelope. */
function readReasons(request: Request, answer: Answer, context: AnswerContext): Reason[] {
  const errors = (answer.json as { errors?: unknown } | undefined | null)?.errors;
  const reasons: Reason[] = [];
  const secrets = [context.token, ...secretsOf(request.body)];
  for (const error of Array.isArray(errors) ? errors.slice(0, MOST_REASONS) : []) {
    const { reason, field } = (error ?? {}) as { reason?: unknown; field?: unknown };
    if (typeof reason !== "string") continue;
    const masked = secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), reason);
    const shown = masked.length > LONGEST_REASON ? `${masked.slice(0, LONGEST_REASON)}…` : masked;
    const isNamed = typeof field === "string" && field !== "" && field.length <= LONGEST_REASON;
    reasons.push(isNamed ? { reason: shown, field: context.brand.field(field) } : { reason: shown });
  }
  return reasons;
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
