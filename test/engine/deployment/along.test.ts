/** What the service deletes with its parent goes without a request of its own: requests, the long way and kills, over the emulator. */

import { expect, test } from "vitest";
import { overEmulator } from "./over-emulator.ts";
import type { Block } from "./program.ts";
import { life } from "./world.ts";

const { emulator, engine, reset } = overEmulator();

const zone = (count: number, options: Block["options"] = {}): Block[] => [
  {
    name: "zone",
    type: "plumbline:dns/domain:Domain",
    inputs: { domain: "example.com", type: "master", soaEmail: "a@example.com" },
  },
  ...Array.from(
    { length: count },
    (_, i): Block => ({
      name: `r${i}`,
      type: "plumbline:dns/record:Record",
      inputs: { domainId: { of: "zone" }, type: "A", name: `h${i}`, target: "192.0.2.1" },
      ...(i === 0 ? { options } : {}),
    }),
  ),
];

const sum = (requests: { readonly [method: string]: number }): number =>
  Object.values(requests).reduce((all, count) => all + count, 0);

async function domains(): Promise<readonly unknown[]> {
  const headers = { authorization: `Bearer ${emulator().token}` };
  const answer = await fetch(`${emulator().baseUrl}/domains`, { headers });
  return ((await answer.json()) as { data: unknown[] }).data;
}

test("a domain and its records are destroyed by one DELETE, as the preview says", async () => {
  expect((await engine(zone(40)).up()).result).toBe("succeeded");
  const shown = await engine([]).destroy({ previewOnly: true });
  expect(shown.counts.delete).toBe(41);
  expect(shown.steps.filter((step) => step.along)).toHaveLength(40);
  expect(shown.diagnostics.map(({ message }) => message)).toContain(
    "what is within it (40 plumbline:dns:Record) goes with it, by its one request",
  );
  const done = await engine([]).destroy();
  expect(done).toMatchObject({ result: "succeeded", counts: { delete: 41 }, requests: { DELETE: 1 } });
  expect(sum(done.requests)).toBeLessThanOrEqual(4);
  expect(await domains()).toEqual([]);
  expect(await engine([]).resources()).toEqual([]);
});

test("a domain that is not declared any more takes its records along; one that is replaced does, too", async () => {
  await engine(zone(10)).up();
  const moved = zone(10).map((block) =>
    block.name === "zone" ? { ...block, options: { replaceOnChanges: ["description"] } } : block,
  );
  const renamed = moved.map((block) =>
    block.name === "zone"
      ? {
          ...block,
          inputs: { ...block.inputs, description: "other" },
          options: { ...block.options, deleteBeforeReplace: true },
        }
      : block,
  );
  const replaced = await engine(renamed).up();
  expect(replaced).toMatchObject({ result: "succeeded", counts: { replace: 11 }, requests: { DELETE: 1 } });
  const removed = await engine([]).up();
  expect(removed).toMatchObject({ counts: { delete: 11 }, requests: { DELETE: 1 } });
  expect(await domains()).toEqual([]);
});

test("a record that is to be kept makes all of them go one by one, and the plan says so", async () => {
  await engine(zone(5, { retainOnDelete: true })).up();
  const shown = await engine([]).destroy({ previewOnly: true });
  expect(shown.diagnostics.map(({ message }) => message)).toContain(
    "what is within it (5 plumbline:dns:Record) is deleted one by one, because r0 does not go with it",
  );
  expect((await engine([]).destroy()).requests).toMatchObject({ DELETE: 5 });
});

test("a subnet goes with its network and a pool with its cluster", async () => {
  const blocks: Block[] = [
    { name: "net", type: "plumbline:vpc/vpc:Vpc", inputs: { label: "net", region: "us-east" } },
    {
      name: "sub",
      type: "plumbline:vpc/subnet:Subnet",
      inputs: { vpcId: { of: "net" }, label: "sub", ipv4: "10.0.0.0/24" },
    },
    {
      name: "cluster",
      type: "plumbline:kubernetes/cluster:Cluster",
      inputs: {
        label: "c",
        region: "us-east",
        k8sVersion: "1.29",
        nodePools: { main: { type: "g6-standard-1", count: 1 } },
      },
    },
    {
      name: "pool",
      type: "plumbline:kubernetes/nodePool:NodePool",
      inputs: { clusterId: { of: "cluster" }, type: "g6-standard-1", count: 1 },
    },
  ];
  const up = await engine(blocks).up();
  expect(up.result).toBe("succeeded");
  expect((await engine([]).destroy()).requests).toMatchObject({ DELETE: 2 });
});

test("a destroy that is killed at any write of the journal is ended by the next one, with few requests", async () => {
  for (let moment = 1; ; moment += 1) {
    reset();
    await engine(zone(3)).up();
    const dying = life(moment);
    const work = engine([], dying).destroy();
    work.catch(() => {});
    await Promise.race([work, dying.ended]);
    if (!dying.isOver()) break;
    const next = await engine([]).destroy({ allowGone: true });
    expect(next.result).toBe("succeeded");
    expect(sum(next.requests)).toBeLessThanOrEqual(4);
    expect(await domains()).toEqual([]);
    expect(await engine([]).resources()).toEqual([]);
  }
});
