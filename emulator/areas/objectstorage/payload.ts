/** The body of a request to storage: taken out of its chunks, and held against what the request says of it. It knows no objects. */

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { SideRequest } from "../../area.ts";
import { accessDenied, Denied } from "./denied.ts";
import { type ClaimV4, chunkSignature, signingKey, unsignedPayload } from "./signature-v4.ts";

const incomplete = () => new Denied(400, "IncompleteBody", "The body is not what its chunks and length say");

/** What a body in chunks holds, and the headers that follow it. Signatures of chunks are checked by `check`. */
function readChunks(
  body: Buffer,
  check: (chunk: Buffer, signature: string | undefined) => void,
): { content: Buffer; trailers: Map<string, string> } {
  const chunks: Buffer[] = [];
  let at = 0;
  const line = () => {
    const end = body.indexOf("\r\n", at);
    if (end < 0) throw incomplete();
    const text = body.toString("latin1", at, end);
    at = end + 2;
    return text;
  };
  for (;;) {
    const [, digits, signature] =
      /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line()) ?? [];
    if (digits === undefined) throw incomplete();
    const size = Number.parseInt(digits, 16);
    const chunk = body.subarray(at, at + size);
    if (chunk.length < size) throw incomplete();
    check(chunk, signature);
    if (size === 0) break;
    chunks.push(chunk);
    at += size;
    if (line() !== "") throw incomplete();
  }
  const trailers = new Map<string, string>();
  while (at < body.length) {
    const text = line();
    const colon = text.indexOf(":");
    if (colon > 0) trailers.set(text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim());
  }
  return { content: Buffer.concat(chunks), trailers };
}

const sums: { readonly [name: string]: (content: Buffer) => Buffer } = {
  "x-amz-checksum-crc32": (content) => {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(content));
    return sum;
  },
  "x-amz-checksum-sha1": (content) => createHash("sha1").update(content).digest(),
  "x-amz-checksum-sha256": (content) => createHash("sha256").update(content).digest(),
  "content-md5": (content) => createHash("md5").update(content).digest(),
};

/** Refuses a content that is not that of its checksums; those of other kinds than these four are not looked at. */
function checkSums(content: Buffer, told: (name: string) => string | undefined): void {
  for (const [name, sum] of Object.entries(sums)) {
    const claimed = told(name);
    if (claimed !== undefined && claimed !== sum(content).toString("base64"))
      throw new Denied(400, "BadDigest", `${name} is not that of the body`);
  }
}

/** The content that a request brings. `signed` is the claim that was found true, with its secret. */
export function readPayload(
  { headers, body }: SideRequest,
  signed: { claim: ClaimV4; secret: string } | undefined,
): Buffer {
  const declared = headers["x-amz-content-sha256"] ?? unsignedPayload;
  if (!declared.startsWith("STREAMING-")) {
    if (
      signed &&
      declared !== unsignedPayload &&
      declared !== createHash("sha256").update(body).digest("hex")
    )
      throw new Denied(400, "XAmzContentSHA256Mismatch", "x-amz-content-sha256 is not that of the body");
    checkSums(body, (name) => headers[name]);
    return body;
  }
  let before = signed?.claim.signature ?? "";
  const key = signed && signingKey(signed.secret, signed.claim.scope);
  const { content, trailers } = readChunks(body, (chunk, signature) => {
    if (!declared.startsWith("STREAMING-AWS4-HMAC-SHA256-PAYLOAD")) return;
    if (!signed || !key) throw accessDenied("A body in signed chunks needs a signed request");
    before = chunkSignature(key, signed.claim, before, chunk);
    if (signature !== before)
      throw new Denied(403, "SignatureDoesNotMatch", "The signature of a chunk is for another chunk");
  });
  const length = headers["x-amz-decoded-content-length"];
  if (length !== undefined && Number(length) !== content.length) throw incomplete();
  checkSums(content, (name) => trailers.get(name) ?? headers[name]);
  return content;
}
