/** The clusters that hold buckets, invariable for an account but for their status (notes, section 6). */

import type { World } from "../../area.ts";
import { domainOf } from "../hosts.ts";

export interface StorageCluster {
  readonly id: string;
  readonly region: string;
}

/** Each cluster is the first of its region. */
export const storageClusters: readonly StorageCluster[] = [
  "us-east",
  "eu-central",
  "ap-south",
  "us-southeast",
  "us-ord",
  "us-iad",
  "fr-par",
  "se-sto",
  "in-maa",
  "jp-osa",
  "it-mil",
  "id-cgk",
  "br-gru",
  "es-mad",
  "us-lax",
  "us-mia",
  "us-sea",
].map((region) => ({ id: `${region}-1`, region }));

const byId = new Map(storageClusters.map((cluster) => [cluster.id, cluster]));

export function findStorageCluster(id: string): StorageCluster | undefined {
  return byId.get(id);
}

/** The domain under which a cluster's buckets are reached; users' own labels stand before it. */
export function storageDomain(world: World, clusterId: string): string {
  return `${clusterId}.${domainOf(world, "objects")}`;
}

/** `_unavailableClusters` of the account's own values lists the clusters that are down. */
export function isAvailable(world: World, clusterId: string): boolean {
  const down = world.account["_unavailableClusters"];
  return !(Array.isArray(down) && down.includes(clusterId));
}

export function showStorageCluster(world: World, { id, region }: StorageCluster) {
  const domain = storageDomain(world, id);
  return {
    id,
    region,
    status: isAvailable(world, id) ? "available" : "unavailable",
    domain,
    static_site_domain: `website-${domain}`,
  };
}
