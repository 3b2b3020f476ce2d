/** Replicas that share Accounts by the Leases of a real API server: one dies, one goes, and each Account has one keeper all the while, or none for half a minute. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../../provider/kubernetes/client.ts";
import { type Clock, machineClock } from "../../../provider/kubernetes/clock.ts";
import { createReplicas } from "../../../provider/kubernetes/replicas.ts";
import { connectBy } from "../../../provider/kubernetes/server/kubeconfig.ts";
import { type Cluster, hasKubernetes, startCluster } from "../cluster.ts";

const accounts = Array.from({ length: 40 }, (_, at) => `site-${at % 4}/account-${at}`);

describe.skipIf(!hasKubernetes)("replicas over an API server", { timeout: 90_000 }, () => {
  let cluster: Cluster;
  const opened: Client[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.ask("POST", "/api/v1/namespaces", { metadata: { name: "plumbline" } });
  }, 120_000);
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await cluster?.close();
  });

  function start(name: string) {
    const client = createClient({
      ...{ connection: connectBy(cluster.kubeconfig()), instance: name, namespaces: [] },
      troubled: () => {},
    });
    opened.push(client);
    let isDead = false;
    const clock: Clock = {
      ...machineClock,
      at: (time, act) => machineClock.at(time, () => (isDead ? undefined : act())),
    };
    const kept = new Set<string>();
    const faults: string[] = [];
    const replicas = createReplicas({
      ...{ name, clock, leases: client.leases },
      random: () => randomBytes(6).toString("hex"),
      gained(account) {
        if (kept.has(account)) faults.push(`gained ${account} twice`);
        kept.add(account);
      },
      async lost(account) {
        if (!kept.delete(account)) faults.push(`lost ${account} without having it`);
      },
      failed: (doing, error) => void faults.push(`${doing}: ${(error as Error).message}`),
    });
    replicas.wants(accounts);
    return {
      ...{ kept, faults, replicas },
      /** As SIGKILL: its Leases stay, and nothing renews them. */
      async kill() {
        isDead = true;
        await client.close();
      },
    };
  }
  type Replica = ReturnType<typeof start>;
  const held = ({ replicas }: Replica): string[] => accounts.filter((account) => replicas.holds(account));
  /** All of them, and none twice. */
  const shared = (...machines: Replica[]): boolean => {
    const all = machines.flatMap(held);
    return all.length === accounts.length && new Set(all).size === all.length;
  };

  it("are shared, move to another within 30 seconds of a kill, and at once when one goes; nothing is left of who is gone", async () => {
    const [a, b, c] = [start("a"), start("b"), start("c")] as const;
    await expect.poll(() => shared(a, b, c) && [a, b, c].every(({ kept }) => kept.size > 3)).toBe(true);
    const before = held(b);
    await a.kill();
    const killedAt = performance.now();
    await expect.poll(() => shared(b, c), { timeout: 30_000, interval: 200 }).toBe(true);
    expect(performance.now() - killedAt).toBeGreaterThan(15_000);
    expect(held(b)).toEqual(expect.arrayContaining(before));
    const goneAt = performance.now();
    await c.replicas.close();
    await expect.poll(() => shared(b), { interval: 50 }).toBe(true);
    expect(performance.now() - goneAt).toBeLessThan(3_000);
    expect(c.kept.size).toBe(0);
    const path = "/apis/coordination.k8s.io/v1/namespaces/plumbline/leases";
    const leases = (await cluster.ask("GET", path)).body["items"] as {
      readonly metadata: { readonly name: string };
      readonly spec: { readonly holderIdentity: string };
    }[];
    const holders = leases
      .filter(({ metadata }) => metadata.name.startsWith("plumbline-account."))
      .map(({ spec }) => spec.holderIdentity);
    expect(holders).toHaveLength(accounts.length);
    expect(new Set(holders).size).toBe(1);
    expect([...b.faults, ...c.faults]).toEqual([]);
    await b.replicas.close();
    const left = (await cluster.ask("GET", path)).body["items"] as typeof leases;
    expect(left.filter(({ metadata }) => metadata.name.includes(".b-"))).toEqual([]);
    const names = left.filter(({ spec }) => spec.holderIdentity !== "").map(({ metadata }) => metadata.name);
    // That of who died says who took its place, until all of its Accounts are another's for long.
    expect(names).toEqual([expect.stringMatching(/^plumbline-replica\.[0-9a-f]{8}\.a-/)]);
  });
});
