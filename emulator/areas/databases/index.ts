/** Managed databases of both kinds: their verbs, states and refusals (contract sections 2.5, 3, 4.3, 7 and 8; notes, section 5). */

import { type Area, type Call, type Handler, notFound, refuseAll } from "../../area.ts";
import { mustBeAbleToAdd, reach } from "../access.ts";
import { durations } from "../durations.ts";
import { backUpDaily, maintain } from "./automatic.ts";
import { planMaintenance } from "./calendar.ts";
import { engines, findEngine, findNodeType, nodeTypes, showNodeType } from "./catalogue.ts";
import { type Kind, kinds } from "./kinds.ts";
import {
  type Backup,
  backups,
  backupsOf,
  type Database,
  databaseEntity,
  databases,
  newPassword,
  showBriefly,
  showCredentials,
  showDatabase,
} from "./objects.ts";
import { changeReasons, newReasons, snapshotReasons, stateReasons, windowOf } from "./rules.ts";
import {
  beginBackup,
  beginPatch,
  beginProvisioning,
  beginRestore,
  beginUpdate,
  dropOldBackups,
  settle,
} from "./transitions.ts";

type Permission = "read_only" | "read_write";

/** The database of the path; one of another kind is not found. */
function reachDatabase(call: Call, kind: Kind, permission: Permission): Database {
  const found = databases(call.world).get(call.id("instanceId"));
  return reach(call, "database", found?.engine === kind.name ? found : undefined, permission);
}

/** The backup of the path, with its database, which must have been provisioned (contract section 3). */
function reachBackup(call: Call, kind: Kind, permission: Permission): { database: Database; backup: Backup } {
  const database = reachDatabase(call, kind, permission);
  mustBeProvisioned(database);
  dropOldBackups(call.world, database.id);
  const backup = backups(call.world).get(call.id("backupId"));
  return backup?._database === database.id ? { database, backup } : notFound();
}

function mustBeProvisioned(database: Database): void {
  if (database.status === "provisioning")
    refuseAll([{ reason: "The database is provisioning: wait until that is complete" }]);
}

function mustBe(database: Database, ...states: string[]): void {
  refuseAll(stateReasons(database, ...states));
}

/** The databases that the caller may see, of one kind or of all. */
function visibleDatabases({ world, caller }: Call, kind?: Kind): Database[] {
  return databases(world).filter(
    ({ id, engine }) =>
      (kind === undefined || engine === kind.name) && caller.may("database", id, "read_only"),
  );
}

function judgeNew(call: Call, kind: Kind) {
  mustBeAbleToAdd(call, "add_databases");
  return newReasons(call.world, kind, call.body);
}

function create(call: Call, kind: Kind) {
  refuseAll(judgeNew(call, kind));
  const { world, body } = call;
  const now = world.clock.stamp();
  const nodes: number = body["cluster_size"] ?? 1;
  const database = databases(world).insert({
    label: body["label"],
    type: body["type"],
    engine: kind.name,
    version: body["engine"].slice(kind.name.length + 1),
    region: body["region"],
    status: "provisioning",
    encrypted: body["encrypted"] ?? false,
    allow_list: body["allow_list"] ?? [],
    cluster_size: nodes,
    hosts: { primary: null, secondary: null },
    ssl_connection: body["ssl_connection"] ?? true,
    replication_type:
      body["replication_type"] ?? kind.replication[nodes === 1 ? "single" : "available"].default,
    ...(kind.commit && {
      replication_commit_type: body["replication_commit_type"] ?? kind.commit.default,
    }),
    port: kind.port,
    updates: { frequency: "weekly", duration: 3, hour_of_day: 0, day_of_week: null, week_of_month: null },
    created: now,
    updated: now,
    _password: newPassword(world),
    _certificate: null,
    _generation: 0,
  });
  call.caller.grant("database", database.id, database.label);
  beginProvisioning(world, database);
  return showDatabase(database);
}

function judgeChange(call: Call, kind: Kind) {
  const database = reachDatabase(call, kind, "read_write");
  return { database, reasons: changeReasons(call.world, database, call.body) };
}

function update(call: Call, kind: Kind) {
  const { world, body } = call;
  const { database, reasons } = judgeChange(call, kind);
  refuseAll(reasons);
  const changed = databases(world).update(database.id, {
    label: body["label"] ?? database.label,
    allow_list: body["allow_list"] ?? database.allow_list,
    updates: body["updates"] ? windowOf(database.updates, body["updates"]) : database.updates,
  });
  if (body["updates"]) planMaintenance(world, changed);
  return showDatabase(beginUpdate(world, changed, body["type"]));
}

const ownJobs = [
  "database.settled",
  "database.resizeStarted",
  "database.daily",
  "database.maintenance",
  "database.credentials",
];

function remove(call: Call, kind: Kind) {
  const { world } = call;
  const database = reachDatabase(call, kind, "read_write");
  mustBe(database, "active", "failed", "degraded");
  for (const job of ownJobs) world.jobs.cancel(job, { database: database.id });
  for (const backup of backupsOf(world, database.id)) backups(world).delete(backup.id);
  databases(world).delete(database.id);
  world.events.emit({ action: "database_delete", entity: databaseEntity(database) });
  return {};
}

