/** When objects are looked at without a reason, on a clock of the test's: order, spread, intervals of their own, and the share of the limit that stays for changes. */

import { describe, expect, it } from "vitest";
import type { Allowance } from "../../provider/core/protocol.ts";
import type { KubeObject } from "../../provider/kubernetes/api.ts";
import { createSweeps, placeOf, type Sweep } from "../../provider/kubernetes/sweeps.ts";
import { drawing } from "./replica-world.ts";
import { createTime } from "./virtual-time.ts";

const minute = 60_000;

/** Sweeps whose looks take a tenth of a second and as many requests as `costs` says. */
function opened({
  seed = 1,
  interval = 600,
  budget = 50,
  costs = (_key: string) => 1,
  limit = undefined as number | undefined,
  refuses = (_key: string): boolean => false,
} = {}) {
  const time = createTime();
  const settings = { interval, budget };
  const looks: { readonly at: number; readonly key: string }[] = [];
  const ended: Sweep[] = [];
  let [requests, windowEnds, used] = [0, 0, 0];
  /** The least that was left when a sweep asked. */
  let least = Number.POSITIVE_INFINITY;
  function ask(count: number): void {
    const now = time.clock.now();
    if (now >= windowEnds) [windowEnds, used] = [now + 2 * minute, 0];
    requests += count;
    used += count;
    if (limit !== undefined) least = Math.min(least, limit - used);
  }
  const allowance = (): Allowance | undefined => {
    const now = time.clock.now();
    if (limit === undefined) return undefined;
    const isOver = now >= windowEnds;
    return {
      ...{ limit, remaining: isOver ? limit : limit - used },
      resetSeconds: isOver ? 0 : (windowEnds - now) / 1000,
    };
  };
  const sweeps = createSweeps<string>({
    ...{ clock: time.clock, random: drawing(seed), allowance },
    settings: () => settings,
    requests: () => requests,
    look(key) {
      if (refuses(key)) return false;
      looks.push({ at: time.clock.now(), key });
      time.clock.at(time.clock.now() + 100, () => {
        ask(costs(key));
        sweeps.looked(key);
      });
      return true;
    },
    ended: (sweep) => ended.push(sweep),
  });
  return { ...time, sweeps, looks, ended, settings, ask, least: () => least };
}

const times = (looks: readonly { readonly at: number; readonly key: string }[], key: string): number[] =>
  looks.filter((look) => look.key === key).map(({ at }) => at);

