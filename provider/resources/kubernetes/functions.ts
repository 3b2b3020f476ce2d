/** Functions of the Kubernetes area: clusters, their pools and nodes (contract section 4.5). */

import type { TProperties } from "typebox";
import { viewFields } from "../../core/object/view.ts";
import { objectFromWire } from "../../core/object/wire.ts";
import { type Fields, group, id, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { existing, getAll, getOne, shown } from "../../core/type/getter.ts";
import { taggedWith } from "../fields.ts";
import { Cluster } from "./cluster.ts";
import { nodes } from "./fields.ts";
import { NodePool } from "./node-pool.ts";

/** What the service says of a cluster by itself; its pools are told by a function of their own. */
const clusterFields: TProperties = Object.fromEntries(
  Object.entries(viewFields(Cluster)).filter(
    ([name]) => !["nodePools", "poolIds", "otherPoolIds", "nodes"].includes(name),
  ),
);

const clusterId = id({ description: "Id of the cluster.", reference: "kubernetes/cluster" });

const cluster = shown(Cluster, {
  noun: "cluster",
  item: group(clusterFields, { description: "A cluster.", typeName: "ClusterInfo" }),
  show: (object) => objectFromWire(clusterFields, object),
});

export const getCluster = getOne(cluster, { by: { label: text({ description: "Label of the cluster." }) } });

export const getClusters = getAll(cluster, {
  filters: { region: text({ description: "Only clusters of this region." }), tag: taggedWith("clusters") },
});

const pool = shown(NodePool, { noun: "pool", within: { clusterId }, holder: "cluster" });

export const getNodePool = getOne(pool, {
  description: "One pool of a cluster.",
  id: { poolId: id({ description: "Id of the pool.", reference: "kubernetes/nodePool" }) },
});

export const getNodePools = getAll(pool, {
  description: "Every pool of a cluster, whoever made it.",
  filters: { tag: taggedWith("pools") },
});

const node = (nodes("").items as { properties: Fields }).properties;

export const getNode = providerFunction({
  area: "kubernetes",
  name: "getNode",
  description: "One node of a cluster.",
  args: {
    clusterId,
    nodeId: text({ description: "Id of the node (`118362-63483a962f5f`).", minLength: 1 }),
  },
  result: node,
  async call({ args, service }) {
    const read = service.getFresh(
      `${Cluster.collection}/${args.clusterId}/nodes/${encodeURIComponent(args.nodeId ?? "")}`,
    );
    return objectFromWire(node, await existing(`node ${args.nodeId} in cluster ${args.clusterId}`, read));
  },
});
