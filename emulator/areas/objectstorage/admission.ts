/** What a signer, or anyone, may do with a bucket and its objects (contract section 2.6): by key and by access list. It knows no signatures. */

import { anyoneMay, keysMayRead } from "./acl.ts";
import { accessDenied } from "./denied.ts";
import type { Signed } from "./signer.ts";
import type { Bucket, StoredObject } from "./stored.ts";

/** True when the signer holds the bucket itself, by an unlimited key or by a grant of its key. */
function holds(signer: Signed, bucket: Bucket, reading: boolean): boolean {
  if (signer === "service") return true;
  if (signer === undefined) return false;
  if (signer.bucket_access === null) return true;
  return signer.bucket_access.some(
    ({ cluster, bucket_name, permissions }) =>
      cluster === bucket.cluster && bucket_name === bucket.label && (reading || permissions === "read_write"),
  );
}

/** Refuses what neither the signer nor an access list allows on an object, which may not exist. */
export function admitToObject(
  signer: Signed,
  bucket: Bucket,
  object: StoredObject | undefined,
  reading: boolean,
): void {
  if (holds(signer, bucket, reading)) return;
  if (!reading && anyoneMay(bucket.acl, "WRITE")) return;
  if (reading && object && (anyoneMay(object.acl, "READ") || (signer && keysMayRead(object.acl)))) return;
  // Who may list the bucket may know that an object does not exist.
  if (reading && !object && anyoneMay(bucket.acl, "READ")) return;
  throw accessDenied("Access denied");
}

/** Refuses who may not list the bucket. */
export function admitToList(signer: Signed, bucket: Bucket): void {
  if (holds(signer, bucket, true) || anyoneMay(bucket.acl, "READ") || (signer && keysMayRead(bucket.acl)))
    return;
  throw accessDenied("Access denied");
}

/** Refuses who has no full control of the bucket: its access list alone gives nobody that. */
export function admitToControl(signer: Signed, bucket: Bucket): void {
  if (!holds(signer, bucket, false)) throw accessDenied("Access denied");
}
