import { X509Certificate } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { clusterDurations as durations } from "../../../../emulator/areas/kubernetes/durations.ts";
import { type Answer, eventsOf, openSession, type Session } from "../../session.ts";
import { base, clusterRequest, makeCluster, readyCluster } from "./client.ts";

let on: Session;
afterEach(() => on.close());

const kubeconfig = async (path: string) =>
  Buffer.from((await on.get(`${path}/kubeconfig`)).kubeconfig, "base64").toString();
const told = async (id: number) =>
  (await eventsOf(on, "lkecluster", id)).map(({ action, status }) => `${action} ${status}`);

describe("a cluster", () => {
  test("is told the same by its creation, its view and the list", async () => {
    on = await openSession();
    const { cluster, path } = await makeCluster(on, {
      label: "blög",
      tags: ["b", "a"],
      control_plane: { high_availability: true },
    });
    expect(cluster).toEqual({
      id: cluster.id,
      label: "blög",
      region: "us-east",
      k8s_version: "1.28",
      status: "ready",
      control_plane: { high_availability: true },
      tags: ["b", "a"],
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      updated: cluster.created,
    });
    expect(await on.get(path)).toEqual(cluster);
    expect(await on.list(base)).toEqual([cluster]);
  });

  test("is found by label, region, version and tags (notes, section 1.6)", async () => {
    on = await openSession();
    await makeCluster(on, { label: "one", tags: ["web"] });
    await makeCluster(on, { label: "two", region: "us-iad", k8s_version: "1.29" });
    const found = async (filter: object) => (await on.list(base, filter)).map(({ label }) => label);
    expect(await found({ label: "one" })).toEqual(["one"]);
    expect(await found({ tags: "web" })).toEqual(["one"]);
    expect(await found({ region: "us-iad" })).toEqual(["two"]);
    expect(await found({ k8s_version: "1.29" })).toEqual(["two"]);
    expect(await on.refused(400, "GET", `${base}?page_size=5`)).toMatchObject([{ field: "page_size" }]);
  });

  test("changes label and tags, and keeps what an update does not name", async () => {
    on = await openSession();
    const { cluster, path } = await makeCluster(on, { label: "old", tags: ["x"] });
    on.wait(2);
    expect(await on.put(path, { label: "new", region: "us-iad", node_pools: [] })).toEqual({
      ...cluster,
      label: "new",
      updated: expect.not.stringContaining(cluster.updated),
    });
    expect(await on.put(path, { tags: [] })).toMatchObject({ label: "new", tags: [] });
    expect(await on.put(path, { tags: null })).toMatchObject({ tags: [] });
    expect(await told(cluster.id)).toEqual([
      "lke_cluster_create started",
      ...Array(3).fill("lke_cluster_update notification"),
    ]);
  });

  test("goes at once with its instances, and its volumes stay (contract section 3)", async () => {
    on = await openSession();
    const kept = await readyCluster(on);
    const { cluster, path, pools } = await readyCluster(on, {
      node_pools: [
        { type: "g6-standard-2", count: 2 },
        { type: "g6-standard-1", count: 1 },
      ],
    });
    const { id } = await on.post("/volumes", { label: "claim", region: "us-east" });
    on.wait(5);
    await on.post(`/volumes/${id}/attach`, { compute_id: pools[0].nodes[0].instance_id });
    on.wait(5);
    await on.post(`${path}/recycle`);
    expect(await on.list("/compute/instances")).toHaveLength(6);

    expect(await on.remove(path)).toEqual({});
    await on.refused(404, "GET", path);
    await on.refused(404, "GET", `${path}/kubeconfig`);
    expect(await on.list("/compute/instances")).toHaveLength(3);
    expect(await on.get(`/volumes/${id}`)).toMatchObject({ status: "active", compute_id: null });
    on.wait(600);
    expect(await on.list(base)).toEqual([await on.get(kept.path)]);
    expect(await on.list("/compute/instances")).toHaveLength(3);
    expect((await told(cluster.id)).at(-1)).toBe("lke_cluster_delete notification");
  });

  test("that goes before it was ready ends the event of its creation as failed", async () => {
    on = await openSession();
    const { cluster, path } = await makeCluster(on);
    await on.remove(path);
    on.wait(600);
    expect(await told(cluster.id)).toEqual(["lke_cluster_create failed", "lke_cluster_delete notification"]);
    expect(await on.list("/compute/instances")).toEqual([]);
  });
});

