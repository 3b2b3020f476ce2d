/** Functions that show how a cluster is reached, and which versions there are (contract section 4.5). */

import { isApiError } from "../../core/service-port.ts";
import { id, list, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { existing } from "../../core/type/getter.ts";
import { kubeconfigIn } from "./access.ts";

const clusterId = id({ description: "Id of the cluster.", reference: "kubernetes/cluster" });
const pathOf = (cluster: string | undefined) => `/lke/clusters/${cluster}`;

/** What was read; an error that says when to ask again where the cluster is too young for it. */
async function ready<T>(cluster: string | undefined, what: string, read: Promise<T>): Promise<T> {
  try {
    return await existing(`cluster with id ${cluster}`, read);
  } catch (error) {
    if (!isApiError(error, 503)) throw error;
    throw new Error(
      `the ${what} of cluster ${cluster} is not there yet: it comes 2 to 5 minutes after the cluster`,
      { cause: error },
    );
  }
}

export const getKubeconfig = providerFunction({
  area: "kubernetes",
  name: "getKubeconfig",
  description: "The kubeconfig of a cluster's administrator. It needs a token that may write.",
  args: { clusterId },
  result: { kubeconfig: text({ description: "The kubeconfig, as YAML.", secret: true }) },
  async call({ args, service }) {
    const read = service.getFresh(`${pathOf(args.clusterId)}/kubeconfig`);
    return { kubeconfig: kubeconfigIn(await ready(args.clusterId, "kubeconfig", read)) ?? "" };
  },
});

export const getDashboard = providerFunction({
  area: "kubernetes",
  name: "getDashboard",
  description: "Where a cluster's dashboard is.",
  args: { clusterId },
  result: { url: text({ description: "Address of the dashboard." }) },
  async call({ args, service }) {
    const read = service.getFresh(`${pathOf(args.clusterId)}/dashboard`);
    const { url } = await existing(`cluster with id ${args.clusterId}`, read);
    return { url: String(url) };
  },
});

export const getApiEndpoints = providerFunction({
  area: "kubernetes",
  name: "getApiEndpoints",
  description: "The addresses of a cluster's API server.",
  args: { clusterId },
  result: {
    endpoints: list(text({ description: "An address." }), { description: "The addresses." }),
  },
  async call({ args, service }) {
    const read = service.list(`${pathOf(args.clusterId)}/api-endpoints`);
    const found = await ready(args.clusterId, "list of API endpoints", read);
    return { endpoints: found.map(({ endpoint }) => String(endpoint)) };
  },
});

export const getVersions = providerFunction({
  area: "kubernetes",
  name: "getVersions",
  description: "Every Kubernetes version that the service offers, newest first.",
  args: {},
  result: {
    versions: list(text({ description: "A version (`1.29`)." }), { description: "The versions." }),
  },
  async call({ service }) {
    const found = (await service.list("/lke/versions")).map(({ id: version }) => String(version));
    const order = (version: string) => version.split(".").map(Number);
    return {
      versions: found.sort((one, other) => {
        const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [order(one), order(other)];
        return otherMajor - major || otherMinor - minor;
      }),
    };
  },
});

export const getVersion = providerFunction({
  area: "kubernetes",
  name: "getVersion",
  description: "One Kubernetes version, or an error when the service does not offer it.",
  args: { id: text({ description: "The version (`1.29`).", minLength: 1 }) },
  result: { id: text({ description: "The version." }) },
  async call({ args, service }) {
    const read = service.get(`/lke/versions/${encodeURIComponent(args.id ?? "")}`);
    return { id: String((await existing(`Kubernetes version ${args.id}`, read))["id"]) };
  },
});
