/** How a cluster is reached: API endpoints and kubeconfig, which come minutes after the cluster, and the dashboard (contract sections 4.5 and 8). */

import { isApiError, type ServicePort, TimeoutError, type WireObject } from "../../core/service-port.ts";
import type { Fields } from "../../core/type/field.ts";
import type { ActionContext } from "../../core/type/resource.ts";

/** Seconds for which a read waits for what comes late; a write waits until it is there. */
const patience = 5;

/** The YAML of a kubeconfig's answer; undefined where there is none. */
export function kubeconfigIn(answer: WireObject | undefined): string | undefined {
  const encoded = answer?.["kubeconfig"];
  if (typeof encoded !== "string" || encoded === "") return undefined;
  return new TextDecoder().decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
}

/** The addresses of an answer that lists endpoints. */
function endpointsIn(answer: WireObject | undefined): string[] | undefined {
  const items = answer?.["data"] as readonly { readonly endpoint: string }[] | undefined;
  return items && items.length > 0 ? items.map(({ endpoint }) => endpoint) : undefined;
}

/** Contract section 8. */
const usually = "2 to 5 min";

/** Waits until the cluster can be reached. */
export async function reachable({
  path,
  id,
  wait,
}: { readonly path: string; readonly id: string } & Pick<ActionContext<Fields>, "wait">): Promise<void> {
  await Promise.all([
    wait(
      `${path}/api-endpoints`,
      `waiting for the API endpoints of cluster ${id}`,
      isThere(id, endpointsIn),
      usually,
    ),
    wait(
      `${path}/kubeconfig`,
      `waiting for the kubeconfig of cluster ${id}`,
      isThere(id, kubeconfigIn),
      usually,
    ),
  ]);
}

/** True when an answer holds it. What a cluster has is gone only with the cluster. */
export const isThere =
  (cluster: string, part: (answer: WireObject) => unknown) => (answer: WireObject | undefined) => {
    if (answer === undefined) throw new Error(`cluster ${cluster} was deleted while it was waited for`);
    return part(answer) !== undefined;
  };

/** What the single views tell, in wire names. What is not there yet, or not for this token, is left out. */
export async function access(service: ServicePort, path: string): Promise<WireObject> {
  const [endpoints, kubeconfig, dashboard] = await Promise.all([
    late(service, `${path}/api-endpoints`, endpointsIn),
    late(service, `${path}/kubeconfig`, kubeconfigIn),
    permitted(service.getFresh(`${path}/dashboard`)),
  ]);
  return {
    ...(endpoints && { api_endpoints: endpointsIn(endpoints) }),
    ...(kubeconfig && { kubeconfig: kubeconfigIn(kubeconfig) }),
    ...(dashboard && { dashboard_url: dashboard["url"] }),
  };
}

async function late(
  service: ServicePort,
  path: string,
  part: (answer: WireObject | undefined) => unknown,
): Promise<WireObject | undefined> {
  const isDone = (answer: WireObject | undefined) => answer === undefined || part(answer) !== undefined;
  try {
    return await permitted(service.waitFor(path, isDone, { timeoutSeconds: patience }));
  } catch (error) {
    if (error instanceof TimeoutError) return undefined;
    throw error;
  }
}

/** The kubeconfig needs a scope that a token for reading does not have; such a token must be able to refresh all the same. */
async function permitted<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isApiError(error, 401) || isApiError(error, 403)) return undefined;
    throw error;
  }
}
