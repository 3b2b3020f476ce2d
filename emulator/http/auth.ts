/** Who is asking, and whether the operation is theirs (contract section 5); knows tokens and users, not what operations do. */

import { grantName, type TokenItem, tokens, type UserItem, userNamed, users } from "../account/users.ts";
import { type Caller, type GrantEntity, Refusal, type World } from "../area.ts";
import type { Operation } from "../contract/contract.ts";

/** The holder of a good token. */
export interface Identity {
  readonly user: UserItem;
  /** Space separated, or `*`. */
  readonly scopes: string;
}

/**
 * The holder of the token in the `Authorization` header; nothing without a header. Refuses with 401 what is no good token. `open` makes
 * every token that is not known otherwise the unrestricted owner's, unless it starts with `invalid`.
 */
export function identify(world: World, header: string | undefined, open: boolean): Identity | undefined {
  if (header === undefined) return undefined;
  const token = bearer(header);
  if (token === undefined) return invalidToken();
  const known = tokens(world).by("_token", token)[0];
  if (known) {
    const user = userNamed(world, known._username);
    return user && alive(world, known) ? { user, scopes: known.scopes } : invalidToken();
  }
  if (!open || token.startsWith("invalid")) return invalidToken();
  const owner = users(world).find((user) => !user.restricted);
  return owner ? { user: owner, scopes: "*" } : invalidToken();
}

/** The token of a header of the form `Bearer <token>`. */
export function bearer(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header?.trim() ?? "")?.[1];
}

function alive(world: World, token: TokenItem): boolean {
  return token.expiry === null || token.expiry > world.clock.stamp();
}

function invalidToken(): never {
  throw new Refusal(401, [{ reason: "Invalid Token" }]);
}

/** Refuses who may not use the operation: 401 without token or scope, 403 a restricted user of an unrestricted-only operation. */
export function admit(operation: Operation, identity: Identity | undefined): void {
  if (!identity) {
    if (operation.access === "token") invalidToken();
    return;
  }
  if (operation.access === "anyone") return;
  if (operation.unrestricted) {
    if (identity.user.restricted) throw new Refusal(403, [{ reason: "Unauthorized" }]);
    return;
  }
  if (!operation.scopes.every((scope) => hasScope(identity.scopes, scope)))
    throw new Refusal(401, [{ reason: "The OAuth token is not authorized to use this endpoint" }]);
}

/** `volumes:read_write` includes `volumes:read_only`, and `*` everything. */
export function hasScope(held: string, wanted: string): boolean {
  if (held === "*") return true;
  const [area] = wanted.split(":");
  return held
    .split(/[\s,]+/)
    .some(
      (scope) => scope === "*" || scope === wanted || scope === `${area}:read_write` || scope === `${area}:*`,
    );
}

/** The caller as areas see it; `nobody` for a request without a token. */
export function callerOf(world: World, identity: Identity | undefined): Caller {
  if (!identity) return nobody;
  const { user } = identity;
  const grantsOf = (entity: GrantEntity) => user._grants.entities[entity] ?? [];
  return {
    username: user.username,
    authenticated: true,
    restricted: user.restricted,
    may: (entity, id, permission) => {
      if (!user.restricted) return true;
      const held = grantsOf(entity).find((grant) => grant.id === id)?.permissions ?? null;
      return held === "read_write" || (held === "read_only" && permission === "read_only");
    },
    mayAdd: (grant) => !user.restricted || user._grants.global[grantName(grant)] === true,
    grant: (entity, id, label) => {
      if (!user.restricted) return;
      const others = grantsOf(entity).filter((grant) => grant.id !== id);
      const entities = {
        ...user._grants.entities,
        [entity]: [...others, { id, label, permissions: "read_write" as const }],
      };
      users(world).update(user.id, { _grants: { ...user._grants, entities } });
    },
  };
}

const nobody: Caller = {
  username: "",
  authenticated: false,
  restricted: true,
  may: () => false,
  mayAdd: () => false,
  grant: () => {},
};
