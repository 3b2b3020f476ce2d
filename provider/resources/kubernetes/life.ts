/** How a cluster is made, read and changed, and when it is finished (contract sections 2.7, 4.5 and 8). */

import type { WireObject } from "../../core/service-port.ts";
import type { FetchContext } from "../../core/type/resource.ts";
import { fingerprint } from "../../core/type/trigger.ts";
import { access, reachable } from "./access.ts";
import {
  asRead,
  type Ids,
  idOfPool,
  type Layout,
  layOut,
  noteKey,
  noteOf,
  readingOf,
  type Specs,
  shown,
} from "./pools/layout.ts";
import { forgetRecycling, nodesReady } from "./pools/nodes.ts";
import { createBody, isReady, type LivePool } from "./pools/pool.ts";
import type { ClusterAspectContext, ClusterContext, ClusterValues } from "./values.ts";
import { recycleCluster, regenerated } from "./verbs.ts";

/** The create carries all pools, in the order of their names. */
export function createRequest(values: ClusterValues) {
  const { label, region, k8sVersion, controlPlane, nodePools = {}, tags } = values;
  const node_pools = Object.keys(nodePools)
    .sort()
    .map((name) => createBody(nodePools[name]!));
  const body = {
    ...{ label, region, k8s_version: k8sVersion, node_pools },
    ...(controlPlane?.highAvailability && { control_plane: { high_availability: true } }),
    ...(tags && tags.length > 0 && { tags }),
  };
  const fields = ["label", "region", "k8sVersion", "controlPlane", "nodePools", "tags"] as const;
  return { path: "/lke/clusters", body, fields };
}

/** The cluster with its pools in their places. */
export async function readCluster(context: FetchContext): Promise<WireObject> {
  const { path, get, list, inputs, state, notes } = context;
  const [cluster, pools] = await Promise.all([get(path), list(`${path}/pools`)]);
  const layout = layOut(pools as readonly LivePool[], {
    ids: state["poolIds"] as Ids | undefined,
    declared: (inputs["nodePools"] ?? {}) as Specs,
    note: notes.get(noteKey),
  });
  const isReached = state["kubeconfig"] !== undefined && state["apiEndpoints"] !== undefined;
  const now = { ...cluster, ...shown(layout), k8s_version: versionOf(cluster, context) };
  return asRead(now, { layout, isReached });
}

/** An upgrade that is to recycle the nodes, and has not. */
interface Upgrade {
  readonly from: string;
  readonly to: string;
}

const upgradeKey = "upgrade";

/** A cluster has a version once the upgrade to it is over; until then it has the one before, so that a run after this one ends it. */
function versionOf(cluster: WireObject, { notes, state }: Pick<FetchContext, "notes" | "state">): unknown {
  const { from, to } = (notes.get(upgradeKey) ?? {}) as Partial<Upgrade>;
  const isUnderWay = to === cluster["k8s_version"] && (state["k8sVersion"] ?? from) === from;
  return isUnderWay && from !== undefined ? from : cluster["k8s_version"];
}

/** Version and high availability by one request, and the recycling that goes with them or is asked for by itself. */
export async function syncControlPlane(context: ClusterAspectContext): Promise<undefined> {
  const { changed, observed, service, path, notes, inputs: values } = context;
  const isUpgrade = changed.has("k8sVersion");
  const high = values.controlPlane?.highAvailability ?? false;
  const body = {
    ...(isUpgrade && { k8s_version: values.k8sVersion }),
    ...(changed.has("controlPlane") && { control_plane: { high_availability: high } }),
  };
  const recycles = isUpgrade && values.recycleOnUpgrade === true;
  if (recycles) await notes.set(upgradeKey, { from: observed["k8sVersion"]!, to: values.k8sVersion! });
  const send = () => service.put(path, body);
  // The service itself replaces all nodes when high availability is switched on.
  if (changed.has("controlPlane") && high) await recycleCluster(context, "highAvailability", send);
  else {
    if (Object.keys(body).length > 0) await send();
    const wish = changed.has("recycleTrigger") ? [values.recycleTrigger] : [];
    const kind = `recycle ${fingerprint(JSON.stringify([...wish, recycles && values.k8sVersion]))}`;
    if (recycles || wish.length > 0) await recycleCluster(context, kind);
  }
  if (isUpgrade && notes.get(upgradeKey) !== undefined) await notes.set(upgradeKey, undefined);
  return undefined;
}

/** Of a cluster that was just made, the pools are noted before they are waited for: those that others make meanwhile are not its own. */
export async function finishCluster(context: ClusterContext, object: WireObject): Promise<void> {
  const { notes, path, id } = context;
  const found = readingOf(object);
  let layout = found?.layout;
  if (!layout) {
    layout = await layoutNow(context, object);
    await notes.set(noteKey, noteOf(null, layout.ids));
  }
  const own = new Set(Object.values(layout.ids));
  const waiting = layout.pools.filter((pool) => own.has(idOfPool(pool)) && !isReady(pool));
  const paths = waiting.map((pool) => `${path}/pools/${idOfPool(pool)}`);
  await Promise.all([
    nodesReady(context, paths, `waiting for the nodes of cluster ${id} to be ready`),
    found?.isReached ? undefined : reachable(context),
  ]);
  await forgetRecycling(context);
  if (notes.get(regenerated) !== undefined) await notes.set(regenerated, undefined);
}

/** Adds how it is reached, and its pools as they are now. */
export async function observeCluster(context: ClusterContext, object: WireObject): Promise<WireObject> {
  const [layout, views] = await Promise.all([
    layoutNow(context, object),
    access(context.service, context.path),
  ]);
  return { ...object, ...shown(layout), ...views };
}

/** The pools as they are now, in the places that they had when the object was read. */
async function layoutNow(context: ClusterContext, object: WireObject): Promise<Layout> {
  const pools = (await context.service.list(`${context.path}/pools`)) as LivePool[];
  const earlier = readingOf(object)?.layout;
  return layOut(pools, {
    ids: earlier?.ids,
    declared: context.inputs.nodePools ?? {},
    note: earlier ? undefined : context.notes.get(noteKey),
  });
}
