/** Signatures of version 2 and the addresses of objects: how they are written and what is covered. It knows no requests and no permissions. */

import { createHash, createHmac } from "node:crypto";
import type { World } from "../../area.ts";
import type { Bucket } from "./stored.ts";

/** Path template of what the emulator serves beside the API. */
export const objectTemplate = "/_objects/{clusterId}/{bucket}/{name}";
const root = objectTemplate.slice(0, objectTemplate.indexOf("{"));

export interface Signer {
  readonly id: string;
  readonly secret: string;
}

/** What a signature covers. */
export interface SignedRequest {
  readonly method: string;
  readonly cluster: string;
  readonly bucket: string;
  /** Decoded. */
  readonly name: string;
  /** The header as sent; empty when there is none. */
  readonly contentType: string;
  readonly contentMd5: string;
  /** Seconds since 1970, as the URL says it; the date of a request that is signed in a header. */
  readonly expires: string;
  /** `x-amz-…` headers as `name:value`, sorted. */
  readonly extra: readonly string[];
}

/** The pair with which the service itself signs for the account. */
export function serviceSigner(world: World): Signer {
  const digest = createHash("sha256")
    .update(`pre-signed ${String(world.account["euuid"])}`)
    .digest();
  return {
    id: digest.toString("hex").slice(0, 20).toUpperCase(),
    secret: digest.toString("base64").slice(0, 40),
  };
}

/** Signs as version 2 of the S3 protocol does; without a resource, for the cluster's bucket and the decoded name. Base64. */
export function signatureOf(secret: string, request: SignedRequest, resource?: string): string {
  const { method, cluster, bucket, name, contentType, contentMd5, expires, extra } = request;
  const signed = resource ?? `/${cluster}/${bucket}/${name}`;
  return createHmac("sha1", secret)
    .update([method, contentMd5, contentType, expires, ...extra, signed].join("\n"))
    .digest("base64");
}

/** Query parameters that are part of what a version 2 signature covers. */
const coveredParameters = ["acl", "delete", "location", "uploadId", "uploads", "versioning", "versions"];

/** The resource as S3 clients sign it: the path as it was sent, from the endpoint, from the cluster, or from the bucket on. */
export function sentResources(path: string, query: URLSearchParams): string[] {
  const covered = coveredParameters
    .filter((name) => query.has(name))
    .map((name) => (query.get(name) === "" ? name : `${name}=${query.get(name)}`));
  const end = covered.length > 0 ? `?${covered.join("&")}` : "";
  const fromCluster = path.slice(root.length - 1);
  const fromBucket = fromCluster.slice(1).replace(/^[^/]*/, "") || "/";
  return [path, fromCluster, fromBucket].map((resource) => `${resource}${end}`);
}

/** The path of an object. Clients resolve `.` and `..` in a path, so slashes of such a name are encoded. */
function objectPath(cluster: string, bucket: string, name: string): string {
  const parts = name.split("/").map(encodeURIComponent);
  const slash = parts.some((part) => part === "." || part === "..") ? "%2F" : "/";
  return `${root}${cluster}/${bucket}/${parts.join(slash)}`;
}

/** What a path of storage names, decoded: an empty bucket is the cluster, an empty name the bucket itself. */
export interface Place {
  readonly cluster: string;
  readonly bucket: string;
  readonly name: string;
}

/** What a path names; absent when it cannot be decoded. */
export function readObjectPath(path: string): Place | undefined {
  const [cluster = "", bucket = "", ...name] = path.slice(root.length).split("/");
  try {
    return {
      cluster: decodeURIComponent(cluster),
      bucket: decodeURIComponent(bucket),
      name: decodeURIComponent(name.join("/")),
    };
  } catch {
    return undefined;
  }
}

/** A URL that allows one method on one object until it expires; `origin` is where the client reached the emulator. */
export function presignedUrl(
  signer: Signer,
  origin: string,
  bucket: Bucket,
  allowed: { method: string; name: string; contentType: string; expires: number },
): string {
  const { method, name, contentType } = allowed;
  const expires = String(allowed.expires);
  const { cluster, label } = bucket;
  const signature = signatureOf(signer.secret, {
    method,
    cluster,
    bucket: label,
    name,
    contentType,
    contentMd5: "",
    expires,
    extra: [],
  });
  const query = new URLSearchParams({ Signature: signature, Expires: expires, AWSAccessKeyId: signer.id });
  return `${origin}${objectPath(cluster, label, name)}?${query}`;
}
