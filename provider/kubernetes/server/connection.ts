/** Requests to an API server as whom a kubeconfig, or the pod, says. Knows no kind. */

import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { pause } from "../../machine/pause.ts";

/** An object of JSON. */
export interface Json {
  readonly [name: string]: unknown;
}

/** The API server refused; `status` is HTTP's, `reason` its own word (`AlreadyExists`). */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: number;
  readonly reason: string;
  constructor(message: string, status: number, reason: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof StatusError && error.status === status;

export interface Question {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: { readonly [name: string]: string | number | undefined };
  readonly body?: object;
  /** Of the body; default `application/json`. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds without a byte after which the answer counts as lost. Default 30,000. */
  readonly silence?: number;
}

export interface Connection {
  /** Where the context of the kubeconfig, or the pod, is. */
  readonly namespace: string;
  /** Rejects with StatusError for a refusal. What the server was too busy for is asked again. */
  readonly ask: (question: Question) => Promise<Json>;
  /** The lines of an answer as they come. */
  readonly lines: (question: Question) => AsyncIterable<string>;
  readonly close: () => Promise<void>;
}

/** Seconds for which credentials are used before the kubeconfig is asked for them again: tokens of pods move. */
const CREDENTIAL_SECONDS = 60;
const MOST_TRIES = 5;

interface Credentials {
  readonly headers: { readonly [name: string]: string };
  readonly dispatcher: Dispatcher;
  readonly until: number;
}

/** Makes no request yet. `namespace`: where this process is, where that is known otherwise. Throws where the kubeconfig names no cluster. */
export function connect(config: KubeConfig, namespace?: string): Connection {
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error("the kubeconfig has no current cluster: set its current-context");
  const { server, proxyUrl } = cluster;
  const context = config.getContextObject(config.getCurrentContext());
  const dispatchers = new Map<string, Dispatcher>();
  const opened = new Set<Dispatcher>();
  let credentials: Promise<Credentials> | undefined;

  async function renewed(): Promise<Credentials> {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = options;
    const tls = { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername };
    const given = Object.fromEntries(Object.entries(tls).filter(([, value]) => value != null));
    // A certificate that was renewed needs connections of its own.
    const name = JSON.stringify(given);
    const dispatcher = dispatchers.get(name) ?? dispatcherFor(given, proxyUrl);
    dispatchers.set(name, dispatcher);
    opened.add(dispatcher);
    const headers = { ...(options.headers as { readonly [name: string]: string } | undefined) };
    if (options.auth) headers["Authorization"] = `Basic ${Buffer.from(options.auth).toString("base64")}`;
    return { headers, dispatcher, until: performance.now() + CREDENTIAL_SECONDS * 1000 };
  }

  async function current(isRefused: boolean): Promise<Credentials> {
    const known = isRefused ? undefined : await credentials;
    if (known && performance.now() < known.until) return known;
    const asked = renewed();
    credentials = asked;
    asked.catch(() => {
      if (credentials === asked) credentials = undefined;
    });
    return asked;
  }

  async function send(question: Question, isRefused = false): Promise<Dispatcher.ResponseData> {
    const { method, path, query = {}, body, contentType, accept, signal, silence = 30_000 } = question;
    const { headers, dispatcher } = await current(isRefused);
    const url = new URL(server.replace(/\/+$/, "") + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return dispatcher.request({
      ...{ method, origin: url.origin, path: url.pathname + url.search },
      ...{ headersTimeout: 30_000, bodyTimeout: silence, signal: signal ?? null },
      headers: {
        ...headers,
        accept: accept ?? "application/json",
        "user-agent": "plumbline-controller",
        ...(body && { "content-type": contentType ?? "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** Where one connection fell silent the idle ones may be dead, too: nothing more is asked by them. */
  function noteSilence(error: unknown): void {
    const { code } = error as { readonly code?: string };
    if (code !== "UND_ERR_BODY_TIMEOUT" && code !== "UND_ERR_HEADERS_TIMEOUT") return;
    credentials = undefined;
    for (const [name, dispatcher] of dispatchers) {
      dispatchers.delete(name);
      // Where everything is closed meanwhile, so is this.
      dispatcher.close().then(
        () => opened.delete(dispatcher),
        () => {},
      );
    }
  }

  async function heard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      noteSilence(error);
      throw error;
    }
  }

  /** An answer of success. */
  async function answered(question: Question): Promise<Dispatcher.ResponseData> {
    for (let tries = 1; ; tries += 1) {
      const answer = await send(question, tries > 1);
      if (answer.statusCode < 300) return answer;
      const error = await refusal(question, answer);
      // It said that it did nothing. A token that has ended may have a successor.
      const mayPass = error.status === 429 || (error.status === 401 && tries === 1);
      if (!mayPass || tries === MOST_TRIES) throw error;
      if (error.status === 429) await pause(waitAsked(answer, tries), question.signal ?? never);
    }
  }

  return {
    namespace: namespace || context?.namespace || "default",
    ask: (question) => heard(async () => (await (await answered(question)).body.json()) as Json),
    async *lines(question) {
      try {
        yield* linesOf((await answered(question)).body);
      } catch (error) {
        noteSilence(error);
        throw error;
      }
    },
    async close() {
      await Promise.all([...opened].map((each) => each.destroy()));
    },
  };
}

async function* linesOf(body: Dispatcher.ResponseData["body"]): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
  if (rest.trim() !== "") yield rest;
}

const never = new AbortController().signal;

function dispatcherFor(tls: object, proxyUrl: string | undefined): Dispatcher {
  // Each watch holds a connection; there is no most.
  const keptAlive = { keepAliveTimeout: 60_000 };
  if (proxyUrl === undefined) return new Agent({ ...keptAlive, connect: { ...tls, timeout: 10_000 } });
  if (!/^https?:/.test(proxyUrl))
    throw new Error("the kubeconfig's proxy-url must be an http or https address");
  return new ProxyAgent({ ...keptAlive, uri: proxyUrl, requestTls: tls });
}

async function refusal(
  { method, path }: Question,
  { statusCode, body }: Dispatcher.ResponseData,
): Promise<StatusError> {
  const text = await body.text();
  const { message, reason = "" } = parsed(text) as { message?: string; reason?: string };
  return new StatusError(`${method} ${path}: ${statusCode} ${message ?? reason}`, statusCode, reason);
}

/** Whatever stands between may answer without JSON. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

/** Milliseconds. */
function waitAsked({ headers }: Dispatcher.ResponseData, tries: number): number {
  const seconds = Number(headers["retry-after"] ?? 1);
  const whole = Number.isFinite(seconds) ? Math.min(seconds, 30) * 1000 : 1000;
  return whole * tries * (0.5 + Math.random());
}
