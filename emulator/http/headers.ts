/** The headers of every answer (notes, section 1.7). */

import { release } from "../contract/contract.ts";
import type { RateVerdict } from "./rate-limit.ts";

export type Headers = { [name: string]: string };

const always: Headers = {
  "X-Spec-Version": release,
  "Strict-Transport-Security": "max-age=31536000",
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'",
  Vary: "Authorization, X-Filter",
};

/** What lets every web page read the answers: only on demand, since an emulator runs on the machine where pages are looked at. */
const crossOrigin: Headers = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "HEAD, GET, OPTIONS, POST, PUT, DELETE",
  "Access-Control-Allow-Headers": "Authorization, Origin, X-Requested-With, Content-Type, Accept, X-Filter",
  "Access-Control-Expose-Headers": "X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Status",
  "Access-Control-Allow-Credentials": "true",
};

export interface HeaderFacts {
  readonly method: string;
  readonly cors: boolean;
  readonly now: Date;
  readonly customer: string;
  /** The token's scopes; absent without a token. */
  readonly scopes: string | undefined;
  /** The operation's; empty: none needed. */
  readonly accepted: readonly string[];
  readonly rate: RateVerdict | undefined;
}

/** Builds the headers; `Date` tells the emulator's own time. */
export function headersOf(facts: HeaderFacts): Headers {
  const headers: Headers = {
    ...always,
    ...(facts.cors && crossOrigin),
    "Content-Type": "application/json",
    Date: facts.now.toUTCString(),
    "Cache-Control":
      facts.method === "GET" || facts.method === "HEAD" ? "private, max-age=60, s-maxage=60" : "no-store",
    "X-OAuth-Scopes": facts.scopes ?? "unknown",
    "X-Accepted-OAuth-Scopes": facts.accepted.length === 0 ? "*" : facts.accepted.join(","),
    "X-Customer-UUID": facts.customer,
  };
  if (facts.rate) {
    headers["X-RateLimit-Limit"] = String(facts.rate.limit);
    headers["X-RateLimit-Remaining"] = String(facts.rate.remaining);
    headers["X-RateLimit-Reset"] = String(Math.ceil(facts.rate.reset / 1000));
    if (facts.rate.refused)
      headers["Retry-After"] = String(
        Math.max(1, Math.ceil((facts.rate.reset - facts.now.getTime()) / 1000)),
      );
  }
  return headers;
}
