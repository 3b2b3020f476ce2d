/** Everything that is waited for, as a table: how it is begun, where it is looked at, how long it takes. It knows no engine. */

import type { Program } from "../e2e/pulumi.ts";

/** What a stack declares, by name. */
export type Resources = NonNullable<Program["resources"]> & {
  readonly [name: string]: { readonly type: string; readonly properties: object };
};

export interface Row {
  readonly what: string;
  /** The type that is counted at the end, and where the emulator keeps its objects. */
  readonly type: string;
  readonly collection: string;
  /** The request that begins what is waited for, and how often a run sends it; default once. */
  readonly begins: string;
  readonly times?: number;
  /** Beginning of the paths that are looked at meanwhile. */
  readonly looks: string;
  /** Seconds of the service after which it is surely over. */
  readonly takes: number;
  /** How many times slower than the service the emulator is: what takes seconds must outlast a slow engine. Default 1. */
  readonly slowness?: number;
  /** What is declared: the first is made in peace; in each step to a next one the engine is killed. */
  readonly states: readonly Resources[];
  /** How many more objects the collection holds at the end, which come with something else. */
  readonly others?: number;
}

const volumes = {
  type: "plumbline:blockstorage:Volume",
  collection: "volumes",
  looks: "/volumes",
  takes: 10,
  slowness: 20,
};
const mysql = {
  type: "plumbline:databases:MySqlInstance",
  collection: "databases",
  looks: "/databases/mysql/instances",
  takes: 1800,
};
const postgresql = {
  type: "plumbline:databases:PostgreSqlInstance",
  collection: "databases",
  looks: "/databases/postgresql/instances",
  takes: 1800,
};
const snapshots = { ...mysql, type: "plumbline:databases:Snapshot", collection: "databaseBackups" };

const clusters = {
  type: "plumbline:kubernetes:Cluster",
  collection: "lkeClusters",
  looks: "/lke/clusters",
  takes: 600,
};
const pools = { ...clusters, type: "plumbline:kubernetes:NodePool", collection: "lkePools" };

const volume = (more: object = {}) => ({
  type: volumes.type,
  properties: { label: "disk", size: 20, region: "us-east", ...more },
});
const shop = (more: object = {}) => ({
  type: mysql.type,
  properties: { label: "shop", engine: "mysql/8.0.30", region: "us-east", type: "g6-nanode-1", ...more },
});
const books = (more: object = {}) => ({
  type: postgresql.type,
  properties: { label: "books", engine: "postgresql/14.6", region: "us-east", type: "g6-nanode-1", ...more },
});
// A new one each time: a stack file written by a library would refer from one to the other.
const web = () => ({ type: "g6-standard-1", count: 1 });
const cluster = (label: string, more: object = {}) => ({
  type: clusters.type,
  properties: { label, region: "us-east", k8sVersion: "1.29", nodePools: { web: web() }, ...more },
});
const pool = (type: string) => ({
  type: pools.type,
  properties: { clusterId: "${site.id}", type, count: 1 },
});
const twin = (label: string) => ({
  type: volumes.type,
  properties: { label, cloneOf: "${disk.id}" },
});
const snapshot = (label: string) => ({
  type: snapshots.type,
  properties: { kind: "mysql", instanceId: "${shop.id}", label },
});

/** One row for each thing that is waited for. A type that waits needs no more than its row. */
export const rows: readonly Row[] = [
  {
    ...volumes,
    what: "a Volume's create",
    begins: "POST /volumes",
    states: [{}, { disk: volume() }, { disk: volume(), other: volume({ label: "other" }) }],
  },
  {
    ...volumes,
    what: "a Volume's clone",
    begins: "POST /volumes/{volumeId}/clone",
    states: [
      { disk: volume() },
      { disk: volume(), one: twin("one") },
      { disk: volume(), one: twin("one"), two: twin("two") },
    ],
  },
  {
    ...volumes,
    what: "a Volume's resize",
    begins: "POST /volumes/{volumeId}/resize",
    states: [20, 30, 40].map((size) => ({ disk: volume({ size }) })),
  },
  {
    ...mysql,
    what: "a MySqlInstance's create",
    begins: "POST /databases/mysql/instances",
    states: [{}, { shop: shop() }, { shop: shop(), other: shop({ label: "other" }) }],
  },
  {
    ...mysql,
    what: "a MySqlInstance's update",
    begins: "PUT /databases/mysql/instances/{instanceId}",
    states: [[], ["192.0.2.1"], ["192.0.2.2"]].map((allowList) => ({ shop: shop({ allowList }) })),
  },
  {
    ...mysql,
    what: "a MySqlInstance's resize",
    begins: "PUT /databases/mysql/instances/{instanceId}",
    states: ["g6-nanode-1", "g6-standard-1", "g6-standard-2"].map((type) => ({ shop: shop({ type }) })),
  },
  {
    ...mysql,
    what: "a MySqlInstance's update that takes two requests",
    begins: "PUT /databases/mysql/instances/{instanceId}",
    times: 2,
    states: [
      { shop: shop() },
      { shop: shop({ allowList: ["192.0.2.1"], type: "g6-standard-1" }) },
      { shop: shop({ allowList: ["192.0.2.2"], type: "g6-standard-2" }) },
    ],
  },
  {
    ...mysql,
    what: "what a MySqlInstance's trigger began",
    begins: "POST /databases/mysql/instances/{instanceId}/patch",
    states: ["never", "once", "twice"].map((patchTrigger) => ({ shop: shop({ patchTrigger }) })),
  },
  {
    ...postgresql,
    what: "a PostgreSqlInstance's create",
    begins: "POST /databases/postgresql/instances",
    states: [{}, { books: books() }, { books: books(), other: books({ label: "other" }) }],
  },
  {
    ...postgresql,
    what: "a PostgreSqlInstance's update",
    begins: "PUT /databases/postgresql/instances/{instanceId}",
    states: ["books", "ledger", "journal"].map((label) => ({ books: books({ label }) })),
  },
  {
    ...snapshots,
    what: "a Snapshot's create",
    begins: "POST /databases/mysql/instances/{instanceId}/backups",
    states: [
      { shop: shop() },
      { shop: shop(), before: snapshot("before") },
      { shop: shop(), before: snapshot("before"), after: snapshot("after") },
    ],
  },
  {
    ...clusters,
    what: "a Cluster's create",
    begins: "POST /lke/clusters",
    states: [{}, { site: cluster("site") }, { site: cluster("site"), other: cluster("other") }],
  },
  {
    ...clusters,
    collection: "lkePools",
    what: "a Cluster's new pool",
    begins: "POST /lke/clusters/{clusterId}/pools",
    states: [["web"], ["web", "one"], ["web", "one", "two"]].map((names) => ({
      site: cluster("site", { nodePools: Object.fromEntries(names.map((name) => [name, web()])) }),
    })),
    others: 2,
  },
  {
    ...clusters,
    what: "a Cluster's recycle",
    begins: "POST /lke/clusters/{clusterId}/recycle",
    states: [1, 2, 3].map((recycleTrigger) => ({ site: cluster("site", { recycleTrigger }) })),
  },
  {
    ...pools,
    what: "a NodePool's create",
    begins: "POST /lke/clusters/{clusterId}/pools",
    states: [
      { site: cluster("site") },
      { site: cluster("site"), one: pool("g6-standard-1") },
      { site: cluster("site"), one: pool("g6-standard-1"), two: pool("g6-standard-2") },
    ],
    others: 1,
  },
];
