/** Functions on managed databases of either kind: what there is, backups, and how to connect (contract section 4.3). */

import { objectFromWire } from "../../core/object/wire.ts";
import { choice, group, id, integer, optional, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { existing, getAll, getOne } from "../../core/type/getter.ts";
import type { ValueMap } from "../../core/value.ts";
import { certificateOf, credentialsOf } from "./access.ts";
import { kindNames } from "./kinds.ts";

const ofDatabase = {
  kind: choice(kindNames, { description: "Kind of the database.", typeName: "DatabaseKind" }),
  instanceId: id({ description: "Id of the database.", reference: "databases/instance" }),
};

interface Named {
  readonly kind?: string;
  readonly instanceId?: string;
}

const pathOf = ({ kind, instanceId }: Named) => `/databases/${kind}/instances/${instanceId}`;
const nameOf = ({ kind, instanceId }: Named) => `${kind} database with id ${instanceId}`;

const databaseFields = {
  id: id({ description: "Id of the database.", reference: "databases/instance" }),
  label: text({ description: "Label." }),
  kind: text({ description: "`mysql` or `postgresql`.", wireName: "engine" }),
  version: text({ description: "Version of its engine." }),
  region: text({ description: "Region." }),
  type: text({ description: "Node type." }),
  clusterSize: integer({ description: "Number of nodes." }),
  status: text({ description: "`active` when it is ready." }),
};

const database = {
  area: "databases",
  name: "Database",
  noun: "database",
  item: group(databaseFields, { description: "A managed database.", typeName: "Database" }),
  collection: "/databases/instances",
};

export const getDatabases = getAll(database, {
  description: "Every managed database of the account that the arguments match, of both kinds.",
  filters: {
    kind: choice(kindNames, {
      description: "Only databases of this kind.",
      wireName: "engine",
      typeName: "DatabaseKind",
    }),
    region: text({ description: "Only databases of this region." }),
  },
});

const backupFields = {
  id: id({ description: "Number of the backup: what a restore takes.", reference: "databases/backup" }),
  label: text({ description: "Label." }),
  type: text({ description: "`auto` or `snapshot`." }),
  created: text({ description: "When it was taken (UTC)." }),
};

const backup = {
  area: "databases",
  name: "Backup",
  noun: "backup",
  item: group(backupFields, { description: "A backup.", typeName: "Backup" }),
  collection: "/databases/{kind}/instances/{instanceId}/backups",
  within: ofDatabase,
  holder: "{kind} database",
};

export const getBackup = getOne(backup, {
  description: "One backup of a managed database.",
  id: { id: id({ description: "Number of the backup.", reference: "databases/backup" }) },
});

export const getBackups = getAll(backup, {
  description: "The backups of a managed database: automatic ones and snapshots.",
  filters: {
    type: choice(["auto", "snapshot"], { description: "Only backups of this type.", typeName: "BackupType" }),
  },
});

const credentials = {
  username: text({ description: "Name of the root user." }),
  password: text({ description: "Password of the root user.", secret: true }),
};

export const getCredentials = providerFunction({
  area: "databases",
  name: "getCredentials",
  description: "The root credentials of a managed database; it must be active.",
  args: ofDatabase,
  result: credentials,
  call: async ({ args, service }) =>
    objectFromWire(credentials, await existing(nameOf(args), credentialsOf(service, pathOf(args)))),
});

export const getCaCertificate = providerFunction({
  area: "databases",
  name: "getCaCertificate",
  description:
    "The certificate of the authority that signs a managed database's certificates; it must be active.",
  args: ofDatabase,
  result: {
    caCertificate: optional(
      text({ description: "The certificate (PEM); absent where connections need no TLS." }),
    ),
  },
  async call({ args, service }): Promise<ValueMap> {
    const certificate = await existing(nameOf(args), certificateOf(service, pathOf(args)));
    return certificate === undefined ? {} : { caCertificate: certificate };
  },
});
