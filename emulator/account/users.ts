/** Users, their grants and their tokens as the account keeps them; `--tokens` puts them there. */

import { readFileSync } from "node:fs";
import type { Collection, GrantEntity, Item, World } from "../area.ts";

export type Permission = "read_only" | "read_write" | null;

/** One line of a user's grants. */
export interface EntityGrant {
  id: number;
  label: string;
  permissions: Permission;
}

/** A restricted user's rights (notes, section 12). */
export interface Grants {
  global: { [grant: string]: boolean | Permission };
  entities: { [entity in GrantEntity]?: EntityGrant[] };
}

export interface UserItem extends Item {
  username: string;
  email: string;
  restricted: boolean;
  ssh_keys: string[];
  tfa_enabled: boolean;
  verified_phone_number: string | null;
  password_created: string | null;
  _grants: Grants;
}

export interface TokenItem extends Item {
  created: string;
  label: string;
  /** `null` never ends. */
  expiry: string | null;
  /** Space separated, or `*`. */
  scopes: string;
  _token: string;
  _username: string;
}

export const grantEntities: readonly GrantEntity[] = [
  "compute",
  "database",
  "domain",
  "image",
  "stackscript",
  "volume",
  "vpc",
];

/** The owner when no tokens file names users. */
export const ownerName = "owner";

export function users(world: World): Collection<UserItem> {
  return world.collection<UserItem>("users");
}

export function tokens(world: World): Collection<TokenItem> {
  return world.collection<TokenItem>("tokens");
}

export function userNamed(world: World, username: string): UserItem | undefined {
  return users(world).by("username", username)[0];
}

function noGrants(): Grants {
  return { global: {}, entities: {} };
}

/** A user as stored, with what was not given filled in. */
export function newUser(
  username: string,
  fields: Partial<Omit<UserItem, "id" | "username">> = {},
): Omit<UserItem, "id"> {
  return {
    username,
    email: `${username}@example.com`,
    restricted: false,
    ssh_keys: [],
    tfa_enabled: false,
    verified_phone_number: null,
    password_created: null,
    _grants: noGrants(),
    ...fields,
  };
}

/** What `--tokens` says: `{"users":[{"username","restricted","grants"}],"tokens":[{"token","username","scopes","expiry","label"}]}`. */
export interface TokensFile {
  readonly users: readonly Omit<UserItem, "id">[];
  readonly tokens: readonly Omit<TokenItem, "id" | "created">[];
}

/**
 * Reads a tokens file. Grants are written as the service answers them: `global` and one list an entity. Scopes may be written with the
 * brand's word or the contract's; `swap` brings them to the contract's. A user that only a token names is unrestricted.
 */
export function readTokensFile(path: string, swap: (text: string) => string): TokensFile {
  const wrong = (what: string): never => {
    throw new Error(`tokens file ${path}: ${what}`);
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`cannot read the tokens file ${path}: ${(cause as Error).message}`, { cause });
  }
  const list = (name: string): { [field: string]: unknown }[] => {
    const value = (parsed as { [field: string]: unknown } | null)?.[name] ?? [];
    if (!Array.isArray(value)) return wrong(`"${name}" must be a list`);
    return value.map((entry, at) =>
      typeof entry === "object" && entry !== null ? entry : wrong(`${name}[${at}] must be an object`),
    );
  };
  const word = (entry: { [field: string]: unknown }, field: string, where: string): string => {
    const value = entry[field];
    return typeof value === "string" && value !== "" ? value : wrong(`${where} needs "${field}", a text`);
  };

  const found = new Map<string, Omit<UserItem, "id">>();
  list("users").forEach((entry, at) => {
    const username = word(entry, "username", `users[${at}]`);
    found.set(
      username,
      newUser(username, {
        restricted: entry["restricted"] === true,
        ...(typeof entry["email"] === "string" && { email: entry["email"] }),
        _grants: readGrants((entry["grants"] ?? {}) as { [name: string]: unknown }, swap),
      }),
    );
  });
  const given = list("tokens").map((entry, at) => {
    const username = word(entry, "username", `tokens[${at}]`);
    if (!found.has(username)) found.set(username, newUser(username));
    const scopes = entry["scopes"] ?? "*";
    const expiry = entry["expiry"] ?? null;
    if (expiry !== null && (typeof expiry !== "string" || Number.isNaN(Date.parse(expiry))))
      wrong(`tokens[${at}]: "expiry" must be a date or null`);
    return {
      _token: word(entry, "token", `tokens[${at}]`),
      _username: username,
      label: typeof entry["label"] === "string" ? entry["label"] : "",
      expiry: expiry === null ? null : (expiry as string).slice(0, 19),
      scopes: (Array.isArray(scopes) ? scopes : String(scopes).split(/[\s,]+/)).map(swap).join(" "),
    };
  });
  return { users: [...found.values()], tokens: given };
}

/** Grants as answered (`{"global":{…},"volume":[…]}`), in the brand's word or the contract's. */
function readGrants(written: { [name: string]: unknown }, swap: (text: string) => string): Grants {
  const grants = noGrants();
  for (const [name, value] of Object.entries(written)) {
    const known = grantEntities.find((entity) => entity === name || entity === swap(name));
    if (name === "global")
      for (const [grant, given] of Object.entries((value ?? {}) as { [grant: string]: boolean | Permission }))
        grants.global[grantName(swap(grant))] = given;
    else if (known && Array.isArray(value))
      grants.entities[known] = value.map(({ id, label = "", permissions = null }) => ({
        id,
        label,
        permissions,
      }));
  }
  return grants;
}

/** The contract writes `add_vpc`, clients `add_vpcs`: one grant (notes, section 13). */
export function grantName(grant: string): string {
  return grant === "add_vpc" ? "add_vpcs" : grant;
}

/** A token that is good now, of an unrestricted user, with every scope. */
export function ownerToken(world: World): string | undefined {
  return tokens(world).find(
    ({ _username, scopes, expiry }) =>
      scopes === "*" &&
      (expiry === null || expiry > world.clock.stamp()) &&
      userNamed(world, _username)?.restricted === false,
  )?._token;
}
