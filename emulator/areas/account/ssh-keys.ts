/** The public keys of the caller, which new instances can be given (supporting operations; notes, section 12). */

import { userNamed, users } from "../../account/users.ts";
import {
  type Call,
  type Handler,
  type Item,
  notFound,
  type Reason,
  refuseAll,
  type World,
} from "../../area.ts";

interface SshKey extends Item {
  label: string;
  ssh_key: string;
  created: string;
  _username: string;
}

const keys = (world: World) => world.collection<SshKey>("sshKeys");
const keysOf = (world: World, username: string) => keys(world).by("_username", username);

const form =
  /^(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) [A-Za-z0-9+/]{16,}={0,2}(?: .*)?$/;

function reachKey(call: Call): SshKey {
  const key = keys(call.world).get(call.id("sshKeyId"));
  return key?._username === call.caller.username ? key : notFound();
}

/** Users tell the labels of their keys. */
function tell(call: Call, action: string, { id, label }: SshKey): void {
  const { world, caller } = call;
  const user = userNamed(world, caller.username);
  if (user)
    users(world).update(user.id, { ssh_keys: keysOf(world, caller.username).map((key) => key.label) });
  const url = `/v4/profile/sshkeys/${id}`;
  world.events.emit({ action: `user_ssh_key_${action}`, entity: { id, label, type: "user_ssh_key", url } });
}

function keyReasons({ body }: Call): Reason[] {
  const text: string | undefined = body["ssh_key"];
  if (text === undefined || form.test(text.trim())) return [];
  return [{ reason: "Must be a public key as in authorized_keys: kind, base64, comment", field: "ssh_key" }];
}

function create(call: Call): SshKey {
  const { world, body, caller } = call;
  refuseAll(keyReasons(call));
  const key = keys(world).insert({
    label: body["label"],
    ssh_key: body["ssh_key"].trim(),
    created: world.clock.stamp(),
    _username: caller.username,
  });
  tell(call, "add", key);
  return key;
}

function update(call: Call): SshKey {
  const key = reachKey(call);
  const changed = keys(call.world).update(key.id, { label: call.body["label"] ?? key.label });
  tell(call, "update", changed);
  return changed;
}

function remove(call: Call) {
  const key = reachKey(call);
  keys(call.world).delete(key.id);
  tell(call, "delete", key);
  return {};
}

/** Gives the keys of a user to another name, or with none removes them. */
export function moveSshKeys(world: World, from: string, to: string | null): void {
  for (const { id } of keysOf(world, from))
    if (to === null) keys(world).delete(id);
    else keys(world).update(id, { _username: to });
}

const base = "/profile/sshkeys";

export const sshKeyHandlers: { readonly [operation: string]: Handler } = {
  [`GET ${base}`]: ({ world, caller }) => keysOf(world, caller.username),
  [`POST ${base}`]: create,
  [`GET ${base}/{sshKeyId}`]: reachKey,
  [`PUT ${base}/{sshKeyId}`]: update,
  [`DELETE ${base}/{sshKeyId}`]: remove,
};

export const sshKeyJudges: { readonly [operation: string]: (call: Call) => readonly Reason[] } = {
  [`POST ${base}`]: keyReasons,
};
