/** A small S3 client: signs as the published algorithm of version 4 says (and version 2), buckets in the path. Made without the emulator's own code. */

import { createHash, createHmac } from "node:crypto";
import { ask, type Told } from "../../client.ts";

export interface Pair {
  readonly access_key: string;
  readonly secret_key: string;
}

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** All but unreserved characters percent-encoded, byte by byte. */
export const encode = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

export const stamp = (moment: Date) => moment.toISOString().replace(/[-:]|\.\d{3}/g, "");

export interface Signing {
  readonly method: string;
  /** Encoded. */
  readonly path: string;
  readonly query: { readonly [name: string]: string };
  /** Names in lower case; all are signed. */
  readonly headers: { readonly [name: string]: string };
  readonly payload: string;
  readonly date: string;
  readonly region?: string;
}

/** Scope, names of signed headers, signature and key of a request. */
export function signV4({ secret_key }: Pair, signing: Signing) {
  const { method, path, query, headers, payload, date, region = "us-east-1" } = signing;
  const names = Object.keys(headers).sort();
  const canonical = [
    method,
    path,
    Object.keys(query)
      .sort()
      .map((name) => `${encode(name)}=${encode(query[name]!)}`)
      .join("&"),
    ...names.map((name) => `${name}:${headers[name]!.trim()}`),
    "",
    names.join(";"),
    payload,
  ].join("\n");
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  const key = scope
    .split("/")
    .reduce((at: string | Buffer, part) => hmac(at, part), `AWS4${secret_key}`) as Buffer;
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  return { scope, names: names.join(";"), signature: hmac(key, text).toString("hex"), key };
}

export interface S3Request {
  readonly query?: { readonly [name: string]: string };
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  /** In place of the body's hash. */
  readonly payload?: string;
  readonly at?: Date;
  /** What is changed after the signature was made. */
  readonly tamper?: (sent: { path: string; headers: { [name: string]: string } }) => void;
}

const queryText = (query: { readonly [name: string]: string }) =>
  Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join("&");

/** A client of one cluster, whose endpoint has a path of its own. */
export function s3Client(port: number, pair: Pair, cluster = "us-east-1") {
  const host = `127.0.0.1:${port}`;
  const pathOf = (bucket: string, name?: string) =>
    [
      "/_objects",
      cluster,
      ...(bucket === "" ? [] : [bucket]),
      ...(name === undefined ? [] : name.split("/").map(encode)),
    ].join("/");
  return {
    pathOf,
    /** Signed in the `Authorization` header. */
    send(method: string, bucket: string, name?: string, request: S3Request = {}): Promise<Told> {
      const { query = {}, body = "", at = new Date(), payload = sha256(body) } = request;
      const path = pathOf(bucket, name);
      const date = stamp(at);
      const headers = { host, "x-amz-date": date, "x-amz-content-sha256": payload, ...request.headers };
      const { scope, names, signature } = signV4(pair, { method, path, query, headers, payload, date });
      const authorization = `AWS4-HMAC-SHA256 Credential=${pair.access_key}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
      const sent = { path: `${path}?${queryText(query)}`, headers: { ...headers, authorization } };
      request.tamper?.(sent);
      return ask(port, method, sent.path, { token: null, raw: body, headers: sent.headers });
    },
    /** An address that is good for so many seconds. */
    presign(method: string, bucket: string, name: string, seconds = 600, at = new Date()): string {
      const date = stamp(at);
      const path = pathOf(bucket, name);
      const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
      const query = {
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": `${pair.access_key}/${scope}`,
        "X-Amz-Date": date,
        "X-Amz-Expires": String(seconds),
        "X-Amz-SignedHeaders": "host",
      };
      const signing = { method, path, query, headers: { host }, payload: "UNSIGNED-PAYLOAD", date };
      const { signature } = signV4(pair, signing);
      return `http://${host}${path}?${queryText({ ...query, "X-Amz-Signature": signature })}`;
    },
    /** Version 2, of the path as it is sent from the bucket on: in the query with `expires`, else in the header. */
    sendV2(method: string, bucket: string, name: string, expires?: number): Promise<Told> {
      const path = pathOf(bucket, name);
      const resource = path.slice(`/_objects/${cluster}`.length);
      const date = expires === undefined ? new Date().toUTCString() : String(expires);
      const signature = createHmac("sha1", pair.secret_key)
        .update([method, "", "", date, resource].join("\n"))
        .digest("base64");
      if (expires === undefined) {
        const headers = { date, authorization: `AWS ${pair.access_key}:${signature}` };
        return ask(port, method, path, { token: null, headers });
      }
      const query = queryText({ AWSAccessKeyId: pair.access_key, Expires: date, Signature: signature });
      return ask(port, method, `${path}?${query}`, { token: null });
    },
  };
}

/** A body in chunks that are signed one by one, with the headers that go with it. */
export function signedChunks(pair: Pair, signing: Omit<Signing, "payload">, pieces: readonly string[]) {
  const payload = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
  const { scope, signature, key, names } = signV4(pair, { ...signing, payload });
  let before = signature;
  const body = [...pieces, ""].map((piece) => {
    const text = ["AWS4-HMAC-SHA256-PAYLOAD", signing.date, scope, before, sha256(""), sha256(piece)].join(
      "\n",
    );
    before = hmac(key, text).toString("hex");
    return `${Buffer.byteLength(piece).toString(16)};chunk-signature=${before}\r\n${piece}\r\n`;
  });
  const authorization = `AWS4-HMAC-SHA256 Credential=${pair.access_key}/${scope},SignedHeaders=${names},Signature=${signature}`;
  return { body: body.join(""), authorization };
}
