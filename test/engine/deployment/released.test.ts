/** Pools of a cluster that become NodePools: the cluster lets go of them and deletes none, over the emulator. */

import { expect, test } from "vitest";
import { overEmulator } from "./over-emulator.ts";
import type { Block } from "./program.ts";

const { emulator, engine, reset } = overEmulator();

interface Answer {
  readonly id: number;
  readonly data: readonly { readonly id: number }[];
}

async function ask(path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${emulator().token}`, "content-type": "application/json" };
  const how = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const answer = await fetch(`${emulator().baseUrl}${path}`, { headers, ...how });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

const spec = { type: "g6-standard-1", count: 1 };

test("a NodePool imported beside its Cluster keeps its pool, whether the cluster is imported with it or had it before", async () => {
  for (const isInState of [false, true]) {
    reset();
    const made = await ask("/lke/clusters", {
      label: "c",
      region: "us-east",
      k8s_version: "1.29",
      node_pools: [spec, { type: "g6-standard-2", count: 1 }],
    });
    const pools = (await ask(`/lke/clusters/${made.id}/pools`)).data.map(({ id }) => id);
    const cluster = (nodePools: { [name: string]: object }): Block => ({
      name: "cluster",
      type: "plumbline:kubernetes/cluster:Cluster",
      inputs: { label: "c", region: "us-east", k8sVersion: "1.29", nodePools: nodePools as never },
      options: { import: String(made.id) },
    });
    const both = { main: spec, [`pool-${pools[1]}`]: { type: "g6-standard-2", count: 1 } };
    if (isInState) expect((await engine([cluster(both)]).up()).result).toBe("succeeded");
    const blocks: Block[] = [
      cluster({ main: spec }),
      {
        name: "pool",
        type: "plumbline:kubernetes/nodePool:NodePool",
        inputs: { clusterId: { of: "cluster" }, type: "g6-standard-2", count: 1 },
        options: { import: `${made.id}/${pools[1]}` },
      },
    ];
    const up = await engine(blocks).up();
    expect(up.result).toBe("succeeded");
    expect(up.requests["DELETE"] ?? 0).toBe(0);
    expect((await ask(`/lke/clusters/${made.id}/pools`)).data.map(({ id }) => id)).toEqual(pools);
    expect((await engine(blocks).up()).changes).toBe(false);
  }
});