describe("the ways into a cluster (contract sections 4.5 and 8)", () => {
  test("are there 2 to 5 minutes after its creation, and the event tells when", async () => {
    on = await openSession();
    const { cluster, path } = await makeCluster(on);
    expect((await on.get(`${path}/dashboard`)).url).toMatch(
      /^https:\/\/[0-9a-f-]{36}\.dashboard\.us-east-2\.computelke\.invalid$/,
    );
    const late = async () => [
      await on.refused(503, "GET", `${path}/kubeconfig`),
      await on.refused(503, "GET", `${path}/api-endpoints`),
    ];
    expect(await late()).toEqual([
      [{ reason: "The cluster's kubeconfig is not available yet: try again later" }],
      [{ reason: "The cluster's API endpoints are not available yet: try again later" }],
    ]);
    on.wait(durations.accessReadyLeast - 1);
    await late();
    expect(await told(cluster.id)).toEqual(["lke_cluster_create started"]);
    on.wait(durations.accessReadyMost - durations.accessReadyLeast + 1);
    expect(await told(cluster.id)).toEqual(["lke_cluster_create finished"]);

    const host = new URL((await on.get(`${path}/dashboard`)).url).hostname.replace(".dashboard", "");
    const endpoints = (await on.list(`${path}/api-endpoints`)).map(({ endpoint }) => endpoint);
    expect(endpoints).toEqual([
      `https://${host}:443`,
      `https://${host}:6443`,
      expect.stringMatching(/^https:\/\/[\d.]+:443$/),
      expect.stringMatching(/^https:\/\/[\d.]+:6443$/),
    ]);
    const text = await kubeconfig(path);
    expect(text.startsWith("\n")).toBe(true);
    const name = `lke${cluster.id}`;
    const file = parse(text);
    expect(file).toEqual({
      apiVersion: "v1",
      kind: "Config",
      preferences: {},
      clusters: [
        {
          name,
          cluster: { "certificate-authority-data": expect.any(String), server: `https://${host}:443` },
        },
      ],
      users: [{ name: `${name}-admin`, user: { "as-user-extra": {}, token: expect.any(String) } }],
      contexts: [
        { name: `${name}-ctx`, context: { cluster: name, namespace: "default", user: `${name}-admin` } },
      ],
      "current-context": `${name}-ctx`,
    });
    const authority = Buffer.from(file.clusters[0].cluster["certificate-authority-data"], "base64");
    expect(new X509Certificate(authority)).toMatchObject({ ca: true, subject: "CN=kubernetes" });
    const [header, claims] = file.users[0].user.token
      .split(".")
      .map((part: string, index: number) =>
        index < 2 ? JSON.parse(Buffer.from(part, "base64url").toString()) : part,
      );
    expect([header.alg, claims.sub]).toEqual(["RS256", "system:serviceaccount:kube-system:lke-admin"]);
  });

  test("come by the next read at speed max, and bear the brand's word", async () => {
    on = await openSession({ speed: "instant", brand: "acme" });
    const { path } = await makeCluster(on);
    const [{ endpoint }] = await on.list(`${path}/api-endpoints`);
    expect(endpoint).toMatch(/\.us-east-2\.acmelke\.invalid:443$/);
    expect(await kubeconfig(path)).toContain(endpoint);
    const [pool] = await on.list(`${path}/pools`);
    expect(await on.get(`/acme/instances/${pool.nodes[0].instance_id}`)).toMatchObject({ status: "running" });
  });

  test("are made anew: the kubeconfig with another token after a while", async () => {
    on = await openSession();
    const { cluster, path } = await makeCluster(on);
    on.wait(durations.accessReadyMost);
    const renewed = [await kubeconfig(path)];
    for (const renew of [
      () => on.remove(`${path}/kubeconfig`),
      () => on.post(`${path}/regenerate`, { kubeconfig: true }),
      () => on.post(`${path}/regenerate`, { kubeconfig: true, servicetoken: true }),
    ]) {
      expect(await renew()).toEqual({});
      await on.refused(503, "GET", `${path}/kubeconfig`);
      expect(await on.list(`${path}/api-endpoints`)).toHaveLength(4);
      on.wait(durations.kubeconfigRenewed);
      renewed.push(await kubeconfig(path));
    }
    expect(new Set(renewed).size).toBe(4);
    expect(await told(cluster.id)).toEqual([
      "lke_cluster_create finished",
      "lke_kubeconfig_regenerate notification",
      "lke_cluster_regenerate notification",
      "lke_cluster_regenerate notification",
    ]);
  });

  test("are not sooner there for a regeneration in the first minutes", async () => {
    on = await openSession();
    const { path } = await makeCluster(on);
    await on.remove(`${path}/kubeconfig`);
    on.wait(durations.kubeconfigRenewed + 1);
    await on.refused(503, "GET", `${path}/kubeconfig`);
    on.wait(durations.accessReadyMost);
    expect(await kubeconfig(path)).toContain("current-context");
  });

  test("stay while the service token is made anew", async () => {
    on = await openSession();
    const { cluster, path } = await makeCluster(on);
    on.wait(durations.accessReadyMost);
    const token = () => (on.emulator.data() as Answer).collections.lkeClusters[0]._serviceToken;
    const [before, file] = [token(), await kubeconfig(path)];
    expect(await on.remove(`${path}/servicetoken`)).toEqual({});
    on.wait(durations.tokenRenewed);
    const second = token();
    expect(second).not.toBe(before);
    await on.post(`${path}/regenerate`, { servicetoken: true });
    on.wait(durations.tokenRenewed);
    expect(token()).not.toBe(second);
    expect(await kubeconfig(path)).toBe(file);
    expect((await told(cluster.id)).slice(1)).toEqual([
      "lke_token_rotate notification",
      "lke_cluster_regenerate notification",
    ]);
  });

  test("arrive though the account moves to another emulator meanwhile", async () => {
    const first = await openSession();
    const { path } = await makeCluster(first);
    const data = JSON.parse(JSON.stringify(first.emulator.data()));
    await first.close();
    on = await openSession();
    on.emulator.setData(data);
    await on.refused(503, "GET", `${path}/kubeconfig`);
    on.wait(durations.accessReadyMost);
    expect(await kubeconfig(path)).toContain("current-context");
    expect((await on.list(`${path}/pools`))[0].nodes.map(({ status }: Answer) => status)).toEqual(
      Array(3).fill("ready"),
    );
  });
});

