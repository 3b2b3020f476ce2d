/** The provider's rules and the emulator's are written apart from the same contract: of the same cluster they must think the same. */

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ValueMap } from "../../../provider/core/value.ts";
import { type Account, openAccount, resourceNamed } from "../deployment.ts";
import { clusterType, foretold, poolType } from "./world.ts";

let account: Account;
let clusterId: string;
beforeAll(async () => {
  account = await openAccount({ checkAnswers: false });
  const first = { type: "g6-standard-1", count: 1 };
  const base = { label: "taken", region: "us-east", k8s_version: "1.28", node_pools: [first] };
  clusterId = String((await account.call("POST", "/lke/clusters", base))["id"]);
});
afterAll(() => account.close());

const bound = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 9 }) },
  fc.constantFrom(0, 100, 101),
);
const pool = fc.record(
  {
    type: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("g6-standard-1", "g6-standard-2", "g6-dedicated-2") },
      fc.constantFrom("g6-nanode-1", "g6-standard-3", "g7-premium-2", ""),
    ),
    count: bound,
    autoscaler: fc.record({ enabled: fc.boolean(), min: bound, max: bound }, { requiredKeys: [] }),
    tags: fc.array(fc.constantFrom("a", "B", "c d"), { maxLength: 3 }),
    disks: fc.array(
      fc.record({
        size: fc.oneof(
          { weight: 6, arbitrary: fc.integer({ min: 1, max: 4000 }) },
          fc.constantFrom(0, 51_200),
        ),
        type: fc.oneof({ weight: 8, arbitrary: fc.constantFrom("raw", "ext4") }, fc.constant("ext-4")),
      }),
      { maxLength: 8 },
    ),
  },
  { requiredKeys: ["type", "count"] },
);
const cluster = fc.record(
  {
    label: fc.oneof(
      { weight: 4, arbitrary: fc.stringMatching(/^[a-z]{1,8}$/) },
      fc.constantFrom("taken", "", "größe", "a".repeat(32), "a".repeat(33), "x😀", "two words"),
    ),
    region: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("us-east", "us-west") },
      fc.constantFrom("us-den-edge-1", "nowhere"),
    ),
    k8sVersion: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("1.27", "1.28", "1.29") },
      fc.constantFrom("1.26", "1.30", "1.29.1", "1", "01.29"),
    ),
    nodePools: fc.array(pool, { maxLength: 2 }),
    controlPlane: fc.record({ highAvailability: fc.boolean() }, { requiredKeys: [] }),
  },
  { requiredKeys: ["label", "region", "k8sVersion", "nodePools"] },
);

/** What the service refuses, sent as it is. */
async function refusedBy(path: string, body: object): Promise<string | undefined> {
  try {
    const { id } = await account.call("POST", path, body);
    await account.call("DELETE", `${path}/${id}`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function agree(type: string, inputs: ValueMap, path: string, body: object): Promise<void> {
  const provider = (await foretold(account, resourceNamed(type, "subject"), inputs, {})).refused;
  const service = await refusedBy(path, body);
  expect({ inputs, refused: provider.length > 0, provider, service }).toMatchObject({
    refused: service !== undefined,
  });
}

test("what the service refuses of a cluster is refused in its preview, and nothing more", async () => {
  await fc.assert(
    fc.asyncProperty(cluster, async ({ label, region, k8sVersion, nodePools, controlPlane }) => {
      const named = Object.fromEntries(nodePools.map((one, i) => [`pool${i}`, one]));
      const inputs = { label, region, k8sVersion, nodePools: named, ...(controlPlane && { controlPlane }) };
      const { highAvailability } = controlPlane ?? {};
      const body = {
        ...{ label, region, k8s_version: k8sVersion, node_pools: nodePools },
        ...(highAvailability !== undefined && { control_plane: { high_availability: highAvailability } }),
      };
      await agree(clusterType, inputs as ValueMap, "/lke/clusters", body);
    }),
    { numRuns: 150 },
  );
}, 120_000);

test("and so of a pool", async () => {
  await fc.assert(
    fc.asyncProperty(pool, async (one) => {
      const inputs = { clusterId, ...one } as ValueMap;
      await agree(poolType, inputs, `/lke/clusters/${clusterId}/pools`, one);
    }),
    { numRuns: 150 },
  );
}, 120_000);
