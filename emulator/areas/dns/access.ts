/** What the operations on domains and on their records have in common: reaching the domain of the path, and telling of it. */

import { type Call, notFound, type World } from "../../area.ts";
import { reach } from "../access.ts";
import type { Domain } from "./domain.ts";
import { domainsOf } from "./zone.ts";

/**
 * The domain of the path, when the caller may do that to it. Where the contract writes the id as a string, a text that is
 * no number is an unknown id.
 */
export function domainOf(call: Call, permission: "read_only" | "read_write"): Domain {
  const text = call.params["domainId"] ?? "";
  if (!/^\d+$/.test(text)) notFound();
  return reach(call, "domain", domainsOf(call.world).get(Number(text)), permission);
}

/** Records an event about the domain; those about records name the domain too (notes, section 11). */
export function tell(world: World, domain: Domain, action: string, message = ""): void {
  const { id, domain: label } = domain;
  world.events.emit({ action, message, entity: { id, type: "domain", label, url: `/v4/domains/${id}` } });
}
