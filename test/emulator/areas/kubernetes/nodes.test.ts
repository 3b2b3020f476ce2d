import { afterEach, describe, expect, test } from "vitest";
import { clusterDurations as durations } from "../../../../emulator/areas/kubernetes/durations.ts";
import { type Answer, eventsOf, openSession, type Session } from "../../session.ts";
import { idsOf, instancesOf, makeCluster, nodeTime, readyCluster, statusOf, want } from "./client.ts";

let on: Session;
afterEach(() => on.close());

const computes = async (): Promise<number[]> => (await on.list("/compute/instances")).map(({ id }) => id);
const versionsOf = () =>
  (on.emulator.data() as Answer).collections.lkeNodes.map((node: Answer) => node._version);
const ready = (count: number) => Array(count).fill("ready");

describe("a node pool (contract section 2.7; notes, section 7.2)", () => {
  test("has its nodes at once, their instances soon, and readiness later", async () => {
    on = await openSession();
    const { cluster, path } = await makeCluster(on, {
      node_pools: [{ type: "g6-standard-2", count: 2, tags: ["web"], disks: [{ size: 1000, type: "raw" }] }],
    });
    const [pool] = await on.list(`${path}/pools`);
    const node = () => ({
      id: expect.stringMatching(new RegExp(`^${pool.id}-[0-9a-f]{12}$`)),
      instance_id: null,
      status: "not_ready",
    });
    expect(pool).toEqual({
      id: pool.id,
      type: "g6-standard-2",
      count: 2,
      autoscaler: { enabled: false, min: 2, max: 2 },
      disks: [{ size: 1000, type: "raw" }],
      tags: ["web"],
      nodes: [node(), node()],
    });
    on.wait(durations.nodeCreated);
    const created = await on.get(`${path}/pools/${pool.id}`);
    expect(created.nodes).toEqual(
      pool.nodes.map((one: Answer) => ({ ...one, instance_id: expect.any(Number) })),
    );
    on.wait(durations.nodeReady);
    const done = await on.get(`${path}/pools/${pool.id}`);
    expect([statusOf(done), idsOf(done)]).toEqual([ready(2), idsOf(pool)]);

    const [first] = done.nodes;
    expect(await on.get(`${path}/nodes/${first.id}`)).toEqual(first);
    const instance = await on.get(`/compute/instances/${first.instance_id}`);
    expect(instance).toMatchObject({
      label: `lke${cluster.id}-${first.id}`,
      status: "running",
      type: "g6-standard-2",
      region: "us-east",
      tags: ["web"],
    });
    const disks = await on.list(`/compute/instances/${instance.id}/disks`);
    expect(disks.map(({ size, filesystem }) => ({ size, filesystem }))).toEqual([
      { size: instance.specs.disk - 1000, filesystem: "ext4" },
      { size: 1000, filesystem: "raw" },
    ]);
    expect(
      (await eventsOf(on, "compute", instance.id)).map(({ action, username }) => [action, username]),
    ).toContainEqual(["lke_node_create", null]);
  });

  test("is added to a cluster and removed from it, the last one too", async () => {
    on = await openSession();
    const { cluster, path, pools } = await readyCluster(on);
    const first = await computes();
    const added = await on.post(`${path}/pools`, {
      type: "g6-standard-1",
      count: 2,
      disks: null,
      tags: null,
    });
    expect(added).toMatchObject({ count: 2, tags: [], disks: [] });
    on.wait(nodeTime);
    expect(statusOf(await on.get(`${path}/pools/${added.id}`))).toEqual(ready(2));
    expect(await on.list(`${path}/pools`, { id: added.id })).toHaveLength(1);
    expect(await on.remove(`${path}/pools/${pools[0].id}`)).toEqual({});
    await on.refused(404, "GET", `${path}/pools/${pools[0].id}`);
    expect((await computes()).some((id) => first.includes(id))).toBe(false);
    expect(await on.list(`${path}/pools`)).toHaveLength(1);
    await on.remove(`${path}/pools/${added.id}`);
    expect([await on.list(`${path}/pools`), await computes()]).toEqual([[], []]);
    expect(await on.get(path)).toMatchObject({ status: "ready" });
    const events = await eventsOf(on, "lkecluster", cluster.id);
    expect(events.map(({ action, secondary_entity }) => [action, secondary_entity?.id])).toEqual([
      ["lke_cluster_create", undefined],
      ["lke_pool_create", added.id],
      ["lke_pool_delete", pools[0].id],
      ["lke_pool_delete", added.id],
    ]);
  });

  test("grows by new nodes and shrinks from the end", async () => {
    on = await openSession();
    const { path, pools } = await readyCluster(on);
    const pool = `${path}/pools/${pools[0].id}`;
    const before = idsOf(pools[0]);
    const grown = await on.put(pool, { count: 5 });
    expect([grown.count, idsOf(grown).slice(0, 3), statusOf(grown)]).toEqual([
      5,
      before,
      [...ready(3), "not_ready", "not_ready"],
    ]);
    on.wait(nodeTime);
    expect(statusOf(await on.get(pool))).toEqual(ready(5));
    const shrunk = await on.put(pool, { count: 2 });
    expect([shrunk.count, idsOf(shrunk)]).toEqual([2, before.slice(0, 2)]);
    expect(await computes()).toEqual(instancesOf(shrunk));
    expect(await on.put(pool, {})).toEqual(shrunk);
    await on.put(pool, { count: 4 });
    await on.put(pool, { count: 2 });
    on.wait(nodeTime);
    expect(await computes()).toEqual(instancesOf(shrunk));
  });

  test("hands its tags to the instances, by an update too (notes, section 7.2)", async () => {
    on = await openSession();
    const { path, pools } = await readyCluster(on);
    const pool = `${path}/pools/${pools[0].id}`;
    expect(await on.put(pool, { tags: ["a", "b"] })).toMatchObject({ tags: ["a", "b"], count: 3 });
    for (const instance of await on.list("/compute/instances")) expect(instance.tags).toEqual(["a", "b"]);
    expect(await on.list(`${path}/pools`, { tags: "b" })).toHaveLength(1);
    expect(await on.put(pool, { tags: [] })).toMatchObject({ tags: [] });
  });

  test("loses one node by the node's deletion; the autoscaler's bounds stay", async () => {
    on = await openSession();
    const { path, pools } = await readyCluster(on);
    const [first, second, third] = pools[0].nodes;
    expect(await on.remove(`${path}/nodes/${second.id}`)).toEqual({});
    await on.refused(404, "GET", `${path}/nodes/${second.id}`);
    expect(await on.get(`${path}/pools/${pools[0].id}`)).toMatchObject({
      count: 2,
      autoscaler: { enabled: false, min: 3, max: 3 },
      nodes: [first, third],
    });
    expect(await computes()).toEqual([first.instance_id, third.instance_id]);
  });

  test("has a node that is not ready when its instance was stopped or deleted by hand", async () => {
    on = await openSession();
    const { path, pools } = await readyCluster(on);
    const [first, second] = pools[0].nodes;
    await on.post(`/compute/instances/${first.instance_id}/shutdown`);
    await on.remove(`/compute/instances/${second.instance_id}`);
    expect((await on.get(`${path}/pools/${pools[0].id}`)).nodes).toMatchObject([
      { id: first.id, instance_id: first.instance_id, status: "not_ready" },
      { id: second.id, instance_id: null, status: "not_ready" },
      { status: "ready" },
    ]);
    await on.post(`${path}/nodes/${second.id}/recycle`);
    on.wait(durations.recycleStarted + nodeTime);
    expect(statusOf(await on.get(`${path}/pools/${pools[0].id}`))).toEqual(["not_ready", "ready", "ready"]);
  });
});

