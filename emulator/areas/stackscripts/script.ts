/** Scripts as the account keeps them and as the service answers them (contract section 2.2; notes, section 2). */

import { createHash } from "node:crypto";
import { userNamed } from "../../account/users.ts";
import type { Collection, Item, World } from "../../area.ts";
import { instances } from "../compute/objects.ts";
import { userDefinedFields } from "./fields.ts";

export interface StackScript extends Item {
  username: string;
  label: string;
  description: string;
  images: string[];
  deployments_total: number;
  is_public: boolean;
  created: string;
  updated: string;
  rev_note: string;
  script: string;
  /** True for a public script of another account. */
  _foreign?: boolean;
  /** Of a foreign script, whose instances are not this account's. */
  _deploymentsActive?: number;
}

export function stackScripts(world: World): Collection<StackScript> {
  return world.collection<StackScript>("stackscripts");
}

export function scriptEntity({ id, label }: StackScript) {
  return { id, type: "stackscript", label, url: `/v4/compute/stackscripts/${id}` };
}

/** The script as the service answers it; nothing is the own of a caller without a token. */
export function showScript(world: World, item: StackScript, authenticated: boolean) {
  const email = userNamed(world, item.username)?.email ?? item.username;
  const avatar = createHash("md5").update(email.trim().toLowerCase()).digest("hex");
  return {
    ...item,
    user_avatar_id: avatar,
    user_gravatar_id: avatar,
    ordinal: 0,
    logo_url: "",
    deployments_active: (item._deploymentsActive ?? 0) + instances(world).by("_stackscript", item.id).length,
    mine: authenticated && item._foreign !== true,
    user_defined_fields: userDefinedFields(item.script),
  };
}
