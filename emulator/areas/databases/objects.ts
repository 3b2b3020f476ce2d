/** Databases and their backups as the account keeps them, and as the service answers them (notes, section 5). */

import type { Collection, Item, World } from "../../area.ts";
import { findNodeType } from "./catalogue.ts";
import { type KindName, kindNamed } from "./kinds.ts";

export interface MaintenanceWindow {
  frequency: "weekly" | "monthly";
  /** Hours. */
  duration: number;
  /** UTC. */
  hour_of_day: number;
  /** 1 is Monday; `null` until the service has assigned one. */
  day_of_week: number | null;
  /** Only of a monthly window. */
  week_of_month: number | null;
}

export interface Database extends Item {
  label: string;
  type: string;
  engine: KindName;
  version: string;
  region: string;
  status: string;
  encrypted: boolean;
  allow_list: string[];
  cluster_size: number;
  hosts: { primary: string | null; secondary: string | null };
  ssl_connection: boolean;
  replication_type: string;
  /** PostgreSQL alone. */
  replication_commit_type?: string;
  port: number;
  updates: MaintenanceWindow;
  created: string;
  updated: string;
  _password: string;
  /** PEM in base64; `null` until the database is ready, and without SSL. */
  _certificate: string | null;
  /** How often the credentials were reset: a backup fits only the credentials that it was taken under. */
  _generation: number;
  /**
   * A control for tests, through `/_emulator/data`: how the transition under way, or else the next one, ends instead of in `active`.
   * Used once.
   */
  _outcome?: "degraded" | "failed";
}

export interface Backup extends Item {
  type: "auto" | "snapshot";
  label: string;
  created: string;
  _database: number;
  /** Absent: it fits the database's present credentials. */
  _generation?: number;
}

export function databases(world: World): Collection<Database> {
  return world.collection<Database>("databases");
}

export function backups(world: World): Collection<Backup> {
  return world.collection<Backup>("databaseBackups");
}

export function backupsOf(world: World, database: number): Backup[] {
  return backups(world).by("_database", database);
}

export function databaseEntity({ id, label, engine }: Database) {
  return { id, type: "database", label, url: `/v4/databases/${engine}/instances/${id}` };
}

/** A database as its kind's operations answer it. Disk sizes are told once there are disks. */
export function showDatabase(database: Database) {
  const disk = findNodeType(database.type)?.disk;
  if (database.hosts.primary === null || disk === undefined) return database;
  return { ...database, total_disk_size_gb: Math.floor(disk / 1024), used_disk_size_gb: 2 };
}

/** A database in the list of all kinds. */
export function showBriefly(database: Database) {
  const { id, label, type, engine, version, region, status, encrypted, allow_list } = database;
  const { cluster_size, hosts, updates, created, updated } = database;
  return {
    ...{ id, label, type, engine, version, region, status, encrypted, allow_list },
    ...{ cluster_size, hosts, updates, created, updated },
    instance_uri: `/v4/databases/${engine}/instances/${id}`,
  };
}

export function showCredentials(database: Database) {
  return { username: kindNamed(database.engine).username, password: database._password };
}

const passwordLetters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789^%$#@!*-_=+";

/** 16 printable characters. */
export function newPassword(world: World): string {
  return Array.from({ length: 16 }, () => passwordLetters[world.integer(0, passwordLetters.length - 1)]).join(
    "",
  );
}
