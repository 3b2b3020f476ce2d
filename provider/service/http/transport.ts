/** One request to the service and its answer, as bare as they are. Knows no retry, no limit and no meaning of a status. */

import { channel } from "node:diagnostics_channel";
import type { ErrorCode } from "../../core/error-code.ts";
import { SettingError } from "../errors.ts";
import type { Brand } from "./brand.ts";
import { exchange, TooMuch } from "./exchange.ts";
import type { Ways } from "./proxy.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A request in the contract's words. */
export interface Request {
  readonly method: Method;
  /** Relative to the base URL, encoded, with its query. */
  readonly path: string;
  readonly body?: { readonly [name: string]: unknown } | undefined;
  /** Sent as `X-Filter`. */
  readonly filter?: { readonly [name: string]: unknown } | undefined;
  /** True for a page of a list, which the service limits apart (notes, section 1.7). */
  readonly list?: boolean | undefined;
}

export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string };
  /** The body in the contract's words; `undefined` when it was no JSON, empty, cut off, or nested without end. */
  readonly json: unknown;
  /** True when the answer had no body at all. */
  readonly empty: boolean;
}

/** One link of the chain that a request goes through. */
export type Send = (request: Request, signal?: AbortSignal) => Promise<Answer>;

export interface TransportOptions {
  /** With the version segment (`https://api.example/v4`). */
  readonly baseUrl: string;
  readonly token: string;
  readonly brand: Brand;
  readonly userAgent: string;
  /** How connections are opened; the transport closes them. */
  readonly ways: Ways;
  /** Seconds without an answer after which it counts as lost; a whole answer may take `SLOWEST` times as long. */
  readonly timeoutSeconds: { readonly read: number; readonly write: number };
  readonly now: () => number;
  /** The most bytes of a body. Default 64 MiB: a page of 500 scripts of 64 KiB each, twice. */
  readonly mostBytes?: number | undefined;
}

const MOST_BYTES = 64 * 1024 * 1024;
const SLOWEST = 4;
/** What is nested deeper is not read: whatever walks through it would run out of stack. */
const MOST_LEVELS = 64;

export interface Transport {
  readonly send: Send;
  /** The base URL without anything secret, for messages. */
  readonly address: string;
  /** Requests sent so far, by method. */
  requests(): { [method: string]: number };
  /** How far the service's clock is ahead of ours, in milliseconds; `undefined` before the first answer. */
  skew(): number | undefined;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

/** No answer came. `sent` is false only when the service surely did not get the request. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer" as const;
  readonly sent: boolean;
  /** What happened, for people and without secrets (`ECONNREFUSED`). */
  readonly what: string;
  /** True when asking again cannot help (a certificate that is not trusted). */
  readonly permanent: boolean;
  /** Set where something else than the service has answered. */
  readonly errorCode: ErrorCode | undefined;

  constructor(sent: boolean, what: string, permanent: boolean, cause: unknown, errorCode?: ErrorCode) {
    super(what, { cause });
    this.errorCode = errorCode;
    this.sent = sent;
    this.what = what;
    this.permanent = permanent;
  }
}

/** An answer of the service, as told on the channel `plumbline:answer`. */
export interface ToldAnswer {
  readonly method: Method;
  /** In the contract's words, relative to the base URL, encoded, with its query. */
  readonly path: string;
  readonly status: number;
  /** The answer's, by lower-case name. */
  readonly headers: { readonly [name: string]: string };
}

/** Each answer is told on this channel of Node's `diagnostics_channel`, in the async context of the call that asked. */
const answers = channel("plumbline:answer");

