import { beforeEach, describe, expect, test } from "vitest";
import type { ValueMap } from "../../../provider/core/value.ts";
import { type Account, checked, resourceNamed } from "../deployment.ts";
import type { Trouble } from "../mortal.ts";
import { clusterType, foretold, type Kept, nothingKept, openWorld, poolType, refresh, run } from "./world.ts";

const cluster = resourceNamed(clusterType, "shop");
const pool = resourceNamed(poolType, "batch");

const small = { type: "g6-standard-1", count: 1 };
const big = { type: "g6-standard-2", count: 1 };
const base = { label: "shop", region: "us-east", k8sVersion: "1.28" };
const before = { ...base, nodePools: { first: small, second: { ...small, count: 2 }, third: big } };
/** One removed, one made anew, one that gets more nodes, one more. */
const after = {
  ...base,
  nodePools: { second: { ...big, count: 2 }, third: { ...big, count: 3 }, fourth: small },
};

let account: Account;
let kept: Kept;
beforeEach(async () => {
  ({ account, kept } = await openWorld());
});

interface Live {
  readonly id: number;
  readonly type: string;
  readonly count: number;
}

const path = () => `/lke/clusters/${kept.saved!.id}`;
const live = async (): Promise<Live[]> => (await account.call("GET", `${path()}/pools`))["data"] as Live[];
const ids = () => kept.saved!.state["poolIds"] as { [name: string]: string };
const told = async () => (await live()).map(({ type, count }) => `${count} ${type}`).sort();
const clusters = async () => (await account.call("GET", "/lke/clusters"))["results"];
const sent = async (work: () => Promise<unknown>) => {
  const earlier = account.emulator.stats().requests;
  await work();
  return Object.fromEntries(
    Object.entries(account.emulator.stats().requests).flatMap(([operation, count]) => {
      const more = count - (earlier[operation] ?? 0);
      return more > 0 && !operation.startsWith("GET ") ? [[operation, more]] : [];
    }),
  );
};
const pools = "/lke/clusters/{clusterId}/pools";

describe("pools by name", () => {
  test("the first of three that is removed is deleted, and no other is touched", async () => {
    await run(account, cluster, before, kept);
    const { first, ...rest } = ids();
    const { second, third } = before.nodePools;
    const writes = await sent(() => run(account, cluster, { ...base, nodePools: { third, second } }, kept));
    expect(writes).toEqual({ [`DELETE ${pools}/{poolId}`]: 1 });
    expect(ids()).toEqual(rest);
    expect((await live()).map(({ id }) => String(id))).not.toContain(first);
  });

  test("equal ones keep their places", async () => {
    const alike = { a: small, b: { ...small, count: 3 }, c: small };
    await run(account, cluster, { ...base, nodePools: alike }, kept);
    const { b } = ids();
    const writes = await sent(() =>
      run(account, cluster, { ...base, nodePools: { b: alike.b, c: small } }, kept),
    );
    expect(writes).toEqual({ [`DELETE ${pools}/{poolId}`]: 1 });
    expect(await live()).toMatchObject([{ id: Number(b), count: 3 }, { count: 1 }]);
  });

  test("one that only gets another name keeps its nodes, and the preview says so", async () => {
    await run(account, cluster, before, kept);
    const { first, ...others } = ids();
    const { first: spec, ...rest } = before.nodePools;
    const renamed = { ...base, nodePools: { ...rest, front: { ...spec, count: 2 } } };
    expect((await foretold(account, cluster, renamed, kept)).said).toEqual([
      "pool first becomes front and keeps its nodes",
    ]);
    const writes = await sent(() => run(account, cluster, renamed, kept));
    expect(writes).toEqual({ [`PUT ${pools}/{poolId}`]: 1 });
    expect(ids()).toEqual({ ...others, front: first });
  });

  test("one whose type changes is made anew in place, and the preview says what is lost", async () => {
    await run(account, cluster, before, kept);
    const old = ids();
    const said = await foretold(account, cluster, after, kept);
    expect(said.paths).toEqual([
      "nodePools.first delete",
      "nodePools.second.type update",
      "nodePools.third.count update",
      "nodePools.fourth add",
    ]);
    expect(said.said).toEqual([
      expect.stringMatching(/^pool second is made anew, as its type cannot be changed/),
      "pool first becomes fourth and keeps its nodes",
    ]);
    expect(await sent(() => run(account, cluster, after, kept))).toEqual({
      [`POST ${pools}`]: 1, // the fourth is what the first was
      [`PUT ${pools}/{poolId}`]: 1,
      [`DELETE ${pools}/{poolId}`]: 1,
    });
    expect(ids()).toEqual({ second: expect.anything(), third: old["third"], fourth: old["first"] });
    expect(await told()).toEqual(["1 g6-standard-1", "2 g6-standard-2", "3 g6-standard-2"]);
  });

  test("one that is made by hand is left alone, listed, and named in the preview", async () => {
    await run(account, cluster, before, kept);
    const { id } = await account.call("POST", `${path()}/pools`, small);
    const { said } = await foretold(account, cluster, after, kept);
    expect(said.at(-1)).toContain(`that were not made by its nodePools: ${id} (1 g6-standard-1)`);
    await run(account, cluster, after, kept);
    expect(kept.saved!.state["otherPoolIds"]).toEqual([String(id)]);
    expect((await live()).map((one) => one.id)).toContain(id);
    const { paths } = await foretold(account, cluster, after, kept);
    expect(paths).toEqual([]);
  });

  test("one that was deleted by hand is drift, and made again alone", async () => {
    await run(account, cluster, before, kept);
    await account.call("DELETE", `${path()}/pools/${ids()["second"]}`);
    await refresh(account, cluster, kept);
    expect(Object.keys(kept.saved!.inputs["nodePools"] as ValueMap)).toEqual(["first", "third"]);
    const writes = await sent(() => run(account, cluster, before, kept));
    expect(writes).toEqual({ [`POST ${pools}`]: 1 });
  });

  test("a count that the autoscaler moved is no change, and a new pool begins with it", async () => {
    const scaled = { type: "g6-standard-1", count: 1, autoscaler: { enabled: true, min: 1, max: 6 } };
    await run(account, cluster, { ...base, nodePools: { scaled } }, kept);
    await account.call("PUT", `${path()}/pools/${ids()["scaled"]}`, { count: 5 });
    await refresh(account, cluster, kept);
    expect(kept.saved!.state).toMatchObject({ nodePools: { scaled: { count: 5 } } });
    for (const count of [1, 2])
      expect(
        (await foretold(account, cluster, { ...base, nodePools: { scaled: { ...scaled, count } } }, kept))
          .paths,
      ).toEqual([]);
    const narrow = { ...scaled, autoscaler: { enabled: true, min: 1, max: 4 } };
    await run(account, cluster, { ...base, nodePools: { scaled: narrow } }, kept);
    expect(await told()).toEqual(["4 g6-standard-1"]);
    await run(
      account,
      cluster,
      { ...base, nodePools: { scaled: { ...narrow, type: "g6-standard-2" } } },
      kept,
    );
    expect(await told()).toEqual(["4 g6-standard-2"]);
    await run(account, cluster, { ...base, nodePools: { scaled: { ...big, count: 2 } } }, kept);
    expect(await live()).toMatchObject([{ count: 2, autoscaler: { enabled: false } }]);
  });
});

