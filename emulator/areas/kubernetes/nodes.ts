/** Nodes come, get ready, are replaced one after the other, and go with their instances (contract sections 2.7 and 3; notes, section 7.2). */

import type { JsonObject, World } from "../../area.ts";
import { deploy, insertInstance, planOf, removeInstance } from "../compute/deployment.ts";
import { instanceEntity, instances } from "../compute/objects.ts";
import { provision } from "../compute/power.ts";
import { clusterDurations as durations } from "./durations.ts";
import { type Cluster, clusters, type Node, nodes, nodesOf, type Pool, pools, poolsOf } from "./objects.ts";
import { findVersion } from "./versions.ts";

const jobKinds = { instance: "lke.nodeInstance", ready: "lke.nodeReady", roll: "lke.roll" } as const;

/** A new node, whose instance follows; it has the latest patch of the cluster's version. */
function addNode(world: World, cluster: Cluster, pool: Pool, replacement: boolean): void {
  const node = nodes(world).insert({
    cluster_id: cluster.id,
    pool_id: pool.id,
    name: `${pool.id}-${world.hex(12)}`,
    instance_id: null,
    status: "not_ready",
    _version: findVersion(cluster.k8s_version)?.patch ?? cluster.k8s_version,
    _recycle: false,
    _replacement: replacement,
  });
  world.jobs.schedule(jobKinds.instance, durations.nodeCreated, { node: node.id });
}

function dropNode(world: World, node: Node): void {
  for (const kind of [jobKinds.instance, jobKinds.ready]) world.jobs.cancel(kind, { node: node.id });
  const instance = node.instance_id === null ? undefined : instances(world).get(node.instance_id);
  if (instance) removeInstance(world, instance);
  nodes(world).delete(node.id);
}

/** Replaces the next node that waits for it, unless the last replacement is still getting ready. */
function continueRoll(world: World, cluster: Cluster): void {
  const all = poolsOf(world, cluster).flatMap((pool) => nodesOf(world, pool).map((node) => ({ pool, node })));
  if (all.some(({ node }) => node._replacement && node.status !== "ready")) return;
  const next = all.find(({ node }) => node._recycle);
  if (!next) return;
  dropNode(world, next.node);
  addNode(world, cluster, next.pool, true);
}

/** Has the nodes replaced on a rolling basis; what is stored on them is lost (contract section 3). */
export function recycle(world: World, cluster: Cluster, which: readonly Node[]): void {
  for (const node of which) nodes(world).update(node.id, { _recycle: true });
  world.jobs.schedule(jobKinds.roll, durations.recycleStarted, { cluster: cluster.id });
}

/** Creates or deletes nodes until there are as many; the newest go first. */
export function resize(world: World, cluster: Cluster, pool: Pool, count: number): void {
  const present = nodesOf(world, pool);
  for (let missing = count - present.length; missing > 0; missing--) addNode(world, cluster, pool, false);
  for (const node of present.slice(count).reverse()) dropNode(world, node);
  pools(world).update(pool.id, { count });
  continueRoll(world, cluster);
}

/** Removes one node for good: its pool is one smaller, its autoscaler's bounds stay. */
export function removeNode(world: World, cluster: Cluster, pool: Pool, node: Node): void {
  dropNode(world, node);
  pools(world).update(pool.id, { count: pool.count - 1 });
  continueRoll(world, cluster);
}

/** Removes a pool with all its nodes. */
export function removePool(world: World, cluster: Cluster, pool: Pool): void {
  for (const node of nodesOf(world, pool)) dropNode(world, node);
  pools(world).delete(pool.id);
  continueRoll(world, cluster);
}

/** Removes all that a cluster consists of. */
export function removeAll(world: World, cluster: Cluster): void {
  world.jobs.cancel(jobKinds.roll, { cluster: cluster.id });
  for (const pool of poolsOf(world, cluster)) {
    for (const node of nodesOf(world, pool)) dropNode(world, node);
    pools(world).delete(pool.id);
  }
}

/** What a count becomes within the bounds of an enabled autoscaler. */
export function bounded(count: number, { enabled, min, max }: Pool["autoscaler"]): number {
  return enabled ? Math.min(max, Math.max(min, count)) : count;
}

/** Lets the autoscaler act before the pool is looked at: towards what is wanted, within its bounds. */
export function settle(world: World, cluster: Cluster, pool: Pool): Pool {
  const { _wanted: wanted, autoscaler } = pool;
  if (!autoscaler.enabled) return pool;
  const count = bounded(Number.isInteger(wanted) ? (wanted as number) : pool.count, autoscaler);
  if (count !== pool.count) resize(world, cluster, pool, count);
  return pool;
}

/** The disks of a node's instance: the primary one has what the pool's own leave. */
function disksOf(pool: Pool, whole: number) {
  const own = pool.disks.reduce((sum, { size }) => sum + size, 0);
  return [
    { label: "Boot Disk", filesystem: "ext4", size: whole - own },
    ...pool.disks.map(({ size, type }, index) => ({ label: `Disk ${index + 1}`, filesystem: type, size })),
  ];
}

function createInstance(world: World, node: Node): void {
  const cluster = clusters(world).get(node.cluster_id);
  const pool = pools(world).get(node.pool_id);
  if (!cluster || !pool) return;
  const instance = insertInstance(world, {
    label: `lke${cluster.id}-${node.name}`,
    type: pool.type,
    region: cluster.region,
    image: null,
    tags: pool.tags,
    privateIp: true,
  });
  deploy(world, instance, {
    label: "Kubernetes node",
    disks: disksOf(pool, planOf(instance).disk),
    interfaces: [],
  });
  provision(world, instance, true);
  nodes(world).update(node.id, { instance_id: instance.id });
  world.events.emit({ action: "lke_node_create", entity: instanceEntity(instance) });
  world.jobs.schedule(jobKinds.ready, durations.nodeReady, { node: node.id });
}

/** The node of a job; a job outlives its node only in edited data. */
const nodeOf = (world: World, data: JsonObject) => nodes(world).get(data["node"] as number);

export const nodeJobs: { readonly [kind: string]: (world: World, data: JsonObject) => void } = {
  [jobKinds.instance]: (world, data) => {
    const node = nodeOf(world, data);
    if (node) createInstance(world, node);
  },
  [jobKinds.ready]: (world, data) => {
    const node = nodeOf(world, data);
    const cluster = node && clusters(world).get(node.cluster_id);
    if (!cluster) return;
    nodes(world).update(node.id, { status: "ready" });
    continueRoll(world, cluster);
  },
  [jobKinds.roll]: (world, data) => {
    const cluster = clusters(world).get(data["cluster"] as number);
    if (cluster) continueRoll(world, cluster);
  },
};

/** A node's state is told under its name. */
export const nodeShows = {
  [jobKinds.ready]: (world: World, data: JsonObject) => nodeOf(world, data)?.name,
};
