/** Fields that a cluster's own pools and a NodePool share (contract section 2.7). */

import type { Demand } from "../../core/type/demand.ts";
import { choice, flag, group, integer, list, optional, text } from "../../core/type/field.ts";
import { tags } from "../fields.ts";

const bound = (description: string) =>
  optional(integer({ description, minimum: 1, maximum: 100, computed: true }));

const together = "is required: min and max need each other";

export const autoscaler = group(
  {
    enabled: optional(
      flag({ description: "Whether the count follows the load. Default: false.", default: false }),
    ),
    min: bound("Fewest nodes, 1 to 100; only together with `max`. Default: the pool's count."),
    max: bound("Most nodes, 1 to 100; only together with `min`. Default: the pool's count."),
  },
  {
    description:
      "Lets the service choose the count within bounds. The bounds of one that is not enabled mean nothing.",
    typeName: "Autoscaler",
    demands: [
      { when: { min: "given" }, input: "max", is: "given", says: together },
      { when: { max: "given" }, input: "min", is: "given", says: together },
      { input: "min", is: { atMost: "max" }, says: "must not be above max" },
    ],
  },
);

export const disks = list(
  group(
    {
      size: integer({ description: "Size in MB.", minimum: 1 }),
      type: choice(["raw", "ext4"], { description: "How it is formatted." }),
    },
    { description: "A partition.", typeName: "PoolDisk" },
  ),
  {
    description:
      "Further partitions of every node, at most 7; the boot disk is that much smaller. Needed for special uses only.",
    maxItems: 7,
    default: [],
  },
);

export const pool = {
  type: text({ description: "Type of its nodes (`g6-standard-2`), of at least 2 GB.", minLength: 1 }),
  count: optional(
    integer({
      description:
        "How many nodes, 1 to 100. While the autoscaler is enabled, it is where the pool begins: a count that the autoscaler moved is no change. May be left out where the autoscaler has a `min`.",
      minimum: 1,
      maximum: 100,
      replicas: true,
    }),
  ),
  autoscaler: optional(autoscaler),
  tags: tags(),
  disks: optional(disks),
};

/** What the inputs of a pool ask of each other. */
export const poolDemands: readonly Demand<keyof typeof pool>[] = [
  {
    when: { autoscaler: { lacks: { enabled: { in: [true] }, min: "given" } } },
    input: "count",
    is: "given",
    says: "is required, except with an enabled autoscaler that has min and max",
  },
];

/** What the service says of a pool's nodes. */
export const nodes = (description: string) =>
  list(
    group(
      {
        id: text({ description: "Id of the node." }),
        instanceId: optional(
          text({ description: "Id of the compute instance that it is; absent until there is one." }),
        ),
        status: text({ description: "`ready` or `not_ready`." }),
      },
      { description: "A node.", typeName: "Node" },
    ),
    { description, movedBy: true },
  );
