/** What the service does not offer is told in the preview, at its place, before anything is made. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Desk, openDesk } from "./plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const cases: readonly [type: string, properties: string, said: string][] = [
  [
    "blockstorage:Volume",
    "{ label: vol, region: us-esat, size: 20 }",
    'region: "us-esat" is not offered; did you mean us-east?',
  ],
  ["vpc:Vpc", "{ label: net, region: us-esat }", 'region: "us-esat" is not offered; did you mean us-east?'],
  [
    "objectstorage:Bucket",
    "{ cluster: us-esat-1, label: a-bucket }",
    'cluster: "us-esat-1" is not offered; did you mean us-east-1?',
  ],
  [
    "kubernetes:Cluster",
    '{ label: c, region: us-esat, k8sVersion: "1.29", nodePools: { a: { type: g6-standard-1, count: 1 } } }',
    'region: "us-esat" is not offered; did you mean us-east?',
  ],
  [
    "databases:MySqlInstance",
    "{ label: db-one, region: us-esat, engine: mysql/8.0.30, type: g6-nanode-1, clusterSize: 1 }",
    'region: "us-esat" is not offered; did you mean us-east?',
  ],
];

it.each(cases)("a %s in a place that is none", async (type, properties, said) => {
  desk.write(
    "Pulumi.yaml",
    `name: shop\nruntime: yaml\nresources:\n  one:\n    type: plumbline:${type}\n    properties: ${properties}\n`,
  );
  const { code, stdout } = await desk.run(["preview"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^error: Pulumi.yaml:6:\d+: /m);
  expect(stdout).toContain(said);
});
