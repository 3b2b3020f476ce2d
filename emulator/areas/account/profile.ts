/** The caller's own profile, grants and tokens (supporting operations; notes, section 12). */

import { type TokenItem, tokens, type UserItem, userNamed, users } from "../../account/users.ts";
import { type Call, type Handler, notFound, type Reason, refuseAll } from "../../area.ts";
import { showGrants } from "./grants.ts";
import { sshKeyHandlers } from "./ssh-keys.ts";

interface ProfileUser extends UserItem {
  _profile?: { [name: string]: unknown };
}

function self(call: Call): ProfileUser {
  return userNamed(call.world, call.caller.username) ?? notFound();
}

function showProfile(user: ProfileUser) {
  return {
    uid: user.id,
    username: user.username,
    email: user.email,
    timezone: "US/Eastern",
    email_notifications: true,
    two_factor_auth: user.tfa_enabled,
    restricted: user.restricted,
    authentication_type: "password",
    authorized_keys: null,
    lish_auth_method: "keys_only",
    ip_whitelist_enabled: false,
    verified_phone_number: user.verified_phone_number,
    referrals: { code: "", url: "", total: 0, completed: 0, pending: 0, credit: 0 },
    ...user._profile,
  };
}

function updateProfile(call: Call) {
  const user = self(call);
  const { email = user.email, ...own } = call.body;
  users(call.world).update(user.id, { email, _profile: { ...user._profile, ...own } } as Partial<UserItem>);
  return showProfile(user);
}

/** Only the answer to its creation tells the whole token. */
function showToken(token: TokenItem, whole = false) {
  const { id, created, label, expiry, scopes, _token } = token;
  return { id, created, label, expiry, scopes, token: whole ? _token : _token.slice(0, 16) };
}

function ownTokens(call: Call): TokenItem[] {
  return tokens(call.world).by("_username", call.caller.username);
}

function reachToken(call: Call): TokenItem {
  const token = tokens(call.world).get(call.id("tokenId"));
  return token?._username === call.caller.username ? token : notFound();
}

function createToken(call: Call) {
  const { label = "", expiry = null, scopes = "*" } = call.body;
  const reasons: Reason[] = [];
  const wanted = String(scopes)
    .split(/[\s,]+/)
    .filter(Boolean);
  if (
    wanted.length === 0 ||
    !wanted.every((scope) => scope === "*" || /^[a-z_]+:(read_only|read_write|\*)$/.test(scope))
  )
    reasons.push({ reason: "scopes is not valid", field: "scopes" });
  if (expiry !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(expiry))
    reasons.push({ reason: "expiry is not valid", field: "expiry" });
  else if (expiry !== null && expiry <= call.world.clock.stamp())
    reasons.push({ reason: "Must be in the future", field: "expiry" });
  refuseAll(reasons);
  const token = tokens(call.world).insert({
    created: call.world.clock.stamp(),
    label,
    expiry,
    scopes: wanted.join(" "),
    _token: call.world.hex(64),
    _username: call.caller.username,
  });
  return showToken(token, true);
}

export const profileHandlers: { readonly [operation: string]: Handler } = {
  "GET /profile": (call) => showProfile(self(call)),
  "PUT /profile": updateProfile,
  "GET /profile/grants": (call) => showGrants(self(call)),
  ...sshKeyHandlers,
  "GET /profile/tokens": (call) => ownTokens(call).map((token) => showToken(token)),
  "POST /profile/tokens": createToken,
  "GET /profile/tokens/{tokenId}": (call) => showToken(reachToken(call)),
  "PUT /profile/tokens/{tokenId}": (call) => {
    const { id, label } = reachToken(call);
    return showToken(tokens(call.world).update(id, { label: call.body["label"] ?? label }));
  },
  "DELETE /profile/tokens/{tokenId}": (call) => {
    tokens(call.world).delete(reachToken(call).id);
    return {};
  },
};
