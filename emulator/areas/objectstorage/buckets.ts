/** Making and removing buckets (contract sections 2.6, 3 and 7), for the API and for S3 clients alike. */

import type { Reason, World } from "../../area.ts";
import { balanceReasons, enrol } from "./account.ts";
import type { Acl } from "./acl.ts";
import { findStorageCluster, isAvailable } from "./clusters.ts";
import { labelProblems } from "./names.ts";
import { type Bucket, buckets, findBucket, foreignBuckets } from "./stored.ts";

export function isTaken(world: World, cluster: string, label: string): boolean {
  return foreignBuckets(world)
    .by("label", label)
    .some((other) => other.cluster === cluster);
}

/** Why the bucket cannot be made; what is absent was refused by the schema already. */
export function bucketReasons(
  world: World,
  cluster: string | undefined,
  label: string | undefined,
): Reason[] {
  const reasons = balanceReasons(world);
  if (cluster !== undefined) {
    if (!findStorageCluster(cluster)) reasons.push({ reason: "cluster is not valid", field: "cluster" });
    else if (!isAvailable(world, cluster))
      reasons.push({ reason: "This cluster is unavailable: try again later", field: "cluster" });
  }
  if (label !== undefined) {
    for (const reason of labelProblems(label)) reasons.push({ reason, field: "label" });
    if (cluster !== undefined && isTaken(world, cluster, label))
      reasons.push({ reason: "The label is taken in this cluster by another owner", field: "label" });
  }
  return reasons;
}

/** A bucket that the caller owns already is answered as if just made (contract section 3). */
export function makeBucket(
  world: World,
  cluster: string,
  label: string,
  fields: { acl: Acl; cors_enabled: boolean },
): Bucket {
  const bucket =
    findBucket(world, cluster, label) ??
    buckets(world).insert({ cluster, label, created: world.clock.stamp(), ...fields, _certificate: null });
  enrol(world);
  return bucket;
}
