/** How a cluster is reached: API endpoints and kubeconfig, which come late, the dashboard and the tokens (contract section 4.5; notes, section 7.1). */

import { type JsonObject, Refusal, type World } from "../../area.ts";
import { selfSigned } from "../../certificate.ts";
import { domainOf } from "../hosts.ts";
import { clusterDurations as durations } from "./durations.ts";
import { type Cluster, clusters } from "./objects.ts";

const jobKinds = { endpoints: "lke.endpoints", kubeconfig: "lke.kubeconfig", token: "lke.token" } as const;

function hostOf(world: World, { region }: Cluster): string {
  return `${region}-2.${domainOf(world, "lke")}`;
}

function notYet(what: string): never {
  throw new Refusal(503, [{ reason: `${what} not available yet: try again later` }]);
}

/** From the ranges for documentation: nothing answers there. */
const addressOf = ({ id }: Cluster) => `203.0.113.${1 + (id % 254)}`;

/** The host name's two ports, then the address's. Refuses with 503 while there are none. */
export function showEndpoints(world: World, cluster: Cluster) {
  if (!cluster._endpoints) notYet("The cluster's API endpoints are");
  const hosts = [`${cluster._uuid}.${hostOf(world, cluster)}`, addressOf(cluster)];
  return hosts.flatMap((host) => [443, 6443].map((port) => ({ endpoint: `https://${host}:${port}` })));
}

export function showDashboard(world: World, cluster: Cluster) {
  return { url: `https://${cluster._uuid}.dashboard.${hostOf(world, cluster)}` };
}

/** The file as YAML, with the empty line that it begins with. */
function kubeconfigText(
  world: World,
  cluster: Cluster,
  { authority, token }: NonNullable<Cluster["_kubeconfig"]>,
) {
  const name = `lke${cluster.id}`;
  return `
apiVersion: v1
kind: Config
preferences: {}

clusters:
- cluster:
    certificate-authority-data: ${Buffer.from(authority).toString("base64")}
    server: https://${cluster._uuid}.${hostOf(world, cluster)}:443
  name: ${name}

users:
- name: ${name}-admin
  user:
    as-user-extra: {}
    token: ${token}

contexts:
- context:
    cluster: ${name}
    namespace: default
    user: ${name}-admin
  name: ${name}-ctx

current-context: ${name}-ctx
`;
}

/** Base64 of the YAML. Refuses with 503 while there is none. */
export function showKubeconfig(world: World, cluster: Cluster) {
  if (!cluster._kubeconfig) return notYet("The cluster's kubeconfig is");
  return { kubeconfig: Buffer.from(kubeconfigText(world, cluster, cluster._kubeconfig)).toString("base64") };
}

/** A token of the form that Kubernetes gives a service account; nothing checks its signature. */
function adminToken(world: World): string {
  const account = "kubernetes.io/serviceaccount";
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iss: "kubernetes/serviceaccount",
    [`${account}/namespace`]: "kube-system",
    [`${account}/secret.name`]: `lke-admin-token-${world.hex(5)}`,
    [`${account}/service-account.name`]: "lke-admin",
    sub: "system:serviceaccount:kube-system:lke-admin",
  };
  const signature = Buffer.from(world.hex(512), "hex").toString("base64url");
  return [part({ alg: "RS256", kid: world.hex(43) }), part(claims), signature].join(".");
}

export const newServiceToken = (world: World) => world.hex(64);

/** Schedules when the new cluster can be reached. */
export function beginAccess(world: World, cluster: Cluster): void {
  const { accessReadyLeast, accessReadyMost } = durations;
  for (const kind of [jobKinds.endpoints, jobKinds.kubeconfig])
    world.jobs.schedule(kind, world.integer(accessReadyLeast, accessReadyMost), { cluster: cluster.id });
}

/** Deletes the kubeconfig; another follows. One that is not there yet comes in its own time, and is new anyway. */
export function renewKubeconfig(world: World, cluster: Cluster): void {
  if (!cluster._kubeconfig) return;
  clusters(world).update(cluster.id, { _kubeconfig: null });
  world.jobs.schedule(jobKinds.kubeconfig, durations.kubeconfigRenewed, { cluster: cluster.id });
}

export function renewServiceToken(world: World, cluster: Cluster): void {
  world.jobs.cancel(jobKinds.token, { cluster: cluster.id });
  world.jobs.schedule(jobKinds.token, durations.tokenRenewed, { cluster: cluster.id });
}

/** Forgets what was to come of a cluster that is being deleted. */
export function endAccess(world: World, cluster: Cluster): void {
  for (const kind of Object.values(jobKinds)) world.jobs.cancel(kind, { cluster: cluster.id });
}

function makeKubeconfig(world: World): Cluster["_kubeconfig"] {
  const { certificate } = selfSigned({
    seed: world.hex(64),
    name: "kubernetes",
    from: world.clock.now(),
  });
  return { authority: certificate, token: adminToken(world) };
}

/** The event of the creation ends when both ways in are there: that is how one learns of it (contract section 6). */
function arrived(world: World, cluster: Cluster): void {
  if (cluster._event === null || !cluster._endpoints || !cluster._kubeconfig) return;
  world.events.move(cluster._event, "finished");
  clusters(world).update(cluster.id, { _event: null });
}

const job =
  (change: (world: World, cluster: Cluster) => Partial<Cluster>) => (world: World, data: JsonObject) => {
    const cluster = clusters(world).get(data["cluster"] as number);
    if (cluster) arrived(world, clusters(world).update(cluster.id, change(world, cluster)));
  };

export const accessJobs: { readonly [kind: string]: (world: World, data: JsonObject) => void } = {
  [jobKinds.endpoints]: job(() => ({ _endpoints: true })),
  [jobKinds.kubeconfig]: job((world) => ({ _kubeconfig: makeKubeconfig(world) })),
  [jobKinds.token]: job((world) => ({ _serviceToken: newServiceToken(world) })),
};
