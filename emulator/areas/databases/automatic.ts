/** What databases do by themselves: the daily backup and the maintenance window (contract section 2.5). */

import type { JsonObject, World } from "../../area.ts";
import { planBackup, planMaintenance } from "./calendar.ts";
import { databases } from "./objects.ts";
import { beginBackup, beginPatch, dropOldBackups } from "./transitions.ts";

/** A database that is busy at midnight is looked at again after so many minutes. */
const laterMinutes = 10;
const busy = ["updating", "resizing", "backing_up", "restoring"];
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `Scheduled - 04/02/24 00:00 UTC-XcCRmI` (notes, section 5). */
function automaticLabel(world: World): string {
  const [date = "", time = ""] = world.clock.stamp().split("T");
  const [year = "", month, day] = date.split("-");
  const ending = Array.from({ length: 6 }, () => letters[world.integer(0, letters.length - 1)]).join("");
  return `Scheduled - ${month}/${day}/${year.slice(2)} ${time.slice(0, 5)} UTC-${ending}`;
}

/** Backs up an active database; one that is busy somewhat later, one in any other state not that day. */
export function backUpDaily(world: World, data: JsonObject): void {
  const database = databases(world).get(data["database"] as number);
  if (!database) return;
  if (data["again"] !== true) {
    world.jobs.cancel("database.daily", { database: database.id, again: true });
    planBackup(world, database);
    dropOldBackups(world, database.id);
  }
  if (database.status === "active") beginBackup(world, database, "auto", automaticLabel(world));
  else if (busy.includes(database.status)) {
    const later = new Date(world.clock.now().getTime() + laterMinutes * 60_000);
    world.jobs.at("database.daily", later, { database: database.id, again: true });
  }
}

/** Patches an active database in its window; one in any other state waits for the next window. */
export function maintain(world: World, data: JsonObject): void {
  const database = databases(world).get(data["database"] as number);
  if (!database) return;
  planMaintenance(world, database);
  if (database.status === "active") beginPatch(world, database, true);
}
