import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../../session.ts";
import { base, clusterRequest, makeCluster } from "./client.ts";

let on: Session;
beforeAll(async () => {
  on = await openSession();
});
afterAll(() => on.close());

const refusedBy = (fields: object) => on.refused(400, "POST", base, clusterRequest(fields));

describe("the label of a cluster (contract sections 2.7 and 8)", () => {
  const length = { reason: "Length must be 1-32 characters", field: "label" };
  const emoji = { reason: "Must not have characters of four bytes in UTF-8, such as emoji", field: "label" };
  test.each([
    ["no character", "", length],
    ["33 characters", "c".repeat(33), length],
    ["an emoji", "cluster 🚀", emoji],
    ["a rare ideograph", "𠀀", emoji],
  ])("with %s is refused in create and update", async (_, label, reason) => {
    const { path } = await makeCluster(on);
    expect(await refusedBy({ label })).toEqual([reason]);
    expect(await on.refused(400, "PUT", path, { label })).toEqual([reason]);
  });

  test.each([["c"], ["ü".repeat(32)], ["My cluster: no. 1!"], ["日本"]])("may be %s", async (label) => {
    expect((await makeCluster(on, { label })).cluster.label).toBe(label);
  });

  test("comes in ASCII, what is beyond it as Unicode escapes", async () => {
    const { path } = await makeCluster(on, { label: "für 日本" });
    const answer = await fetch(`${on.emulator.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${on.emulator.token}` },
    });
    expect(await answer.text()).toContain(String.raw`"label":"f\u00fcr \u65e5\u672c"`);
  });

  test("is unique on the account, and may stay its own", async () => {
    const [one, two] = [await makeCluster(on, { label: "only" }), await makeCluster(on)];
    const taken = [{ reason: "Label must be unique among your Kubernetes clusters", field: "label" }];
    expect(await refusedBy({ label: "only", region: "us-iad" })).toEqual(taken);
    expect(await on.refused(400, "PUT", two.path, { label: "only" })).toEqual(taken);
    expect(await on.put(one.path, { label: "only" })).toMatchObject({ label: "only" });
    await on.remove(one.path);
    expect(await on.put(two.path, { label: "only" })).toMatchObject({ label: "only" });
  });
});

describe("a cluster", () => {
  test("needs label, region, version and pools, and tells all problems at once", async () => {
    const reasons = await on.refused(400, "POST", base, {});
    expect(reasons).toHaveLength(4);
    expect(reasons).toEqual(
      expect.arrayContaining(
        ["label", "region", "k8s_version", "node_pools"].map((field) => ({
          reason: `${field} is required`,
          field,
        })),
      ),
    );
    const others = await on.refused(400, "POST", base, {
      label: "",
      region: "mars",
      k8s_version: "2.0",
      node_pools: [{ type: "g6-standard-2", count: 1, autoscaler: { min: 1 } }],
    });
    expect(others.map(({ field }) => field).sort()).toEqual([
      "k8s_version",
      "label",
      "node_pools[0].autoscaler.max",
      "region",
    ]);
  });

  test.each([
    ["an unknown region", { region: "atlantis" }, "region", "region is not valid"],
    [
      "a region without Kubernetes",
      { region: "us-den-edge-1" },
      "region",
      "Kubernetes is not available in this region",
    ],
    ["an unknown version", { k8s_version: "1.99" }, "k8s_version", "k8s_version is not valid"],
    ["a patch version", { k8s_version: "1.28.9" }, "k8s_version", "k8s_version is not valid"],
    ["a number of a version", { k8s_version: 1.28 }, "k8s_version", "Must be of type String"],
    ["no pool", { node_pools: [] }, "node_pools", "Must have at least 1 items"],
    [
      "high availability as text",
      { control_plane: { high_availability: "yes" } },
      "control_plane.high_availability",
      "Must be of type Boolean",
    ],
  ])("of %s is refused", async (_, fields, field, reason) => {
    expect(await refusedBy(fields)).toEqual([{ reason, field }]);
  });

  test.each([
    ["GET", "", undefined],
    ["PUT", "", { label: "" }],
    ["DELETE", "", undefined],
    ["GET", "/pools", undefined],
    ["POST", "/pools", {}],
    ["GET", "/pools/1", undefined],
    ["PUT", "/pools/1", { count: 0 }],
    ["DELETE", "/pools/1", undefined],
    ["POST", "/pools/1/recycle", undefined],
    ["GET", "/nodes/1-abc", undefined],
    ["DELETE", "/nodes/1-abc", undefined],
    ["POST", "/nodes/1-abc/recycle", undefined],
    ["POST", "/recycle", undefined],
    ["GET", "/api-endpoints", undefined],
    ["GET", "/dashboard", undefined],
    ["GET", "/kubeconfig", undefined],
    ["DELETE", "/kubeconfig", undefined],
    ["DELETE", "/servicetoken", undefined],
    ["POST", "/regenerate", { kubeconfig: "yes" }],
  ])("that does not exist is not found by %s %s, whatever the request says", async (method, path, body) => {
    expect(await on.refused(404, method, `${base}/1${path}`, body)).toEqual([{ reason: "Not found" }]);
  });

  test("does not lead to another's pools and nodes", async () => {
    const [one, two] = [await makeCluster(on), await makeCluster(on)];
    const [pool] = await on.list(`${two.path}/pools`);
    for (const path of [`pools/${pool.id}`, `nodes/${pool.nodes[0].id}`]) {
      await on.get(`${two.path}/${path}`);
      await on.refused(404, "GET", `${one.path}/${path}`);
      await on.refused(404, "DELETE", `${one.path}/${path}`);
    }
  });
});

