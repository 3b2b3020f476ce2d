/** What the types of the area `kubernetes` must live through. */

import type { Account } from "../deployment.ts";
import { life } from "../lifecycle.ts";

const web = { type: "g6-standard-1", count: 2 };
const build = { type: "g6-standard-2", autoscaler: { enabled: true, min: 1, max: 3 } };
const shop = { label: "shop", region: "us-east", k8sVersion: "1.28" };

const poolPath = (cluster: string, pool: unknown) => `/lke/clusters/${cluster}/pools/${pool}`;

async function cluster(account: Account, label: string): Promise<string> {
  const made = await account.call("POST", "/lke/clusters", {
    ...{ label, region: "us-east", k8s_version: "1.29" },
    node_pools: [{ type: "g6-standard-1", count: 1 }],
  });
  return String(made["id"]);
}

export const lives = [
  life({
    type: "plumbline:kubernetes/cluster:Cluster",
    prepare: async () => ({}),
    steps: [
      {
        does: "create",
        declare: () => ({ region: "us-east", k8sVersion: "1.27", nodePools: { web, build } }),
        leaves: {
          status: "ready",
          nodePools: {
            web: { count: 2 },
            build: { count: 1, autoscaler: { enabled: true, min: 1, max: 3 } },
          },
          nodes: {
            web: [{ status: "ready" }, { status: "ready" }] as never,
            build: [{ status: "ready" }] as never,
          },
          otherPoolIds: [],
        },
      },
      {
        does: "update",
        declare: () => ({ ...shop, nodePools: { web: { ...web, count: 3 }, build }, tags: ["Prod"] }),
        changes: ["label", "k8sVersion", "nodePools", "tags"],
        leaves: { k8sVersion: "1.28", nodePools: { web: { count: 3 } } },
      },
      {
        does: "update",
        declare: () => ({
          ...shop,
          nodePools: { web: { ...web, tags: ["b", "a"] }, extra: { type: "g6-dedicated-2", count: 1 } },
          controlPlane: { highAvailability: true },
          kubeconfigTrigger: 1,
        }),
        changes: ["nodePools", "controlPlane", "tags", "kubeconfigTrigger"],
        leaves: { controlPlane: { highAvailability: true }, tags: [] },
      },
      {
        does: "replace",
        declare: () => ({
          ...shop,
          region: "eu-central",
          nodePools: {
            web,
            extra: { type: "g6-dedicated-2", count: 1, disks: [{ size: 512, type: "raw" }] },
          },
        }),
        changes: ["region", "nodePools", "controlPlane", "kubeconfigTrigger"],
        leaves: { controlPlane: { highAvailability: false } },
      },
    ],
    naturalName: () => "shop",
    unreadable: ["nodePools"], // the names are the user's own
    drift: {
      label: ({ id }) => ({ method: "PUT", path: `/lke/clusters/${id}`, body: { label: "theirs" } }),
      tags: ({ id }) => ({ method: "PUT", path: `/lke/clusters/${id}`, body: { tags: ["theirs"] } }),
      nodePools: ({ id, state }) => ({
        method: "PUT",
        path: poolPath(id, (state["poolIds"] as { web: string }).web),
        body: { count: 4 },
      }),
    },
  }),
  life({
    type: "plumbline:kubernetes/nodePool:NodePool",
    prepare: async (account) => ({
      one: await cluster(account, "one"),
      other: await cluster(account, "other"),
    }),
    steps: [
      {
        does: "create",
        declare: ({ one }) => ({ clusterId: one, type: "g6-standard-1", count: 1 }),
        leaves: { count: 1, tags: [], disks: [], nodes: [{ status: "ready" }] as never },
      },
      {
        does: "update",
        declare: ({ one }) => ({
          ...{ clusterId: one, type: "g6-standard-1" },
          autoscaler: { enabled: true, min: 2, max: 4 },
        }),
        changes: ["count", "autoscaler"],
        leaves: { count: 2, autoscaler: { enabled: true, min: 2, max: 4 } },
      },
      {
        does: "replace",
        declare: ({ one }) => ({ clusterId: one, type: "g6-standard-2", count: 1, tags: ["Batch"] }),
        changes: ["type", "count", "autoscaler", "tags"],
      },
      {
        does: "replace",
        declare: ({ other }) => ({
          ...{ clusterId: other, type: "g6-standard-2", count: 2, tags: ["batch"], recycleTrigger: 1 },
          disks: [{ size: 1024, type: "ext4" }],
        }),
        changes: ["clusterId", "count", "disks", "recycleTrigger"],
      },
    ],
    unreadable: ["recycleTrigger"],
    naturalName: (_, { state }) => `other/${state["poolId"]}`,
    drift: {
      count: ({ state }, { other }) => ({
        method: "PUT",
        path: poolPath(other, state["poolId"]),
        body: { count: 5 },
      }),
      autoscaler: ({ state }, { other }) => ({
        method: "PUT",
        path: poolPath(other, state["poolId"]),
        body: { autoscaler: { enabled: true, min: 2, max: 2 } }, // its bounds stay when it is off again
      }),
    },
  }),
];
