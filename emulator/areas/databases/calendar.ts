/** When a database's own work is due: its daily backup at 0:00 UTC, its maintenance window (contract section 2.5). */

import type { World } from "../../area.ts";
import type { Database, MaintenanceWindow } from "./objects.ts";

const day = 86_400_000;

/** The first 0:00 UTC after the moment. */
export function nextMidnight(after: Date): Date {
  return new Date((Math.floor(after.getTime() / day) + 1) * day);
}

/** The first start of the window after the moment; nothing while its day is not assigned. */
export function nextWindow(window: MaintenanceWindow, after: Date): Date | undefined {
  const { day_of_week, hour_of_day, week_of_month, frequency } = window;
  if (day_of_week === null) return undefined;
  const first = Math.floor(after.getTime() / day) * day + hour_of_day * 3_600_000;
  // The fourth Monday of a month and the one of the next are never more than five weeks apart.
  for (let days = 0; days <= 42; days++) {
    const start = new Date(first + days * day);
    const weekday = start.getUTCDay() || 7;
    const week = Math.ceil(start.getUTCDate() / 7);
    if (start > after && weekday === day_of_week && (frequency === "weekly" || week === week_of_month))
      return start;
  }
  return undefined;
}

export function planBackup(world: World, database: Database): void {
  world.jobs.at("database.daily", nextMidnight(world.clock.now()), { database: database.id });
}

/** Plans the next maintenance by the present window, and forgets the one planned before. */
export function planMaintenance(world: World, database: Database): void {
  world.jobs.cancel("database.maintenance", { database: database.id });
  const start = nextWindow(database.updates, world.clock.now());
  if (start) world.jobs.at("database.maintenance", start, { database: database.id });
}