describe("sweeps", () => {
  it("look at everything once an interval, those of one list beside each other, whatever order they came in", async () => {
    const { sweeps, looks, ended, until } = opened();
    const keys = ["b 2/ 1", "a 9", "b 1/ 2", "b 2/ 3", "b 1/ 1"];
    for (const key of keys) sweeps.put(key, { order: key });
    await until(11 * minute);
    expect(looks.map(({ key }) => key)).toEqual([...keys].sort());
    await until(600 * minute);
    expect(ended.length).toBeGreaterThan(52);
    expect(ended.length).toBeLessThan(61);
    expect(
      new Set(ended.map(({ objects, requests, isWhole }) => `${objects} ${requests} ${isWhole}`)),
    ).toEqual(new Set(["5 5 true"]));
    const gaps = times(looks, "a 9").map((at, n, all) => at - (all[n - 1] ?? 0));
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(10 * minute);
    expect(Math.max(...gaps)).toBeLessThan(11.1 * minute);
  });

  it("of Accounts that are there at the same time are spread over the interval", async () => {
    const first: number[] = [];
    for (let seed = 1; seed <= 100; seed += 1) {
      const { sweeps, looks, until } = opened({ seed });
      sweeps.put("a", { order: "a" });
      await until(30 * minute);
      first.push(times(looks, "a")[0]!);
    }
    const inEach = [5, 6, 7, 8, 9].map(
      (from) => first.filter((at) => at >= from * minute && at < (from + 1) * minute).length,
    );
    expect(inEach.reduce((sum, count) => sum + count)).toBe(100);
    for (const count of inEach) expect(count).toBeGreaterThan(8);
  });

  it("look at objects with an interval of their own by that, and by the Account's again when it is taken away", async () => {
    const { sweeps, looks, until, settings } = opened();
    sweeps.put("usual", { order: "a" });
    sweeps.put("often", { order: "b", interval: 60 });
    await until(60 * minute);
    expect(times(looks, "often").length).toBeGreaterThan(50);
    expect(times(looks, "usual").length).toBeLessThan(8);
    sweeps.put("often", { order: "b" });
    looks.length = 0;
    await until(120 * minute);
    expect(times(looks, "often").length).toBeLessThan(8);
    settings.interval = 3600;
    sweeps.changed();
    looks.length = 0;
    await until(300 * minute);
    expect(times(looks, "usual").length).toBeLessThan(5);
    expect(times(looks, "usual").length).toBeGreaterThan(1);
    settings.interval = 1;
    sweeps.changed();
    looks.length = 0;
    await until(400 * minute);
    expect(times(looks, "usual").length).toBeLessThanOrEqual(200);
    expect(times(looks, "usual").length).toBeGreaterThan(150);
    sweeps.forget("usual");
    sweeps.forget("often");
    looks.length = 0;
    await until(500 * minute);
    expect(looks).toEqual([]);
  });

  it.each([100, 50, 10, 1])("with a budget of %i percent leave the rest of each window", async (budget) => {
    const limit = 800;
    const { sweeps, ended, until, least } = opened({ budget, limit });
    const many = budget * 20;
    for (let n = 0; n < many; n += 1) sweeps.put(`${n}`, { order: `${n}` });
    await until(40 * minute);
    expect(least()).toBeGreaterThanOrEqual(limit * (1 - budget / 100));
    expect(ended.map(({ objects, requests }) => [objects, requests])[0]).toEqual([many, many]);
    // Three windows, for each takes eight requests for each percent.
    expect(ended[0]!.seconds).toBeLessThan(6 * 60);
  });

  it("wait while others use the limit, and go on when there is room", async () => {
    const { sweeps, looks, until, clock, ask } = opened({ limit: 800 });
    for (let n = 0; n < 100; n += 1) sweeps.put(`${n}`, { order: `${n}` });
    // Changes that take nearly all of every window for an hour.
    for (let at = 0; at < 60; at += 2) clock.at(at * minute + 1, () => ask(790));
    await until(59 * minute);
    expect(looks).toEqual([]);
    await until(75 * minute);
    expect(looks.length).toBeGreaterThanOrEqual(100);
  });

  it("do not wait for what is not looked at, nor for what is gone meanwhile", async () => {
    const { sweeps, looks, ended, until } = opened({ refuses: (key) => key.startsWith("failed") });
    for (let n = 0; n < 200; n += 1) sweeps.put(`failed ${n}`, { order: `a ${n}` });
    sweeps.put("z", { order: "z" });
    await until(11 * minute);
    expect(looks.map(({ key }) => key)).toEqual(["z"]);
    expect(ended).toHaveLength(1);
    sweeps.put("gone", { order: "gone" });
    let end = 11 * minute;
    while (times(looks, "gone").length === 0) {
      end += 50;
      await until(end);
    }
    sweeps.forget("gone");
    await until(end + 200);
    expect(ended).toHaveLength(2);
    sweeps.close();
    await until(60 * minute);
    expect(ended).toHaveLength(2);
  });
});

describe("the place of an object", () => {
  const object = (kind: string, name: string, annotations: { [name: string]: string }): KubeObject => ({
    ...{ apiVersion: "dns.plumbline.dev/v1alpha1", kind, spec: {} },
    metadata: {
      ...{ name, namespace: "site", uid: "1", resourceVersion: "1", generation: 1 },
      ...{ creationTimestamp: "2026-01-01T00:00:00Z", annotations },
    },
  });

  it("is beside those of its kind and parent, whatever they are called", () => {
    const record = (name: string, id: string) => object("Record", name, { "plumbline.dev/external-id": id });
    const names = [record("c", "1/7"), record("a", "2/1"), record("b", "1/2"), object("Domain", "z", {})]
      .map((each) => ({ name: each.metadata.name, order: placeOf(each).order }))
      .sort((one, other) => (one.order < other.order ? -1 : 1));
    expect(names.map(({ name }) => name)).toEqual(["z", "b", "c", "a"]);
  });

  it("has the interval that its annotation tells, 30 seconds at least, and the Account's where that is none", () => {
    const interval = (text: string) =>
      placeOf(object("Domain", "a", { "plumbline.dev/interval": text })).interval;
    expect(["1h30m", "45s", "1s", "soon", ""].map(interval)).toEqual([5400, 45, 30, undefined, undefined]);
  });
});