describe("a version (contract sections 2.7 and 7)", () => {
  const field = "k8s_version";
  test.each([
    ["1.28", "1.27", "A cluster cannot be downgraded: it has 1.28"],
    ["1.29", "1.27", "A cluster cannot be downgraded: it has 1.29"],
    ["1.27", "1.29", "Only the next minor version after 1.27 is possible, one step at a time"],
    ["1.29", "1.30", "k8s_version is not valid"],
    ["1.28", "1.28.9", "k8s_version is not valid"],
    ["1.28", "", "k8s_version is not valid"],
  ])("of %s cannot become %s", async (from, to, reason) => {
    const { path } = await makeCluster(on, { k8s_version: from });
    expect(await on.refused(400, "PUT", path, { k8s_version: to, label: "other" })).toEqual([
      { reason, field },
    ]);
    expect(await on.get(path)).toMatchObject({
      k8s_version: from,
      label: expect.stringContaining("cluster-"),
    });
  });

  test("can become the next, and the same", async () => {
    const { path } = await makeCluster(on, { k8s_version: "1.27" });
    for (const k8s_version of ["1.27", "1.28", "1.28", "1.29"])
      expect(await on.put(path, { k8s_version })).toMatchObject({ k8s_version });
  });

  test("is on offer, newest first", async () => {
    expect(await on.list("/lke/versions")).toEqual([{ id: "1.29" }, { id: "1.28" }, { id: "1.27" }]);
    expect(await on.get("/lke/versions/1.28")).toEqual({ id: "1.28" });
    await on.refused(404, "GET", "/lke/versions/1.26");
  });
});

test("high availability cannot be switched off (contract section 2.7)", async () => {
  const { path } = await makeCluster(on, { control_plane: { high_availability: true } });
  expect(await on.refused(400, "PUT", path, { control_plane: { high_availability: false } })).toEqual([
    { reason: "High availability cannot be switched off again", field: "control_plane.high_availability" },
  ]);
  expect(await on.put(path, { control_plane: {} })).toMatchObject({
    control_plane: { high_availability: true },
  });
});

test.each([[{}], [{ kubeconfig: false, servicetoken: false }], [{ kubeconfig: null }]])(
  "a regeneration of nothing is refused: %j (contract section 7)",
  async (body) => {
    const { path } = await makeCluster(on);
    expect(await on.refused(400, "POST", `${path}/regenerate`, body)).toEqual([
      { reason: "At least one of kubeconfig and servicetoken must be true" },
    ]);
  },
);

