/** Replicas of a controller that share Accounts, on a virtual time: never two at once, and always somebody soon. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountLease } from "../../provider/kubernetes/leases/names.ts";
import { createWorld, type Machine, met, window } from "./replica-world.ts";

const accounts = ["site/default", "site/other", "shop/default", "shop/eu", "a.very-long/name", "lab/default"];

/** Each Account's keepers among those that run. */
const keepers = (machines: readonly Machine[]) =>
  accounts.map((account) =>
    machines
      .filter(({ state, replicas }) => state() === "running" && replicas.holds(account))
      .map(({ name }) => name),
  );

const disturbance = fc.record({
  after: fc.integer({ min: 0, max: 20_000 }),
  which: fc.nat(3),
  long: fc.integer({ min: 500, max: 60_000 }),
  what: fc.constantFrom("kill", "start", "close", "stop", "suspend", "slow", "lossy", "down", "unwanted"),
});
type Disturbance = typeof disturbance extends fc.Arbitrary<infer T> ? T : never;

async function live(seed: number, disturbances: readonly Disturbance[]) {
  const world = createWorld(seed);
  const machines = ["a", "b", "c"].map((name, at) => world.start(name, accounts, (at - 1) * 3_600_000));
  let born = 0;
  for (const { after, which, long, what } of disturbances) {
    await world.until(world.now() + after);
    const machine = machines[which % machines.length]!;
    if (what === "kill") machine.kill();
    if (what === "start" && machines.filter(({ state }) => state() === "running").length < 5)
      machines.push(world.start(`n${born++}`, accounts, world.draw() * 1e7));
    if (what === "close") machine.close();
    if (what === "stop" || what === "suspend") machine.sleep(long, what === "suspend");
    const { server } = world;
    if (what === "slow") {
      server.slowness = 5_000;
      world.after(long, () => (server.slowness = 50));
    }
    if (what === "lossy") {
      server.losses = 0.3;
      world.after(long, () => (server.losses = 0));
    }
    if (what === "down") {
      server.isDown = true;
      world.after(long, () => (server.isDown = false));
    }
    if (what === "unwanted" && machine.state() === "running") {
      machine.replicas.wants(accounts.slice(1));
      world.after(long, () => machine.replicas.wants(accounts));
    }
  }
  await world.until(world.now() + 60_000);
  machines.push(world.start("last", accounts));
  await world.until(world.now() + 60_000);
  return { world, machines };
}

