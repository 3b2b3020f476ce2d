/** Kubernetes: versions, clusters and how they are reached; pools and nodes beside it (contract sections 2.7, 3, 4.5 and 7; notes, section 7). */

import { type Area, type Call, notFound, type Reason, refuse, refuseAll, type World } from "../../area.ts";
import { findRegion } from "../../catalogue/regions.ts";
import { mustBeAbleToAdd } from "../access.ts";
import {
  accessJobs,
  beginAccess,
  endAccess,
  newServiceToken,
  renewKubeconfig,
  renewServiceToken,
  showDashboard,
  showEndpoints,
  showKubeconfig,
} from "./access.ts";
import { nodeJobs, nodeShows, recycle, removeAll } from "./nodes.ts";
import { type Cluster, clusters, nodesOf, poolsOf, showCluster, tell } from "./objects.ts";
import {
  insertPool,
  type PoolRequest,
  poolHandlers,
  poolJudges,
  poolReasons,
  reachCluster,
} from "./pools.ts";
import { findVersion, upgradeProblem, versions } from "./versions.ts";

/** What a label breaks beside its length, which is the schema's (readings, section 2.7). */
function labelReasons(world: World, label: string | undefined, own?: number): Reason[] {
  if (label === undefined) return [];
  const problems: string[] = [];
  if (/[\u{10000}-\u{10ffff}]/u.test(label))
    problems.push("Must not have characters of four bytes in UTF-8, such as emoji");
  if (
    clusters(world)
      .by("label", label)
      .some((other) => other.id !== own)
  )
    problems.push("Label must be unique among your Kubernetes clusters");
  return problems.map((reason) => ({ reason, field: "label" }));
}

function regionReasons(region: string | undefined): Reason[] {
  if (region === undefined) return [];
  const known = findRegion(region);
  if (!known) return [{ reason: "region is not valid", field: "region" }];
  return known.capabilities.includes("Kubernetes")
    ? []
    : [{ reason: "Kubernetes is not available in this region", field: "region" }];
}

function createReasons(call: Call): Reason[] {
  mustBeAbleToAdd(call, "add_computes", "add_clusters");
  const { world, body } = call;
  const { label, region, k8s_version, node_pools = [] } = body;
  return [
    ...labelReasons(world, label),
    ...regionReasons(region),
    ...(k8s_version === undefined || findVersion(k8s_version)
      ? []
      : [{ reason: "k8s_version is not valid", field: "k8s_version" }]),
    ...(node_pools as PoolRequest[]).flatMap((pool, index) =>
      poolReasons(pool, region, (name) => `node_pools[${index}].${name}`),
    ),
  ];
}

function create(call: Call) {
  const { world, body } = call;
  refuseAll(createReasons(call));
  const now = world.clock.stamp();
  const cluster = clusters(world).insert({
    label: body["label"],
    region: body["region"],
    status: "ready",
    k8s_version: body["k8s_version"],
    control_plane: { high_availability: body["control_plane"]?.high_availability ?? false },
    tags: body["tags"] ?? [],
    created: now,
    updated: now,
    _uuid: [8, 4, 4, 4, 12].map((digits) => world.hex(digits)).join("-"),
    _endpoints: false,
    _kubeconfig: null,
    _serviceToken: newServiceToken(world),
    _event: null,
  });
  clusters(world).update(cluster.id, {
    _event: tell(world, "cluster_create", cluster, { status: "started" }),
  });
  beginAccess(world, cluster);
  for (const pool of body["node_pools"] as PoolRequest[]) insertPool(world, cluster, pool);
  return showCluster(cluster);
}

function updateReasons(call: Call): Reason[] {
  const { world, body } = call;
  const cluster = reachCluster(call);
  const reasons = labelReasons(world, body["label"], cluster.id);
  const upgrade =
    body["k8s_version"] === undefined ? undefined : upgradeProblem(cluster.k8s_version, body["k8s_version"]);
  if (upgrade) reasons.push({ reason: upgrade, field: "k8s_version" });
  if (cluster.control_plane.high_availability && body["control_plane"]?.high_availability === false)
    reasons.push({
      reason: "High availability cannot be switched off again",
      field: "control_plane.high_availability",
    });
  return reasons;
}

