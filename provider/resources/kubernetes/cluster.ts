/** Cluster: a Kubernetes cluster and the pools that are declared with it (contract sections 2.7, 3 and 4.5). */

import { anything, flag, group, map, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { isValueMap, type Value, type ValueMap } from "../../core/value.ts";
import { tags } from "../fields.ts";
import { clusterCharges } from "./charges.ts";
import { pool, poolDemands } from "./fields.ts";
import { nameVolumesThatStay } from "./leftovers.ts";
import { createRequest, finishCluster, observeCluster, readCluster, syncControlPlane } from "./life.ts";
import { outputs } from "./outputs.ts";
import { syncPools } from "./pools/apply.ts";
import { canonicalPools, tidied } from "./pools/pool.ts";
import { lookUpCluster } from "./preview.ts";
import { regenerateChanged, verbs } from "./verbs.ts";
import { upgradeFault } from "./versions.ts";

const trigger = (does: string) =>
  optional(anything({ description: `Any value; a change of it ${does}.`, trigger: true }));

export const Cluster = resource({
  area: "kubernetes",
  name: "Cluster",
  description:
    "A Kubernetes cluster with its node pools, which are followed by the names that you give them. Pools that were made elsewhere are left alone. Import by its id or its label.",
  path: "/lke/clusters/{clusterNumber}",
  phrase: ["{label}", "{k8sVersion}", "{region}", "{nodePools} pools"],
  nameFormat: "LABEL",
  inputs: {
    label: optional(
      text({
        description:
          "Unique among the account's clusters, 1 to 32 characters, for display. Named automatically when left out.",
        minLength: 1,
        maxLength: 32,
        unique: true,
        adoptKey: true,
        naming: { maxLength: 32, allowed: "A-Za-z0-9_-" },
        rules: [
          {
            pattern: "^[\\u0000-\\uFFFF]*$",
            says: "must not have characters of four bytes in UTF-8, such as emoji",
          },
        ],
      }),
    ),
    region: text({ description: "Id of the region (`us-east`).", minLength: 1, immutable: true }),
    k8sVersion: text({
      description:
        "Kubernetes version, `MAJOR.MINOR` (`1.29`, see `getVersions`). It goes up in place, one minor version at a time. Nodes that are there stay as they are, unless `recycleOnUpgrade`.",
      rules: [{ pattern: "^[0-9]{1,3}\\.[0-9]{1,3}$", says: "must be written MAJOR.MINOR" }],
    }),
    controlPlane: optional(
      group(
        {
          highAvailability: optional(
            flag({
              description:
                "Whether the control plane is replicated. Switching it on replaces all nodes and cannot be undone. Default: false.",
              default: false,
            }),
          ),
        },
        { description: "How the control plane runs.", typeName: "ControlPlane" },
      ),
    ),
    nodePools: map(
      group(pool, {
        description: "A pool of like nodes.",
        typeName: "ClusterPool",
        demands: poolDemands,
      }),
      {
        description:
          "Its pools, by names of your own. A pool whose `type`, `tags` or `disks` change is made anew: its new nodes are ready before the old ones go. A pool that only gets another name keeps its nodes.",
      },
    ),
    tags: tags(),
    recycleOnUpgrade: optional(
      flag({
        description:
          "True has a change of `k8sVersion` replace all nodes, one after the other; what is stored on them is lost. Default: false.",
        local: true,
        default: false,
      }),
    ),
    recycleTrigger: trigger("replaces all nodes, one after the other; what is stored on them is lost"),
    kubeconfigTrigger: trigger("makes a new kubeconfig; the present one is not valid any more"),
    serviceTokenTrigger: trigger(
      "makes a new service token; without high availability the control plane may be down for a moment",
    ),
  },
  outputs,
  timeouts: { create: 3600, update: 7200, delete: 1200 },
  charges: clusterCharges,
  lost: "its pools and nodes, everything that runs on them, and its kubeconfig",
  canonical: (values) => {
    const nodePools = canonicalPools(values["nodePools"]);
    return nodePools === undefined ? values : { ...values, nodePools };
  },
  check({ values, isNew, refuse }) {
    if (isNew && values.nodePools && Object.keys(values.nodePools).length === 0)
      refuse("nodePools", "needs at least one pool: a cluster cannot be made without");
  },
  refuseChange({ before, after, refuse }) {
    const [present, wanted] = [before.k8sVersion, after.k8sVersion];
    const fault = present !== undefined && wanted !== undefined && upgradeFault(present, wanted);
    if (fault) refuse("k8sVersion", fault);
    if (before.controlPlane?.highAvailability && !after.controlPlane?.highAvailability)
      refuse(
        "controlPlane.highAvailability",
        "cannot be switched off again: leave it true, or make another cluster",
      );
  },
  lookup: lookUpCluster,
  createRequest,
  fetch: readCluster,
  observe: observeCluster,
  finish: finishCluster,
  verbs,
  aspects: [
    {
      name: "controlPlane",
      fields: ["k8sVersion", "controlPlane", "recycleTrigger"],
      sync: syncControlPlane,
    },
    { name: "nodePools", fields: ["nodePools"], sync: syncPools },
    { name: "regenerate", fields: ["kubeconfigTrigger", "serviceTokenTrigger"], sync: regenerateChanged },
  ],
  beforeDelete: nameVolumesThatStay,
  parts: ({ id, state }) => {
    const ids = state["poolIds"];
    return isValueMap(ids)
      ? Object.values(ids).map((pool) => ({ type: "kubernetes/nodePool", id: `${id}/${pool}` }))
      : [];
  },
  imported(inputs) {
    const pools = inputs["nodePools"];
    if (!isValueMap(pools)) return inputs;
    const tidy = Object.entries(pools).map(([name, one]): [string, Value] => [name, tidied(one as ValueMap)]);
    return { ...inputs, nodePools: Object.fromEntries(tidy) };
  },
});
