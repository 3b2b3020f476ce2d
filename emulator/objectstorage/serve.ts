/** Stores, serves and deletes objects beside the API, to whoever holds a pre-signed URL or is let in by an access list. */

import { createHash } from "node:crypto";
import type { SideAnswer, SideRequest, World } from "../area.ts";
import { anyoneMay, corsMethods, keysMayRead } from "./acl.ts";
import { nameProblem } from "./names.ts";
import { readObjectPath, type SignedRequest, serviceSigner, signatureOf } from "./signature.ts";
import {
  type AccessKey,
  accessKeys,
  type Bucket,
  findBucket,
  findObject,
  objects,
  type StoredObject,
} from "./stored.ts";

/** Bytes that went out, among the account's own values. */
const transferred = "_objectStorageTransfer";

export function transferUsed(world: World): number {
  return Number(world.account[transferred] ?? 0);
}

class Denied extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "Denied";
    this.status = status;
    this.code = code;
  }
}

const accessDenied = (message: string) => new Denied(403, "AccessDenied", message);

/** The signature's claim of the query, or nothing when there is none. */
function readSignature(query: URLSearchParams) {
  const [signature, expires, id] = ["Signature", "Expires", "AWSAccessKeyId"].map((name) => query.get(name));
  if (signature === null && expires === null && id === null) return undefined;
  if (!signature || !expires || !id)
    throw accessDenied("A signed request needs Signature, Expires and AWSAccessKeyId");
  if (!/^\d+$/.test(expires)) throw accessDenied("Expires must be a number of seconds");
  return { signature, expires, id };
}

/** The key whose secret signed the request; `service` for a URL of the API; nothing for an unsigned request. */
function signerOf(
  { world, method, query, headers }: SideRequest,
  bucket: Bucket,
  name: string,
): AccessKey | "service" | undefined {
  const claim = readSignature(query);
  if (!claim) return undefined;
  const service = serviceSigner(world);
  const key = accessKeys(world).by("access_key", claim.id)[0];
  const secret = claim.id === service.id ? service.secret : key?._secret;
  if (secret === undefined) throw new Denied(403, "InvalidAccessKeyId", "There is no such access key");
  const signed: SignedRequest = {
    method,
    cluster: bucket.cluster,
    bucket: bucket.label,
    name,
    contentType: headers["content-type"] ?? "",
    contentMd5: headers["content-md5"] ?? "",
    expires: claim.expires,
    extra: Object.entries(headers)
      .filter(([header]) => header.startsWith("x-amz-"))
      .map(([header, value]) => `${header}:${value ?? ""}`)
      .sort(),
  };
  if (signatureOf(secret, signed) !== claim.signature)
    throw new Denied(
      403,
      "SignatureDoesNotMatch",
      "The signature is for another method, object, content type or time of expiry",
    );
  if (Number(claim.expires) * 1000 < world.clock.now().getTime()) throw accessDenied("Request has expired");
  return key ?? "service";
}

/** Refuses what neither the signer nor an access list allows. */
function admit(request: SideRequest, bucket: Bucket, name: string, object: StoredObject | undefined): void {
  const reading = request.method === "GET" || request.method === "HEAD";
  const signer = signerOf(request, bucket, name);
  if (signer === "service") return;
  if (signer) {
    if (signer.bucket_access === null) return;
    const given = signer.bucket_access.filter(
      (access) => access.cluster === bucket.cluster && access.bucket_name === bucket.label,
    );
    if (given.some(({ permissions }) => reading || permissions === "read_write")) return;
    if (reading && object && keysMayRead(object.acl)) return;
  }
  if (reading && object && anyoneMay(object.acl, "READ")) return;
  // Who may list the bucket may know that an object does not exist.
  if (reading && !object && anyoneMay(bucket.acl, "READ")) return;
  if (!reading && anyoneMay(bucket.acl, "WRITE")) return;
  throw accessDenied("Access denied");
}

function put({ world, headers, body }: SideRequest, bucket: Bucket, name: string, old?: StoredObject) {
  const digest = createHash("md5").update(body).digest();
  const claimed = headers["content-md5"];
  if (claimed !== undefined && claimed !== digest.toString("base64"))
    throw new Denied(400, "BadDigest", "Content-MD5 is not that of the body");
  const etag = digest.toString("hex");
  if (old) objects(world).delete(old.id);
  // What overwrites an object is private again, as any new one.
  objects(world).insert({
    bucket_id: bucket.id,
    name,
    size: body.length,
    etag,
    last_modified: world.clock.now().toISOString(),
    content_type: headers["content-type"] ?? "application/octet-stream",
    acl: "private",
    _content: body.toString("base64"),
  });
  return { status: 200, headers: { ETag: `"${etag}"` }, body: "" };
}

function get({ world, method }: SideRequest, object: StoredObject): SideAnswer {
  const body = Buffer.from(object._content, "base64");
  if (method === "GET") world.account[transferred] = transferUsed(world) + body.length;
  return {
    status: 200,
    headers: {
      "Content-Type": object.content_type,
      ETag: `"${object.etag}"`,
      "Last-Modified": new Date(object.last_modified).toUTCString(),
    },
    body,
  };
}

function act(request: SideRequest, bucket: Bucket, name: string): SideAnswer {
  const { world, method } = request;
  if (!["GET", "HEAD", "PUT", "DELETE"].includes(method))
    throw new Denied(405, "MethodNotAllowed", `An object does not take ${method}`);
  if (name === "") throw new Denied(405, "MethodNotAllowed", "Only objects are served here, not buckets");
  const object = findObject(world, bucket, name);
  admit(request, bucket, name, object);
  if (method === "DELETE") {
    if (object) objects(world).delete(object.id);
    return { status: 204, headers: {}, body: "" };
  }
  if (method === "PUT") {
    const problem = nameProblem(name);
    if (problem) throw new Denied(400, "InvalidArgument", problem);
    return put(request, bucket, name, object);
  }
  if (!object) throw new Denied(404, "NoSuchKey", "There is no such object");
  return get(request, object);
}

/** What a browser asks before it sends a request of another origin. */
function preflight(bucket: Bucket): SideAnswer {
  if (!bucket.cors_enabled) throw accessDenied("The bucket does not take requests of other origins");
  const headers = {
    "Access-Control-Allow-Methods": corsMethods.join(", "),
    "Access-Control-Allow-Headers": "*",
  };
  return { status: 200, headers, body: "" };
}

/** Answers a request for one object, errors in the XML of storage. */
export function serveObject(request: SideRequest): SideAnswer {
  const { world, method, path } = request;
  let headers: { [name: string]: string } = { Date: world.clock.now().toUTCString() };
  try {
    const named = readObjectPath(path);
    const bucket = named && findBucket(world, named.cluster, named.bucket);
    if (!bucket) throw new Denied(404, "NoSuchBucket", "There is no such bucket");
    if (bucket.cors_enabled)
      headers = { ...headers, "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag" };
    const answer = method === "OPTIONS" ? preflight(bucket) : act(request, bucket, named.name);
    return { ...answer, headers: { "Content-Type": "application/xml", ...headers, ...answer.headers } };
  } catch (error) {
    if (!(error instanceof Denied)) throw error;
    return {
      status: error.status,
      headers: { ...headers, "Content-Type": "application/xml" },
      body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${error.code}</Code><Message>${error.message}</Message></Error>`,
    };
  }
}