/** Opens no connection before the first request. Throws SettingError for a base URL or token that cannot work. */
export function createTransport(options: TransportOptions): Transport {
  const base = readBaseUrl(options.baseUrl);
  const address = base.origin + base.pathname;
  if (!/^[\x21-\x7e]+$/.test(options.token)) {
    throw new SettingError(
      `${options.token === "" ? "no token is given" : "the token holds characters that no token has (a space, a line end?)"}: set PLUMBLINE_TOKEN or plumbline:token`,
    );
  }
  const way = options.ways.to(base.origin);
  const through = options.ways.through(base.origin);
  const counts: { [method: string]: number } = {};
  let skew: number | undefined;
  let closed = false;

  const send: Send = async (request) => {
    if (closed) throw new NoAnswer(false, "the client is closed", true, undefined);
    const sent: { [name: string]: string } = {
      authorization: `Bearer ${options.token}`,
      accept: "application/json",
      "user-agent": options.userAgent,
    };
    if (request.filter) sent["x-filter"] = asciiJson(options.brand.outward(request.filter));
    if (request.body) sent["content-type"] = "application/json";
    const seconds = request.method === "GET" ? options.timeoutSeconds.read : options.timeoutSeconds.write;
    counts[request.method] = (counts[request.method] ?? 0) + 1;
    const { status, headers, text, failure } = await exchange(
      way,
      {
        origin: base.origin,
        method: request.method,
        path: base.pathname.replace(/\/$/, "") + options.brand.path(request.path),
        headers: sent,
        body: request.body ? JSON.stringify(options.brand.outward(request.body)) : null,
      },
      { silence: seconds * 1000, whole: seconds * 1000 * SLOWEST, bytes: options.mostBytes ?? MOST_BYTES },
    ).catch((error: unknown) => {
      throw noAnswer(error, through);
    });
    const date = Date.parse(headers["date"] ?? "");
    if (!Number.isNaN(date)) skew = date - options.now();
    if (answers.hasSubscribers) {
      const { method, path } = request;
      const told: ToldAnswer = { method, path, status, headers };
      answers.publish(told);
    }
    // A status of refusal says all that matters, whatever became of its body.
    if (text === undefined && status < 300) throw noAnswer(failure, through);
    return { status, headers, json: options.brand.inward(parse(text)), empty: text === "" };
  };

  return {
    send,
    address,
    requests: () => ({ ...counts }),
    skew: () => skew,
    close: () => {
      closed = true;
      return options.ways.close();
    },
  };
}

function readBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new SettingError(
      "the base URL must look like https://api.example.com/v4: set PLUMBLINE_BASE_URL or plumbline:baseUrl",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new SettingError(
      "the base URL must hold no user name or password: the token goes to PLUMBLINE_TOKEN or plumbline:token",
    );
  }
  return url;
}

function parse(text: string | undefined): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return isTooDeep(json, MOST_LEVELS) ? undefined : json;
  } catch {
    return undefined;
  }
}

function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (left === 0) return true;
  for (const inner of Object.values(value)) if (isTooDeep(inner, left - 1)) return true;
  return false;
}

/** A header carries ASCII only; JSON can spell everything else with escapes. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function noAnswer(error: unknown, through: string): NoAnswer {
  if (error instanceof TooMuch) return new NoAnswer(true, `${error.message}${through}`, false, error);
  // The proxy said no before anything could reach the service.
  const refused = /^Proxy response \((\d+)\)/.exec(error instanceof Error ? error.message : "")?.[1];
  if (refused !== undefined)
    return new NoAnswer(
      false,
      `refused with ${refused}${through}`,
      refused.startsWith("4"),
      error,
      "PLB-PROXY",
    );
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const { code, syscall } = (inner ?? {}) as { code?: unknown; syscall?: unknown };
  const what = typeof code === "string" ? code : error instanceof Error ? error.name : "no answer";
  const certificate = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|HOSTNAME_)/.test(
    what,
  );
  const unsent = syscall === "connect" || syscall === "getaddrinfo" || what === "UND_ERR_CONNECT_TIMEOUT";
  return new NoAnswer(!(unsent || certificate), `${READABLE[what] ?? what}${through}`, certificate, error);
}

const READABLE: { readonly [code: string]: string } = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "host name cannot be looked up now",
  EPIPE: "connection closed",
  UND_ERR_SOCKET: "connection closed",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "the answer stopped halfway",
  UND_ERR_DESTROYED: "the client is closed",
  UND_ERR_CLOSED: "the client is closed",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was cut off",
};
