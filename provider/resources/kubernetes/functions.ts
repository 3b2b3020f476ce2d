/** Functions of the Kubernetes area: clusters, their pools and nodes (contract section 4.5). */

import type { TProperties } from "typebox";
import { type Fields, group, id, list, optional, text } from "../../core/field.ts";
import { providerFunction } from "../../core/function.ts";
import type { WireObject } from "../../core/service-port.ts";
import { viewFields, viewList, viewOf } from "../../core/view.ts";
import { objectFromWire } from "../../core/wire.ts";
import { existing, hasTag, needsOne, theOnly } from "../find.ts";
import { Cluster } from "./cluster.ts";
import { nodes } from "./fields.ts";
import { NodePool } from "./node-pool.ts";

const base = "/lke/clusters";

/** What the service says of a cluster by itself; its pools are told by a function of their own. */
const clusterFields: TProperties = Object.fromEntries(
  Object.entries(viewFields(Cluster)).filter(
    ([name]) => !["nodePools", "poolIds", "otherPoolIds", "nodes"].includes(name),
  ),
);

const clusterView = (cluster: WireObject) =>
  objectFromWire(clusterFields, { ...cluster, id: String(cluster["id"]) });

const clusterId = id({ description: "Id of the cluster.", reference: "kubernetes/cluster" });

export const getCluster = providerFunction({
  area: "kubernetes",
  name: "getCluster",
  description: "One cluster, by its id or its label.",
  args: {
    id: optional(clusterId),
    label: optional(text({ description: "Label of the cluster." })),
  },
  result: clusterFields,
  check: (args, refuse) => needsOne(args, "id", "label", refuse),
  async call({ args, service }) {
    if (args.id !== undefined)
      return clusterView(await existing(`cluster with id ${args.id}`, service.get(`${base}/${args.id}`)));
    const found = (await service.list(base)).filter(({ label }) => label === args.label);
    return clusterView(theOnly(found, `cluster labelled "${args.label}"`));
  },
});

export const getClusters = providerFunction({
  area: "kubernetes",
  name: "getClusters",
  description: "Every cluster of the account that the arguments match.",
  args: {
    region: optional(text({ description: "Only clusters of this region." })),
    tag: optional(text({ description: "Only clusters with this tag; case does not matter." })),
  },
  result: {
    clusters: list(group(clusterFields, { description: "A cluster.", typeName: "ClusterInfo" }), {
      description: "The clusters, by id.",
    }),
  },
  async call({ args, service }) {
    const isWanted = (cluster: WireObject) =>
      (args.region === undefined || cluster["region"] === args.region) && hasTag(cluster, args.tag);
    return { clusters: (await service.list(base)).filter(isWanted).map(clusterView) };
  },
});

export const getNodePools = providerFunction({
  area: "kubernetes",
  name: "getNodePools",
  description: "Every pool of a cluster, whoever made it.",
  args: {
    clusterId,
    tag: optional(text({ description: "Only pools with this tag; case does not matter." })),
  },
  result: { nodePools: viewList(NodePool, "The pools, by id.") },
  async call({ args, service }) {
    const found = await existing(
      `cluster with id ${args.clusterId}`,
      service.list(`${base}/${args.clusterId}/pools`),
    );
    return {
      nodePools: found.filter((pool) => hasTag(pool, args.tag)).map((pool) => viewOf(NodePool, pool, args)),
    };
  },
});

export const getNodePool = providerFunction({
  area: "kubernetes",
  name: "getNodePool",
  description: "One pool of a cluster.",
  args: {
    clusterId,
    poolId: id({ description: "Id of the pool.", reference: "kubernetes/nodePool" }),
  },
  result: viewFields(NodePool),
  async call({ args, service }) {
    const read = service.get(`${base}/${args.clusterId}/pools/${args.poolId}`);
    const what = `pool with id ${args.poolId} in cluster ${args.clusterId}`;
    return viewOf(NodePool, await existing(what, read), args);
  },
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
    const read = service.getFresh(`${base}/${args.clusterId}/nodes/${encodeURIComponent(args.nodeId ?? "")}`);
    return objectFromWire(node, await existing(`node ${args.nodeId} in cluster ${args.clusterId}`, read));
  },
});
