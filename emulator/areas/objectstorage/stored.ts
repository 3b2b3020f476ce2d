/** What is stored of buckets, their objects, and access keys. It knows nothing of requests. */

import type { Item, World } from "../../area.ts";
import type { Acl } from "./acl.ts";
import { storageDomain } from "./clusters.ts";

export interface Bucket extends Item {
  cluster: string;
  label: string;
  created: string;
  acl: Acl;
  cors_enabled: boolean;
  /** The certificate that a user uploaded, PEM; its private key is checked and not kept. */
  _certificate: string | null;
}

/** A bucket of another account, which only a seed brings: it takes its label in its cluster. */
export interface ForeignBucket extends Item {
  cluster: string;
  label: string;
}

export interface StoredObject extends Item {
  bucket_id: number;
  name: string;
  size: number;
  /** MD5 of the content, hex. */
  etag: string;
  /** With milliseconds and `Z`, unlike every other date (notes, section 1.8). */
  last_modified: string;
  content_type: string;
  acl: Acl;
  /** Base64. */
  _content: string;
  /** Metadata and other headers that it was stored with; absent in data of older versions. */
  _headers?: { [name: string]: string };
}

export interface BucketAccess {
  cluster: string;
  bucket_name: string;
  permissions: "read_only" | "read_write";
}

export interface AccessKey extends Item {
  label: string;
  access_key: string;
  /** `null` when the key is unlimited. */
  bucket_access: BucketAccess[] | null;
  _secret: string;
}

export const buckets = (world: World) => world.collection<Bucket>("objectStorageBuckets");
export const foreignBuckets = (world: World) =>
  world.collection<ForeignBucket>("objectStorageForeignBuckets");
export const objects = (world: World) => world.collection<StoredObject>("objectStorageObjects");
export const accessKeys = (world: World) => world.collection<AccessKey>("objectStorageKeys");

export function findBucket(world: World, cluster: string, label: string): Bucket | undefined {
  return buckets(world)
    .by("label", label)
    .find((bucket) => bucket.cluster === cluster);
}

export function objectsOf(world: World, bucket: Bucket): StoredObject[] {
  return objects(world).by("bucket_id", bucket.id);
}

export function findObject(world: World, bucket: Bucket, name: string): StoredObject | undefined {
  return objects(world)
    .by("name", name)
    .find((object) => object.bucket_id === bucket.id);
}

/** Who owns buckets and objects, as storage names the account. */
export function storageOwner(world: World): string {
  return String(world.account["euuid"] ?? "").toLowerCase();
}

export function showBucket(world: World, bucket: Bucket) {
  const { label, cluster, created } = bucket;
  const held = objectsOf(world, bucket);
  return {
    hostname: `${label}.${storageDomain(world, cluster)}`,
    label,
    cluster,
    created,
    size: held.reduce((sum, { size }) => sum + size, 0),
    objects: held.length,
  };
}
