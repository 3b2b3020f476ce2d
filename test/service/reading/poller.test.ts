import { describe, expect, it } from "vitest";
import { ApiError, type WaitOptions } from "../../../provider/core/service-port.ts";
import { UnreachableError } from "../../../provider/service/errors.ts";
import { createPoller } from "../../../provider/service/reading/poller.ts";
import { createFakeClock } from "../fake-clock.ts";
import { lists } from "../lists.ts";

type Wire = { readonly [name: string]: unknown };
type Seen = Wire | undefined | Error;

/** A poller over objects that a test changes; `asked` holds each poll's paths with its second. */
function bench(objects: { [path: string]: Seen } = {}) {
  const clock = createFakeClock();
  const start = clock.now();
  const cancelling = new AbortController();
  const asked: { at: number; paths: readonly string[] }[] = [];
  let broken: Error | undefined;
  const poller = createPoller({
    lists,
    clock,
    random: () => 0.5,
    signal: cancelling.signal,
    poll: async (paths) => {
      asked.push({ at: (clock.now() - start) / 1000, paths });
      if (broken !== undefined) throw broken;
      return new Map(paths.map((path) => [path, objects[path]]));
    },
  });
  const isActive = (object: Wire | undefined) => object?.["status"] === "active";
  const wait = (path: string, options: Partial<WaitOptions> = {}, isDone = isActive) => {
    const outcome = poller.waitFor(path, isDone, { timeoutSeconds: 900, ...options });
    outcome.catch(() => undefined);
    return outcome;
  };
  return {
    objects,
    clock,
    asked,
    wait,
    cancelling,
    break: (error: Error | undefined) => {
      broken = error;
    },
  };
}

const creating = { id: 7, status: "creating" };
const active = { id: 7, status: "active" };
const api = (status: number, retryable: boolean) =>
  new ApiError({ method: "GET", path: "/volumes/7", status, reasons: [{ reason: "r" }], retryable });

describe("a wait", () => {
  it("ends at the first look, which comes soon, when the object is ready", async () => {
    const { wait, clock, asked } = bench({ "/volumes/7": active });
    const done = wait("/volumes/7");
    await clock.advance(200);
    expect(await done).toBe(active);
    expect(asked).toHaveLength(1);
    expect(clock.sleepers()).toBe(0);
  });

  it("looks in growing intervals, a quarter of a minute apart at most", async () => {
    const { wait, clock, asked, objects } = bench({ "/volumes/7": creating });
    const done = wait("/volumes/7");
    await clock.advance(300_000);
    const gaps = asked
      .slice(1)
      .map(({ at }, index) => Math.round((at - (asked[index]?.at ?? 0)) * 1000) / 1000);
    expect(asked[0]?.at).toBe(0.2);
    expect(gaps[0]).toBeCloseTo(0.5);
    expect(gaps.at(-1)).toBeCloseTo(15);
    expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
    expect(asked.length).toBeLessThan(40);
    objects["/volumes/7"] = active;
    await clock.advance(16_000);
    expect(await done).toBe(active);
    expect(clock.sleepers()).toBe(0);
  });

  it("is told when the object is gone", async () => {
    const { wait, clock } = bench();
    const done = wait("/volumes/7", {}, (object) => object === undefined);
    await clock.advance(200);
    expect(await done).toBeUndefined();
  });

  it("ends with what its own question throws", async () => {
    const { wait, clock } = bench({ "/volumes/7": creating });
    const done = wait("/volumes/7", {}, () => {
      throw new Error("it failed for good");
    });
    await clock.advance(200);
    await expect(done).rejects.toThrow("it failed for good");
    expect(clock.sleepers()).toBe(0);
  });

  it("that takes too long names the object, its last status and the seconds", async () => {
    const { wait, clock } = bench({ "/domains/1/records/7": creating });
    const done = wait("/domains/1/records/7", { timeoutSeconds: 60 });
    await clock.advance(60_000);
    await expect(done).rejects.toMatchObject({
      name: "TimeoutError",
      message: 'record 7 of domain 1 was not ready after 1 min 0 s; its last status was "creating"',
      lastStatus: "creating",
      seconds: 60,
    });
    expect(clock.sleepers()).toBe(0);
  });

  it("that takes too long because nobody answers says that", async () => {
    const { wait, clock } = bench({ "/volumes/7": api(502, true) });
    const done = wait("/volumes/7", { timeoutSeconds: 60 });
    await clock.advance(60_000);
    await expect(done).rejects.toMatchObject({
      message: expect.stringContaining("the last look failed: GET /volumes/7: 502 r"),
    });
  });
});

