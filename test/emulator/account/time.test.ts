import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createClock } from "../../../emulator/account/clock.ts";
import { createEvents, type EventItem } from "../../../emulator/account/events.ts";
import { createJobs } from "../../../emulator/account/jobs.ts";
import { createRandom } from "../../../emulator/account/random.ts";
import { createStore } from "../../../emulator/account/store.ts";
import type { JsonObject } from "../../../emulator/area.ts";
import { createRateLimit } from "../../../emulator/http/rate-limit.ts";

const start = Date.UTC(2024, 3, 1, 10, 0, 0);

function setting(speed: number | "max" = 1) {
  let now = start;
  const clock = createClock(() => now);
  const done: [string, string, JsonObject][] = [];
  let then: (kind: string) => void = () => {};
  const jobs = createJobs(clock, speed, ({ kind, data }) => {
    done.push([kind, clock.stamp(), data]);
    then(kind);
  });
  return {
    clock,
    jobs,
    done,
    pass: (seconds: number) => {
      now += seconds * 1000;
      jobs.runDue();
    },
    onDone: (next: (kind: string) => void) => {
      then = next;
    },
  };
}

describe("the clock", () => {
  test("writes stamps without zone and fraction, and goes on with advance", () => {
    const { clock } = setting();
    expect(clock.stamp()).toBe("2024-04-01T10:00:00");
    clock.advance(3_661.5);
    expect(clock.stamp()).toBe("2024-04-01T11:01:01");
    expect(clock.now().getTime()).toBe(start + 3_661_500);
    expect(clock.offset()).toBe(3_661_500);
  });
});

