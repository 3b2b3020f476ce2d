import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isSecret, reveal, type ValueMap } from "../../../provider/core/value.ts";
import { createProvider } from "../../../provider/provider.ts";
import { type Account, openAccount } from "../deployment.ts";
import { leadsItsLife } from "../lifecycle.ts";
import { lives } from "../lives/kubernetes.ts";
import {
  base,
  cluster,
  clusterType,
  foretold,
  type Kept,
  openWorld,
  poolType,
  refresh,
  run,
  web,
} from "./world.ts";

for (const life of lives) leadsItsLife(life);

let account: Account;
let kept: Kept;
beforeEach(async () => {
  ({ account, kept } = await openWorld());
});

const path = () => `/lke/clusters/${kept.saved!.id}`;
/** Requests since, by operation; reads too where asked for. */
const sent = async (work: () => Promise<unknown>, reads = false) => {
  const earlier = account.emulator.stats().requests;
  await work();
  return Object.fromEntries(
    Object.entries(account.emulator.stats().requests).flatMap(([operation, count]) => {
      const more = count - (earlier[operation] ?? 0);
      return more > 0 && (reads || !operation.startsWith("GET ")) ? [[operation, more]] : [];
    }),
  );
};
const one = "/lke/clusters/{clusterId}";
describe("a cluster", () => {
  test("tells how it is reached, the kubeconfig as a secret", async () => {
    const requests = await sent(() => run(account, cluster, base, kept), true);
    expect(requests[`POST /lke/clusters`]).toBe(1);
    const { kubeconfig, apiEndpoints, dashboardUrl } = kept.saved!.state;
    expect(isSecret(kubeconfig)).toBe(true);
    expect(parse(String(reveal(kubeconfig!)))).toMatchObject({ apiVersion: "v1", kind: "Config" });
    expect(apiEndpoints).toHaveLength(4);
    expect(dashboardUrl).toMatch(/^https:/);
  });

  test("is refreshed by five requests, with a token that may only read too", async () => {
    await run(account, cluster, base, kept);
    expect(await sent(() => refresh(account, cluster, kept), true)).toEqual({
      ...{ [`GET ${one}`]: 1, [`GET ${one}/pools`]: 1, [`GET ${one}/dashboard`]: 1 },
      ...{ [`GET ${one}/api-endpoints`]: 1, [`GET ${one}/kubeconfig`]: 1 },
    });
    const folder = mkdtempSync(join(tmpdir(), "plumbline-tokens-"));
    const tokens = join(folder, "tokens.json");
    const reader = { token: "reader", username: "owner", scopes: "lke:read_only" };
    writeFileSync(tokens, JSON.stringify({ users: [{ username: "owner" }], tokens: [reader] }));
    const other = await openAccount({ tokens, seed: account.emulator.data() as never });
    const environment = { PLUMBLINE_BASE_URL: other.emulator.baseUrl, PLUMBLINE_TOKEN: "reader" };
    const provider = createProvider({ environment });
    try {
      await provider.configure({});
      const read = await provider.read({ ...cluster, ...kept.saved! });
      expect(read!.inputs).toEqual(kept.saved!.inputs);
      expect(read!.state).toEqual(kept.saved!.state);
      const token = "plumbline:kubernetes/getKubeconfig:getKubeconfig";
      const args = { clusterId: kept.saved!.id };
      await expect(provider.invoke({ token, args, preview: false })).rejects.toThrow("401");
    } finally {
      await provider.close();
      await other.close();
      rmSync(folder, { recursive: true });
    }
  });

  test("is upgraded in place, and recycled only when asked to", async () => {
    await run(account, cluster, { ...base, k8sVersion: "1.27" }, kept);
    const { nodes } = kept.saved!.state;
    const said = async (declared: ValueMap) => (await foretold(account, cluster, declared, kept)).said;
    expect(await said(base)).toEqual([expect.stringMatching(/1.27 to 1.28 reaches new nodes only/)]);
    expect(await sent(() => run(account, cluster, base, kept))).toEqual({ [`PUT ${one}`]: 1 });
    expect(kept.saved!.state).toMatchObject({ k8sVersion: "1.28", nodes: nodes as ValueMap });
    const recycling = { ...base, k8sVersion: "1.29", recycleOnUpgrade: true };
    expect(await said(recycling)).toEqual([
      expect.stringMatching(/1.28 to 1.29 recycles the cluster: all nodes/),
    ]);
    expect(await sent(() => run(account, cluster, recycling, kept))).toEqual({
      [`PUT ${one}`]: 1,
      [`POST ${one}/recycle`]: 1,
    });
    const now = (kept.saved!.state["nodes"] as unknown as typeof nodes & { web: { id: string }[] }).web;
    for (const { id } of now) expect(JSON.stringify(nodes)).not.toContain(id);
  });

  test("gets high availability by one request, and waits until its nodes are replaced", async () => {
    await run(account, cluster, base, kept);
    const { nodes } = kept.saved!.state;
    const high = {
      ...base,
      k8sVersion: "1.29",
      recycleOnUpgrade: true,
      controlPlane: { highAvailability: true },
    };
    expect((await foretold(account, cluster, high, kept)).said[0]).toMatch(
      /cannot be switched off again; .* all nodes/,
    );
    expect(await sent(() => run(account, cluster, high, kept))).toEqual({ [`PUT ${one}`]: 1 });
    const { web: now } = kept.saved!.state["nodes"] as unknown as { web: { id: string }[] };
    expect(now).toHaveLength(2);
    for (const { id } of now) expect(JSON.stringify(nodes)).not.toContain(id);
  });

  test("gets a new kubeconfig and a new service token by their triggers, both at once by one request", async () => {
    await run(account, cluster, base, kept);
    const present = () => reveal(kept.saved!.state["kubeconfig"]!);
    let earlier = present();
    const steps: readonly [ValueMap, ValueMap, boolean][] = [
      [{ kubeconfigTrigger: 1 }, { [`DELETE ${one}/kubeconfig`]: 1 }, true],
      [{ kubeconfigTrigger: 1, serviceTokenTrigger: 1 }, { [`DELETE ${one}/servicetoken`]: 1 }, false],
      [{ kubeconfigTrigger: 2, serviceTokenTrigger: 2 }, { [`POST ${one}/regenerate`]: 1 }, true],
      [
        { kubeconfigTrigger: 2, serviceTokenTrigger: 2, recycleTrigger: 1 },
        { [`POST ${one}/recycle`]: 1 },
        false,
      ],
    ];
    for (const [triggers, requests, isNew] of steps) {
      expect(await sent(() => run(account, cluster, { ...base, ...triggers }, kept))).toEqual(requests);
      expect(present() !== earlier).toBe(isNew);
      earlier = present();
    }
  });

  test("says when it is deleted which volumes stay", async () => {
    await run(account, cluster, base, kept);
    const { web: nodes } = kept.saved!.state["nodes"] as unknown as { web: { instanceId: string }[] };
    await account.call("POST", "/volumes", { label: "pvc1", compute_id: Number(nodes[0]!.instanceId) });
    const said: string[] = [];
    const { id, inputs: oldInputs, state } = kept.saved!;
    await account.during((provider) =>
      provider.delete({ ...cluster, id, oldInputs, state, log: (_, message) => void said.push(message) }),
    );
    expect(said).toEqual([
      expect.stringMatching(/^cluster \d+ is deleted, but volumes .* stay.*: pvc1 \(id \d+\)$/),
    ]);
  });
});