function listBackups(call: Call, kind: Kind) {
  const database = reachDatabase(call, kind, "read_only");
  mustBeProvisioned(database);
  dropOldBackups(call.world, database.id);
  return backupsOf(call.world, database.id);
}

function judgeSnapshot(call: Call, kind: Kind) {
  const database = reachDatabase(call, kind, "read_write");
  return { database, reasons: snapshotReasons(call.world, database, call.body) };
}

function takeSnapshot(call: Call, kind: Kind) {
  const { database, reasons } = judgeSnapshot(call, kind);
  refuseAll(reasons);
  beginBackup(call.world, database, "snapshot", call.body["label"]);
  return {};
}

function removeBackup(call: Call, kind: Kind) {
  const { world } = call;
  const { database, backup } = reachBackup(call, kind, "read_write");
  backups(world).delete(backup.id);
  world.events.emit({ action: "database_backup_delete", entity: databaseEntity(database) });
  return {};
}

function restore(call: Call, kind: Kind) {
  const { database, backup } = reachBackup(call, kind, "read_write");
  mustBe(database, "active", "degraded", "failed");
  beginRestore(call.world, database, backup);
  return {};
}

function viewCredentials(call: Call, kind: Kind) {
  const database = reachDatabase(call, kind, "read_only");
  mustBe(database, "active");
  return showCredentials(database);
}

function resetCredentials(call: Call, kind: Kind) {
  const { world } = call;
  const database = reachDatabase(call, kind, "read_write");
  mustBe(database, "active");
  world.jobs.schedule("database.credentials", durations.databaseCredentialsReset, { database: database.id });
  world.events.emit({ action: "database_credentials_reset", entity: databaseEntity(database) });
  return {};
}

function patch(call: Call, kind: Kind) {
  const database = reachDatabase(call, kind, "read_write");
  mustBe(database, "active");
  beginPatch(call.world, database);
  return {};
}

function viewCertificate(call: Call, kind: Kind) {
  const database = reachDatabase(call, kind, "read_only");
  mustBe(database, "active");
  return { ca_certificate: database._certificate };
}

function handlersOf(kind: Kind): { [operation: string]: Handler } {
  const all = `/databases/${kind.name}/instances`;
  const one = `${all}/{instanceId}`;
  const backup = `${one}/backups/{backupId}`;
  const on =
    (handle: (call: Call, kind: Kind) => unknown): Handler =>
    (call) =>
      handle(call, kind);
  return {
    [`GET ${all}`]: (call) => visibleDatabases(call, kind).map(showDatabase),
    [`POST ${all}`]: on(create),
    [`GET ${one}`]: (call) => showDatabase(reachDatabase(call, kind, "read_only")),
    [`PUT ${one}`]: on(update),
    [`DELETE ${one}`]: on(remove),
    [`GET ${one}/backups`]: on(listBackups),
    [`POST ${one}/backups`]: on(takeSnapshot),
    [`GET ${backup}`]: (call) => reachBackup(call, kind, "read_only").backup,
    [`DELETE ${backup}`]: on(removeBackup),
    [`POST ${backup}/restore`]: on(restore),
    [`GET ${one}/credentials`]: on(viewCredentials),
    [`POST ${one}/credentials/reset`]: on(resetCredentials),
    [`POST ${one}/patch`]: on(patch),
    [`GET ${one}/ssl`]: on(viewCertificate),
  };
}

const judgesOf = (kind: Kind): Area["judges"] => ({
  [`POST /databases/${kind.name}/instances`]: (call) => judgeNew(call, kind),
  [`PUT /databases/${kind.name}/instances/{instanceId}`]: (call) => judgeChange(call, kind).reasons,
  [`POST /databases/${kind.name}/instances/{instanceId}/backups`]: (call) =>
    judgeSnapshot(call, kind).reasons,
});

export const databaseArea: Area = {
  name: "databases",
  handlers: {
    "GET /databases/engines": () => engines,
    "GET /databases/engines/{engineId}": ({ params }) => findEngine(params["engineId"] ?? "") ?? notFound(),
    "GET /databases/types": () => nodeTypes.map(showNodeType),
    "GET /databases/types/{typeId}": ({ params }) =>
      showNodeType(findNodeType(params["typeId"] ?? "") ?? notFound()),
    "GET /databases/instances": (call) => visibleDatabases(call).map(showBriefly),
    ...Object.assign({}, ...kinds.map(handlersOf)),
  },
  judges: Object.assign({}, ...kinds.map(judgesOf)),
  shows: { "database.settled": (_world, data) => data["database"] as number },
  jobs: {
    "database.settled": settle,
    "database.resizeStarted": (world, data) => world.events.move(data["event"] as number, "started"),
    "database.daily": backUpDaily,
    "database.maintenance": maintain,
    "database.credentials": (world, data) => {
      const database = databases(world).get(data["database"] as number);
      if (database)
        databases(world).update(database.id, {
          _password: newPassword(world),
          _generation: database._generation + 1,
          updated: world.clock.stamp(),
        });
    },
  },
};
