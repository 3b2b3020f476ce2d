/** The grants of restricted users as the service answers and takes them (notes, section 12). */

import { grantEntities, grantName, type Permission, type UserItem, users } from "../../account/users.ts";
import { type Call, refuse } from "../../area.ts";

const globalGrants = [
  "add_computes",
  "add_databases",
  "add_domains",
  "add_firewalls",
  "add_images",
  "add_longview",
  "add_nodebalancers",
  "add_stackscripts",
  "add_volumes",
  "add_vpc",
  "add_vpcs",
  "cancel_account",
  "longview_subscription",
] as const;

/** Entities that grants list although the emulator keeps none. */
const foreignEntities = ["firewall", "longview", "nodebalancer"] as const;

/** A restricted user's grants as answered; nothing for an unrestricted one. */
export function showGrants(user: UserItem) {
  if (!user.restricted) return undefined;
  const { global, entities } = user._grants;
  return {
    global: {
      ...Object.fromEntries(globalGrants.map((grant) => [grant, global[grantName(grant)] === true])),
      account_access: global["account_access"] ?? null,
    },
    ...Object.fromEntries(grantEntities.map((entity) => [entity, entities[entity] ?? []])),
    ...Object.fromEntries(foreignEntities.map((entity) => [entity, []])),
  };
}

/** Takes over what the body gives and keeps the rest. */
export function updateGrants(call: Call, user: UserItem) {
  if (!user.restricted) refuse("An unrestricted user has no grants; restrict the user first");
  const { global = {}, ...lists } = call.body;
  const before = user._grants.global;
  const next = structuredClone(user._grants);
  for (const [written, value] of Object.entries(global as { [grant: string]: boolean | Permission })) {
    const grant = grantName(written);
    // Clients send back both spellings of one grant and change one of them: the change counts.
    if (value !== (before[grant] ?? (grant === "account_access" ? null : false))) next.global[grant] = value;
  }
  for (const entity of grantEntities) {
    const given = lists[entity] as { id: number; permissions?: Permission }[] | undefined;
    if (!given) continue;
    const held = new Map((user._grants.entities[entity] ?? []).map((grant) => [grant.id, grant]));
    for (const { id, permissions = null } of given)
      held.set(id, { id, label: held.get(id)?.label ?? "", permissions });
    next.entities[entity] = [...held.values()];
  }
  users(call.world).update(user.id, { _grants: next });
  return showGrants(user);
}
