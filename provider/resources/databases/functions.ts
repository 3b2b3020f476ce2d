/** Functions on managed databases of either kind: what there is, backups, and how to connect (contract section 4.3). */

import { choice, group, id, integer, list, optional, text } from "../../core/field.ts";
import { providerFunction } from "../../core/function.ts";
import type { ValueMap } from "../../core/value.ts";
import { objectFromWire } from "../../core/wire.ts";
import { existing } from "../find.ts";
import { certificateOf, credentialsOf } from "./access.ts";
import { kindNames } from "./kinds.ts";

const ofDatabase = {
  kind: choice(kindNames, { description: "Kind of the database." }),
  instanceId: id({ description: "Id of the database.", reference: "databases/instance" }),
};

interface Named {
  readonly kind?: string;
  readonly instanceId?: string;
}

const pathOf = ({ kind, instanceId }: Named) => `/databases/${kind}/instances/${instanceId}`;
const nameOf = ({ kind, instanceId }: Named) => `${kind} database with id ${instanceId}`;

const database = {
  id: id({ description: "Id of the database.", reference: "databases/instance" }),
  label: text({ description: "Label." }),
  kind: text({ description: "`mysql` or `postgresql`.", wireName: "engine" }),
  version: text({ description: "Version of its engine." }),
  region: text({ description: "Region." }),
  type: text({ description: "Node type." }),
  clusterSize: integer({ description: "Number of nodes." }),
  status: text({ description: "`active` when it is ready." }),
};

export const getDatabases = providerFunction({
  area: "databases",
  name: "getDatabases",
  description: "Every managed database of the account that the arguments match, of both kinds.",
  args: {
    kind: optional(choice(kindNames, { description: "Only databases of this kind." })),
    region: optional(text({ description: "Only databases of this region." })),
  },
  result: {
    databases: list(group(database, { description: "A managed database.", typeName: "Database" }), {
      description: "The databases, by id.",
    }),
  },
  async call({ args, service }) {
    const found = await service.list("/databases/instances");
    return {
      databases: found
        .filter(
          ({ engine, region }) =>
            (args.kind === undefined || engine === args.kind) &&
            (args.region === undefined || region === args.region),
        )
        .map((one) => objectFromWire(database, one)),
    };
  },
});

const backup = {
  id: id({ description: "Number of the backup: what a restore takes.", reference: "databases/backup" }),
  label: text({ description: "Label." }),
  type: text({ description: "`auto` or `snapshot`." }),
  created: text({ description: "When it was taken (UTC)." }),
};

export const getBackups = providerFunction({
  area: "databases",
  name: "getBackups",
  description: "The backups of a managed database: automatic ones and snapshots.",
  args: {
    ...ofDatabase,
    type: optional(choice(["auto", "snapshot"], { description: "Only backups of this type." })),
  },
  result: {
    backups: list(group(backup, { description: "A backup.", typeName: "Backup" }), {
      description: "The backups, by id.",
    }),
  },
  async call({ args, service }) {
    const found = await existing(nameOf(args), service.list(`${pathOf(args)}/backups`));
    return {
      backups: found
        .filter(({ type }) => args.type === undefined || type === args.type)
        .map((one) => objectFromWire(backup, one)),
    };
  },
});

export const getBackup = providerFunction({
  area: "databases",
  name: "getBackup",
  description: "One backup of a managed database.",
  args: {
    ...ofDatabase,
    id: id({ description: "Number of the backup.", reference: "databases/backup" }),
  },
  result: backup,
  async call({ args, service }) {
    const read = service.get(`${pathOf(args)}/backups/${args.id}`);
    return objectFromWire(backup, await existing(`backup ${args.id} of the ${nameOf(args)}`, read));
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
