/** What a preview finds out about a database from the live account (contract sections 2.5, 3 and 7). Writes nothing. */

import { nearest } from "../../core/nearest.ts";
import type { LookupContext } from "../../core/resource.ts";
import type { WireObject } from "../../core/service-port.ts";
import type { Kind } from "./kinds.ts";

/** Values as both kinds have them. */
interface Values {
  readonly engine?: string;
  readonly type?: string;
  readonly restore?: { readonly backupId: string; readonly trigger: unknown };
  readonly credentialsResetTrigger?: unknown;
}

type Context = Omit<LookupContext<never>, "before" | "after"> & {
  readonly before: Values & { readonly [name: string]: unknown };
  readonly after: Values;
};

export async function lookUpDatabase(kind: Kind, context: Context): Promise<void> {
  const { before, after, creating, list, refuse } = context;
  if (creating && after.engine !== undefined) {
    const engines = (await list("/databases/engines")).filter(({ engine }) => engine === kind.name);
    if (!engines.some(({ id }) => id === after.engine)) refuse("engine", unknown(after.engine, engines));
  }
  if (after.type !== undefined && after.type !== before.type) await judgeType(context);
  const isRestored = JSON.stringify(before.restore) !== JSON.stringify(after.restore);
  if (!creating && after.restore && isRestored) warnOfRestore(context);
}

function unknown(given: string, offered: readonly WireObject[]): string {
  const ids = offered.map(({ id }) => String(id));
  const near = nearest(given, ids);
  return `${JSON.stringify(given)} is not offered; ${near ? `did you mean ${near}?` : `there are: ${ids.join(", ")}`}`;
}

async function judgeType({ before, after, creating, list, refuse }: Context): Promise<void> {
  const types = await list("/databases/types");
  const named = (id: string | undefined) => types.find((type) => type["id"] === id);
  const [present, next] = [named(before.type), named(after.type)];
  if (!next) {
    refuse("type", unknown(String(after.type), types));
    return;
  }
  if (creating || !present || Number(next["disk"]) > Number(present["disk"])) return;
  const size = (type: WireObject) => `${type["id"]} with ${Math.floor(Number(type["disk"]) / 1024)} GB`;
  refuse("type", `must have more disk than now (${size(present)}), not ${size(next)}: a database only grows`);
}

function warnOfRestore({ before, after, warn }: Context): void {
  const backup = after.restore?.backupId;
  warn(`restoring backup ${backup} destroys all data that the database has now`);
  const isReset =
    after.credentialsResetTrigger !== undefined &&
    JSON.stringify(before.credentialsResetTrigger) !== JSON.stringify(after.credentialsResetTrigger);
  if (isReset || before.credentialsResetTrigger !== undefined)
    warn(
      `a backup taken before the root credentials were reset cannot be restored: the database fails with it. Make sure that backup ${backup} is younger than the last reset`,
    );
}