/** Runs until one ends well; the first ones die at their `at`th write. */
async function survive(
  resource: typeof cluster,
  declared: ValueMap,
  mine: Kept,
  death: Trouble,
): Promise<boolean> {
  const wasWhole = await run(account, resource, declared, mine, death);
  if (!wasWhole) await run(account, resource, declared, mine);
  return wasWhole;
}

describe("a run that is killed at any of its writes is gone on with, and nothing is made twice", () => {
  const deaths = ["after", "before"] as const;
  const ways = deaths.flatMap((what) => [false, true].map((refreshes) => ({ what, refreshes })));
  test.each(ways)("of a cluster's pools: %o", async ({ what, refreshes }) => {
    for (let at = 1; ; at++) {
      kept = nothingKept();
      await run(account, cluster, before, kept);
      const byHand = await account.call("POST", `${path()}/pools`, small);
      const wasWhole = await run(account, cluster, after, kept, { at, what });
      if (!wasWhole && refreshes) await refresh(account, cluster, kept);
      if (!wasWhole) await run(account, cluster, after, kept);
      expect([at, await told()]).toEqual([
        at,
        ["1 g6-standard-1", "1 g6-standard-1", "2 g6-standard-2", "3 g6-standard-2"],
      ]);
      expect(kept.saved!.state["otherPoolIds"]).toEqual([String(byHand["id"])]);
      expect((await foretold(account, cluster, after, kept)).paths).toEqual([]);
      await account.call("DELETE", path());
      if (wasWhole) break;
    }
  });

  test.each(deaths)("of a cluster's create, %s it reached the service", async (what) => {
    expect(await survive(cluster, before, kept, { at: 1, what })).toBe(false);
    expect(await clusters()).toBe(1);
    expect(ids()).toEqual({ first: expect.anything(), second: expect.anything(), third: expect.anything() });
    expect((await foretold(account, cluster, before, kept)).paths).toEqual([]);
  });

  test.each(deaths)("of a NodePool's create, %s it reached the service", async (what) => {
    await run(account, cluster, before, kept);
    await account.call("POST", `${path()}/pools`, small);
    const mine = nothingKept();
    const declared = { clusterId: kept.saved!.id, ...small };
    expect(await survive(pool, declared, mine, { at: 1, what })).toBe(false);
    expect(await live()).toHaveLength(5);
    const [, number] = mine.saved!.id.split("/");
    expect(Number(number)).toBe(Math.max(...(await live()).map(({ id }) => id)));
  });

  test.each(deaths)("of an upgrade that recycles, %s a write reached the service", async (what) => {
    const upgrade = { ...before, k8sVersion: "1.29", recycleOnUpgrade: true };
    for (const at of [1, 2]) {
      kept = nothingKept();
      await run(account, cluster, before, kept);
      const nodes = JSON.stringify(kept.saved!.state["nodes"]).match(/\d+-[0-9a-f]{12}/g)!;
      expect(await survive(cluster, upgrade, kept, { at, what })).toBe(false);
      expect(kept.saved!.state["k8sVersion"]).toBe("1.29");
      for (const node of nodes) expect(JSON.stringify(kept.saved!.state["nodes"])).not.toContain(node);
      await account.call("DELETE", path());
    }
  });

  test("of triggers, each of which is sent once and can be sent again later", async () => {
    const one = "/lke/clusters/{clusterId}";
    const triggers = { recycleTrigger: 1, kubeconfigTrigger: 1, serviceTokenTrigger: 1 };
    const requests = { [`POST ${one}/recycle`]: 1, [`POST ${one}/regenerate`]: 1 };
    for (const at of [1, 2]) {
      kept = nothingKept();
      await run(account, cluster, { ...before, label: `shop${at}` }, kept);
      const declared = { ...before, label: `shop${at}`, ...triggers };
      const first = await sent(() => run(account, cluster, declared, kept, { at, what: "after" }));
      const second = await sent(() => run(account, cluster, declared, kept));
      // Nodes that are gone tell that they were recycled; a new kubeconfig does not tell for whom it was made.
      const again = { [`POST ${one}/regenerate`]: 1 };
      expect([first, second]).toEqual([at === 1 ? { [`POST ${one}/recycle`]: 1 } : requests, again]);
      await run(account, cluster, { ...before, label: `shop${at}` }, kept);
      expect(await sent(() => run(account, cluster, declared, kept))).toEqual(requests);
    }
  });
});

