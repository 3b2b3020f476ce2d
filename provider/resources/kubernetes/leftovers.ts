/** What a cluster leaves behind when it is deleted (contract section 3). */

import { isApiError, isGone, type ServicePort, type WireObject } from "../../core/service-port.ts";
import type { Fields } from "../../core/type/field.ts";
import type { ObjectContext } from "../../core/type/resource.ts";
import type { LivePool } from "./pools/pool.ts";

/** Tells of volumes that are attached to its nodes: they stay, and go on costing. */
export async function nameVolumesThatStay(context: ObjectContext<Fields>): Promise<void> {
  const { service, path, id, log } = context;
  const pools = (await listed(service, `${path}/pools`)) as readonly LivePool[];
  const instances = new Set(pools.flatMap(({ nodes }) => nodes.map((node) => node.instance_id)));
  instances.delete(null);
  if (instances.size === 0) return;
  const left = (await listed(service, "/volumes")).filter((volume) => instances.has(volume["compute_id"]));
  if (left.length === 0) return;
  const names = left.map(({ id: number, label }) => `${label} (id ${number})`).join(", ");
  log(
    "warning",
    `cluster ${id} is deleted, but volumes that its workloads had stay, and cost money until you delete them: ${names}`,
  );
}

/** A list that this token may not see tells nothing, and must not keep the cluster alive. */
async function listed(service: ServicePort, path: string): Promise<readonly WireObject[]> {
  try {
    return await service.list(path);
  } catch (error) {
    if (isGone(error) || isApiError(error, 401) || isApiError(error, 403)) return [];
    throw error;
  }
}