describe("replicas of a controller", () => {
  it("never write to one Account at once, and each Account is kept by one of them soon, whatever happens", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(disturbance, { minLength: 1, maxLength: 8 }),
        async (seed, disturbances) => {
          const { world, machines } = await live(seed, disturbances);
          expect(met(world.writes)).toEqual([]);
          expect(machines.flatMap(({ faults }) => faults)).toEqual([]);
          expect(keepers(machines).map(({ length }) => length)).toEqual(accounts.map(() => 1));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("share Accounts, move no more than one that comes or goes makes needful, and leave nothing behind", async () => {
    const world = createWorld(1);
    const many = Array.from({ length: 300 }, (_, at) => `site/n${at}`);
    const machines = ["a", "b"].map((name) => world.start(name, many));
    const keptBy = (): string[] =>
      many.map((account) =>
        machines
          .filter(({ state, replicas }) => state() === "running" && replicas.holds(account))
          .map(({ name }) => name)
          .join(),
      );
    await world.until(5_000);
    const two = keptBy();
    expect(new Set(two)).toEqual(new Set(["a", "b"]));
    expect(two.filter((name) => name === "a").length).toBeGreaterThan(100);
    machines.push(world.start("c", many));
    await world.until(20_000);
    const three = keptBy();
    const moved = three.filter((name, at) => name !== two[at]);
    expect(new Set(moved)).toEqual(new Set(["c"]));
    expect(moved.length).toBeGreaterThan(50);
    expect(moved.length).toBeLessThan(150);

    const writes = world.puts();
    await world.until(80_000);
    expect((world.puts() - writes) / 60).toBeLessThan(1);

    machines[2]!.close();
    await world.until(90_000);
    expect(machines[2]!.state()).toBe("closed");
    expect(keptBy()).toEqual(two);
    for (const { replicas } of machines.slice(0, 2)) replicas.wants(many.slice(0, 10));
    machines[1]!.kill();
    await world.until(200_000);
    expect([...world.store.keys()].filter((name) => name.startsWith("plumbline-account")).sort()).toEqual(
      many.slice(0, 10).map(accountLease).sort(),
    );
    expect([...world.store.keys()].filter((name) => name.startsWith("plumbline-replica"))).toHaveLength(1);
  });

  it("continue within 30 seconds of a SIGKILL, and at once after SIGTERM", async () => {
    for (const [how, most] of [
      ["kill", 30_000],
      ["close", 1_500],
    ] as const) {
      const world = createWorld(7);
      const machines = ["a", "b"].map((name) => world.start(name, accounts));
      await world.until(10_000);
      const [one, other] = machines as [Machine, Machine];
      expect(one.kept.size).toBeGreaterThan(0);
      // What was begun right before may take as long as it may.
      one[how]();
      await world.until(10_000 + most + (how === "close" ? window : 0));
      expect([how, other.kept.size]).toEqual([how, accounts.length]);
      expect(met(world.writes)).toEqual([]);
    }
  });

  it("hold on to what they have through an API server that is away for longer than a Lease lasts", async () => {
    const world = createWorld(3);
    const machines = ["a", "b", "c"].map((name) => world.start(name, accounts));
    await world.until(10_000);
    const before = keepers(machines);
    world.server.isDown = true;
    await world.until(22_500);
    expect(keepers(machines).flat()).toEqual([]);
    await world.until(100_000);
    world.server.isDown = false;
    await world.until(110_000);
    expect(keepers(machines)).toEqual(before);
    expect([...world.store.values()].map(({ transitions }) => transitions)).toEqual(
      [...world.store.values()].map(() => 0),
    );
    expect(met(world.writes)).toEqual([]);
  });

  it("let go of an Account whose Lease somebody removes or takes, and a replica whose own Lease is removed begins anew", async () => {
    const world = createWorld(4);
    const machine = world.start("a", accounts);
    await world.until(5_000);
    const [first] = [...world.store.keys()].filter((name) => name.startsWith("plumbline-replica"));
    world.remove(accountLease("site/default"));
    await world.until(5_100);
    expect(machine.replicas.holds("site/default")).toBe(false);
    expect(() => machine.replicas.ensure("site/default")).toThrow(
      "does not surely hold the Account site/default",
    );
    await world.until(15_000);
    expect(machine.replicas.holds("site/default")).toBe(true);
    world.remove(first!);
    await world.until(15_200);
    expect(accounts.filter((account) => machine.replicas.holds(account))).toEqual([]);
    await world.until(60_000);
    expect(accounts.filter((account) => machine.replicas.holds(account))).toEqual(accounts);
    expect(world.store.has(first!)).toBe(false);
  });

  it("end in time while no server is there to be told, and do not ask without end", async () => {
    const world = createWorld(11);
    const machine = world.start("a", accounts);
    await world.until(30_000);
    expect(keepers([machine]).every((names) => names.length === 1)).toBe(true);
    world.server.isGone = true;
    machine.close();
    await world.until(world.now() + 30_000);
    expect(machine.state()).toBe("closed");
    expect(world.vain()).toBeLessThan(300);
  });
});

describe("the Lease of an Account", () => {
  it("has a name that an API server takes and no other Account's has, however long those are", () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    const name = fc
      .array(label, { minLength: 1, maxLength: 5 })
      .map((labels) => labels.join("."))
      .filter(({ length }) => length <= 253);
    const account = fc.tuple(label, name).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(account, account, (one, other) => {
        const called = accountLease(one);
        expect(called.length).toBeLessThanOrEqual(253);
        expect(called).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
        expect(called === accountLease(other)).toBe(one === other);
      }),
    );
  });
});
