/** NodePool: a pool of a cluster that is a resource of its own (contract sections 2.7 and 4.5). */

import type { TSchema } from "typebox";
import { anything, type Fields, id, optional, text } from "../../core/type/field.ts";
import { type ObjectContext, resource } from "../../core/type/resource.ts";
import { fingerprint } from "../../core/type/trigger.ts";
import { poolCharges } from "./charges.ts";
import { autoscaler, nodes, pool, poolDemands } from "./fields.ts";
import { idOfPool } from "./pools/layout.ts";
import { forgetRecycling, recycle } from "./pools/nodes.ts";
import { canonicalPool, createBody, isReady, type LivePool, scaleBody, tidied } from "./pools/pool.ts";
import { judgeType } from "./preview.ts";

/** A field that no pool can change, so that it also tells pools apart. */
const lasting = <T extends TSchema>(field: T): T => ({ ...field, immutable: true, adoptKey: true });

/** Replaces every node of the pool. */
function recyclePool({ service, path, id: own, ...context }: ObjectContext<Fields>): Promise<void> {
  const [, number] = own.split("/");
  return recycle(
    { service, ...context },
    {
      kind: `recycle ${fingerprint(JSON.stringify(context.inputs["recycleTrigger"] ?? null))}`,
      list: path.slice(0, path.lastIndexOf("/")),
      includes: (each) => idOfPool(each) === number,
      send: () => service.post(`${path}/recycle`),
      what: `waiting for pool ${own} to replace its nodes`,
    },
  );
}

export const NodePool = resource({
  area: "kubernetes",
  name: "NodePool",
  description:
    "A pool of like nodes of a cluster, beside those that the Cluster itself declares. Import by `CLUSTER_ID/POOL_ID`.",
  path: "/lke/clusters/{clusterId}/pools/{poolNumber}",
  parents: ["kubernetes/cluster"],
  goesWithParent: true,
  phrase: ["{count} ×", "{type}"],
  nameFormat: "CLUSTER_LABEL/POOL_ID",
  inputs: {
    clusterId: id({
      description: "Id of the Cluster.",
      reference: "kubernetes/cluster",
      immutable: true,
    }),
    type: lasting(pool.type),
    count: pool.count,
    autoscaler: optional({ ...autoscaler }),
    tags: optional(lasting(pool.tags)),
    disks: optional(lasting(pool.disks)),
    recycleTrigger: optional(
      anything({
        description:
          "Any value; a change of it replaces all nodes, one after the other; what is stored on them is lost.",
        trigger: true,
      }),
    ),
  },
  outputs: {
    poolId: text({ description: "The pool's own number.", wireName: "id" }),
    nodes: nodes("Its nodes, oldest first."),
  },
  timeouts: { create: 2400, update: 7200, delete: 1200 },
  charges: poolCharges,
  lost: "its nodes and what is stored on them",
  canonical: canonicalPool,
  demands: poolDemands,
  async lookup(context) {
    const { before, after, creating, get } = context;
    if (!creating || after.clusterId === before.clusterId) return;
    const cluster = await get(`/lke/clusters/${after.clusterId}`);
    await judgeType(after, cluster["region"] as string, context);
  },
  indistinct: true,
  turns: { queue: ({ clusterId }) => String(clusterId) },
  createRequest: (values) => ({
    path: `/lke/clusters/${values.clusterId}/pools`,
    body: createBody(values),
    fields: ["type", "count", "autoscaler", "tags", "disks"],
  }),
  ready: { isReady },
  finish: (context) => forgetRecycling(context),
  aspects: [
    {
      name: "scale",
      fields: ["count", "autoscaler"],
      async sync({ service, path, inputs, object }) {
        const body = scaleBody(inputs, object as LivePool);
        return body && service.put(path, body);
      },
    },
  ],
  verbs: [
    {
      name: "recycle",
      description: "Replaces every node of the pool, one after the other, with the version's latest patch.",
      destroys: "what is stored on its nodes",
      trigger: "recycleTrigger",
      run: (context) => recyclePool(context),
    },
  ],
  imported: (inputs) => tidied(inputs),
});
