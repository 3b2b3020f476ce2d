/** Node pools and single nodes: their rules and operations (contract sections 2.7, 4.5 and 7; notes, section 7.2). */

import { type Call, type Handler, notFound, type Reason, refuse, refuseAll, type World } from "../../area.ts";
import { findPlan } from "../../catalogue/plans.ts";
import { findRegion } from "../../catalogue/regions.ts";
import { instances } from "../compute/objects.ts";
import { bounded, recycle, removeNode, removePool, resize, settle } from "./nodes.ts";
import {
  type Autoscaler,
  type Cluster,
  clusters,
  type Node,
  nodes,
  nodesOf,
  type Pool,
  type PoolDisk,
  pools,
  poolsOf,
  showNode,
  showPool,
  tell,
} from "./objects.ts";

/** A pool as asked for; what the schema refused is absent. */
export interface PoolRequest {
  type?: string;
  count?: number;
  autoscaler?: Partial<Autoscaler>;
  disks?: PoolDisk[];
  tags?: string[];
}

/** MB. */
const leastMemory = 2048;

function typeProblem(type: string, region: string | undefined): string | undefined {
  const plan = findPlan(type);
  if (!plan) return "type is not valid";
  if (plan.class === "nanode" || plan.memory < leastMemory)
    return "Nodes need a type of at least 2 GB of memory, and no Nanode";
  const offered = region === undefined ? undefined : findRegion(region)?.capabilities;
  return plan.class === "premium" && offered && !offered.includes("Premium Plans")
    ? "Premium plans are not available in this region"
    : undefined;
}

function autoscalerReasons({ min, max }: Partial<Autoscaler>, field: (name: string) => string): Reason[] {
  if ((min === undefined) !== (max === undefined)) {
    const missing = min === undefined ? "min" : "max";
    return [{ reason: `${missing} is required: min and max need each other`, field: field(missing) }];
  }
  return min !== undefined && max !== undefined && min > max
    ? [{ reason: "min must not be above max", field: field("min") }]
    : [];
}

/** Why a pool cannot be made in that region; `field` places a reason. */
export function poolReasons(
  request: PoolRequest,
  region: string | undefined,
  field: (name: string) => string = (name) => name,
): Reason[] {
  const { type, autoscaler, disks = [] } = request;
  const reasons: Reason[] = [];
  const problem = type === undefined ? undefined : typeProblem(type, region);
  if (problem) reasons.push({ reason: problem, field: field("type") });
  if (autoscaler) reasons.push(...autoscalerReasons(autoscaler, (name) => field(`autoscaler.${name}`)));
  const whole = type === undefined ? undefined : findPlan(type)?.disk;
  const own = disks.reduce((sum, { size }) => sum + size, 0);
  if (whole !== undefined && own >= whole)
    reasons.push({
      reason: `They leave nothing of the ${whole} MB for the boot disk`,
      field: field("disks"),
    });
  return reasons;
}

/** Bounds that are not given stay as they were given once; before that, they are the count. */
function autoscalerOf(asked: Partial<Autoscaler> | undefined, count: number, old?: Pool) {
  const given = asked?.min !== undefined;
  const present = old?._bounded ? old.autoscaler : { min: count, max: count };
  return {
    autoscaler: {
      enabled: asked?.enabled ?? old?.autoscaler.enabled ?? false,
      min: asked?.min ?? present.min,
      max: asked?.max ?? present.max,
    },
    _bounded: given || (old?._bounded ?? false),
  };
}

/** Stores a pool whose nodes get ready later. */
export function insertPool(world: World, cluster: Cluster, request: PoolRequest): Pool {
  const { type = "", count = 1, disks = [], tags = [] } = request;
  const { autoscaler, _bounded } = autoscalerOf(request.autoscaler, count);
  const pool = pools(world).insert({
    cluster_id: cluster.id,
    type,
    count: 0,
    autoscaler,
    disks,
    tags,
    _bounded,
    _wanted: null,
  });
  resize(world, cluster, pool, bounded(count, autoscaler));
  return pool;
}

export function reachCluster(call: Call): Cluster {
  return clusters(call.world).get(call.id("clusterId")) ?? notFound();
}

