/** Snapshot: a backup of a managed database, taken on request (contract sections 2.5 and 3). */

import type { WireObject } from "../../core/service-port.ts";
import { choice, id, optional, text } from "../../core/type/field.ts";
import { type ActionContext, resource } from "../../core/type/resource.ts";
import { kindNames } from "./kinds.ts";

/** How many snapshots a database may have (contract section 8). */
const most = 3;

interface Owner {
  readonly kind?: string;
  readonly instanceId?: string;
}

const ownerPath = ({ kind, instanceId }: Owner) => `/databases/${kind}/instances/${instanceId}`;

/** Only one backup can be in progress, an automatic one included. */
async function waitUntilIdle({ inputs, wait }: Pick<ActionContext<never>, "wait"> & { inputs: Owner }) {
  const what = `waiting for database ${inputs.instanceId} to end what it does`;
  await wait(ownerPath(inputs), what, (database) => {
    if (!database) throw new Error(`database ${inputs.instanceId} was deleted while it was waited for`);
    if (database["status"] === "failed")
      throw new Error(`database ${inputs.instanceId} has failed: no snapshot can be taken of it`);
    return database["status"] === "active";
  });
}

export const Snapshot = resource({
  area: "databases",
  name: "Snapshot",
  description:
    "A backup of a managed database, kept until it is deleted; at most three of one database. Import by `KIND/INSTANCE_ID/SNAPSHOT_ID` or `mysql/shop/before`.",
  path: "/databases/{kind}/instances/{instanceId}/backups/{snapshotNumber}",
  parentsByKind: { mysql: "databases/mySqlInstance", postgresql: "databases/postgreSqlInstance" },
  phrase: ["{label}", "of {kind} {instanceId}"],
  nameFormat: "KIND/INSTANCE_LABEL/LABEL",
  list: { includes: (backup) => backup["type"] === "snapshot" },
  leftOut: (backup) =>
    backup["type"] === "snapshot"
      ? undefined
      : "the service takes automatic backups and removes each after seven days",
  inputs: {
    kind: choice(kindNames, {
      description: "Kind of the database.",
      immutable: true,
      typeName: "DatabaseKind",
    }),
    instanceId: id({
      description: "Id of the database.",
      reference: "databases/instance",
      immutable: true,
    }),
    label: text({
      description: "Unique among the database's backups: 1 to 30 ASCII letters, digits and underscores.",
      minLength: 1,
      maxLength: 30,
      immutable: true,
      unique: true,
      adoptKey: true,
      rules: [{ pattern: "^[A-Za-z0-9_]*$", says: "must have only ASCII letters, digits and underscores" }],
    }),
    target: optional(
      choice(["primary", "secondary"], {
        description:
          "Node that it is taken of; `secondary` needs a database of three nodes. Default: `primary`.",
        immutable: true,
        writeOnly: true,
        default: "primary",
      }),
    ),
  },
  outputs: {
    snapshotId: id({
      description: "The snapshot's own number.",
      reference: "databases/backup",
      wireName: "id",
    }),
    created: text({ description: "When it was taken (UTC)." }),
  },
  timeouts: { create: 3600, update: 600, delete: 600 },
  turns: { queue: ownerPath, idle: waitUntilIdle },
  async lookup({ after, creating, collection, list, get, isOurs, refuse }) {
    if (!creating || collection === undefined) return;
    if (after.target === "secondary" && (await get(ownerPath(after)))["cluster_size"] === 1)
      refuse("target", "must be primary: the database has a single node");
    const isReplaced = ({ id: number, label }: WireObject) =>
      label === after.label && isOurs(`${after.kind}/${after.instanceId}/${number}`);
    const present = (await list(collection)).filter((backup) => backup["type"] === "snapshot");
    if (present.filter((backup) => !isReplaced(backup)).length < most) return;
    const labels = present.map(({ label }) => label).join(", ");
    refuse(
      "",
      `the database has ${most} snapshots already (${labels}), and no more are kept: delete one first`,
    );
  },
  limit: most,
  lost: "the data that it keeps",
});
