/** A cluster and its pools through what peers get wrong, under each engine on an emulator of its own. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { call, type Kept, kept, writes } from "./account.ts";
import { createDriver, type Driver, type EngineName, type Ran } from "./engines.ts";
import { type Program, pulumiBin } from "./pulumi.ts";

const engines: readonly EngineName[] = ["plumbline", "pulumi"];
for (const engine of engines) {
  describe.skipIf(engine === "pulumi" && !pulumiBin)(
    `a Kubernetes cluster under ${engine}`,
    { timeout: 120_000 },
    () => life(engine),
  );
}

const small = { type: "g6-standard-1", count: 1 };
const first = { ...small, tags: ["first"] };
const scaled = { ...small, autoscaler: { enabled: true, min: 1, max: 5 } };
const nodePools = { first, second: { ...small, count: 2 }, third: scaled };
const { first: _, ...rest } = nodePools;
const remade = { ...rest, second: { type: "g6-standard-2", count: 2 } };

/** Highly available from the start, so that no later part waits for that. */
const shop = { label: "shop", region: "us-east", controlPlane: { highAvailability: true }, nodePools };
const cluster = (properties: object) => ({
  type: "plumbline:kubernetes:Cluster",
  properties: { ...shop, k8sVersion: "1.27", ...properties },
});
const declared = (properties: object): Program => ({
  resources: {
    shop: cluster(properties),
    batch: {
      type: "plumbline:kubernetes:NodePool",
      properties: { clusterId: "${shop.id}", type: "g6-standard-4", count: 1 },
    },
  },
  outputs: { pools: "${shop.poolIds}", kubeconfig: "${shop.kubeconfig}", batch: "${batch.poolId}" },
});