describe("a node pool (contract sections 2.7, 7 and 8)", () => {
  const disk = (size: number) => ({ size, type: "raw" });
  const cases: [string, object, string, string][] = [
    ["an unknown type", { type: "g6-giant-1" }, "type", "type is not valid"],
    [
      "a Nanode",
      { type: "g6-nanode-1" },
      "type",
      "Nodes need a type of at least 2 GB of memory, and no Nanode",
    ],
    ["no node", { count: 0 }, "count", "Must be 1-100"],
    ["101 nodes", { count: 101 }, "count", "Must be 1-100"],
    [
      "min without max",
      { autoscaler: { min: 1 } },
      "autoscaler.max",
      "max is required: min and max need each other",
    ],
    [
      "max without min",
      { autoscaler: { max: 5 } },
      "autoscaler.min",
      "min is required: min and max need each other",
    ],
    ["min above max", { autoscaler: { min: 5, max: 4 } }, "autoscaler.min", "min must not be above max"],
    ["min below 1", { autoscaler: { min: 0, max: 4 } }, "autoscaler.min", "Must be 1-100"],
    ["max above 100", { autoscaler: { min: 1, max: 101 } }, "autoscaler.max", "Must be 1-100"],
    [
      "eight disks",
      { disks: Array.from({ length: 8 }, () => disk(1)) },
      "disks",
      "Must have at most 7 items",
    ],
    ["a disk of nothing", { disks: [disk(0)] }, "disks[0].size", "Must be at least 1"],
    [
      "a disk of another form",
      { disks: [{ size: 1, type: "ext-4" }] },
      "disks[0].type",
      "Must be one of raw, ext4",
    ],
    [
      "disks that leave nothing",
      { disks: [disk(81919), disk(1)] },
      "disks",
      "They leave nothing of the 81920 MB for the boot disk",
    ],
  ];
  test.each(cases)("of %s is refused, alone and with its cluster", async (_, fields, field, reason) => {
    const { path } = await makeCluster(on);
    const pool = { type: "g6-standard-2", count: 2, ...fields };
    expect(await on.refused(400, "POST", `${path}/pools`, pool)).toEqual([{ reason, field }]);
    expect(await refusedBy({ node_pools: [{ type: "g6-standard-2", count: 1 }, pool] })).toEqual([
      { reason, field: `node_pools[1].${field}` },
    ]);
  });

  test.each(cases.filter(([, fields]) => "count" in fields || "autoscaler" in fields))(
    "cannot become one of %s",
    async (_, fields, field, reason) => {
      const { path } = await makeCluster(on);
      const [pool] = await on.list(`${path}/pools`);
      expect(await on.refused(400, "PUT", `${path}/pools/${pool.id}`, fields)).toEqual([{ reason, field }]);
      expect(await on.get(`${path}/pools/${pool.id}`)).toEqual(pool);
    },
  );

  test("needs type and count", async () => {
    const { path } = await makeCluster(on);
    const reasons = await on.refused(400, "POST", `${path}/pools`, { autoscaler: { enabled: 1, max: 2 } });
    expect(reasons.map(({ field }) => field).sort()).toEqual(["autoscaler.enabled", "count", "type"]);
  });

  test("of premium types needs a region that has them", async () => {
    const { path } = await makeCluster(on, { region: "us-west" });
    const premium = { type: "g7-premium-2", count: 1 };
    expect(await on.refused(400, "POST", `${path}/pools`, premium)).toEqual([
      { reason: "Premium plans are not available in this region", field: "type" },
    ]);
    expect(await refusedBy({ region: "us-west", node_pools: [premium] })).toEqual([
      { reason: "Premium plans are not available in this region", field: "node_pools[0].type" },
    ]);
    const other = await makeCluster(on, { region: "us-iad", node_pools: [premium] });
    expect(await on.list(`${other.path}/pools`)).toMatchObject([premium]);
  });

  test("keeps one node: the last is refused its deletion", async () => {
    const { path } = await makeCluster(on, { node_pools: [{ type: "g6-standard-1", count: 1 }] });
    const [pool] = await on.list(`${path}/pools`);
    expect(await on.refused(400, "DELETE", `${path}/nodes/${pool.nodes[0].id}`)).toEqual([
      { reason: "It is the last node of its pool, which needs one: delete the pool instead" },
    ]);
  });

  test.each([
    ["type", { type: "g6-standard-4" }],
    ["disks", { disks: [{ size: 1, type: "raw" }] }],
  ])("ignores another %s in an update (notes, section 1.4)", async (_, fields) => {
    const { path } = await makeCluster(on);
    const [pool] = await on.list(`${path}/pools`);
    expect(await on.put(`${path}/pools/${pool.id}`, fields)).toEqual(pool);
  });
});