describe("the autoscaler (contract section 2.7; readings)", () => {
  const made = async (pool: object) => {
    const { path } = await makeCluster(on, { node_pools: [{ type: "g6-standard-1", ...pool }] });
    const [first] = await on.list(`${path}/pools`);
    return { first, pool: `${path}/pools/${first.id}` };
  };

  test.each([
    [{ count: 3 }, 3, { enabled: false, min: 3, max: 3 }],
    [{ count: 3, autoscaler: {} }, 3, { enabled: false, min: 3, max: 3 }],
    [{ count: 3, autoscaler: { enabled: true } }, 3, { enabled: true, min: 3, max: 3 }],
    [{ count: 3, autoscaler: { min: 5, max: 7 } }, 3, { enabled: false, min: 5, max: 7 }],
    [{ count: 3, autoscaler: { enabled: true, min: 5, max: 7 } }, 5, { enabled: true, min: 5, max: 7 }],
    [{ count: 9, autoscaler: { enabled: true, min: 1, max: 4 } }, 4, { enabled: true, min: 1, max: 4 }],
    [{ count: 2, autoscaler: { enabled: true, min: 2, max: 2 } }, 2, { enabled: true, min: 2, max: 2 }],
  ])("of %j gives a count of %i", async (request, count, autoscaler) => {
    on = await openSession();
    const { first } = await made(request);
    expect(first).toMatchObject({ count, autoscaler });
    expect(first.nodes).toHaveLength(count);
  });

  test("is changed by updates, which keep bounds that they do not give", async () => {
    on = await openSession();
    const { pool } = await made({ count: 3 });
    const update = async (body: object) => {
      const { count, autoscaler } = await on.put(pool, body);
      return [count, autoscaler];
    };
    expect(await update({ count: 2, autoscaler: { enabled: true } })).toEqual([
      2,
      { enabled: true, min: 2, max: 2 },
    ]);
    expect(await update({ autoscaler: { enabled: true, min: 1, max: 5 } })).toEqual([
      2,
      { enabled: true, min: 1, max: 5 },
    ]);
    expect(await update({ count: 9 })).toEqual([5, { enabled: true, min: 1, max: 5 }]);
    expect(await update({ autoscaler: { enabled: false } })).toEqual([5, { enabled: false, min: 1, max: 5 }]);
    expect(await update({ count: 9 })).toEqual([9, { enabled: false, min: 1, max: 5 }]);
    expect(await update({ autoscaler: { enabled: true } })).toEqual([5, { enabled: true, min: 1, max: 5 }]);
    expect(await update({ autoscaler: null })).toEqual([5, { enabled: true, min: 1, max: 5 }]);
  });

  test("moves the count to what is wanted, within its bounds", async () => {
    on = await openSession();
    const { first, pool } = await made({ count: 2, autoscaler: { enabled: true, min: 1, max: 4 } });
    on.wait(nodeTime);
    want(on, first.id, 3);
    expect(await on.get(pool)).toMatchObject({ count: 3, autoscaler: { enabled: true, min: 1, max: 4 } });
    on.wait(nodeTime);
    expect(statusOf(await on.get(pool))).toEqual(ready(3));
    expect(await computes()).toHaveLength(3);
    want(on, first.id, 50);
    expect(await on.get(pool)).toMatchObject({ count: 4 });
    want(on, first.id, 0);
    expect((await on.list(pool.replace(/\/\d+$/, "")))[0]).toMatchObject({ count: 1 });
    expect(await computes()).toHaveLength(1);
    await on.put(pool, { autoscaler: { enabled: false } });
    want(on, first.id, 3);
    expect(await on.get(pool)).toMatchObject({ count: 1 });
  });

  test("makes up for a deleted node when there would be too few", async () => {
    on = await openSession();
    const { first, pool } = await made({ count: 2, autoscaler: { enabled: true, min: 2, max: 4 } });
    await on.remove(`${pool.replace(/\/pools.*/, "")}/nodes/${first.nodes[0].id}`);
    const after = await on.get(pool);
    expect(after.count).toBe(2);
    expect(idsOf(after)[0]).toBe(first.nodes[1].id);
  });
});