function life(engine: EngineName): void {
  let emulator: Emulator;
  let stack: Driver;
  /** What is declared in the end; each part of the story adds to it. */
  let properties: object = {};
  beforeAll(async () => {
    // Slow enough for what is waited for to take its time.
    emulator = await startEmulator({ speed: 200, checkAnswers: true });
    const { baseUrl, token } = emulator;
    stack = await createDriver(engine, declared({}), { baseUrl, token });
  });
  afterAll(async () => {
    stack?.remove();
    expect(emulator?.mismatches).toEqual([]);
    await emulator?.close();
  });

  const declare = (more: object) => {
    properties = { ...properties, ...more };
    stack.write(declared(properties));
  };
  const only = (): Kept => {
    const [cluster, ...more] = kept(emulator, "lkeClusters");
    if (cluster === undefined || more.length > 0) throw new Error(`${more.length} more clusters`);
    return cluster;
  };
  const pools = () => kept(emulator, "lkePools");
  const nodesOf = (pool: string) =>
    kept(emulator, "lkeNodes").filter(({ pool_id }) => String(pool_id) === pool);
  const names = async () =>
    (await stack.outputs()) as unknown as { pools: { [name: string]: string }; batch: string };
  const sent = async (work: () => Promise<unknown>) => {
    const before = writes(emulator);
    await work();
    return Object.fromEntries(
      Object.entries(writes(emulator)).flatMap(([operation, count]) =>
        count === before[operation] ? [] : [[operation, count - (before[operation] ?? 0)]],
      ),
    );
  };
  const saidBy = ({ said, printed }: Ran) => `${said.join("\n")}\n${printed}`;
  const one = "/lke/clusters/{clusterId}";

  it("is made as declared, and finished when it can be reached and all nodes are ready", async () => {
    const planned = await stack.preview();
    expect(planned.changes).toEqual({ create: 2 });
    expect(writes(emulator)).toEqual({});
    expect(await sent(() => stack.up())).toEqual({ "POST /lke/clusters": 1, [`POST ${one}/pools`]: 1 });
    expect(only()["_kubeconfig"]).not.toBeNull();
    expect(kept(emulator, "lkeNodes").map(({ status }) => status)).toEqual(Array(5).fill("ready"));
    const { token } = only()["_kubeconfig"] as { token: string };
    const { code, stdout, stderr } = await stack.command("stack", "output", "--stack", "dev");
    expect([code, `${stdout}${stderr}`.includes(token)]).toEqual([0, false]);
    expect(String((await stack.outputs())["kubeconfig"])).toContain(token);
  });

  it("loses the first of three pools when it is taken out, and no other is touched", async () => {
    const { first: gone, ...others } = (await names()).pools;
    declare({ nodePools: rest });
    const { plan } = await stack.preview();
    expect(plan["shop"]).toMatchObject({ op: "update", paths: { "nodePools.first": "delete" } });
    expect(await sent(() => stack.up())).toEqual({ [`DELETE ${one}/pools/{poolId}`]: 1 });
    expect((await names()).pools).toEqual(others);
    expect(pools().map(({ id }) => String(id))).not.toContain(gone);
  });

  it("stays when a pool's type changes, and the new pool is ready before the old one goes", async () => {
    const [{ id }, old] = [only(), (await names()).pools];
    declare({ nodePools: remade });
    const planned = await stack.preview();
    expect(planned.plan["shop"]).toMatchObject({
      op: "update",
      paths: { "nodePools.second.type": "update" },
    });
    expect(saidBy(planned)).toContain("pool second is made anew, as its type cannot be changed");
    /** The new pool's nodes at the moment in which the old one was seen to be gone. */
    let then: readonly Kept[] | undefined;
    const watch = setInterval(() => {
      if (then !== undefined || pools().some((pool) => String(pool.id) === old["second"])) return;
      const fresh = pools().find(({ type }) => type === "g6-standard-2");
      then = fresh ? nodesOf(String(fresh.id)) : [];
    }, 2);
    try {
      expect(await sent(() => stack.up())).toEqual({
        [`POST ${one}/pools`]: 1,
        [`DELETE ${one}/pools/{poolId}`]: 1,
      });
    } finally {
      clearInterval(watch);
    }
    expect(then?.map(({ status }) => status)).toEqual(["ready", "ready"]);
    expect([only().id, (await names()).pools["third"]]).toEqual([id, old["third"]]);
    expect((await stack.preview("--expect-no-changes")).changes).toEqual({ same: 2 });
  });

  it("is not changed where its autoscaler moved a count", async () => {
    const third = (await names()).pools["third"];
    await call(emulator, "PUT", `/lke/clusters/${only().id}/pools/${third}`, { count: 4 });
    expect(await sent(() => stack.up("--refresh"))).toEqual({});
    expect((await stack.preview("--refresh", "--expect-no-changes")).changes).toEqual({ same: 2 });
    expect(pools().find(({ id }) => String(id) === third)?.["count"]).toBe(4);
  });

  it("leaves a pool alone that was made by hand, and names it in the preview", async () => {
    const { id } = await call(emulator, "POST", `/lke/clusters/${only().id}/pools`, small);
    const { batch } = await names();
    declare({ tags: ["prod"] });
    const said = (await stack.preview("--refresh")).said.join("\n");
    expect(said).toContain(`has pools that were not made by its nodePools: ${id} (1 g6-standard-1);`);
    expect(said).not.toContain(batch); // which a NodePool of the stack has
    expect(await sent(() => stack.up())).toEqual({ [`PUT ${one}`]: 1 });
    expect(pools().map((pool) => pool.id)).toContain(id);
    await call(emulator, "DELETE", `/lke/clusters/${only().id}/pools/${id}`);
  });

  it("is refused a jump, a downgrade and the end of high availability in the preview", async () => {
    const refused = async (more: object) => {
      stack.write(declared({ ...properties, ...more }));
      const ran = await stack.attempt("preview");
      return [ran.code === 0, saidBy(ran)] as const;
    };
    const requests = await sent(async () => {
      const jump = await refused({ k8sVersion: "1.29", controlPlane: {} });
      expect(jump).toEqual([false, expect.stringMatching(/only to the next minor version, 1\.28/)]);
      expect(jump[1]).toMatch(/cannot be switched off again/);
      const back = await refused({ k8sVersion: "1.26" });
      expect(back).toEqual([false, expect.stringMatching(/never downgraded/)]);
    });
    expect(requests).toEqual({});
  });

  it("is upgraded without a recycle, unless one is asked for", async () => {
    const nodes = () => kept(emulator, "lkeNodes");
    const before = nodes().map(({ id }) => id);
    declare({ k8sVersion: "1.28" });
    expect(saidBy(await stack.preview())).toContain("reaches new nodes only");
    expect(await sent(() => stack.up())).toEqual({ [`PUT ${one}`]: 1 });
    expect(nodes().map(({ id }) => id)).toEqual(before);
    declare({ k8sVersion: "1.29", recycleOnUpgrade: true });
    expect(await sent(() => stack.up())).toEqual({ [`PUT ${one}`]: 1, [`POST ${one}/recycle`]: 1 });
    expect(nodes().map(({ _version, status }) => [_version, status])).toEqual(
      before.map(() => ["1.29.4", "ready"]),
    );
    for (const { id } of nodes()) expect(before).not.toContain(id);
  });

  it("is adopted with its pools, which may then be given other names", async () => {
    const program = (more: object): Program => ({
      resources: { shop: cluster({ ...properties, ...more }) },
    });
    const { baseUrl, token } = emulator;
    const other = await createDriver(engine, program({}), { baseUrl, token });
    try {
      await other.import({ shop: ["plumbline:kubernetes/cluster:Cluster", "shop"] });
      const { resources } = await other.state();
      const { nodePools: found } = resources["shop"]!.inputs as { nodePools: object };
      const ids = pools().map(({ id }) => id);
      expect(Object.keys(found)).toEqual(ids.map((id) => `pool-${id}`));
      other.write(program({ nodePools: found, recycleOnUpgrade: false }));
      expect((await other.preview()).plan["shop"]).toMatchObject({ op: "same" });
      const named = { ...remade, batch: { type: "g6-standard-4", count: 1 } };
      other.write(program({ nodePools: named, recycleOnUpgrade: false }));
      expect(await sent(() => other.up())).toEqual({});
      expect(pools().map(({ id }) => id)).toEqual(ids);
      expect((await other.preview()).changes).toEqual({ same: 1 });
    } finally {
      other.remove();
    }
  });

  it("goes without a trace", async () => {
    expect((await stack.destroy()).changes).toEqual({ delete: 2 });
    expect([kept(emulator, "lkeClusters"), pools(), kept(emulator, "lkeNodes")]).toEqual([[], [], []]);
  });
}