describe("many waits", () => {
  it("of one list are one poll, of two lists are two", async () => {
    const { wait, clock, asked, objects } = bench();
    for (const id of [1, 2, 3]) objects[`/volumes/${id}`] = { id, status: "active" };
    objects["/vpcs/1"] = active;
    const done = Promise.all([1, 2, 3].map((id) => wait(`/volumes/${id}`)).concat(wait("/vpcs/1")));
    await clock.advance(200);
    expect(await done).toHaveLength(4);
    const paths = asked.map((each) => each.paths.join(" ")).sort();
    expect(paths).toEqual(["/volumes/1 /volumes/2 /volumes/3", "/vpcs/1"]);
  });

  it("for one object ask for it once", async () => {
    const { wait, clock, asked } = bench({ "/volumes/7": active });
    const done = Promise.all([wait("/volumes/7"), wait("/volumes/7")]);
    await clock.advance(200);
    await done;
    expect(asked[0]?.paths).toEqual(["/volumes/7"]);
  });

  it("speed up for one that joins, and go on when one leaves", async () => {
    const { wait, clock, asked, objects } = bench({ "/volumes/1": creating, "/volumes/2": creating });
    const first = wait("/volumes/1");
    await clock.advance(100_000);
    const before = asked.length;
    const stop = new AbortController();
    const second = wait("/volumes/2", { signal: stop.signal });
    await clock.advance(200);
    expect(asked).toHaveLength(before + 1);
    stop.abort();
    await expect(second).rejects.toMatchObject({ name: "CancelledError" });
    objects["/volumes/1"] = active;
    await clock.advance(16_000);
    expect(await first).toBe(active);
    expect(clock.sleepers()).toBe(0);
  });

  it("start anew after the last one ended", async () => {
    const { wait, clock } = bench({ "/volumes/7": active });
    for (let time = 0; time < 3; time++) {
      const done = wait("/volumes/7");
      await clock.advance(200);
      expect(await done).toBe(active);
    }
  });
});

describe("trouble while waiting", () => {
  it.each([
    ["429", api(429, true)],
    ["502", api(502, true)],
    ["503 in maintenance", api(503, false)],
    ["a lost connection", new UnreachableError("gone")],
  ])("of %s is waited out", async (_what, error) => {
    const { wait, clock, objects } = bench({ "/volumes/7": error });
    const done = wait("/volumes/7");
    await clock.advance(10_000);
    objects["/volumes/7"] = active;
    await clock.advance(15_000);
    expect(await done).toBe(active);
  });

  it("of a whole poll is waited out too", async () => {
    const { wait, clock, break: breaks, objects } = bench({ "/volumes/7": creating });
    const done = wait("/volumes/7");
    breaks(api(502, true));
    await clock.advance(10_000);
    breaks(undefined);
    objects["/volumes/7"] = active;
    await clock.advance(15_000);
    expect(await done).toBe(active);
  });

  it.each([401, 403, 400])("that stays (%i) ends the wait", async (status) => {
    const { wait, clock } = bench({ "/volumes/7": api(status, false) });
    const done = wait("/volumes/7");
    await clock.advance(200);
    await expect(done).rejects.toMatchObject({ status });
    expect(clock.sleepers()).toBe(0);
  });
});

describe("progress", () => {
  it("is told at most once a second, with the status and the seconds", async () => {
    const { wait, clock } = bench({ "/volumes/7": creating });
    const told: string[] = [];
    wait("/volumes/7", { onProgress: (message) => told.push(message) });
    await clock.advance(12_000);
    expect(told[0]).toBe("creating for 0.2 s");
    expect(told.length).toBeLessThanOrEqual(12);
    expect(new Set(told).size).toBe(told.length);
  });

  it("tells of trouble", async () => {
    const { wait, clock } = bench({ "/volumes/7": api(502, true) });
    const told: string[] = [];
    wait("/volumes/7", { onProgress: (message) => told.push(message) });
    await clock.advance(200);
    expect(told).toEqual(["waiting for 0.2 s; the service answered 502"]);
  });

  it("that throws ends the wait", async () => {
    const { wait, clock } = bench({ "/volumes/7": creating });
    const done = wait("/volumes/7", {
      onProgress: () => {
        throw new Error("no terminal");
      },
    });
    await clock.advance(200);
    await expect(done).rejects.toThrow("no terminal");
  });
});

describe("a cancel", () => {
  it("ends every wait and leaves no timer", async () => {
    const { wait, clock, cancelling } = bench({ "/volumes/1": creating, "/vpcs/1": creating });
    const waits = [wait("/volumes/1"), wait("/vpcs/1")];
    await clock.advance(5_000);
    cancelling.abort();
    for (const one of waits) await expect(one).rejects.toMatchObject({ name: "CancelledError" });
    await clock.advance(0);
    expect(clock.sleepers()).toBe(0);
  });

  it("refuses a wait that comes later", async () => {
    const { wait, cancelling, asked } = bench();
    cancelling.abort();
    await expect(wait("/volumes/1")).rejects.toMatchObject({ name: "CancelledError" });
    expect(asked).toHaveLength(0);
  });
});
