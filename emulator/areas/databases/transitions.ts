/** How databases move from state to state: what begins a transition, and what holds when it ends (contract section 3; notes, section 5). */

import type { JsonObject, World } from "../../area.ts";
import { selfSigned } from "../../certificate.ts";
import { durations } from "../durations.ts";
import { domainOf } from "../hosts.ts";
import { planBackup, planMaintenance } from "./calendar.ts";
import { kindNamed } from "./kinds.ts";
import { type Backup, backups, type Database, databaseEntity, databases } from "./objects.ts";

type Moving = "provisioning" | "updating" | "resizing" | "backing_up" | "restoring";

/** What a transition does when it ends well, as the data of its job. */
interface Transition {
  readonly status: Moving;
  readonly seconds: number;
  /** Events that end with it. */
  readonly events: readonly number[];
  /** `resizing`: the new node type. */
  readonly type?: string;
  /** `backing_up`: what is taken, `created` when it began. */
  readonly backup?: { readonly type: Backup["type"]; readonly label: string; readonly created: string };
  /** `restoring`: the credentials that the backup belongs to. */
  readonly generation?: number;
}

/** Puts the database into the transition's state and plans its end. */
function begin(world: World, database: Database, transition: Transition): Database {
  const { seconds, ...data } = transition;
  world.jobs.schedule("database.settled", seconds, {
    ...(data as unknown as JsonObject),
    database: database.id,
  });
  return databases(world).update(database.id, {
    status: transition.status,
    updated: world.clock.stamp(),
  });
}

function tell(world: World, database: Database, action: string, system = false): number {
  const entity = databaseEntity(database);
  return world.events.emit(system ? { action, entity, username: null } : { action, entity });
}

export function beginProvisioning(world: World, database: Database): void {
  const seconds = world.integer(durations.databaseProvisionedLeast, durations.databaseProvisionedMost);
  const events = [tell(world, database, "database_create")];
  begin(world, database, { status: "provisioning", seconds, events });
}

/** An update or, with a type, a resize: the new type holds at its end. Each makes a `database_update` event that ends. */
export function beginUpdate(world: World, database: Database, type?: string): Database {
  const events = [tell(world, database, "database_update")];
  if (type === undefined)
    return begin(world, database, { status: "updating", seconds: durations.databaseUpdated, events });
  tell(world, database, "database_resize_create");
  const resize = world.events.emit({
    action: "database_resize",
    entity: databaseEntity(database),
    status: "scheduled",
  });
  world.jobs.schedule("database.resizeStarted", durations.eventStarted, {
    database: database.id,
    event: resize,
  });
  events.push(resize);
  return begin(world, database, { status: "resizing", seconds: durations.databaseResized, events, type });
}

/** Patches the operating system; by itself (`system`) in the maintenance window. */
export function beginPatch(world: World, database: Database, system = false): void {
  const events = [tell(world, database, "database_update", system)];
  begin(world, database, { status: "updating", seconds: durations.databasePatched, events });
}

/** Takes a backup, which is there when it is complete. */
export function beginBackup(world: World, database: Database, type: Backup["type"], label: string): void {
  const events = [tell(world, database, "database_backup_create", type === "auto")];
  const backup = { type, label, created: world.clock.stamp() };
  begin(world, database, { status: "backing_up", seconds: durations.databaseBackedUp, events, backup });
}

export function beginRestore(world: World, database: Database, backup: Backup): void {
  tell(world, database, "database_backup_restore");
  const generation = backup._generation ?? database._generation;
  const seconds = durations.databaseRestored;
  begin(world, database, { status: "restoring", seconds, events: [], generation });
}

/** What a new database gets when its nodes run. */
function activate(world: World, database: Database): void {
  const number = world.integer(10_000, 99_999);
  const name = `lin-${database.id}-${number}-${kindNamed(database.engine).host}-primary`;
  const domain = `servers.${domainOf(world, "db")}`;
  const { certificate } = selfSigned({
    seed: world.hex(64),
    name: `${name} authority`,
    from: world.clock.now(),
  });
  databases(world).update(database.id, {
    hosts: { primary: `${name}.${domain}`, secondary: `${name}-private.${domain}` },
    updates: {
      ...database.updates,
      hour_of_day: world.integer(0, 23),
      day_of_week: world.integer(1, 7),
    },
    _certificate: database.ssl_connection ? Buffer.from(certificate).toString("base64") : null,
  });
  planBackup(world, database);
  planMaintenance(world, database);
}

/** Automatic backups are kept 7 days, and no more than seven of them (contract section 8). */
export function dropOldBackups(world: World, database: number): void {
  const oldest = new Date(world.clock.now().getTime() - 7 * 86_400_000).toISOString().slice(0, 19);
  const automatic = backups(world)
    .by("_database", database)
    .filter(({ type }) => type === "auto")
    .sort((a, b) => (a.created < b.created ? 1 : a.created > b.created ? -1 : b.id - a.id));
  automatic.forEach((backup, index) => {
    if (index >= 7 || backup.created <= oldest) backups(world).delete(backup.id);
  });
}

/** Does what the transition was for. Returns false when that fails by itself. */
function complete(world: World, database: Database, transition: Transition): boolean {
  const { type, backup, generation } = transition;
  switch (transition.status) {
    case "provisioning":
      activate(world, database);
      return true;
    case "resizing":
      databases(world).update(database.id, { type: type as string });
      return true;
    case "backing_up":
      if (backup) {
        const { _generation } = database;
        backups(world).insert({ ...backup, _database: database.id, _generation });
        dropOldBackups(world, database.id);
      }
      return true;
    case "restoring":
      return generation === database._generation;
    case "updating":
      return true;
  }
}

const failures: { readonly [status in Moving]: string } = {
  provisioning: "database_create_failed",
  updating: "database_update_failed",
  resizing: "database_update_failed",
  backing_up: "database_failed",
  restoring: "database_failed",
};

/** Ends a transition. One that was overtaken (a state set from outside) leaves the database alone and its events failed. */
export function settle(world: World, data: JsonObject): void {
  const transition = data as unknown as Transition & { readonly database: number };
  const database = databases(world).get(transition.database);
  if (!database) return;
  const overtaken = database.status !== transition.status;
  const outcome = overtaken ? undefined : database._outcome;
  if (outcome !== undefined) databases(world).update(database.id, { _outcome: undefined });
  const done = !overtaken && outcome !== "failed" && complete(world, database, transition);
  for (const event of transition.events) world.events.move(event, done ? "finished" : "failed");
  if (overtaken) return;
  const status = done ? (outcome ?? "active") : "failed";
  const settled = databases(world).update(database.id, { status, updated: world.clock.stamp() });
  if (status === "degraded") tell(world, settled, "database_degraded", true);
  if (status === "failed") tell(world, settled, failures[transition.status], true);
}