describe("a recycle (contract sections 3 and 4.5)", () => {
  /** Watches the pools of a cluster until all nodes are others; returns how many were missing at each look. */
  async function roll(path: string, before: readonly string[]): Promise<number[]> {
    const missing: number[] = [];
    for (let looks = 0; looks < 200; looks++) {
      const nodes = (await on.list(`${path}/pools`)).flatMap((pool) => pool.nodes);
      missing.push(nodes.filter(({ status }) => status === "not_ready").length);
      if (nodes.every(({ id, status }) => !before.includes(id) && status === "ready")) return missing;
      on.wait(10);
    }
    throw new Error("the nodes were not all replaced");
  }

  const twoPools = {
    node_pools: [
      { type: "g6-standard-2", count: 2 },
      { type: "g6-standard-1", count: 2 },
    ],
  };
  const allIds = (pools: readonly Answer[]) => pools.flatMap(idsOf);

  test("of a cluster replaces one node after the other, in all pools", async () => {
    on = await openSession();
    const { cluster, path, pools } = await readyCluster(on, twoPools);
    const instances = await computes();
    expect(await on.post(`${path}/recycle`)).toEqual({});
    expect(allIds(await on.list(`${path}/pools`))).toEqual(allIds(pools));
    const missing = await roll(path, allIds(pools));
    expect(Math.max(...missing)).toBe(1);
    expect(missing.length).toBeGreaterThan(4 * (nodeTime / 10) - 1);
    const after = await on.list(`${path}/pools`);
    expect(after.map(({ id, count }) => ({ id, count }))).toEqual(
      pools.map(({ id, count }) => ({ id, count })),
    );
    expect((await computes()).some((id) => instances.includes(id))).toBe(false);
    expect((await eventsOf(on, "lkecluster", cluster.id)).at(-1)).toMatchObject({
      action: "lke_cluster_recycle",
    });
  });

  test("asked for several times over still replaces one node at a time, and each once", async () => {
    on = await openSession();
    const { path, pools } = await readyCluster(on, twoPools);
    for (const what of [`pools/${pools[0].id}/`, `pools/${pools[1].id}/`, "", `nodes/${idsOf(pools[1])[0]}/`])
      await on.post(`${path}/${what}recycle`);
    expect(Math.max(...(await roll(path, allIds(pools))))).toBe(1);
    const events = await on.list("/account/events", { action: "lke_node_create" });
    expect(events).toHaveLength(8);
  });

  test("of a pool leaves the others, of a node its neighbours", async () => {
    on = await openSession();
    const { path, pools } = await readyCluster(on, twoPools);
    await on.post(`${path}/pools/${pools[1].id}/recycle`);
    await roll(path, idsOf(pools[1]));
    const [first, second] = await on.list(`${path}/pools`);
    expect(idsOf(first)).toEqual(idsOf(pools[0]));
    const [kept, recycled] = idsOf(second);
    await on.post(`${path}/nodes/${recycled}/recycle`);
    on.wait(durations.recycleStarted);
    await on.refused(404, "GET", `${path}/nodes/${recycled}`);
    on.wait(nodeTime);
    const last = await on.get(`${path}/pools/${second.id}`);
    expect([idsOf(last)[0], last.count, statusOf(last)]).toEqual([kept, 2, ready(2)]);
  });

  test("gives nodes the version that the cluster has by then; an update alone does not", async () => {
    on = await openSession();
    const { path, pools } = await readyCluster(on);
    await on.put(path, { k8s_version: "1.29" });
    on.wait(600);
    expect(idsOf((await on.list(`${path}/pools`))[0])).toEqual(idsOf(pools[0]));
    expect(versionsOf()).toEqual(Array(3).fill("1.28.9"));
    await on.put(`${path}/pools/${pools[0].id}`, { count: 4 });
    expect(versionsOf()).toEqual([...Array(3).fill("1.28.9"), "1.29.4"]);
    await on.post(`${path}/recycle`);
    on.wait(600);
    expect(versionsOf()).toEqual(Array(4).fill("1.29.4"));
  });

  test("follows when high availability is switched on, and only then", async () => {
    on = await openSession();
    const { path, pools } = await readyCluster(on);
    await on.put(path, { control_plane: { high_availability: false } });
    on.wait(600);
    expect(idsOf((await on.list(`${path}/pools`))[0])).toEqual(idsOf(pools[0]));
    expect(await on.put(path, { control_plane: { high_availability: true } })).toMatchObject({
      control_plane: { high_availability: true },
    });
    expect(Math.max(...(await roll(path, idsOf(pools[0]))))).toBe(1);
    const replaced = idsOf((await on.list(`${path}/pools`))[0]);
    await on.put(path, { control_plane: { high_availability: true }, tags: ["x"] });
    on.wait(600);
    expect(idsOf((await on.list(`${path}/pools`))[0])).toEqual(replaced);
  });

  test("goes on when the node that it waits for is deleted, with its pool or by a smaller count", async () => {
    on = await openSession();
    const { path, pools } = await readyCluster(on, {
      node_pools: [
        { type: "g6-standard-2", count: 1 },
        { type: "g6-standard-2", count: 3 },
      ],
    });
    await on.post(`${path}/recycle`);
    on.wait(durations.recycleStarted);
    await on.remove(`${path}/pools/${pools[0].id}`);
    const pool = `${path}/pools/${pools[1].id}`;
    const [, , waiting] = (await on.get(pool)).nodes;
    expect(waiting.status).toBe("not_ready");
    await on.remove(`${path}/nodes/${waiting.id}`);
    await on.put(pool, { count: 1 });
    on.wait(nodeTime);
    const last = await on.get(pool);
    expect(statusOf(last)).toEqual(["ready"]);
    expect(idsOf(pools[1])).not.toContain(idsOf(last)[0]);
  });

  test("is over by the next read at speed max", async () => {
    on = await openSession({ speed: "instant" });
    const { path } = await makeCluster(on);
    const [pool] = await on.list(`${path}/pools`);
    expect(statusOf(pool)).toEqual(ready(3));
    await on.post(`${path}/pools/${pool.id}/recycle`);
    const after = await on.get(`${path}/pools/${pool.id}`);
    expect(statusOf(after)).toEqual(ready(3));
    expect(idsOf(after).some((id) => idsOf(pool).includes(id))).toBe(false);
  });
});
