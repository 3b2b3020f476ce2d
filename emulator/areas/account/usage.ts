/** What the account uses and may use: transfer of the month, services by region, maintenance (supporting operations; notes, section 12). */

import { type Call, type Handler, type Item, type JsonObject, notFound, type World } from "../../area.ts";
import { findRegion, type Region, regionalPrices, regions } from "../../catalogue/regions.ts";
import { planOf } from "../compute/deployment.ts";
import { instanceEntity, instances } from "../compute/objects.ts";
import { transferUsed } from "../objectstorage/serve.ts";

/** Maintenance of an instance: none comes by itself, a seed or a change of the data brings it. */
interface Maintenance extends Item {
  compute_id: number;
  reason: string;
  status: "pending" | "started";
  type: "reboot" | "cold_migration" | "live_migration";
  when: string;
}

/** GB that Object Storage adds to the account's pool (contract section 8). */
const storageQuota = 1000;

/** GB, all outbound transfer counting for the common pool; regions with prices of their own have a pool of their own too. */
function transfer(world: World) {
  const quotaOf = (counts: (region: string) => boolean) =>
    instances(world)
      .filter(({ region }) => counts(region))
      .reduce((sum, instance) => sum + planOf(instance).transfer, 0);
  const settings = world.account["settings"] as JsonObject | undefined;
  const storage = settings?.["object_storage"] === "active" ? storageQuota : 0;
  const quota = storage + quotaOf((region) => !regionalPrices.has(region));
  const used = Math.floor(transferUsed(world) / 1e9);
  return {
    billable: Math.max(0, used - quota),
    quota,
    used,
    region_transfers: [...regionalPrices.keys()]
      .map((id) => ({ id, billable: 0, quota: quotaOf((region) => region === id), used: 0 }))
      .filter((one) => one.quota > 0),
  };
}

const services = [...new Set(regions.flatMap(({ capabilities }) => capabilities))].sort();

const availability = ({ id, capabilities }: Region) => ({
  region: id,
  available: services.filter((service) => capabilities.includes(service)),
  unavailable: services.filter((service) => !capabilities.includes(service)),
});

function maintenance({ world, caller }: Call) {
  return world
    .collection<Maintenance>("accountMaintenance")
    .all()
    .flatMap(({ compute_id, reason, status, type, when }) => {
      const instance = instances(world).get(compute_id);
      if (!instance || !caller.may("compute", compute_id, "read_only")) return [];
      return [{ entity: instanceEntity(instance), reason, status, type, when }];
    });
}

/** `mustReach` refuses restricted users without the account grant. */
export function usageHandlers(mustReach: (call: Call) => void): { readonly [operation: string]: Handler } {
  const guarded =
    (handler: Handler): Handler =>
    (call) => {
      mustReach(call);
      return handler(call);
    };
  return {
    "GET /account/transfer": guarded(({ world }) => transfer(world)),
    "GET /account/availability": guarded(() => regions.map(availability)),
    "GET /account/availability/{regionId}": guarded((call) =>
      availability(findRegion(call.params["regionId"] ?? "") ?? notFound()),
    ),
    "GET /account/maintenance": maintenance,
  };
}
