/** What the types of the area `databases` must live through. */

import type { Account } from "../deployment.ts";
import { life } from "../lifecycle.ts";

export const mysqlType = "plumbline:databases/mySqlInstance:MySqlInstance";
export const postgresqlType = "plumbline:databases/postgreSqlInstance:PostgreSqlInstance";
export const snapshotType = "plumbline:databases/snapshot:Snapshot";

/** What a database of each kind must declare. */
export const mysql = { engine: "mysql/8.0.30", region: "us-east", type: "g6-nanode-1" };
export const postgresql = { engine: "postgresql/14.6", region: "us-east", type: "g6-nanode-1" };

export const pathOf = (kind: string, id: string) => `/databases/${kind}/instances/${id}`;

const mysqlInstance = life({
  type: mysqlType,
  prepare: async () => ({}),
  steps: [
    {
      does: "create",
      declare: () => ({
        ...mysql,
        updates: { frequency: "monthly", weekOfMonth: 2, dayOfWeek: 7, hourOfDay: 3, duration: 2 },
        patchTrigger: 1,
      }),
      leaves: {
        status: "active",
        port: 3306,
        version: "8.0.30",
        clusterSize: 1,
        rootUsername: "linroot",
        replicationType: "none",
      },
    },
    {
      does: "update",
      declare: () => ({
        ...mysql,
        label: "shop",
        allowList: ["192.0.2.1/32", "2001:DB8::1"],
        updates: { frequency: "weekly", duration: 1 },
        patchTrigger: 2,
      }),
      changes: ["label", "allowList", "updates", "patchTrigger"],
    },
    {
      does: "update",
      declare: () => ({
        ...mysql,
        label: "shop",
        allowList: ["2001:db8::1", "192.0.2.1"],
        type: "g6-standard-1",
        updates: { duration: 1, dayOfWeek: 2 },
      }),
      changes: ["type", "updates", "patchTrigger"],
      leaves: { status: "active", type: "g6-standard-1" },
    },
    {
      does: "replace",
      declare: () => ({ ...mysql, label: "shop", clusterSize: 3, replicationType: "semi_synch" }),
      changes: ["type", "allowList", "clusterSize", "replicationType"],
      leaves: { clusterSize: 3, replicationType: "semi_synch", sslConnection: true },
    },
    {
      does: "replace",
      declare: () => ({
        ...mysql,
        label: "shop",
        engine: "mysql/5.7.39",
        region: "us-southeast",
        encrypted: true,
        sslConnection: false,
        allowList: ["0.0.0.0/0"],
      }),
      changes: ["engine", "region", "encrypted", "sslConnection", "allowList", "clusterSize"],
      leaves: { clusterSize: 1, version: "5.7.39", encrypted: true, sslConnection: false },
    },
  ],
  naturalName: () => "mysql/shop",
  drift: {
    allowList: ({ id }) => ({ method: "PUT", path: pathOf("mysql", id), body: { allow_list: [] } }),
    label: ({ id }) => ({ method: "PUT", path: pathOf("mysql", id), body: { label: "hers" } }),
  },
});

const postgresqlInstance = life({
  type: postgresqlType,
  prepare: async () => ({}),
  steps: [
    {
      does: "create",
      declare: () => ({ ...postgresql, label: "books" }),
      leaves: {
        status: "active",
        port: 5432,
        rootUsername: "linpostgres",
        replicationCommitType: "local",
        replicationType: "none",
      },
    },
    {
      does: "replace",
      declare: () => ({
        ...postgresql,
        label: "books",
        clusterSize: 3,
        replicationCommitType: "off",
      }),
      changes: ["clusterSize", "replicationCommitType"],
      leaves: { replicationType: "asynch", replicationCommitType: "off" },
    },
    {
      does: "update",
      declare: () => ({
        ...postgresql,
        label: "ledger",
        clusterSize: 3,
        replicationCommitType: "off",
        type: "g6-standard-2",
        allowList: ["198.51.100.0/24"],
        updates: { dayOfWeek: 3, duration: 2 },
      }),
      changes: ["label", "type", "allowList", "updates"],
    },
  ],
  naturalName: () => "postgresql/ledger",
  drift: {
    label: ({ id }) => ({ method: "PUT", path: pathOf("postgresql", id), body: { label: "theirs" } }),
    updates: ({ id }) => ({
      method: "PUT",
      path: pathOf("postgresql", id),
      body: { updates: { day_of_week: 5, duration: 1 } },
    }),
    allowList: ({ id }) => ({
      method: "PUT",
      path: pathOf("postgresql", id),
      body: { allow_list: ["0.0.0.0/0"] },
    }),
  },
});

/** Makes one that is ready, beside what the engines know. */
export async function database(account: Account, label: string, more: object = {}): Promise<string> {
  const made = await account.call("POST", "/databases/mysql/instances", { ...mysql, label, ...more });
  await account.call("GET", pathOf("mysql", String(made["id"])));
  return String(made["id"]);
}

const snapshot = life({
  type: snapshotType,
  prepare: async (account) => ({
    one: await database(account, "one"),
    three: await database(account, "three", { cluster_size: 3 }),
  }),
  steps: [
    { does: "create", declare: ({ one }) => ({ kind: "mysql", instanceId: one, label: "before" }) },
    {
      does: "replace",
      declare: ({ three }) => ({ kind: "mysql", instanceId: three, label: "before" }),
      changes: ["instanceId"],
    },
    {
      does: "replace",
      declare: ({ three }) => ({ kind: "mysql", instanceId: three, label: "other", target: "secondary" }),
      changes: ["label", "target"],
    },
  ],
  naturalName: () => "mysql/three/other",
  unreadable: ["target"],
  drift: {},
});

export const lives = [mysqlInstance, postgresqlInstance, snapshot];