test("scopes are asked for, and a restricted user needs a grant to make clusters (contract section 5; notes, section 12)", async () => {
  const user = (username: string, add: object = {}) => ({
    username,
    restricted: true,
    grants: { global: add },
  });
  const token = (name: string, username: string, scopes: string) => ({ token: name, username, scopes });
  on = await openSession({
    users: {
      users: [
        { username: "boss" },
        user("guest"),
        user("maker", { add_computes: true }),
        user("helper", { add_clusters: true }),
      ],
      tokens: [
        token("all", "boss", "*"),
        token("reader", "boss", "lke:read_only"),
        token("volumes", "boss", "volumes:read_write"),
        ...["guest", "maker", "helper"].map((name) => token(name, name, "lke:read_write")),
      ],
    },
  });
  expect(await on.as("guest").refused(403, "POST", base, {})).toEqual([{ reason: "Unauthorized" }]);
  await on.as("maker").post(base, clusterRequest());
  const { id } = await on.as("helper").post(base, clusterRequest());
  on.wait(durations.accessReadyMost);
  const path = `${base}/${id}`;
  const [pool] = await on.list(`${path}/pools`);
  for (const one of [
    base,
    path,
    `${path}/pools`,
    `${path}/pools/${pool.id}`,
    `${path}/dashboard`,
    "/lke/versions",
  ]) {
    await on.as("reader").get(one);
    await on.as("volumes").refused(401, "GET", one);
  }
  for (const [method, one] of [
    ["POST", base],
    ["PUT", path],
    ["DELETE", path],
    ["GET", `${path}/kubeconfig`],
    ["DELETE", `${path}/kubeconfig`],
    ["DELETE", `${path}/servicetoken`],
    ["POST", `${path}/regenerate`],
    ["POST", `${path}/recycle`],
    ["POST", `${path}/pools`],
    ["PUT", `${path}/pools/${pool.id}`],
    ["DELETE", `${path}/pools/${pool.id}`],
    ["POST", `${path}/pools/${pool.id}/recycle`],
    ["GET", `${path}/nodes/${pool.nodes[0].id}`],
    ["DELETE", `${path}/nodes/${pool.nodes[0].id}`],
    ["POST", `${path}/nodes/${pool.nodes[0].id}/recycle`],
  ] as const)
    await on.as("reader").refused(401, method, one, method === "GET" ? undefined : {});
  await on.as("guest").put(path, { tags: ["t"] });
  expect(await on.list(base)).toHaveLength(2);
});