const allNodes = (world: World, cluster: Cluster) =>
  poolsOf(world, cluster).flatMap((pool) => nodesOf(world, pool));

/** A new version is for new and recycled nodes; high availability has all nodes replaced (contract section 2.7). */
function update(call: Call) {
  const { world, body } = call;
  refuseAll(updateReasons(call));
  const cluster = reachCluster(call);
  const before = cluster.control_plane.high_availability;
  const high_availability = body["control_plane"]?.high_availability ?? before;
  clusters(world).update(cluster.id, {
    label: body["label"] ?? cluster.label,
    k8s_version: body["k8s_version"] ?? cluster.k8s_version,
    tags: body["tags"] ?? cluster.tags,
    control_plane: { high_availability },
    updated: world.clock.stamp(),
  });
  if (high_availability && !before) recycle(world, cluster, allNodes(world, cluster));
  tell(world, "cluster_update", cluster);
  return showCluster(cluster);
}

/** All instances of all pools go; their volumes stay (contract section 3). */
function remove(call: Call) {
  const { world } = call;
  const cluster = reachCluster(call);
  removeAll(world, cluster);
  endAccess(world, cluster);
  if (cluster._event !== null) world.events.move(cluster._event, "failed");
  clusters(world).delete(cluster.id);
  tell(world, "cluster_delete", cluster);
  return {};
}

function regenerate(call: Call) {
  const { world, body } = call;
  const cluster = reachCluster(call);
  const { kubeconfig = false, servicetoken = false } = body;
  if (!kubeconfig && !servicetoken) refuse("At least one of kubeconfig and servicetoken must be true");
  if (kubeconfig) renewKubeconfig(world, cluster);
  if (servicetoken) renewServiceToken(world, cluster);
  tell(world, "cluster_regenerate", cluster);
  return {};
}

/** Does something to the cluster of the path, and tells of it. */
const act = (action: string, change: (world: World, cluster: Cluster) => void) => (call: Call) => {
  const cluster = reachCluster(call);
  change(call.world, cluster);
  tell(call.world, action, cluster);
  return {};
};

const base = "/lke/clusters";
const one = `${base}/{clusterId}`;
const showVersion = ({ id }: { id: string }) => ({ id });

export const kubernetesArea: Area = {
  name: "kubernetes",
  handlers: {
    "GET /lke/versions": () => versions.map(showVersion),
    "GET /lke/versions/{version}": (call) =>
      showVersion(findVersion(call.params["version"] ?? "") ?? notFound()),
    [`GET ${base}`]: ({ world }) => clusters(world).all().map(showCluster),
    [`POST ${base}`]: create,
    [`GET ${one}`]: (call) => showCluster(reachCluster(call)),
    [`PUT ${one}`]: update,
    [`DELETE ${one}`]: remove,
    [`GET ${one}/api-endpoints`]: (call) => showEndpoints(call.world, reachCluster(call)),
    [`GET ${one}/dashboard`]: (call) => showDashboard(call.world, reachCluster(call)),
    [`GET ${one}/kubeconfig`]: (call) => showKubeconfig(call.world, reachCluster(call)),
    [`DELETE ${one}/kubeconfig`]: act("kubeconfig_regenerate", renewKubeconfig),
    [`DELETE ${one}/servicetoken`]: act("token_rotate", renewServiceToken),
    [`POST ${one}/regenerate`]: regenerate,
    [`POST ${one}/recycle`]: act("cluster_recycle", (world, cluster) =>
      recycle(world, cluster, allNodes(world, cluster)),
    ),
    ...poolHandlers,
  },
  judges: {
    [`POST ${base}`]: createReasons,
    [`PUT ${one}`]: updateReasons,
    [`POST ${one}/regenerate`]: (call) => {
      reachCluster(call);
      return [];
    },
    ...poolJudges,
  },
  shows: nodeShows,
  jobs: { ...nodeJobs, ...accessJobs },
};
