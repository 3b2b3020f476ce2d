/** Who may reach a stored object: the two refusals that every area gives in the same order. */

import { type Call, forbidden, type GrantEntity, type Item, notFound } from "../area.ts";

/**
 * The object when it exists and the caller may do that to it.
 * Refuses with 404 when there is none, with 403 when a restricted user lacks the grant (contract section 5.3).
 */
export function reach<T extends Item>(
  call: Call,
  entity: GrantEntity,
  item: T | undefined,
  permission: "read_only" | "read_write",
): T {
  if (item === undefined) return notFound();
  if (!call.caller.may(entity, item.id, permission)) forbidden();
  return item;
}

/** Refuses with 403 when a restricted user lacks every one of the global grants (some have two spellings). */
export function mustBeAbleToAdd(call: Call, ...grants: string[]): void {
  if (!grants.some((grant) => call.caller.mayAdd(grant))) forbidden();
}
