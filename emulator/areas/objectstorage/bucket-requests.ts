/** Answers S3 clients about buckets: all of a cluster, and making, listing, emptying and removing one. It knows no signatures. */

import type { SideAnswer, SideRequest } from "../../area.ts";
import { type Acl, aclXml, cannedAcls } from "./acl.ts";
import { admitToControl, admitToList } from "./admission.ts";
import { bucketReasons, isTaken, makeBucket } from "./buckets.ts";
import { findStorageCluster, isAvailable } from "./clusters.ts";
import { accessDenied, Denied, notImplemented } from "./denied.ts";
import { listingDocument } from "./listing-document.ts";
import type { Place } from "./signature.ts";
import type { Authenticated } from "./signer.ts";
import { type Bucket, buckets, findObject, objects, objectsOf, storageOwner } from "./stored.ts";
import { element, escapeXml, group, rootOf, xmlDocument } from "./xml.ts";

const empty = (status: number): SideAnswer => ({ status, headers: {}, body: "" });
const answer = (root: string): SideAnswer => ({ status: 200, headers: {}, body: xmlDocument(root) });
const longestLabel = 63;
const mostDeletes = 1000;

/** The canned list of an `x-amz-acl` header; what the owner gets anyway counts as private. */
export function aclOf({ headers }: SideRequest, absent: Acl): Acl {
  const told = headers["x-amz-acl"];
  if (told === undefined) return absent;
  if (told === "bucket-owner-read" || told === "bucket-owner-full-control") return "private";
  const acl = cannedAcls.find((one) => one === told);
  if (!acl) throw new Denied(400, "InvalidArgument", `x-amz-acl must be one of ${cannedAcls.join(", ")}`);
  return acl;
}

/** All buckets of the cluster, which every key may see (contract section 2.6). */
export function listBuckets(
  { world, method }: SideRequest,
  { cluster }: Place,
  { signer }: Authenticated,
): SideAnswer {
  if (method !== "GET") throw new Denied(405, "MethodNotAllowed", `A cluster does not take ${method}`);
  if (!findStorageCluster(cluster)) throw new Denied(404, "NoSuchBucket", "There is no such cluster");
  if (!signer) throw accessDenied("The list of buckets needs a signed request");
  const owner = storageOwner(world);
  const listed = buckets(world)
    .by("cluster", cluster)
    .map(({ label, created }) =>
      group("Bucket", element("Name", label), element("CreationDate", `${created}.000Z`)),
    );
  return answer(
    rootOf(
      "ListAllMyBucketsResult",
      group("Owner", element("ID", owner), element("DisplayName", owner)),
      group("Buckets", ...listed),
    ),
  );
}

/** Makes a bucket: any key of the account may, and its maker has no more access to it than before (contract section 2.6). */
export function createBucket(request: SideRequest, place: Place, { signer }: Authenticated): SideAnswer {
  const { world } = request;
  const { cluster, bucket: label } = place;
  if (!signer) throw accessDenied("A bucket is made by a signed request");
  if (!findStorageCluster(cluster)) throw new Denied(404, "NoSuchBucket", "There is no such cluster");
  if (!isAvailable(world, cluster))
    throw new Denied(503, "ServiceUnavailable", "This cluster is unavailable");
  if (isTaken(world, cluster, label))
    throw new Denied(409, "BucketAlreadyExists", "The name is taken in this cluster by another owner");
  const acl = aclOf(request, "private");
  const [problem] = bucketReasons(world, cluster, label);
  if (problem?.field === "label" || label.length < 3 || label.length > longestLabel)
    throw new Denied(400, "InvalidBucketName", problem?.reason ?? `Must have 3-${longestLabel} characters`);
  if (problem) throw accessDenied(problem.reason);
  makeBucket(world, cluster, label, { acl, cors_enabled: false });
  return empty(200);
}

function removeBucket({ world }: SideRequest, bucket: Bucket): SideAnswer {
  if (objectsOf(world, bucket).length > 0)
    throw new Denied(409, "BucketNotEmpty", "The bucket holds objects: remove them first");
  buckets(world).delete(bucket.id);
  return empty(204);
}

const unescapeXml = (text: string) =>
  text
    .replace(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_, hex, decimal) =>
      String.fromCodePoint(Math.min(0x10ffff, hex ? Number.parseInt(hex, 16) : Number(decimal))),
    )
    .replace(
      /&(lt|gt|quot|apos);/g,
      (_, name) => ({ lt: "<", gt: ">", quot: '"', apos: "'" })[name as string]!,
    )
    .replaceAll("&amp;", "&");

/** Removes many objects at once; one that is not there counts as removed. */
function removeObjects({ world }: SideRequest, bucket: Bucket, content: Buffer): SideAnswer {
  const text = content.toString("utf8");
  const names = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = ""]) => unescapeXml(name));
  if (names.length === 0 || names.length > mostDeletes)
    throw new Denied(400, "MalformedXML", `The body must name 1 to ${mostDeletes} objects`);
  for (const name of names) {
    const object = findObject(world, bucket, name);
    if (object) objects(world).delete(object.id);
  }
  const told = /<Quiet>\s*true\s*<\/Quiet>/.test(text) ? [] : names;
  return answer(rootOf("DeleteResult", ...told.map((name) => group("Deleted", element("Key", name)))));
}

function accessList(request: SideRequest, bucket: Bucket): SideAnswer {
  const { world, method, headers } = request;
  if (method === "GET") return answer(aclXml(bucket.acl, storageOwner(world)));
  if (headers["x-amz-acl"] === undefined) throw notImplemented("An access list that is not a canned one");
  buckets(world).update(bucket.id, { acl: aclOf(request, bucket.acl) });
  return empty(200);
}

/** What clients ask to learn how a bucket is kept: the same for every bucket here. */
const constants: { readonly [parameter: string]: (cluster: string) => string } = {
  location: (cluster) => rootOf("LocationConstraint", escapeXml(cluster)),
  versioning: () => rootOf("VersioningConfiguration"),
};

/** Answers a request for a bucket that exists. */
export function answerBucket(
  request: SideRequest,
  bucket: Bucket,
  { signer, content }: Authenticated,
): SideAnswer {
  const { world, method, query } = request;
  const constant = Object.keys(constants).find((name) => query.has(name));
  const other = [
    "cors",
    "lifecycle",
    "policy",
    "tagging",
    "uploads",
    "versions",
    "website",
    "encryption",
  ].find((name) => query.has(name));
  if (other) throw notImplemented(`?${other}`);
  if (query.has("acl") && (method === "GET" || method === "PUT")) {
    admitToControl(signer, bucket);
    return accessList(request, bucket);
  }
  switch (method) {
    case "GET":
      admitToList(signer, bucket);
      if (constant) return answer(constants[constant]!(bucket.cluster));
      return answer(listingDocument(bucket, objectsOf(world, bucket), storageOwner(world), query));
    case "HEAD":
      admitToList(signer, bucket);
      return empty(200);
    case "PUT":
      if (constant) throw notImplemented(`?${constant}`);
      return createBucket(
        request,
        { cluster: bucket.cluster, bucket: bucket.label, name: "" },
        { signer, content },
      );
    case "DELETE":
      admitToControl(signer, bucket);
      return removeBucket(request, bucket);
    case "POST":
      if (!query.has("delete")) break;
      admitToControl(signer, bucket);
      return removeObjects(request, bucket, content);
  }
  throw new Denied(405, "MethodNotAllowed", `A bucket does not take ${method}`);
}
