/** Pre-signed URLs of objects: how they are written and what their signature covers. It knows no requests and no permissions. */

import { createHash, createHmac } from "node:crypto";
import type { World } from "../area.ts";
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
  /** Seconds since 1970, as the URL says it. */
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

/** Signs as version 2 of the S3 protocol does, with the cluster as part of the resource. Base64. */
export function signatureOf(secret: string, request: SignedRequest): string {
  const { method, cluster, bucket, name, contentType, contentMd5, expires, extra } = request;
  const lines = [method, contentMd5, contentType, expires, ...extra, `/${cluster}/${bucket}/${name}`];
  return createHmac("sha1", secret).update(lines.join("\n")).digest("base64");
}

/** The path of an object. Clients resolve `.` and `..` in a path, so slashes of such a name are encoded. */
export function objectPath(cluster: string, bucket: string, name: string): string {
  const parts = name.split("/").map(encodeURIComponent);
  const slash = parts.some((part) => part === "." || part === "..") ? "%2F" : "/";
  return `${root}${cluster}/${bucket}/${parts.join(slash)}`;
}

/** What a path names; absent when it cannot be decoded or has no bucket. An empty name is the bucket itself. */
export function readObjectPath(path: string): { cluster: string; bucket: string; name: string } | undefined {
  const [cluster = "", bucket = "", ...name] = path.slice(root.length).split("/");
  if (cluster === "" || bucket === "") return undefined;
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
