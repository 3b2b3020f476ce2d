/** The stack of ../Pulumi.yaml as a Pulumi program: pools with a life of their own are a list, and the newest version on offer can be asked for. */

import * as plumbline from "@plumbline/pulumi";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();

// `pulumi config set version newest` follows the service; an upgrade goes one minor version at a time.
const wanted = config.get("version") ?? "1.28";
const k8sVersion =
  wanted === "newest"
    ? plumbline.kubernetes.getVersionsOutput().versions.apply(([newest]) => newest ?? wanted)
    : wanted;

const shop = new plumbline.kubernetes.Cluster("shop", {
  label: "shop",
  region: config.get("region") ?? "us-east",
  k8sVersion,
  tags: ["production"],
  // The names are yours: a pool is followed by its name, wherever it stands.
  nodePools: {
    // The count is where it begins; from then on the load decides, and no run takes that back.
    web: { type: "g6-standard-2", count: 2, autoscaler: { enabled: true, min: 2, max: 6 } },
    database: { type: "g6-dedicated-4", count: 1, tags: ["database"] },
  },
});

// Pools with a life of their own: they come and go without the cluster's declaration.
const others = config.getObject<string[]>("pools") ?? ["batch"];
const pools = others.map(
  (name) =>
    new plumbline.kubernetes.NodePool(name, {
      clusterId: shop.id,
      type: "g6-standard-4",
      count: 1,
      tags: [name],
    }),
);

// Secret, as the SDK knows: `pulumi stack output kubeconfig --show-secrets > kubeconfig.yaml` writes it.
export const kubeconfig = shop.kubeconfig;
export const endpoint = shop.apiEndpoints.apply((endpoints) => endpoints?.[0]);
export const dashboard = shop.dashboardUrl;
export const webPool = shop.poolIds.apply((ids) => ids["web"]);
export const batchNodes = pulumi.all(pools.map(({ nodes }) => nodes)).apply((nodes) => nodes.flat());
