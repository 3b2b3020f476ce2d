/** What a preview finds out about a cluster from the live account (contract sections 2.7, 3 and 7). Writes nothing. */

import { formatPath } from "../../core/property-path.ts";
import type { WireObject } from "../../core/service-port.ts";
import { judgeOffer, judgeRegion, type Look, notOffered, offered } from "../offers.ts";
import { idOfPool, type Specs } from "./pools/layout.ts";
import { isAlike, type PoolSpec, remaking } from "./pools/pool.ts";
import type { ClusterLookupContext, ClusterValues } from "./values.ts";

/** Refuses types that nodes cannot have; `at` places a property of the pool. */
export async function judgeType(
  spec: PoolSpec,
  region: string | undefined,
  { list, refuse }: Look,
  at: (property: string) => string = (property) => property,
): Promise<void> {
  if (spec.type === undefined) return;
  const types = await offered(list, "/compute/types");
  if (types.length === 0) return;
  const type = types.find(({ id }) => id === spec.type);
  if (!type) return refuse(at("type"), notOffered(spec.type, types));
  const { class: kind, memory, disk } = type as { class?: string; memory?: number; disk?: number };
  if (kind === "nanode" || Number(memory) < 2048)
    refuse(at("type"), `must be a type of at least 2 GB of memory, and no Nanode, not ${spec.type}`);
  if (kind === "premium" && region !== undefined) {
    const found = (await offered(list, "/regions")).find(({ id }) => id === region);
    if (found && !(found["capabilities"] as readonly string[]).includes("Premium Plans"))
      refuse(at("type"), `is a premium type, which region ${region} does not have`);
  }
  const own = (spec.disks ?? []).reduce((sum, { size }) => sum + size, 0);
  if (disk !== undefined && own >= disk)
    refuse(
      at("disks"),
      `take ${own} MB and leave nothing of the ${disk} MB of ${spec.type} for the boot disk`,
    );
}

const at = (name: string) => (property: string) => formatPath(["nodePools", name, ...property.split(".")]);

export async function lookUpCluster(context: ClusterLookupContext): Promise<void> {
  const { before, after, creating } = context;
  const { region, k8sVersion: version } = after;
  const pools = after.nodePools ?? {};
  const earlier = before.nodePools ?? {};
  if (creating) await judgeRegion(region, context, "Kubernetes");
  if (version !== before.k8sVersion) await judgeOffer("k8sVersion", version, "/lke/versions", context);
  for (const [name, spec] of Object.entries(pools)) {
    const old = earlier[name];
    if (!old || remaking(spec, old).length > 0) await judgeType(spec, region, context, at(name));
  }
  if (creating) return;
  warnOfNodes(context);
  if (after.nodePools !== undefined) warnOfPools(context, earlier, pools);
  await nameOthers(context);
}

/** What happens to nodes when the control plane changes. */
function warnOfNodes({ before, after, warn }: ClusterLookupContext): void {
  const isAvailable = ({ controlPlane }: ClusterValues) => controlPlane?.highAvailability === true;
  const lost = "all nodes are replaced one after the other, and what is stored on them is lost";
  const [present, next] = [before.k8sVersion, after.k8sVersion];
  if (isAvailable(after) && !isAvailable(before))
    warn(`high availability cannot be switched off again; to switch it on, ${lost}`);
  if (next === undefined || next === present) return;
  warn(
    after.recycleOnUpgrade === true
      ? `the upgrade from ${present} to ${next} recycles the cluster: ${lost}`
      : `the upgrade from ${present} to ${next} reaches new nodes only; nodes that are there stay as they are until they are recycled (recycleOnUpgrade, or a change of recycleTrigger)`,
  );
}

/** Pools that are made anew, and pools that only get another name. */
function warnOfPools({ warn }: ClusterLookupContext, earlier: Specs, pools: Specs): void {
  const gone = Object.keys(earlier).filter((name) => !(name in pools));
  for (const [name, spec] of Object.entries(pools)) {
    const old = earlier[name];
    const changes = old ? remaking(spec, old) : [];
    if (old && changes.length === 0) continue;
    const spare = gone.find((other) => isAlike(spec, earlier[other] as WireObject));
    if (spare !== undefined) {
      gone.splice(gone.indexOf(spare), 1);
      warn(`pool ${spare} becomes ${name} and keeps its nodes`);
    } else if (old)
      warn(
        `pool ${name} is made anew, as its ${changes.join(" and ")} cannot be changed: its new nodes are ready before the old ones go, and what is stored on the old ones is lost`,
      );
  }
}

/** Pools that somebody else made. */
async function nameOthers({ before, path, list, isOurs, warn }: ClusterLookupContext): Promise<void> {
  if (path === undefined) return;
  const own = new Set(Object.values(before.poolIds ?? {}));
  const cluster = path.split("/").at(-1);
  const others = (await list(`${path}/pools`)).filter(
    (pool) => !own.has(idOfPool(pool)) && !isOurs(`${cluster}/${idOfPool(pool)}`, "kubernetes/nodePool"),
  );
  if (others.length === 0) return;
  const named = others.map(({ id, type, count }) => `${id} (${count} ${type})`).join(", ");
  warn(
    `cluster ${cluster} has pools that were not made by its nodePools: ${named}; they belong to a NodePool, or were made by hand, and are left alone`,
  );
}
