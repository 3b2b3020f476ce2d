/** The few requests that a state needs of an S3 store, signed, with conditions, tried again while the store is busy. Knows no state. */

import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Dispatcher } from "undici";
import { EngineError, messageOf } from "../../../failure.ts";
import type { S3Address } from "../address.ts";
import { credentialsOf } from "./credentials.ts";
import { type Answer, type Fault, faultOf, stateError } from "./fault.ts";

export interface StoredObject {
  readonly text: string;
  readonly etag: string;
  /** Seconds since it was written, by the store's own clock; undefined: the store does not say. */
  readonly age: number | undefined;
}

export interface ListedObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

/** What must hold for a write; else it does not happen. */
export type Condition = { readonly absent: true } | { readonly etag: string };

export interface Bucket {
  /** `s3://bucket/prefix`. */
  readonly place: string;
  readonly get: (key: string, how?: Effort) => Promise<StoredObject | undefined>;
  /** Resolves to the new ETag; undefined: the condition did not hold. */
  readonly put: (
    key: string,
    text: string,
    condition?: Condition,
    how?: Effort,
  ) => Promise<string | undefined>;
  /** Nothing happens for what is not there. */
  readonly remove: (key: string) => Promise<void>;
  /** Objects whose keys begin with the prefix, by key in order. */
  readonly list: (prefix: string) => Promise<readonly ListedObject[]>;
  /** What keys that begin with the prefix go on with up to the next `/`, each once, in order. */
  readonly folders: (prefix: string) => Promise<readonly string[]>;
}

/** How long to go on; default: a minute of attempts. */
export interface Effort {
  readonly signal?: AbortSignal | undefined;
  /** True: one attempt alone. */
  readonly once?: true;
}

