/** What is wrong with a request about databases beyond its schema (contract sections 2.5, 3 and 7). */

import { isIP, isIPv4 } from "node:net";
import type { Call, Reason, World } from "../../area.ts";
import { findRegion } from "../../catalogue/regions.ts";
import { findEngine, findNodeType } from "./catalogue.ts";
import type { Kind } from "./kinds.ts";
import { backupsOf, type Database, databases, type MaintenanceWindow } from "./objects.ts";

const mostSnapshots = 3;

/** What the sent body asks for; a field that was refused already is absent. */
type Body = Call["body"];

const invalid = (field: string): Reason => ({ reason: `${field} is not valid`, field });

function labelReasons(world: World, label: string | undefined, own?: number): Reason[] {
  if (label === undefined) return [];
  const taken = databases(world)
    .by("label", label)
    .some(({ id }) => id !== own);
  return taken ? [{ reason: "Label must be unique among your databases", field: "label" }] : [];
}

/** True for an IPv4 or IPv6 address, with or without the length of a prefix. */
function isAddressOrRange(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  if (rest.length > 0 || isIP(address) === 0 || address.includes("%")) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIPv4(address) ? 32 : 128));
}

function allowListReasons(list: readonly string[] = []): Reason[] {
  return list.flatMap((entry, index) =>
    isAddressOrRange(entry)
      ? []
      : [{ reason: "Must be an IP address or a range in CIDR form", field: `allow_list[${index}]` }],
  );
}

const text = (choices: readonly string[]) => `Must be ${choices.join(" or ")}`;

function replicationReasons(kind: Kind, body: Body): Reason[] {
  const { single, available } = kind.replication;
  const nodes: number = body["cluster_size"] ?? 1;
  const rule = nodes === 1 ? single : available;
  const type: string = body["replication_type"] ?? rule.default;
  const reasons: Reason[] = [];
  if (!rule.choices.includes(type)) {
    const what = nodes === 1 ? "a single node" : "high availability";
    reasons.push({ reason: `${text(rule.choices)} for ${what}`, field: "replication_type" });
  }
  const commit: string | undefined = kind.commit && (body["replication_commit_type"] ?? kind.commit.default);
  const allowed = kind.commit?.allowed[type];
  if (commit !== undefined && allowed && !allowed.includes(commit))
    reasons.push({ reason: `${text(allowed)} for ${type} replication`, field: "replication_commit_type" });
  return reasons;
}

/** Why no database of the kind can be made by this body. */
export function newReasons(world: World, kind: Kind, body: Body): Reason[] {
  const reasons = [
    ...labelReasons(world, body["label"]),
    ...allowListReasons(body["allow_list"]),
    ...replicationReasons(kind, body),
  ];
  const engine: string | undefined = body["engine"];
  if (engine !== undefined && findEngine(engine)?.engine !== kind.name) reasons.push(invalid("engine"));
  if (body["type"] !== undefined && !findNodeType(body["type"])) reasons.push(invalid("type"));
  const region = body["region"] === undefined ? undefined : findRegion(body["region"]);
  if (body["region"] !== undefined && !region) reasons.push(invalid("region"));
  if (region && !region.capabilities.includes("Managed Databases"))
    reasons.push({ reason: "Managed databases are not available in this region", field: "region" });
  return reasons;
}

/** Why the database is not in one of the states that an operation needs (contract section 3). */
export function stateReasons(database: Database, ...needed: string[]): Reason[] {
  const { status } = database;
  if (needed.includes(status)) return [];
  const wait = ["provisioning", "updating", "resizing", "backing_up", "restoring"].includes(status)
    ? ": wait until that is complete"
    : "";
  return [
    { reason: `The database is ${status.replace("_", " ")}${wait}, it must be ${needed.join(" or ")}` },
  ];
}

/** The window that a sent one makes: it replaces the present one, which lends what is absent and has no default. */
export function windowOf(present: MaintenanceWindow, sent: Partial<MaintenanceWindow>): MaintenanceWindow {
  return {
    frequency: sent.frequency ?? "weekly",
    duration: sent.duration ?? present.duration,
    hour_of_day: sent.hour_of_day ?? present.hour_of_day,
    day_of_week: sent.day_of_week ?? present.day_of_week,
    week_of_month: sent.week_of_month ?? null,
  };
}

function windowReasons(sent: Partial<MaintenanceWindow> | undefined): Reason[] {
  if (sent === undefined) return [];
  const field = "updates.week_of_month";
  const week = sent.week_of_month ?? null;
  if (sent.frequency === "monthly")
    return week === null ? [{ reason: "week_of_month is required for monthly maintenance", field }] : [];
  return week === null ? [] : [{ reason: "Must be null for weekly maintenance", field }];
}

function resizeReasons(database: Database, type: string | undefined, withList: boolean): Reason[] {
  if (type === undefined) return [];
  const field = "type";
  const [present, next] = [findNodeType(database.type), findNodeType(type)];
  const reasons: Reason[] = withList
    ? [{ reason: "Must not be sent together with allow_list: change one after the other", field }]
    : [];
  if (!next) reasons.push(invalid(field));
  else if (present && next.disk <= present.disk) {
    const reason = `Must have more disk space than ${present.id}, which has ${present.disk} MB`;
    reasons.push({ reason, field });
  }
  return reasons;
}

/** Why the database cannot be changed by this body. */
export function changeReasons(world: World, database: Database, body: Body): Reason[] {
  return [
    ...stateReasons(database, "active"),
    ...labelReasons(world, body["label"], database.id),
    ...allowListReasons(body["allow_list"]),
    ...windowReasons(body["updates"]),
    ...resizeReasons(database, body["type"], body["allow_list"] !== undefined),
  ];
}

/** Why no snapshot can be taken now, or not this one. */
export function snapshotReasons(world: World, database: Database, body: Body): Reason[] {
  const present = backupsOf(world, database.id);
  const reasons = stateReasons(database, "active");
  if (present.filter(({ type }) => type === "snapshot").length >= mostSnapshots)
    reasons.push({ reason: `${mostSnapshots} snapshots are stored already: delete one first` });
  if (present.some(({ label }) => label === body["label"]))
    reasons.push({ reason: "Label must be unique among the database's backups", field: "label" });
  if (body["target"] === "secondary" && database.cluster_size === 1)
    reasons.push({ reason: "A single node has no secondary", field: "target" });
  return reasons;
}