function reachPool(call: Call): { cluster: Cluster; pool: Pool } {
  const cluster = reachCluster(call);
  const pool = pools(call.world).get(call.id("poolId"));
  if (pool?.cluster_id !== cluster.id) return notFound();
  return { cluster, pool: settle(call.world, cluster, pool) };
}

function reachNode(call: Call): { cluster: Cluster; pool: Pool; node: Node } {
  const cluster = reachCluster(call);
  const node = nodes(call.world).by("name", call.params["nodeId"] ?? "")[0];
  const pool = node && pools(call.world).get(node.pool_id);
  return node && pool?.cluster_id === cluster.id ? { cluster, pool, node } : notFound();
}

const createReasons = (call: Call) => poolReasons(call.body, reachCluster(call).region);

function create(call: Call) {
  const { world } = call;
  refuseAll(createReasons(call));
  const cluster = reachCluster(call);
  const pool = insertPool(world, cluster, call.body);
  tell(world, "pool_create", cluster, { pool });
  return showPool(world, pool);
}

function updateReasons(call: Call): Reason[] {
  reachPool(call);
  const asked: Partial<Autoscaler> | undefined = call.body["autoscaler"];
  return asked ? autoscalerReasons(asked, (name) => `autoscaler.${name}`) : [];
}

/** The tags of a pool are those of its nodes' instances. */
function setTags(world: World, pool: Pool, tags: string[]): void {
  pools(world).update(pool.id, { tags });
  for (const { instance_id } of nodesOf(world, pool))
    if (instance_id !== null && instances(world).get(instance_id))
      instances(world).update(instance_id, { tags: [...tags] });
}

function update(call: Call) {
  const { world, body } = call;
  refuseAll(updateReasons(call));
  const { cluster, pool } = reachPool(call);
  const asked: number = body["count"] ?? pool.count;
  const { autoscaler, _bounded } = autoscalerOf(body["autoscaler"], asked, pool);
  pools(world).update(pool.id, body["autoscaler"] ? { autoscaler, _bounded } : {});
  if (body["tags"]) setTags(world, pool, body["tags"]);
  resize(world, cluster, pool, bounded(asked, pool.autoscaler));
  return showPool(world, pool);
}

function remove(call: Call) {
  const { cluster, pool } = reachPool(call);
  removePool(call.world, cluster, pool);
  tell(call.world, "pool_delete", cluster, { pool });
  return {};
}

function deleteNode(call: Call) {
  const { cluster, pool, node } = reachNode(call);
  if (pool.count <= 1) refuse("It is the last node of its pool, which needs one: delete the pool instead");
  removeNode(call.world, cluster, pool, node);
  return {};
}

const base = "/lke/clusters/{clusterId}";

export const poolHandlers: { readonly [operation: string]: Handler } = {
  [`GET ${base}/pools`]: (call) => {
    const cluster = reachCluster(call);
    return poolsOf(call.world, cluster).map((pool) =>
      showPool(call.world, settle(call.world, cluster, pool)),
    );
  },
  [`POST ${base}/pools`]: create,
  [`GET ${base}/pools/{poolId}`]: (call) => showPool(call.world, reachPool(call).pool),
  [`PUT ${base}/pools/{poolId}`]: update,
  [`DELETE ${base}/pools/{poolId}`]: remove,
  [`POST ${base}/pools/{poolId}/recycle`]: (call) => {
    const { cluster, pool } = reachPool(call);
    recycle(call.world, cluster, nodesOf(call.world, pool));
    tell(call.world, "pool_recycle", cluster, { pool });
    return {};
  },
  [`GET ${base}/nodes/{nodeId}`]: (call) => showNode(call.world, reachNode(call).node),
  [`DELETE ${base}/nodes/{nodeId}`]: deleteNode,
  [`POST ${base}/nodes/{nodeId}/recycle`]: (call) => {
    const { cluster, pool, node } = reachNode(call);
    recycle(call.world, cluster, [node]);
    tell(call.world, "node_recycle", cluster, { pool });
    return {};
  },
};

export const poolJudges: { readonly [operation: string]: (call: Call) => readonly Reason[] } = {
  [`POST ${base}/pools`]: createReasons,
  [`PUT ${base}/pools/{poolId}`]: updateReasons,
};