interface Asked {
  readonly method: "GET" | "PUT" | "DELETE";
  readonly key: string;
  readonly query?: { readonly [name: string]: string };
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** Seconds of attempts, the same before the first answer, and of one of them. */
const [patience, firstPatience, onePatience] = [60, 5, 30];

/** Opens no connection yet. Keys are relative to the address's prefix. */
export function openBucket(address: S3Address, dispatcher: () => Dispatcher): Bucket {
  const place = `s3://${[address.bucket, address.prefix].filter(Boolean).join("/")}`;
  const credentials = credentialsOf(address);
  const signer = new SignatureV4({
    service: "s3",
    region: address.region,
    sha256: Sha256,
    uriEscapePath: false,
    credentials,
  });
  const base = baseOf(address);
  const prefix = address.prefix === "" ? "" : `${address.prefix}/`;
  /** Milliseconds by which the store's clock is ahead of this one; signatures must be near it. */
  let ahead = 0;
  let hasAnswered = false;

  async function attempt({ method, key, query = {}, headers = {}, body }: Asked, signal: AbortSignal) {
    const path = key === "" ? base.path || "/" : `${base.path}/${escaped(prefix + key)}`;
    const { hostname, port, protocol } = base.url;
    const host = base.url.host;
    const own = { method, protocol, hostname, path, ...(port === "" ? {} : { port: Number(port) }) };
    const plain = { ...own, query, headers: { host, ...headers }, ...(body === undefined ? {} : { body }) };
    const signed = await signer.sign(plain, { signingDate: new Date(Date.now() + ahead) });
    const search = new URLSearchParams(query).toString().replaceAll("+", "%20");
    const answer = await dispatcher().request({
      method,
      origin: base.url.origin,
      path: search === "" ? path : `${path}?${search}`,
      headers: signed.headers,
      ...(body === undefined ? {} : { body }),
      signal,
      headersTimeout: onePatience * 1000,
      bodyTimeout: onePatience * 1000,
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  const isOver = (begun: number, wait: number): boolean =>
    performance.now() - begun + wait > (hasAnswered ? patience : firstPatience) * 1000;

  /** One answer that says something; what may pass is tried again. `repeated`: an earlier attempt may have been done. */
  async function ask(asked: Asked, { signal, once }: Effort = {}): Promise<Answer & { repeated: boolean }> {
    const begun = performance.now();
    for (let tries = 0; ; tries += 1) {
      const limit = AbortSignal.timeout(onePatience * 1000);
      let fault: Fault;
      try {
        const answer = await attempt(asked, signal ? AbortSignal.any([signal, limit]) : limit);
        hasAnswered = true;
        const found = faultOf(answer);
        if (found === undefined) return { ...answer, repeated: tries > 0 };
        fault = found;
        if (fault.code === "RequestTimeTooSkewed" && tries === 0) ahead = clockAhead(answer);
      } catch (cause) {
        if (cause instanceof EngineError) throw cause;
        fault = { code: "", message: messageOf(cause), passes: isOfNetwork(cause), cause };
      }
      signal?.throwIfAborted();
      const wait = Math.min(5000, 100 * 2 ** tries) * (0.5 + Math.random() / 2);
      if (!fault.passes || once || isOver(begun, wait))
        throw stateError(`${place}${asked.key === "" ? "" : `/${asked.key}`}`, fault);
      await sleep(wait, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    }
  }

  async function* pagesOf(within: string, how: { readonly delimiter?: string } = {}) {
    for (let token: string | undefined = ""; token !== undefined; ) {
      const query = {
        ...{ "list-type": "2", prefix: prefix + within, ...how },
        ...(token === "" ? {} : { "continuation-token": token }),
      };
      const { text } = await ask({ method: "GET", key: "", query });
      yield text;
      token = textIn(text, "NextContinuationToken") || undefined;
    }
  }

  const bucket: Bucket = {
    place,
    async get(key, how) {
      const { status, headers, text } = await ask({ method: "GET", key }, how);
      if (status === 404) return undefined;
      return { text, etag: String(headers.etag), age: ageOf(headers) };
    },
    async put(key, text, condition, how) {
      const headers = {
        "content-type": "application/json",
        ...address.encryption,
        ...(condition && ("absent" in condition ? { "if-none-match": "*" } : { "if-match": condition.etag })),
      };
      const { status, repeated, headers: told } = await ask({ method: "PUT", key, headers, body: text }, how);
      if (status === 200) return String(told.etag);
      // The answer to an earlier attempt may be what was lost: then the object is there as it was to be.
      const found = repeated ? await bucket.get(key, how) : undefined;
      return found?.text === text ? found.etag : undefined;
    },
    async remove(key) {
      await ask({ method: "DELETE", key });
    },
    async list(within) {
      const found: ListedObject[] = [];
      for await (const page of pagesOf(within))
        for (const [, content = ""] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs))
          found.push({
            key: textIn(content, "Key").slice(prefix.length),
            size: Number(textIn(content, "Size")),
          });
      return found;
    },
    async folders(within) {
      const found: string[] = [];
      for await (const page of pagesOf(within, { delimiter: "/" }))
        for (const [, content = ""] of page.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs))
          found.push(textIn(content, "Prefix").slice(prefix.length + within.length, -1));
      return found;
    },
  };
  return bucket;
}

/** Where the bucket is: below the host, or as a part of its name. */
function baseOf({ endpoint, bucket, isPathStyle }: S3Address): { readonly url: URL; readonly path: string } {
  const url = new URL(endpoint);
  const above = url.pathname.replace(/\/+$/, "");
  if (isPathStyle) return { url, path: `${above}/${bucket}` };
  url.hostname = `${bucket}.${url.hostname}`;
  return { url, path: above };
}

/** Of the first element of that name; keys of ours have nothing that XML escapes. */
const textIn = (xml: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "";

const escaped = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

const timeOf = (header: string | string[] | undefined): number => Date.parse(String(header));

/** By the store's own clock alone. */
function ageOf(headers: Answer["headers"]): number | undefined {
  const seconds = (timeOf(headers.date) - timeOf(headers["last-modified"])) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

function clockAhead({ headers }: Answer): number {
  const ahead = timeOf(headers.date) - Date.now();
  return Number.isNaN(ahead) ? 0 : ahead;
}

/** Errors of connections have codes; those of credentials have not. */
const isOfNetwork = (error: unknown): boolean =>
  typeof (error as { code?: unknown }).code === "string" || (error as Error).name === "TimeoutError";

/** SHA-256 as the signer asks for it. */
class Sha256 {
  readonly #hash: Hash | Hmac;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash("sha256")
        : createHmac("sha256", secret as string | NodeJS.ArrayBufferView);
  }
  update(data: Uint8Array): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest());
  }
  reset(): void {
    throw new Error("a hash is made for each text");
  }
}
