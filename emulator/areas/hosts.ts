/** The host names that the service answers. They end in a reserved domain, which never resolves, so that no client reaches a stranger's host. */

import type { World } from "../area.ts";

/** The domain of one of the service's offers: clusters, databases or Object Storage. */
export function domainOf(world: World, offer: "lke" | "db" | "objects"): string {
  return `${world.brand ?? "compute"}${offer}.invalid`;
}