describe("verbs by hand", () => {
  const by = (type: string, id: string, verb: string, args: ValueMap = {}) =>
    account.during((provider) => provider.run!({ type, id, verb, args }));
  const nodesNow = async () =>
    ((await account.call("GET", `${path()}/pools`))["data"] as { nodes: { id: string }[] }[]).flatMap(
      ({ nodes }) => nodes.map(({ id }) => id),
    );

  test("recycle and delete nodes, and make new credentials", async () => {
    await run(account, cluster, base, kept);
    const [first, second] = (await nodesNow()) as [string, string];
    const requests = await sent(async () => {
      await by(clusterType, "shop", "recycleNode", { nodeId: first });
      expect(await nodesNow()).not.toContain(first);
      await by(clusterType, kept.saved!.id, "deleteNode", { nodeId: second });
      expect(await nodesNow()).toHaveLength(1);
      for (const verb of ["recycle", "regenerate", "regenerateKubeconfig", "regenerateServiceToken"])
        await by(clusterType, "shop", verb);
      await by(poolType, `shop/${(kept.saved!.state["poolIds"] as ValueMap)["web"]}`, "recycle");
    });
    expect(requests).toEqual({
      ...{ [`POST ${one}/nodes/{nodeId}/recycle`]: 1, [`DELETE ${one}/nodes/{nodeId}`]: 1 },
      ...{ [`POST ${one}/recycle`]: 1, [`POST ${one}/regenerate`]: 1, [`DELETE ${one}/kubeconfig`]: 1 },
      ...{ [`DELETE ${one}/servicetoken`]: 1, [`POST ${one}/pools/{poolId}/recycle`]: 1 },
    });
    await expect(by(clusterType, "shop", "deleteNode", { nodeId: first })).rejects.toThrow(
      `there is no node ${first} in this cluster; it has: `,
    );
    expect((await by(clusterType, "shop", "deleteNode")).failures).toEqual([
      { property: "nodeId", reason: "is required" },
    ]);
  });
});

