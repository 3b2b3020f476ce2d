/** The account itself: its data, settings, users and grants (supporting operations; notes, section 12). */

import { newUser, ownerName, tokens, type UserItem, userNamed, users } from "../../account/users.ts";
import {
  type Area,
  type Call,
  forbidden,
  type Json,
  type JsonObject,
  notFound,
  refuse,
  type World,
} from "../../area.ts";
import { eventHandlers } from "./events.ts";
import { showGrants, updateGrants } from "./grants.ts";
import { profileHandlers } from "./profile.ts";
import { moveSshKeys, sshKeyJudges } from "./ssh-keys.ts";
import { usageHandlers } from "./usage.ts";

/** Refuses with 403 a restricted user without the account grant. */
function mustReachAccount(call: Call, permission: "read_only" | "read_write"): void {
  if (!call.caller.restricted) return;
  const held = userNamed(call.world, call.caller.username)?._grants.global["account_access"];
  if (held !== "read_write" && held !== permission) forbidden();
}

function reachUser(call: Call, permission: "read_only" | "read_write"): UserItem {
  mustReachAccount(call, permission);
  return userNamed(call.world, call.params["username"] ?? "") ?? notFound();
}

function showUser({ id: _id, ...user }: UserItem) {
  return user;
}

function createUser(call: Call) {
  mustReachAccount(call, "read_write");
  const { username, email, restricted = true } = call.body;
  if (userNamed(call.world, username)) refuse("Username must be unique", "username");
  const user = users(call.world).insert(newUser(username, { email, restricted }));
  tellOf(call, "user_create", user);
  return showUser(user);
}

function updateUser(call: Call) {
  const user = reachUser(call, "read_write");
  const { username = user.username, email = user.email, restricted = user.restricted } = call.body;
  const other = userNamed(call.world, username);
  if (other && other.id !== user.id) refuse("Username must be unique", "username");
  if (restricted && user.username === call.caller.username && !user.restricted)
    refuse("You cannot restrict yourself", "restricted");
  for (const token of tokens(call.world).by("_username", user.username))
    tokens(call.world).update(token.id, { _username: username });
  moveSshKeys(call.world, user.username, username);
  const updated = users(call.world).update(user.id, { username, email, restricted });
  tellOf(call, "user_update", updated);
  return showUser(updated);
}

function deleteUser(call: Call) {
  const user = reachUser(call, "read_write");
  if (user.username === call.caller.username) refuse("You cannot delete yourself");
  for (const token of tokens(call.world).by("_username", user.username)) tokens(call.world).delete(token.id);
  moveSshKeys(call.world, user.username, null);
  users(call.world).delete(user.id);
  tellOf(call, "user_delete", user);
  return {};
}

function tellOf(call: Call, action: string, user: UserItem): void {
  const url = `/v4/account/users/${user.username}`;
  call.world.events.emit({ action, entity: { id: user.username, type: "user", label: user.username, url } });
}

function seed(world: World): void {
  users(world).insert(newUser(ownerName));
  const { account } = world;
  Object.assign(account, {
    company: "",
    email: `${ownerName}@example.com`,
    first_name: "",
    last_name: "",
    address_1: "",
    address_2: "",
    city: "",
    state: "",
    zip: "",
    country: "US",
    phone: "",
    tax_id: "",
    balance: 0,
    balance_uninvoiced: 0,
    billing_source: "compute",
    credit_card: { last_four: "1111", expiry: "01/2030" },
    active_since: "2018-01-01T00:01:01",
    capabilities: [
      "Computes",
      "NodeBalancers",
      "Block Storage",
      "Object Storage",
      "Kubernetes",
      "Managed Databases",
      "VPCs",
    ],
    active_promotions: [],
    euuid: [8, 4, 4, 4, 12].map((digits) => world.hex(digits).toUpperCase()).join("-"),
    settings: {
      managed: true,
      network_helper: true,
      longview_subscription: null,
      backups_enabled: false,
      object_storage: "active",
    },
  } satisfies JsonObject);
}

function settingsOf(world: World): JsonObject {
  return world.account["settings"] as JsonObject;
}

export const accountArea: Area = {
  name: "account",
  handlers: {
    "GET /account": (call) => {
      mustReachAccount(call, "read_only");
      const { settings: _settings, ...account } = call.world.account;
      return account;
    },
    "PUT /account": (call) => {
      mustReachAccount(call, "read_write");
      Object.assign(call.world.account, call.body as { [name: string]: Json });
      const { settings: _settings, ...account } = call.world.account;
      return account;
    },
    "GET /account/settings": (call) => {
      mustReachAccount(call, "read_only");
      return settingsOf(call.world);
    },
    "PUT /account/settings": (call) => {
      mustReachAccount(call, "read_write");
      call.world.account["settings"] = { ...settingsOf(call.world), ...(call.body as JsonObject) };
      return settingsOf(call.world);
    },
    "GET /account/users": (call) => {
      mustReachAccount(call, "read_only");
      return users(call.world).all().map(showUser);
    },
    "POST /account/users": createUser,
    "GET /account/users/{username}": (call) => showUser(reachUser(call, "read_only")),
    "PUT /account/users/{username}": updateUser,
    "DELETE /account/users/{username}": deleteUser,
    "GET /account/users/{username}/grants": (call) => showGrants(reachUser(call, "read_only")),
    "PUT /account/users/{username}/grants": (call) => updateGrants(call, reachUser(call, "read_write")),
    ...usageHandlers((call) => mustReachAccount(call, "read_only")),
    ...eventHandlers,
    ...profileHandlers,
  },
  judges: sshKeyJudges,
  seed,
};
