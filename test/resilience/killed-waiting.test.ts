/** An engine killed while it waits for what a request began: the next run goes on with the wait, sends that request no second time, and leaves one object. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createEmbedded } from "../e2e/embedded.ts";
import type { EngineName } from "../e2e/engines.ts";
import { createProject, type Program, pulumiBin, stackText } from "../e2e/pulumi.ts";
import { killTree } from "./dying.ts";
import { type Service, startService } from "./service.ts";

type Resources = NonNullable<Program["resources"]> & {
  readonly [name: string]: { readonly type: string; readonly properties: object };
};

interface Row {
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
const cluster = (label: string) => ({
  type: clusters.type,
  properties: {
    ...{ label, region: "us-east", k8sVersion: "1.29" },
    nodePools: { web: { type: "g6-standard-1", count: 1 } },
  },
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
const rows: readonly Row[] = [
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

const canKill = existsSync("/proc/self/stat");
const engines: readonly EngineName[] = ["plumbline", "pulumi"];
for (const engine of engines) {
  describe.skipIf(!canKill || (engine === "pulumi" && !pulumiBin))(
    `${engine} killed while it waits for`,
    { timeout: 180_000 },
    () => {
      it.for(rows)(
        "$what goes on with the wait, and sends nothing twice",
        async (row, { onTestFinished }) => {
          const service = await startService(row.slowness ?? 1);
          onTestFinished(() => service.close());
          const stack = await openStack(engine, service);
          onTestFinished(() => stack.remove());
          const [first, ...next] = row.states as [Resources, ...Resources[]];
          if (Object.keys(first).length > 0) {
            stack.write(first);
            await throughWaits(service, row, stack.up());
          }
          for (const [step, state] of next.entries()) {
            const since = await lastRequest(service);
            stack.write(state);
            await killedWhileItWaits(service, row, stack.start());
            await stack.recover();
            // The next run comes while it is still under way, the one after the next kill when it is over.
            if (step > 0) await service.advance(row.takes * (row.slowness ?? 1));
            await throughWaits(service, row, stack.up());
            const writes = await writesSince(service, since);
            expect(writes).toEqual(Array.from({ length: row.times ?? 1 }, () => row.begins));
          }

          const last = row.states.at(-1)!;
          const declared = Object.values(last).filter(({ type }) => type === row.type);
          const objects = (await service.kept(row.collection)).filter(({ type }) => type !== "auto");
          expect(objects).toHaveLength(declared.length + (row.others ?? 0));
          const since = await lastRequest(service);
          expect((await stack.up()).changes).toEqual({ same: Object.keys(last).length });
          expect(await writesSince(service, since)).toEqual([]);
        },
      );
    },
  );
}

interface Stack {
  readonly write: (resources: Resources) => void;
  /** Starts an `up` and leaves it to the caller. */
  readonly start: () => ChildProcess;
  /** Runs it to its end; rejects when it fails. */
  readonly up: () => Promise<{ readonly changes: { readonly [op: string]: number } }>;
  /** What has to be done after a kill before the next run. */
  readonly recover: () => Promise<unknown>;
  readonly remove: () => void;
}

async function openStack(engine: EngineName, { baseUrl, token }: Service): Promise<Stack> {
  const nothing = stackText({});
  if (engine === "plumbline") {
    const { folder, env, write, up, remove } = createEmbedded(nothing, { baseUrl, token });
    const cli = resolve(import.meta.dirname, "../../bin/plumbline");
    const flags = ["up", "--yes", "--skip-preview"];
    return {
      write: (resources) => write({ resources }),
      start: () => spawn(process.execPath, [cli, ...flags], { cwd: folder, env, stdio: "ignore" }),
      up,
      recover: async () => {},
      remove,
    };
  }
  const { write, start, up, recover, remove } = await createProject(nothing, { baseUrl, token });
  return {
    write: (resources) => write({ resources }),
    start: () => start("up", "--yes", "--skip-preview", "--stack", "dev"),
    up,
    recover,
    remove,
  };
}

/** Kills the engine, with all that it started, once the request is answered and was looked after. */
async function killedWhileItWaits(service: Service, row: Row, child: ChildProcess): Promise<void> {
  const dead = once(child, "exit");
  const since = await lastRequest(service);
  while (!(await isWaiting(service, row, since)) && child.exitCode === null) await setTimeout(5);
  killTree(child.pid ?? 0);
  await dead;
  expect(child.signalCode).toBe("SIGKILL");
}

async function isWaiting(service: Service, row: Row, since: number): Promise<boolean> {
  const asked = await service.requests(since);
  const begun = asked.find((one) => operationOf(one) === row.begins && one.status === 200);
  return begun !== undefined && looksIn(asked, row).some(({ n }) => n > begun.n);
}

/** Lets a run come to its end: whenever it has looked some times in vain, time passes. */
async function throughWaits<T>(service: Service, row: Row, run: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  run.then(over, over);
  let since = await lastRequest(service);
  while (!isOver) {
    const asked = await service.requests(since);
    if (looksIn(asked, row).length >= 3) {
      await service.advance(row.takes * (row.slowness ?? 1));
      since = asked.at(-1)?.n ?? since;
    }
    await setTimeout(20);
  }
  return run;
}

type Asked = Awaited<ReturnType<Service["requests"]>>;

const operationOf = ({ method, template }: Asked[number]) => `${method} ${template}`;

const looksIn = (asked: Asked, { looks }: Row) =>
  asked.filter(
    ({ method, template, status }) => method === "GET" && status === 200 && template?.startsWith(looks),
  );

const lastRequest = async (service: Service) => (await service.requests(0)).at(-1)?.n ?? 0;

async function writesSince(service: Service, since: number): Promise<string[]> {
  return (await service.requests(since)).filter(({ method }) => method !== "GET").map(operationOf);
}
