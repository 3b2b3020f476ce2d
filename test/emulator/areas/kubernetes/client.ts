/** Clusters and pools for the tests of Kubernetes. */

import { clusterDurations as durations } from "../../../../emulator/areas/kubernetes/durations.ts";
import type { Answer, Session } from "../../session.ts";

export const base = "/lke/clusters";

let serial = 0;

/** A request for a cluster of one pool. */
export const clusterRequest = (fields: object = {}) => ({
  label: `cluster-${++serial}`,
  region: "us-east",
  k8s_version: "1.28",
  node_pools: [{ type: "g6-standard-2", count: 3 }],
  ...fields,
});

/** Makes a cluster; returns it with its path. */
export async function makeCluster(
  on: Session,
  fields: object = {},
): Promise<{ cluster: Answer; path: string }> {
  const cluster = await on.post(base, clusterRequest(fields));
  return { cluster, path: `${base}/${cluster.id}` };
}

/** Makes a cluster and waits until its nodes are ready. */
export async function readyCluster(on: Session, fields: object = {}) {
  const made = await makeCluster(on, fields);
  on.wait(nodeTime);
  return { ...made, pools: await on.list(`${made.path}/pools`) };
}

/** Seconds until a new node is ready. */
export const nodeTime = durations.nodeCreated + durations.nodeReady;

export const statusOf = (pool: Answer): string[] => pool.nodes.map(({ status }: Answer) => status);
export const idsOf = (pool: Answer): string[] => pool.nodes.map(({ id }: Answer) => id);
export const instancesOf = (pool: Answer): number[] =>
  pool.nodes.map(({ instance_id }: Answer) => instance_id);

/** Sets what the load of a pool would need, as the autoscaler sees it. */
export function want(on: Session, poolId: number, count: number): void {
  on.emulator.change({ collections: { lkePools: { [poolId]: { _wanted: count } } } });
}