describe("an answer that is lost ends with one object", () => {
  const kinds = ["reset-after", "reset-before", "truncate"] as const;
  test.each(kinds)("of a cluster (%s)", async (kind) => {
    account.emulator.setFaults([{ method: "POST", path: "/lke/clusters", do: kind }]);
    await run(account, cluster, before, kept);
    expect(await clusters()).toBe(1);
    expect(await live()).toHaveLength(3);
  });

  test.each(kinds)("of a pool of a cluster (%s)", async (kind) => {
    await run(account, cluster, before, kept);
    await account.call("POST", `${path()}/pools`, { ...big, count: 2 });
    account.emulator.setFaults([{ method: "POST", path: pools, do: kind }]);
    await run(account, cluster, after, kept);
    expect(await live()).toHaveLength(4);
  });

  test.each(kinds)("of a NodePool (%s)", async (kind) => {
    await run(account, cluster, before, kept);
    account.emulator.setFaults([{ method: "POST", path: pools, do: kind }]);
    const inputs = { clusterId: kept.saved!.id, ...small };
    const made = await account.during((provider) =>
      Promise.all(
        ["one", "other"].map((name) =>
          provider.create({ ...resourceNamed(poolType, name), inputs, preview: false }),
        ),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(2);
    expect(await live()).toHaveLength(5);
  });

  test.each(kinds)("of the removal of a pool (%s)", async (kind) => {
    await run(account, cluster, before, kept);
    account.emulator.setFaults([{ method: "DELETE", path: `${pools}/{poolId}`, do: kind }]);
    await run(account, cluster, { ...base, nodePools: { first: small } }, kept);
    expect(await live()).toHaveLength(1);
  });
});

test("a pool that its cluster made in the same run is not taken for what a killed create of a NodePool made", async () => {
  await run(account, cluster, { ...base, nodePools: { web: small } }, kept);
  const { id } = kept.saved!;
  const lost = nothingKept();
  await lost.notes.set("before", [`${id}/${ids()["web"]}`]);
  const startedAt = new Date(0).toISOString();
  const declared = { ...base, nodePools: { web: small, build: big } };
  const found = await account.during(async (provider) => {
    const { inputs, state } = kept.saved!;
    const newInputs = await checked(provider, cluster, declared, inputs);
    const own = { ...cluster, id, oldInputs: inputs, state, newInputs, notes: kept.notes };
    await provider.update({ ...own, preview: false });
    return provider.find?.({
      ...pool,
      inputs: { clusterId: id, ...big },
      earlierAttempt: { startedAt },
      notes: lost.notes,
    });
  });
  expect(found).toBeUndefined();
  expect(await told()).toEqual(["1 g6-standard-1", "1 g6-standard-2"]);
});
