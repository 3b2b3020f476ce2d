/** Stores, serves and deletes objects beside the API, to whoever holds a signed URL, signs with a key, or is let in by an access list. */

import { createHash } from "node:crypto";
import type { SideAnswer, SideRequest, World } from "../../area.ts";
import { aclXml, corsMethods } from "./acl.ts";
import { admitToControl, admitToObject } from "./admission.ts";
import { aclOf, answerBucket, createBucket, listBuckets } from "./bucket-requests.ts";
import { accessDenied, Denied, notImplemented } from "./denied.ts";
import { nameProblem } from "./names.ts";
import { type Place, readObjectPath } from "./signature.ts";
import { type Authenticated, authenticate } from "./signer.ts";
import { type Bucket, findBucket, findObject, objects, type StoredObject, storageOwner } from "./stored.ts";
import { errorDocument, xmlDocument } from "./xml.ts";

/** Bytes that went out, among the account's own values. */
const transferred = "_objectStorageTransfer";

export function transferUsed(world: World): number {
  return Number(world.account[transferred] ?? 0);
}

/** Headers that are kept with an object and told with it, beside the metadata of the user (`x-amz-meta-…`). */
const keptHeaders = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "expires",
];

function headersToKeep({ headers }: SideRequest): { [name: string]: string } {
  const kept: { [name: string]: string } = {};
  for (const [name, value = ""] of Object.entries(headers))
    if (name.startsWith("x-amz-meta-") || keptHeaders.includes(name)) kept[name] = value;
  // How the body came over the wire is not how it is kept.
  const encoding = kept["content-encoding"]?.replace(/^aws-chunked,?\s*/, "");
  delete kept["content-encoding"];
  return encoding ? { ...kept, "content-encoding": encoding } : kept;
}

function put(request: SideRequest, bucket: Bucket, name: string, content: Buffer, old?: StoredObject) {
  const { world, headers } = request;
  const etag = createHash("md5").update(content).digest("hex");
  // What overwrites an object is private again, as any new one, unless the request says otherwise.
  const acl = aclOf(request, "private");
  if (old) objects(world).delete(old.id);
  objects(world).insert({
    bucket_id: bucket.id,
    name,
    size: content.length,
    etag,
    last_modified: world.clock.now().toISOString(),
    content_type: headers["content-type"] ?? "application/octet-stream",
    acl,
    _content: content.toString("base64"),
    _headers: headersToKeep(request),
  });
  return { status: 200, headers: { ETag: `"${etag}"` }, body: "" };
}

/** The part of a content that a `Range` header asks for; nothing for the whole, or a header of another form. */
function rangeOf(header: string | undefined, size: number): { first: number; last: number } | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last) throw new Denied(416, "InvalidRange", "The object has no such bytes");
  return { first, last };
}

function get({ world, method, headers }: SideRequest, object: StoredObject): SideAnswer {
  const whole = Buffer.from(object._content, "base64");
  const range = rangeOf(headers["range"], whole.length);
  const body = range ? whole.subarray(range.first, range.last + 1) : whole;
  if (method === "GET") world.account[transferred] = transferUsed(world) + body.length;
  return {
    status: range ? 206 : 200,
    headers: {
      ...object._headers,
      "Content-Type": object.content_type,
      ETag: `"${object.etag}"`,
      "Last-Modified": new Date(object.last_modified).toUTCString(),
      "Accept-Ranges": "bytes",
      // A page among the objects would otherwise be one of the emulator's own to a browser, and reach its control.
      "Content-Security-Policy": "sandbox",
      "X-Content-Type-Options": "nosniff",
      ...(range && { "Content-Range": `bytes ${range.first}-${range.last}/${whole.length}` }),
    },
    body,
  };
}

function accessList(request: SideRequest, object: StoredObject): SideAnswer {
  const { world, method, headers } = request;
  if (method === "GET")
    return { status: 200, headers: {}, body: xmlDocument(aclXml(object.acl, storageOwner(world))) };
  if (headers["x-amz-acl"] === undefined) throw notImplemented("An access list that is not a canned one");
  objects(world).update(object.id, { acl: aclOf(request, object.acl) });
  return { status: 200, headers: {}, body: "" };
}

function answerObject(
  request: SideRequest,
  bucket: Bucket,
  name: string,
  { signer, content }: Authenticated,
): SideAnswer {
  const { world, method, query, headers } = request;
  const object = findObject(world, bucket, name);
  const missing = () => new Denied(404, "NoSuchKey", "There is no such object");
  if (query.has("acl") && (method === "GET" || method === "PUT")) {
    admitToControl(signer, bucket);
    if (!object) throw missing();
    return accessList(request, object);
  }
  admitToObject(signer, bucket, object, method === "GET" || method === "HEAD");
  const other = ["uploads", "uploadId", "tagging", "retention"].find((parameter) => query.has(parameter));
  if (other) throw notImplemented(`?${other}`);
  if (headers["x-amz-copy-source"] !== undefined) throw notImplemented("A copy of another object");
  if (method === "DELETE") {
    if (object) objects(world).delete(object.id);
    return { status: 204, headers: {}, body: "" };
  }
  if (method === "PUT") {
    const problem = nameProblem(name);
    if (problem) throw new Denied(400, "InvalidArgument", problem);
    return put(request, bucket, name, content, object);
  }
  if (!object) throw missing();
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

function act(request: SideRequest, place: Place, bucket: Bucket | undefined): SideAnswer {
  const { method } = request;
  if (method === "OPTIONS" && bucket) return preflight(bucket);
  const methods =
    place.name === "" ? ["GET", "HEAD", "PUT", "DELETE", "POST"] : ["GET", "HEAD", "PUT", "DELETE"];
  if (!methods.includes(method))
    throw new Denied(405, "MethodNotAllowed", `This path does not take ${method}`);
  const creates = method === "PUT" && place.name === "";
  if (place.bucket !== "" && !bucket && !creates)
    throw new Denied(404, "NoSuchBucket", "There is no such bucket");
  const authenticated = authenticate(request, place);
  if (place.bucket === "") return listBuckets(request, place, authenticated);
  if (!bucket) return createBucket(request, place, authenticated);
  if (place.name === "") return answerBucket(request, bucket, authenticated);
  return answerObject(request, bucket, place.name, authenticated);
}

/** Answers a request for a cluster, a bucket or an object, errors in the XML of storage. */
export function serveObject(request: SideRequest): SideAnswer {
  const { world, path } = request;
  let headers: { [name: string]: string } = { Date: world.clock.now().toUTCString() };
  try {
    const place = readObjectPath(path);
    if (!place) throw new Denied(404, "NoSuchBucket", "There is no such bucket");
    const bucket = findBucket(world, place.cluster, place.bucket);
    if (bucket?.cors_enabled)
      headers = { ...headers, "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag" };
    const answer = act(request, place, bucket);
    return { ...answer, headers: { "Content-Type": "application/xml", ...headers, ...answer.headers } };
  } catch (error) {
    if (!(error instanceof Denied)) throw error;
    return {
      status: error.status,
      headers: { ...headers, "Content-Type": "application/xml" },
      body: errorDocument(error),
    };
  }
}
