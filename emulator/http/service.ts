/** Answers one request to the service: admits, checks, calls the area's handler and finishes its answer. Knows no sockets. */

import type { IncomingHttpHeaders } from "node:http";
import type { Account } from "../account/account.ts";
import { type Area, type Call, type Handler, notFound, type Reason, Refusal } from "../area.ts";
import { type Operation, operations } from "../contract/contract.ts";
import { checkBody, checkQuery } from "../contract/validate.ts";
import { answerMismatch } from "./answer-check.ts";
import { asciiJson } from "./ascii.ts";
import { admit, bearer, callerOf, type Identity, identify } from "./auth.ts";
import type { Brand } from "./brand.ts";
import { readFilter } from "./filter.ts";
import { type Headers, headersOf } from "./headers.ts";
import { cut, readPage } from "./page.ts";
import type { RateLimit, RateVerdict } from "./rate-limit.ts";
import type { Route } from "./router.ts";
import { idsIn, idsNamed } from "./told.ts";

export interface ServiceRequest {
  readonly method: string;
  /** Absent when no path of the contract matches. */
  readonly route: Route | undefined;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer | undefined;
  readonly remoteAddress: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty when the status has none; bytes are told by what is served beside the API alone. */
  readonly body: string | Buffer;
}

/** An answer of the service itself. */
export interface ServiceAnswer extends Answer {
  readonly body: string;
}

export interface ServiceOptions {
  readonly account: Account;
  readonly areas: readonly Area[];
  readonly brand: Brand;
  readonly rateLimit: RateLimit;
  /** True when answers carry the service's CORS headers. */
  readonly cors: boolean;
  /** True when any token is the owner's. */
  readonly open: boolean;
  readonly checkAnswers: boolean;
  readonly mismatch: (text: string) => void;
  readonly changed: () => void;
  readonly log: (line: string) => void;
}

/** What is known of the request so far, for the headers of whatever answer it gets. */
interface Progress {
  operation: Operation | undefined;
  identity: Identity | undefined;
  rate: RateVerdict | undefined;
  readonly extra: Headers;
}

/** Puts the areas behind one function. Throws when an area answers an operation that the contract does not have. */
export function createService(options: ServiceOptions): (request: ServiceRequest) => Promise<ServiceAnswer> {
  const { account, brand } = options;
  const handlers = collectHandlers(options.areas);
  const judges = new Map(options.areas.flatMap((area) => Object.entries(area.judges ?? {})));

  async function perform(
    request: ServiceRequest,
    progress: Progress,
  ): Promise<{ status: number; body: string }> {
    const method = request.method === "HEAD" ? "GET" : request.method;
    const operation = request.route?.operations.get(method);
    progress.operation = operation;
    progress.rate = options.rateLimit.count(
      bearer(request.headers.authorization) ?? request.remoteAddress,
      operation ?? { key: "no operation", list: false, rateClass: undefined },
    );
    if (progress.rate.refused) throw new Refusal(429, [{ reason: "Too many requests" }]);
    if (!request.route) return notFound();
    const allowed = [...request.route.operations.keys(), "OPTIONS"].join(", ");
    if (method === "OPTIONS" || !operation) progress.extra["Allow"] = allowed;
    if (method === "OPTIONS") return { status: 200, body: "{}" };
    if (!operation) throw new Refusal(405, [{ reason: `Method not allowed: this path takes ${allowed}` }]);

    const system = account.worldOf(null);
    progress.identity = identify(system, request.headers.authorization, options.open);
    admit(operation, progress.identity);
    const handler = handlers.get(operation.key);
    if (!handler)
      throw new Refusal(501, [{ reason: `${operation.area} is not emulated yet: ${operation.key}` }]);

    const params = pathParameters(operation, request.route, brand);
    const query = new URLSearchParams(request.query);
    const reasons: Reason[] = [];
    const listing = operation.list ? readListing(operation, query, request, brand, reasons) : undefined;
    const others = checkQuery(
      operation.query.filter(({ name }) => !listing || (name !== "page" && name !== "page_size")),
      query,
    );
    const sent = operation.method === "GET" ? {} : readBody(operation, request.body, brand);
    const checked = operation.body ? checkBody(operation.body, sent) : { body: {}, reasons: [] };
    reasons.push(...others, ...checked.reasons);

    const call: Call = {
      world: account.worldOf(progress.identity?.user.username ?? null),
      caller: callerOf(system, progress.identity),
      params,
      id: (name) => integer(params[name]),
      query,
      body: checked.body,
      sent: new Set(Object.keys(sent)),
      remoteAddress: request.remoteAddress,
      origin: `http://${request.headers.host ?? "localhost"}`,
    };
    if (reasons.length > 0) throw new Refusal(400, withJudged(reasons, call, judges.get(operation.key)));
    const result = await handler(call);
    if (operation.method !== "GET") options.changed();
    if (result === undefined && operation.noContent) return { status: 204, body: "" };
    const told = visible(listing ? listing(result) : (result ?? {}));
    if (request.method === "GET") account.jobs.release(() => idsIn(told));
    const mismatch = options.checkAnswers ? answerMismatch(operation, told) : undefined;
    if (mismatch !== undefined) {
      options.mismatch(mismatch);
      throw new Refusal(500, [{ reason: `The emulator's answer differs from the contract: ${mismatch}` }]);
    }
    return { status: 200, body: asciiJson(brand.swapBody(operation.answer, told)) };
  }

  return async (request) => {
    const progress: Progress = { operation: undefined, identity: undefined, rate: undefined, extra: {} };
    let answer: { status: number; body: string };
    try {
      if (request.method !== "GET" && request.method !== "HEAD")
        account.jobs.release(() => idsNamed(request));
      account.jobs.runDue();
      answer = await perform(request, progress);
    } catch (error) {
      if (request.method !== "GET") options.changed();
      answer = refusal(error, brand, `${request.method} ${request.route?.template}`, options.log);
    }
    return {
      ...answer,
      headers: {
        ...headersOf({
          method: request.method,
          cors: options.cors,
          now: account.clock.now(),
          customer: String(account.worldOf(null).account["euuid"] ?? ""),
          scopes: progress.identity && brand.swap(progress.identity.scopes),
          accepted: (progress.operation?.scopes ?? []).map(brand.swap),
          rate: progress.rate,
        }),
        ...progress.extra,
      },
    };
  };
}

