/** Signatures of version 4 (`AWS4-HMAC-SHA256`), in a header or in the query: how they are read and computed. It knows no keys and no permissions. */

import { createHash, createHmac } from "node:crypto";
import type { SideRequest } from "../../area.ts";
import { accessDenied, Denied } from "./denied.ts";

export const algorithm = "AWS4-HMAC-SHA256";
export const unsignedPayload = "UNSIGNED-PAYLOAD";

/** What a request says of its signature. */
export interface ClaimV4 {
  readonly id: string;
  /** `20240401/us-east-1/s3/aws4_request`. */
  readonly scope: string;
  /** `20240401T100000Z`. */
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Seconds for which an address is good; absent for a signature in a header. */
  readonly expires?: number;
}

const hash = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

const emptyHash = hash("");

/** Every character but the unreserved ones as its bytes, in capitals. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const malformed = (message: string) => new Denied(400, "AuthorizationHeaderMalformed", message);

function readCredential(credential: string): { id: string; scope: string } {
  const [id = "", day = "", region = "", service = "", end = "", ...more] = credential.split("/");
  if (
    id === "" ||
    !/^\d{8}$/.test(day) ||
    region === "" ||
    service !== "s3" ||
    end !== "aws4_request" ||
    more.length > 0
  )
    throw malformed("The credential must be <access key>/<yyyymmdd>/<region>/s3/aws4_request");
  return { id, scope: [day, region, service, end].join("/") };
}

/** The claim of an `Authorization` header or of a query, or nothing when there is none of this version. */
export function readClaimV4({ headers, query }: SideRequest): ClaimV4 | undefined {
  const header = headers["authorization"];
  if (header?.startsWith(algorithm)) {
    const parts = new Map(
      header
        .slice(algorithm.length)
        .split(",")
        .map((part) => part.trim())
        .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
    );
    const [credential, signed, signature] = ["Credential", "SignedHeaders", "Signature"].map((name) =>
      parts.get(name),
    );
    if (!credential || !signed || !signature)
      throw malformed("Authorization needs Credential, SignedHeaders and Signature");
    const date = headers["x-amz-date"];
    if (!date) throw accessDenied("A signed request needs x-amz-date");
    return { ...readCredential(credential), date, signedHeaders: signed.split(";"), signature };
  }
  if (query.get("X-Amz-Algorithm") !== algorithm) return undefined;
  const [credential, date, expires, signed, signature] = [
    "X-Amz-Credential",
    "X-Amz-Date",
    "X-Amz-Expires",
    "X-Amz-SignedHeaders",
    "X-Amz-Signature",
  ].map((name) => query.get(name));
  if (!credential || !date || !expires || !signed || !signature)
    throw new Denied(
      400,
      "AuthorizationQueryParametersError",
      "A signed address needs all its X-Amz parameters",
    );
  if (!/^\d+$/.test(expires) || Number(expires) > 604_800)
    throw new Denied(400, "AuthorizationQueryParametersError", "X-Amz-Expires must be 0 to 604800 seconds");
  const signedHeaders = signed.split(";");
  return { ...readCredential(credential), date, signedHeaders, signature, expires: Number(expires) };
}

/** The moment of `20240401T100000Z`. */
export function momentOf(date: string): Date {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const moment = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(moment.getTime())) throw accessDenied("The date must be yyyymmddThhmmssZ");
  return moment;
}

function canonicalRequest(request: SideRequest, claim: ClaimV4, payload: string): string {
  const path = request.path
    .split("/")
    .map((part) => encode(decodeURIComponent(part)))
    .join("/");
  const query = [...request.query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, left], [b, right]) => (a < b ? -1 : a > b ? 1 : left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  const headers = claim.signedHeaders.map(
    (name) => `${name}:${(request.headers[name] ?? "").trim().replace(/ +/g, " ")}\n`,
  );
  return [request.method, path, query, headers.join(""), claim.signedHeaders.join(";"), payload].join("\n");
}

/** The key that signs in one scope. */
export function signingKey(secret: string, scope: string): Buffer {
  return scope.split("/").reduce((key: string | Buffer, part) => hmac(key, part), `AWS4${secret}`) as Buffer;
}

/** The signature that the request must have, as hex digits; `payload` is the hash of its body or what stands for it. */
export function signatureV4(secret: string, request: SideRequest, claim: ClaimV4, payload: string): string {
  const text = [algorithm, claim.date, claim.scope, hash(canonicalRequest(request, claim, payload))].join(
    "\n",
  );
  return hmac(signingKey(secret, claim.scope), text).toString("hex");
}

/** The signature of one chunk of a body that is signed piece by piece; `before` is the signature of the one before. */
export function chunkSignature(key: Buffer, claim: ClaimV4, before: string, chunk: Buffer): string {
  const text = [`${algorithm}-PAYLOAD`, claim.date, claim.scope, before, emptyHash, hash(chunk)].join("\n");
  return hmac(key, text).toString("hex");
}