describe("jobs", () => {
  test("run when due, in order of time and then of scheduling, each at its own moment", () => {
    const { jobs, done, pass } = setting();
    jobs.schedule("late", 20, { n: 1 });
    jobs.schedule("early", 10, { n: 2 });
    jobs.schedule("early", 10, { n: 3 });
    pass(9);
    expect(done).toEqual([]);
    pass(100);
    expect(done).toEqual([
      ["early", "2024-04-01T10:00:10", { n: 2 }],
      ["early", "2024-04-01T10:00:10", { n: 3 }],
      ["late", "2024-04-01T10:00:20", { n: 1 }],
    ]);
    pass(100);
    expect(done).toHaveLength(3);
  });

  test("a job that schedules its successor is followed as far as time has come", () => {
    const { jobs, done, pass, onDone } = setting();
    onDone(() => jobs.schedule("tick", 60, {}));
    jobs.schedule("tick", 60, {});
    pass(3_600);
    expect(done).toHaveLength(60);
    expect(done.at(-1)![1]).toBe("2024-04-01T11:00:00");
  });

  test("speed divides durations, but not moments of the calendar", () => {
    const { jobs, done, pass } = setting(60);
    jobs.schedule("fast", 600, {});
    jobs.at("midnight", new Date(start + 100_000), {});
    pass(10);
    expect(done.map(([kind]) => kind)).toEqual(["fast"]);
    pass(90);
    expect(done.map(([kind]) => kind)).toEqual(["fast", "midnight"]);
  });

  test("at the highest speed all is due at the next look, whole chains too", () => {
    const { jobs, done, pass, onDone } = setting("max");
    onDone((kind) => {
      if (kind === "one") jobs.schedule("two", 600, {});
    });
    jobs.schedule("one", 1_800, {});
    jobs.at("midnight", new Date(start + 100_000), {});
    expect(done).toEqual([]);
    pass(0);
    expect(done.map(([kind]) => kind)).toEqual(["one", "two"]);
  });

  test("a chain without end does not hang", () => {
    const { jobs, done, pass, onDone } = setting("max");
    onDone(() => jobs.schedule("again", 1, {}));
    jobs.schedule("again", 1, {});
    pass(0);
    expect(done).toHaveLength(10_001);
  });

  test("a long time is caught up with in full and in order, however many jobs it holds", () => {
    const { jobs, done, pass, onDone } = setting();
    onDone((kind) => kind === "round" && jobs.schedule("round", 300, {}));
    jobs.schedule("round", 300, {});
    for (let at = 0; at < 12_000; at++) jobs.at("midnight", new Date(start + 50_000_000), {});
    pass(366 * 86_400);
    expect(done).toHaveLength(12_000 + 366 * 288);
    expect(done.filter(([kind]) => kind === "midnight")).toHaveLength(12_000);
    expect(done.map(([, stamp]) => stamp)).toEqual(done.map(([, stamp]) => stamp).sort());
  });

  test("are cancelled by kind and fields", () => {
    const { jobs, done, pass } = setting();
    jobs.schedule("a", 1, { id: 1, more: "x" });
    jobs.schedule("a", 1, { id: 2 });
    jobs.schedule("b", 1, { id: 1 });
    jobs.cancel("a", { id: 1 });
    pass(1);
    expect(done.map(([kind, , data]) => [kind, data.id])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
  });

  test("are data that another queue goes on with", () => {
    const first = setting();
    first.jobs.schedule("a", 30, { id: 1 });
    const second = setting();
    second.jobs.setData(JSON.parse(JSON.stringify(first.jobs.data())));
    expect(second.jobs.schedule("b", 1, {})).toBe(2);
    second.pass(30);
    expect(second.done.map(([kind]) => kind)).toEqual(["b", "a"]);
  });

  describe("between requests", () => {
    beforeEach(() => {
      vi.useFakeTimers();
      vi.setSystemTime(start);
    });
    afterEach(() => vi.useRealTimers());

    test("run by a timer once started, and not after the stop", () => {
      const done: string[] = [];
      const jobs = createJobs(createClock(), 1, ({ kind }) => done.push(kind));
      jobs.schedule("before", 5, {});
      jobs.start();
      jobs.schedule("sooner", 2, {});
      jobs.at("far", new Date(start + 40 * 86_400_000), {});
      vi.advanceTimersByTime(5_000);
      expect(done).toEqual(["sooner", "before"]);
      vi.advanceTimersByTime(40 * 86_400_000);
      expect(done).toEqual(["sooner", "before", "far"]);
      jobs.schedule("never", 1, {});
      jobs.stop();
      vi.advanceTimersByTime(10_000);
      expect(done).toHaveLength(3);
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});

describe("events", () => {
  const log = () => {
    const { clock } = setting();
    const collection = createStore().collection<EventItem>("events");
    return { clock, collection, events: createEvents(collection, clock, "alice") };
  };

  test("one that moves keeps its id and ends with its duration", () => {
    const { clock, collection, events } = log();
    const entity = { id: 5, type: "database", label: "db", url: "/v4/databases/mysql/instances/5" };
    const id = events.emit({ action: "database_create", entity, status: "scheduled" });
    expect(collection.get(id)).toMatchObject({ status: "scheduled", percent_complete: 0, duration: null });
    events.move(id, "started");
    expect(collection.get(id)).toMatchObject({ status: "started", percent_complete: 1, duration: null });
    clock.advance(2_139);
    events.move(id, "finished");
    expect(collection.get(id)).toMatchObject({
      created: "2024-04-01T10:00:00",
      username: "alice",
      entity,
      status: "finished",
      percent_complete: 100,
      duration: 2_139,
      secondary_entity: null,
      seen: false,
      read: false,
    });
    expect(collection.size).toBe(1);
  });

  test("a notification has neither progress nor duration, and the system has no name", () => {
    const { collection, events } = log();
    const id = events.emit({ action: "vpc_create", username: null });
    expect(collection.get(id)).toMatchObject({
      status: "notification",
      percent_complete: null,
      duration: null,
      entity: null,
      username: null,
    });
  });

  test("after 90 days they are forgotten, and moving one that is gone does nothing", () => {
    const { clock, collection, events } = log();
    const old = events.emit({ action: "a", status: "started" });
    clock.advance(91 * 86_400);
    events.emit({ action: "b" });
    expect(collection.all().map(({ action }) => action)).toEqual(["b"]);
    expect(() => events.move(old, "finished")).not.toThrow();
  });
});

describe("the rate limit", () => {
  const operation = { key: "GET /domains", list: true, rateClass: undefined };
  const single = { key: "GET /domains/{domainId}", list: false, rateClass: undefined };
  const volume = { key: "POST /volumes", list: false, rateClass: "volume-create" };
  const limits = (mode: "off" | "standard" | number) => {
    let now = start;
    const limit = createRateLimit(mode, () => now);
    const allowed = (what: typeof operation | typeof volume, client = "a") => {
      for (let count = 0; ; count++) if (count === 2_000 || limit.count(client, what).refused) return count;
    };
    return {
      limit,
      allowed,
      pass: (seconds: number) => {
        now += seconds * 1000;
      },
    };
  };

  test("off refuses nothing and always tells a full allowance", () => {
    const { allowed, limit } = limits("off");
    expect(allowed(volume)).toBe(2_000);
    expect(limit.count("a", operation)).toMatchObject({ limit: 800, remaining: 800, refused: false });
  });

  test("standard: lists, endpoints, volume creation and all together", () => {
    expect(limits("standard").allowed(operation)).toBe(200);
    expect(limits("standard").allowed(single)).toBe(400);
    expect(limits("standard").allowed(volume)).toBe(25);
    const { allowed } = limits("standard");
    const keys = ["a", "b", "c", "d"].map((key) => allowed({ ...single, key }));
    expect(keys).toEqual([400, 400, 0, 0]);
  });

  test("each client has its own, and each window ends", () => {
    const { allowed, limit, pass } = limits("standard");
    expect(allowed(volume, "a")).toBe(25);
    expect(allowed(volume, "b")).toBe(25);
    expect(limit.count("a", volume)).toEqual({
      limit: 25,
      remaining: 0,
      reset: start + 60_000,
      refused: true,
    });
    pass(59);
    expect(allowed(volume, "a")).toBe(0);
    pass(1);
    expect(allowed(volume, "a")).toBe(25);
  });

  test("what is refused is not counted, and the headers tell the general limit", () => {
    const { limit } = limits("standard");
    for (let count = 0; count < 25; count++) limit.count("a", volume);
    for (let count = 0; count < 5; count++) limit.count("a", volume);
    expect(limit.count("a", single)).toEqual({
      limit: 800,
      remaining: 774,
      reset: start + 120_000,
      refused: false,
    });
  });

  test("a number is the general limit alone", () => {
    const { allowed, pass } = limits(30);
    expect(allowed(volume)).toBe(30);
    pass(120);
    expect(allowed(operation)).toBe(30);
  });
});

describe("randomness", () => {
  test("is repeatable, and goes on from its state", () => {
    const [a, b] = [createRandom(7), createRandom(7)];
    expect(a.hex(40)).toBe(b.hex(40));
    expect(a.hex(40)).toMatch(/^[0-9a-f]{40}$/);
    b.setState(a.state());
    expect(b.hex(20)).toBe(a.hex(20));
  });

  test("an integer stays within its bounds and reaches both", () => {
    const random = createRandom(1);
    const seen = new Set(Array.from({ length: 200 }, () => random.integer(3, 6)));
    expect([...seen].sort()).toEqual([3, 4, 5, 6]);
  });
});

describe("the store", () => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant("insert" as const),
      id: fc.option(fc.integer({ min: 1, max: 40 })),
      zone: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      do: fc.constant("update" as const),
      id: fc.integer({ min: 1, max: 40 }),
      zone: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      do: fc.constant("delete" as const),
      id: fc.integer({ min: 1, max: 40 }),
      zone: fc.constant(0),
    }),
    fc.record({ do: fc.constant("reload" as const), id: fc.constant(null), zone: fc.constant(0) }),
  );

  test("a collection stays in order of id and its index agrees with a scan, whatever happens", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = createStore();
        const records = store.collection<{ id: number; zone: number }>("records");
        const model = new Map<number, number>();
        for (const { do: what, id, zone } of steps) {
          if (what === "insert" && (id === null || !model.has(id)))
            model.set(records.insert(id === null ? { zone } : { id, zone }).id, zone);
          if (what === "update" && model.has(id!)) {
            records.update(id!, { zone });
            model.set(id!, zone);
          }
          if (what === "delete") expect(records.delete(id!)).toBe(model.delete(id!));
          if (what === "reload") store.setData(structuredClone(store.data()));
          const expected = [...model]
            .sort(([a], [b]) => a - b)
            .map(([key, value]) => ({ id: key, zone: value }));
          expect(records.all()).toEqual(expected);
          expect(records.size).toBe(model.size);
          for (const wanted of [1, 2, 3])
            expect(records.by("zone", wanted)).toEqual(expected.filter((record) => record.zone === wanted));
        }
      }),
    );
  });

  test("collections count from different starts and never give an id twice", () => {
    const store = createStore();
    const names = ["domains", "records", "volumes", "vpcs", "subnets", "events", "tokens", "users"];
    const ids = names.map((name) => store.collection(name).insert({}).id);
    expect(new Set(ids).size).toBe(names.length);
    const domains = store.collection("domains");
    domains.delete(ids[0]!);
    expect(domains.insert({}).id).toBe(ids[0]! + 1);
    expect(() => domains.insert({ id: ids[0]! + 1 })).toThrow("already has an item");
    expect(() => domains.update(1, {})).toThrow("has no item 1");
  });

  test("what was handed out stays valid after the account is replaced", () => {
    const store = createStore();
    const domains = store.collection("domains");
    const { account } = store;
    domains.insert({ id: 1, name: "a" });
    expect(domains.by("name", "a")).toHaveLength(1);
    store.setData({
      account: { city: "Here" },
      counters: {},
      collections: { domains: [{ id: 2, name: "a" }] },
    });
    expect(domains.by("name", "a").map(({ id }) => id)).toEqual([2]);
    expect(account).toEqual({ city: "Here" });
  });
});