test("functions show clusters, pools, nodes, ways in and versions", async () => {
  await run(account, cluster, { ...base, tags: ["prod"] }, kept);
  const { id, state } = kept.saved!;
  const poolId = (state["poolIds"] as { web: string }).web;
  const ask = async (name: string, args: ValueMap = {}) => {
    const token = `plumbline:kubernetes/${name}:${name}`;
    const { result, failures } = await account.during((provider) =>
      provider.invoke({ token, args, preview: false }),
    );
    expect(failures).toEqual([]);
    return result;
  };
  const seen = { id, label: "shop", k8sVersion: "1.28", tags: ["prod"], status: "ready" };
  expect(await ask("getCluster", { id })).toMatchObject(seen);
  expect(await ask("getCluster", { label: "shop" })).toMatchObject(seen);
  expect(await ask("getClusters", { tag: "Prod" })).toMatchObject({ clusters: [seen] });
  expect(await ask("getClusters", { region: "eu-west" })).toEqual({ clusters: [] });
  expect(await ask("getNodePools", { clusterId: id })).toMatchObject({
    nodePools: [{ id: `${id}/${poolId}`, clusterId: id, poolId, count: 2 }],
  });
  expect(await ask("getNodePool", { clusterId: id, poolId })).toMatchObject({ poolId, type: web.type });
  const [node] = (state["nodes"] as unknown as { web: { id: string }[] }).web;
  expect(await ask("getNode", { clusterId: id, nodeId: node!.id })).toEqual(node);
  const { kubeconfig } = await ask("getKubeconfig", { clusterId: id });
  expect(kubeconfig).toEqual(state["kubeconfig"]);
  expect(await ask("getDashboard", { clusterId: id })).toEqual({ url: state["dashboardUrl"] });
  expect(await ask("getApiEndpoints", { clusterId: id })).toEqual({ endpoints: state["apiEndpoints"] });
  expect(await ask("getVersions")).toEqual({ versions: ["1.29", "1.28", "1.27"] });
  expect(await ask("getVersion", { id: "1.28" })).toEqual({ id: "1.28" });
  await expect(ask("getVersion", { id: "1.1" })).rejects.toThrow("there is no Kubernetes version 1.1");
  await expect(ask("getNodePool", { clusterId: id, poolId: "7" })).rejects.toThrow(
    "there is no pool with id 7",
  );
});
