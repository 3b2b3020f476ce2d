/** What a preview finds out about a database from the live account (contract sections 2.5, 3 and 7). Writes nothing. */

import { isApiError, type WireObject } from "../../core/service-port.ts";
import type { LookupContext } from "../../core/type/resource.ts";
import { judgeRegion, notOffered } from "../offers.ts";
import type { Kind } from "./kinds.ts";

/** Values as both kinds have them. */
interface Values {
  readonly engine?: string;
  readonly region?: string;
  readonly type?: string;
  readonly restore?: { readonly backupId?: string; readonly trigger: unknown };
  readonly credentialsResetTrigger?: unknown;
}

type Context = Omit<LookupContext<never>, "before" | "after"> & {
  readonly before: Values & { readonly [name: string]: unknown };
  readonly after: Values;
};

export async function lookUpDatabase(kind: Kind, context: Context): Promise<void> {
  const { before, after, creating, list, refuse } = context;
  if (creating) await judgeRegion(after.region, context, "Managed Databases");
  if (creating && after.engine !== undefined) {
    const engines = (await list("/databases/engines")).filter(({ engine }) => engine === kind.name);
    if (!engines.some(({ id }) => id === after.engine)) refuse("engine", notOffered(after.engine, engines));
  }
  if (after.type !== undefined && after.type !== before.type) await judgeType(context);
  const isRestored = JSON.stringify(before.restore) !== JSON.stringify(after.restore);
  const number = after.restore?.backupId;
  if (!creating && number !== undefined && isRestored) await judgeRestore(number, context);
}

async function judgeType({ before, after, creating, list, refuse }: Context): Promise<void> {
  const types = await list("/databases/types");
  const named = (id: string | undefined) => types.find((type) => type["id"] === id);
  const [present, next] = [named(before.type), named(after.type)];
  if (!next) {
    refuse("type", notOffered(String(after.type), types));
    return;
  }
  if (creating || !present || Number(next["disk"]) > Number(present["disk"])) return;
  const size = (type: WireObject) => `${type["id"]} with ${Math.floor(Number(type["disk"]) / 1024)} GB`;
  refuse("type", `must have more disk than now (${size(present)}), not ${size(next)}: a database only grows`);
}

/** Says what a restore destroys, refuses a backup that is not there, and warns of one that the database would fail with (contract section 4.3). */
async function judgeRestore(number: string, context: Context): Promise<void> {
  const { path, list, refuse, warn } = context;
  warn(`restoring backup ${number} destroys all data that the database has now`);
  if (path === undefined) return;
  const backups = await list(`${path}/backups`);
  const backup = backups.find(({ id }) => String(id) === number);
  if (!backup) {
    const there = backups.map(({ id, label }) => `${id} (${label})`).join(", ") || "none";
    refuse("restore.backupId", `there is no backup ${number} of this database; there are: ${there}`);
    return;
  }
  const reset = await lastReset(String(backup["created"]), context);
  if (reset !== undefined)
    warn(
      `backup ${number} was taken ${backup["created"]} UTC, before the root credentials were reset ${reset}: the database fails when it is restored`,
    );
}

/** When the root credentials were reset last, in words, if it was after that moment or nobody can tell. */
async function lastReset(since: string, { before, path, list }: Context): Promise<string | undefined> {
  const id = Number(path?.split("/").at(-1));
  const entity = { "entity.type": "database", "entity.id": id };
  const filter = { action: "database_credentials_reset", ...entity, created: { "+gte": since } };
  try {
    const resets = await list("/account/events", filter);
    const latest = resets.map(({ created }) => String(created)).sort();
    return latest.length > 0 ? `${latest.at(-1)} UTC` : undefined;
  } catch (error) {
    // A token may not be allowed to read events; then only what was declared is known.
    if (!isApiError(error)) throw error;
    return before.credentialsResetTrigger === undefined ? undefined : "at a time that this token cannot read";
  }
}
