/** What is stored of clusters, node pools and nodes, and how it is told. It knows nothing of requests. */

import type { Item, World } from "../../area.ts";
import { instances } from "../compute/objects.ts";

export interface Cluster extends Item {
  label: string;
  region: string;
  /** `ready` from the first answer on (notes, section 7.1). */
  status: "ready" | "not_ready";
  k8s_version: string;
  control_plane: { high_availability: boolean };
  tags: string[];
  created: string;
  updated: string;
  /** Of its host names. */
  _uuid: string;
  /** True once the API endpoints are told. */
  _endpoints: boolean;
  /** The authority's certificate (PEM) and the administrator's token; `null` while there is no kubeconfig. */
  _kubeconfig: { authority: string; token: string } | null;
  /** What the control plane identifies itself with; never told. */
  _serviceToken: string;
  /** Event of the creation, until it is finished. */
  _event: number | null;
}

export interface Autoscaler {
  enabled: boolean;
  min: number;
  max: number;
}

export interface PoolDisk {
  size: number;
  type: "raw" | "ext4";
}

export interface Pool extends Item {
  cluster_id: number;
  type: string;
  count: number;
  autoscaler: Autoscaler;
  disks: PoolDisk[];
  tags: string[];
  /** True once `min` and `max` were given; before, they are the count. */
  _bounded: boolean;
  /** How many nodes the load would need: the enabled autoscaler moves the count there, within its bounds. For tests to set. */
  _wanted?: number | null;
}

export interface Node extends Item {
  cluster_id: number;
  pool_id: number;
  /** `<pool>-<12 hex digits>`: the id that is told. */
  name: string;
  /** `null` until the instance exists. */
  instance_id: number | null;
  status: "ready" | "not_ready";
  /** The patch version that it was made with. */
  _version: string;
  /** It waits to be replaced. */
  _recycle: boolean;
  /** It replaces one that was recycled: the next waits for it. */
  _replacement: boolean;
}

export const clusters = (world: World) => world.collection<Cluster>("lkeClusters");
export const pools = (world: World) => world.collection<Pool>("lkePools");
export const nodes = (world: World) => world.collection<Node>("lkeNodes");

export const poolsOf = (world: World, cluster: Cluster) => pools(world).by("cluster_id", cluster.id);
export const nodesOf = (world: World, pool: Pool) => nodes(world).by("pool_id", pool.id);

export function showCluster(cluster: Cluster) {
  const { id, label, region, status, k8s_version, control_plane, tags, created, updated } = cluster;
  return { id, label, region, status, k8s_version, control_plane, tags, created, updated };
}

/** A node whose instance was deleted or stopped by other means is not ready. */
export function showNode(world: World, { name, instance_id, status }: Node) {
  const instance = instance_id === null ? undefined : instances(world).get(instance_id);
  return {
    id: name,
    instance_id: instance?.id ?? null,
    status: instance?.status === "running" ? status : "not_ready",
  };
}

export function showPool(world: World, pool: Pool) {
  const { id, type, count, autoscaler, disks, tags } = pool;
  const held = nodesOf(world, pool).map((node) => showNode(world, node));
  return { id, type, count, autoscaler, disks, tags, nodes: held };
}

const clusterUrl = (id: number) => `/v4/lke/clusters/${id}`;

/** Records what happened to a cluster, or to a pool of it. Returns the event's id. */
export function tell(
  world: World,
  action: string,
  cluster: Cluster,
  { pool, status }: { pool?: Pool; status?: "started" } = {},
): number {
  return world.events.emit({
    action: `lke_${action}`,
    entity: { id: cluster.id, label: cluster.label, type: "lkecluster", url: clusterUrl(cluster.id) },
    ...(pool && {
      secondaryEntity: {
        id: pool.id,
        label: String(pool.id),
        type: "lkepool",
        url: `${clusterUrl(cluster.id)}/pools/${pool.id}`,
      },
    }),
    ...(status && { status }),
  });
}
