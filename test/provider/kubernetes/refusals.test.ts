/** What is refused of clusters and pools before anything is written. */

import { beforeEach, describe, expect, test } from "vitest";
import { unknown, type ValueMap } from "../../../provider/core/value.ts";
import { type Account, resourceNamed } from "../deployment.ts";
import {
  base,
  cluster,
  foretold,
  type Kept,
  nothingKept,
  openWorld,
  poolType,
  refresh,
  run,
  web,
} from "./world.ts";

const pool = resourceNamed(poolType, "batch");

let account: Account;
let kept: Kept;
beforeEach(async () => {
  ({ account, kept } = await openWorld());
});

const path = () => `/lke/clusters/${kept.saved!.id}`;
const refused = async (declared: ValueMap, resource = cluster) =>
  (await foretold(account, resource, declared, kept)).refused;
const writes = async () =>
  Object.keys(account.emulator.stats().requests).filter((operation) => !operation.startsWith("GET "));

describe("a cluster is refused", () => {
  const withPool = (more: object) => ({ ...base, nodePools: { web: { ...web, ...more } as ValueMap } });

  test("by its declaration alone, with the property named", async () => {
    const cases: readonly [ValueMap, readonly string[]][] = [
      [{ ...base, nodePools: {} }, ["nodePools: needs at least one pool: a cluster cannot be made without"]],
      [{ ...base, label: "a".repeat(33) }, ["label: must have 1 to 32 characters, not 33"]],
      [
        { ...base, label: "shop 😀" },
        [expect.stringMatching(/^label: must not have characters of four bytes/)],
      ],
      [{ ...base, k8sVersion: "1.28.3" }, ['k8sVersion: must be written MAJOR.MINOR, not "1.28.3"']],
      [withPool({ count: 0 }), ["nodePools.web.count: must be 1 to 100, not 0"]],
      [withPool({ count: 101 }), ["nodePools.web.count: must be 1 to 100, not 101"]],
      [
        withPool({ autoscaler: { min: 1 } }),
        ["nodePools.web.autoscaler.max: is required: min and max need each other"],
      ],
      [
        withPool({ autoscaler: { max: 1 } }),
        ["nodePools.web.autoscaler.min: is required: min and max need each other"],
      ],
      [
        withPool({ autoscaler: { enabled: true, min: 3, max: 2 } }),
        ["nodePools.web.autoscaler.min: must not be above max"],
      ],
      [
        { ...base, nodePools: { "a.b": { type: "g6-standard-1" } } },
        ['nodePools["a.b"].count: is required, except with an enabled autoscaler that has min and max'],
      ],
      [
        withPool({ disks: Array.from({ length: 8 }, () => ({ size: 1, type: "raw" })) }),
        ["nodePools.web.disks: must have at most 7 items"],
      ],
      [
        withPool({ disks: [{ size: 1, type: "ext-4" }] }),
        ['nodePools.web.disks[0].type: must be one of raw, ext4, not "ext-4"'],
      ],
      [withPool({ count: unknown, autoscaler: { min: 1, max: 2 } }), []],
      [withPool({ count: unknown, autoscaler: unknown }), []],
      [withPool({ count: unknown, autoscaler: { min: 1, max: unknown } }), []],
      [
        withPool({ count: unknown, autoscaler: { min: 1 } }),
        ["nodePools.web.autoscaler.max: is required: min and max need each other"],
      ],
      [{ ...base, label: "größe" }, []],
    ];
    for (const [declared, reasons] of cases) expect(await refused(declared)).toEqual(reasons);
    expect(await writes()).toEqual([]);
  });

  test("in a preview where the service has no such version, region or type", async () => {
    expect(await refused({ ...base, k8sVersion: "1.19" })).toEqual([
      expect.stringMatching(/^k8sVersion: "1.19" is not offered; /),
    ]);
    expect(await refused({ ...base, region: "us-eats" })).toEqual([
      'region: "us-eats" is not offered; did you mean us-east?',
    ]);
    expect(await refused({ ...base, region: "us-den-edge-1" })).toEqual([
      expect.stringMatching(/^region: has no Kubernetes; these have: ap-west, /),
    ]);
    expect(await refused(withPool({ type: "g6-standard-3" }))).toEqual([
      expect.stringMatching(/^nodePools.web.type: "g6-standard-3" is not offered; did you mean g6-standard-/),
    ]);
    expect(await refused(withPool({ type: "g6-nanode-1" }))).toEqual([
      "nodePools.web.type: must be a type of at least 2 GB of memory, and no Nanode, not g6-nanode-1",
    ]);
    expect(await refused(withPool({ disks: [{ size: 51_200, type: "raw" }] }))).toEqual([
      expect.stringMatching(/^nodePools.web.disks: take 51200 MB and leave nothing of the 51200 MB/),
    ]);
    await account.call("POST", "/lke/clusters", {
      ...{ label: "shop", region: "us-east", k8s_version: "1.29", node_pools: [web] },
    });
    expect(await refused(base)).toEqual([
      expect.stringMatching(/^label: a Cluster with label "shop" exists/),
    ]);
  });

  test("a downgrade, a jump, and the end of high availability", async () => {
    await run(account, cluster, { ...base, controlPlane: { highAvailability: true } }, kept);
    const high = { ...base, controlPlane: { highAvailability: true } };
    const earlier = await writes();
    expect(await refused({ ...high, k8sVersion: "1.27" })).toEqual([
      "k8sVersion: cannot go back from 1.28 to 1.27: a cluster is never downgraded",
    ]);
    expect(await refused({ ...high, k8sVersion: "1.30" })).toEqual([
      "k8sVersion: cannot go from 1.28 to 1.30 at once: only to the next minor version, 1.29",
    ]);
    for (const less of [base, { ...base, controlPlane: { highAvailability: false } }])
      expect(await refused(less)).toEqual([
        expect.stringMatching(/^controlPlane.highAvailability: cannot be switched off again/),
      ]);
    expect(await refused({ ...high, k8sVersion: "1.29" })).toEqual([]);
    expect(await writes()).toEqual(earlier);
    // Taken over by an import, and as the service has it now.
    const taken = await account.during((provider) => provider.read({ ...cluster, id: kept.saved!.id }));
    expect((await foretold(account, cluster, base, { saved: taken! })).refused).toHaveLength(1);
  });

  test("what was upgraded from outside, as that is drift which no run can take back", async () => {
    await run(account, cluster, base, kept);
    const outside = { k8s_version: "1.29", control_plane: { high_availability: true } };
    await account.call("PUT", path(), outside);
    await refresh(account, cluster, kept);
    const taken = { k8sVersion: "1.29", controlPlane: { highAvailability: true } };
    expect(kept.saved!.inputs).toEqual({ ...base, ...taken });
    expect(await refused(base)).toEqual([
      expect.stringMatching(/^k8sVersion: cannot go back from 1.29 to 1.28/),
      expect.stringMatching(/^controlPlane.highAvailability: cannot be switched off again/),
    ]);
    expect((await foretold(account, cluster, { ...base, ...taken }, kept)).paths).toEqual([]);
  });

  test("a NodePool in the same ways", async () => {
    await run(account, cluster, base, kept);
    const clusterId = kept.saved!.id;
    kept = nothingKept();
    expect(await refused({ clusterId, type: "g6-standard-1" }, pool)).toEqual([
      "count: is required, except with an enabled autoscaler that has min and max",
    ]);
    expect(await refused({ clusterId, ...web, autoscaler: { min: 2 } }, pool)).toEqual([
      "autoscaler.max: is required: min and max need each other",
    ]);
    expect(await refused({ clusterId, ...web, type: "g6-nanode-1" }, pool)).toEqual([
      expect.stringMatching(/^type: must be a type of at least 2 GB/),
    ]);
    expect(await refused({ clusterId: unknown, ...web, count: unknown }, pool)).toEqual([]);
  });
});
