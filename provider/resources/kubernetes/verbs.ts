/** What can be done to a cluster, beside changing it (contract sections 3 and 4.5). */

import { isApiError, type WireObject } from "../../core/service-port.ts";
import { type Fields, text } from "../../core/type/field.ts";
import type { ObjectContext, Verb } from "../../core/type/resource.ts";
import { fingerprint } from "../../core/type/trigger.ts";
import { isThere, kubeconfigIn } from "./access.ts";
import { idOfPool } from "./pools/layout.ts";
import { nodesReady, poolOfNode, recycle } from "./pools/nodes.ts";
import type { ClusterAspectContext } from "./values.ts";

type Context = Pick<ObjectContext<Fields>, "service" | "notes" | "wait" | "path" | "id">;

/** Replaces every node of every pool, by `send`. */
export function recycleCluster(
  context: Context,
  kind = "by hand",
  send: () => Promise<unknown> = () => context.service.post(`${context.path}/recycle`),
): Promise<void> {
  const what = `waiting for cluster ${context.id} to replace its nodes`;
  return recycle(context, { kind, list: `${context.path}/pools`, includes: () => true, send, what });
}

/** Key of the note of what was regenerated and is not saved yet. */
export const regenerated = "regenerated";

/**
 * Makes the service choose new ones: both in one request, one by its own. Waits for the new kubeconfig. `mark` tells this run's wish from
 * others: where it was sent already by a run that was killed, it is only waited for.
 */
export async function regenerate(
  { service, path, id, wait, notes }: Context,
  what: { readonly kubeconfig: boolean; readonly serviceToken: boolean },
  mark = "",
): Promise<void> {
  const isSent = mark !== "" && notes.get(regenerated) === mark;
  const old = what.kubeconfig && !isSent ? await presentKubeconfig(service, path) : undefined;
  if (!isSent) {
    if (what.kubeconfig && what.serviceToken)
      await service.post(`${path}/regenerate`, { kubeconfig: true, servicetoken: true });
    else await service.delete(`${path}/${what.kubeconfig ? "kubeconfig" : "servicetoken"}`);
    if (mark !== "") await notes.set(regenerated, mark);
  }
  if (!what.kubeconfig) return;
  const isNew = (answer: WireObject) => {
    const now = kubeconfigIn(answer);
    return now === old ? undefined : now;
  };
  await wait(`${path}/kubeconfig`, `waiting for the new kubeconfig of cluster ${id}`, isThere(id, isNew));
}

/** Undefined while the cluster has none. */
async function presentKubeconfig(service: Context["service"], path: string): Promise<string | undefined> {
  try {
    return kubeconfigIn(await service.getFresh(`${path}/kubeconfig`));
  } catch (error) {
    if (isApiError(error, 503)) return undefined;
    throw error;
  }
}

/** The aspect of the two triggers. */
export async function regenerateChanged(context: ClusterAspectContext): Promise<undefined> {
  const { changed, inputs } = context;
  const what = {
    kubeconfig: changed.has("kubeconfigTrigger"),
    serviceToken: changed.has("serviceTokenTrigger"),
  };
  const wish = [what, inputs.kubeconfigTrigger, inputs.serviceTokenTrigger];
  await regenerate(context, what, fingerprint(JSON.stringify(wish)));
  return undefined;
}

const nodeId = text({ description: "Id of the node (`118362-63483a962f5f`).", minLength: 1 });
const locals = "what is stored on the nodes";

export const verbs: readonly Omit<Verb<Fields>, "trigger">[] = [
  {
    name: "recycle",
    description: "Replaces every node of every pool, one after the other, with the version's latest patch.",
    destroys: locals,
    run: (context) => recycleCluster(context),
  },
  {
    name: "regenerateKubeconfig",
    description: "Makes a new kubeconfig; the present one is not valid any more.",
    destroys: "the access of everybody who has the present kubeconfig",
    run: (context) => regenerate(context, { kubeconfig: true, serviceToken: false }),
  },
  {
    name: "regenerateServiceToken",
    description:
      "Makes a new service token; without high availability the control plane may be down for a moment.",
    run: (context) => regenerate(context, { kubeconfig: false, serviceToken: true }),
  },
  {
    name: "regenerate",
    description: "Makes a new kubeconfig and a new service token at once.",
    destroys: "the access of everybody who has the present kubeconfig",
    run: (context) => regenerate(context, { kubeconfig: true, serviceToken: true }),
  },
  {
    name: "recycleNode",
    description: "Replaces one node with a new one.",
    destroys: "what is stored on the node",
    args: { nodeId },
    async run(context) {
      const { service, path, args } = context;
      const node = String(args["nodeId"]);
      const pool = idOfPool(await poolOfNode(context, `${path}/pools`, node));
      await service.post(`${path}/nodes/${encodeURIComponent(node)}/recycle`);
      const what = `waiting for node ${node} to be replaced`;
      await nodesReady(context, [`${path}/pools/${pool}`], what, new Set([node]));
    },
  },
  {
    name: "deleteNode",
    description: "Deletes one node; its pool is one smaller, which the next run of its stack sees as drift.",
    destroys: "the node and what is stored on it",
    args: { nodeId },
    async run(context) {
      const { service, path, args } = context;
      const node = String(args["nodeId"]);
      await poolOfNode(context, `${path}/pools`, node);
      await service.delete(`${path}/nodes/${encodeURIComponent(node)}`);
    },
  },
];