/** The part of a body that a reason is about: a field, or a field of one element of a list. */
function partOf(field: string | undefined): string {
  return /^[^.[]*(?:\[\d+\]\.[^.[]*)?/.exec(field ?? "")![0];
}

/** The schema's reasons, and what the area's judge says of the other parts. */
function withJudged(
  reasons: readonly Reason[],
  call: Call,
  judge: ((call: Call) => readonly Reason[]) | undefined,
): readonly Reason[] {
  if (!judge) return reasons;
  const told = new Set(reasons.map(({ field }) => partOf(field)));
  const keep = (fields: object, place: string) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !told.has(`${place}${name}`)));
  const body = Object.entries(keep(call.body, "")).map(([name, value]) => {
    const list = Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
    return [name, list ? value.map((one, at) => keep(one, `${name}[${at}].`)) : value];
  });
  const more = judge({ ...call, body: Object.fromEntries(body) });
  return [...reasons, ...more.filter(({ field }) => !told.has(partOf(field)))];
}

function collectHandlers(areas: readonly Area[]): Map<string, Handler> {
  const known = new Set(operations.map(({ key }) => key));
  const handlers = new Map<string, Handler>();
  for (const area of areas)
    for (const [key, handler] of Object.entries(area.handlers)) {
      if (!known.has(key))
        throw new Error(`area ${area.name} answers ${key}, which the contract does not have`);
      if (handlers.has(key))
        throw new Error(`area ${area.name} answers ${key}, which another area answers too`);
      handlers.set(key, handler);
    }
  return handlers;
}

/** An integer parameter that is none is an unknown object: 404 (contract section 4). */
function pathParameters(operation: Operation, route: Route, brand: Brand): { [name: string]: string } {
  const params: { [name: string]: string } = {};
  const names = operation.template.match(/(?<=\{)[^}]+(?=\})/g) ?? [];
  names.forEach((name, at) => {
    const described = operation.path.find((parameter) => parameter.name === name);
    const value = route.values[at]!;
    if (described?.integer) integer(value);
    params[name] = described && described.shape.brand !== "no" ? brand.swap(value) : value;
  });
  return params;
}

function integer(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : notFound();
}

/** What is read, or nothing and the reasons why it is refused with 400. */
function gather<T>(reasons: Reason[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 400) throw error;
    reasons.push(...error.reasons);
    return undefined;
  }
}

/** Reads filter and page of a list, and returns what makes the envelope from all its items; problems of both go into `reasons`. */
function readListing(
  operation: Operation,
  query: URLSearchParams,
  request: ServiceRequest,
  brand: Brand,
  reasons: Reason[],
): (result: unknown) => unknown {
  const page = gather(reasons, () => readPage(query));
  const header = request.headers["x-filter"];
  const text = Array.isArray(header) ? header[0] : header;
  // Node reads header bytes as Latin-1; clients send UTF-8.
  const filter = text
    ? gather(reasons, () =>
        readFilter(Buffer.from(text, "latin1").toString("utf8"), operation.filterable, brand),
      )
    : undefined;
  return (result) => {
    if (!Array.isArray(result)) throw new Error(`${operation.key} must return an array, being a list`);
    if (!page) throw new Error(`${operation.key} must not be answered without a page`);
    let items: unknown[] = result;
    if (filter) {
      items = items.filter(filter.matches);
      if (filter.compare) items.sort(filter.compare);
    }
    return cut(items, page);
  };
}

function readBody(operation: Operation, body: Buffer | undefined, brand: Brand): { [name: string]: unknown } {
  const text = body?.toString("utf8").trim() ?? "";
  if (text === "") return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Refusal(400, [{ reason: "The request body is not valid JSON" }]);
  }
  if (parsed === null) return {};
  if (typeof parsed !== "object" || Array.isArray(parsed))
    throw new Refusal(400, [{ reason: "The request body must be a JSON object" }]);
  return brand.swapBody(operation.body, parsed) as { [name: string]: unknown };
}

/** A copy without the emulator's own fields (`_…`). */
function visible(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== "object" || value === null) return value;
  const told: { [name: string]: unknown } = {};
  for (const [name, content] of Object.entries(value))
    if (!name.startsWith("_") && content !== undefined) told[name] = visible(content);
  return told;
}

function refusal(error: unknown, brand: Brand, what: string, log: (line: string) => void) {
  if (error instanceof Refusal)
    return { status: error.status, body: asciiJson({ errors: error.reasons.map(brand.reason) }) };
  log(`${what} failed: ${(error as Error).stack ?? String(error)}`);
  const reason = `The emulator failed: ${(error as Error).message ?? String(error)}`;
  return { status: 500, body: asciiJson({ errors: [{ reason }] }) };
}
