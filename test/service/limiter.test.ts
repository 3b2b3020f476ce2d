import { describe, expect, it } from "vitest";
import type { Answer, Request } from "../../provider/service/http/transport.ts";
import { limited } from "../../provider/service/limiter.ts";
import { createFakeClock, type FakeClock, settle } from "./fake-clock.ts";

interface Desk {
  readonly clock: FakeClock;
  /** Requests under way, oldest first. */
  readonly open: { readonly path: string; answer(status?: number, headers?: Answer["headers"]): void }[];
  ask(path: string, options?: { list?: boolean; signal?: AbortSignal }): Promise<Answer>;
}

function desk(parallel = 16): Desk {
  const clock = createFakeClock();
  const open: Desk["open"] = [];
  const send = limited(
    (request: Request) =>
      new Promise((resolve) => {
        const one = {
          path: request.path,
          answer: (status = 200, headers: Answer["headers"] = {}) => {
            open.splice(open.indexOf(one), 1);
            resolve({ status, headers, json: {}, empty: false });
          },
        };
        open.push(one);
      }),
    { parallel, clock, random: () => 0 },
  );
  return {
    clock,
    open,
    ask: (path, { list = false, signal } = {}) => send({ method: "GET", path, list }, signal),
  };
}

function left(clock: FakeClock, remaining: number, resetSeconds: number): Answer["headers"] {
  return {
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(clock.now() / 1000 + resetSeconds),
  };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => `/${at}`);

describe("requests at once", () => {
  it("are sixteen at most, the others follow in order", async () => {
    const { open, ask } = desk();
    const asked = many(20).map((path) => ask(path));
    await settle();
    expect(open.map(({ path }) => path)).toEqual(many(16));
    open[0]?.answer();
    await settle();
    expect(open.at(-1)?.path).toBe("/16");
    while (open.length > 0) {
      open[0]?.answer();
      await settle();
    }
    await Promise.all(asked);
  });

  it("halve on a 429, once for all that were under way, and grow again with successes", async () => {
    const { open, ask, clock } = desk(8);
    for (const path of many(8)) void ask(path);
    await settle();
    for (const one of [...open]) one.answer(429, { "retry-after": "1" });
    await settle();
    for (const path of many(30)) void ask(path);
    await clock.advance(1000);
    expect(open).toHaveLength(4);
    for (const one of [...open]) one.answer();
    await settle();
    expect(open).toHaveLength(4);
    for (const one of [...open, ...open]) one.answer();
    await settle();
    expect(open.length).toBeGreaterThan(4);
  });
});

describe("a 429", () => {
  it("holds every start back until its Retry-After is over", async () => {
    const { open, ask, clock } = desk();
    void ask("/a");
    await settle();
    open[0]?.answer(429, { "retry-after": "7" });
    await settle();
    void ask("/b");
    await clock.advance(6_999);
    expect(open).toHaveLength(0);
    await clock.advance(1);
    expect(open).toHaveLength(1);
  });

  it("without Retry-After waits for the window's end, or a second, then longer", async () => {
    const { open, ask, clock } = desk();
    void ask("/a");
    await settle();
    open[0]?.answer(429, left(clock, 0, 30));
    await settle();
    void ask("/b");
    await clock.advance(29_000);
    expect(open).toHaveLength(0);
    await clock.advance(1_000);
    expect(open).toHaveLength(1);
    for (const seconds of [2, 4]) {
      open[0]?.answer(429);
      await settle();
      void ask("/c");
      await clock.advance(seconds * 1000 - 1);
      expect(open).toHaveLength(0);
      await clock.advance(1);
      expect(open).toHaveLength(1);
    }
  });

  it("that asks for more than a quarter of an hour holds nobody back: its own call fails", async () => {
    const { open, ask } = desk();
    void ask("/a");
    await settle();
    open[0]?.answer(429, { "retry-after": "3600" });
    await settle();
    void ask("/b");
    await settle();
    expect(open).toHaveLength(1);
  });
});

describe("what the service says is left", () => {
  it("is not overdrawn: with nothing left, the window's end is awaited", async () => {
    const { open, ask, clock } = desk();
    void ask("/a");
    await settle();
    open[0]?.answer(200, left(clock, 2, 60));
    await settle();
    for (const path of many(5)) void ask(path);
    await settle();
    expect(open).toHaveLength(2);
    open[0]?.answer(200, left(clock, 1, 60));
    open[0]?.answer(200, left(clock, 0, 60));
    await clock.advance(59_000);
    expect(open).toHaveLength(0);
    await clock.advance(1_000);
    expect(open).toHaveLength(3);
  });

  it("of lists does not hold back what is no list", async () => {
    const { open, ask, clock } = desk();
    void ask("/list", { list: true });
    await settle();
    open[0]?.answer(200, left(clock, 0, 60));
    await settle();
    void ask("/list", { list: true });
    void ask("/item");
    await settle();
    expect(open.map(({ path }) => path)).toEqual(["/item"]);
    await clock.advance(60_000);
    expect(open.map(({ path }) => path)).toEqual(["/item", "/list"]);
  });
});

describe("the limits of single kinds of requests", () => {
  const counted = (clock: FakeClock, remaining: number, limit: number) => ({
    ...left(clock, remaining, 100),
    "x-ratelimit-limit": String(limit),
  });
  /** Asks for so many records, answers whatever is under way until nothing is, and says how many were asked for. */
  async function asked({ open, ask }: Desk, count: number, headers: Answer["headers"], list = false) {
    for (let at = 0; at < count; at++) void ask(`/domains/${at}/records?page=${at}`, { list });
    let answered = 0;
    for (await settle(); open.length > 0; await settle()) {
      open[0]?.answer(200, headers);
      answered++;
    }
    return answered;
  }

  it("are kept, with the window counted from the first answer, once the service is seen to count", async () => {
    const on = desk();
    expect(await asked(on, 500, counted(on.clock, 700, 800))).toBe(400);
    void on.ask("/volumes");
    await settle();
    expect(on.open.map(({ path }) => path)).toEqual(["/volumes"]);
    on.open[0]?.answer();
    await on.clock.advance(59_999);
    expect(on.open).toHaveLength(0);
    await on.clock.advance(1);
    expect(on.open).toHaveLength(16);
  });

  it("are narrower for pages of lists", async () => {
    const on = desk();
    expect(await asked(on, 500, counted(on.clock, 700, 800), true)).toBe(200);
  });

  it("are not known of a service that has another general limit, or counts nothing", async () => {
    for (const [remaining, limit] of [
      [700, 1600],
      [800, 800],
    ] as const) {
      const on = desk();
      expect(await asked(on, 500, counted(on.clock, remaining, limit))).toBe(500);
    }
  });

  it("do not count what was refused", async () => {
    const on = desk();
    expect(await asked(on, 399, counted(on.clock, 700, 800))).toBe(399);
    void on.ask("/domains/1/records");
    await settle();
    on.open[0]?.answer(429, { "retry-after": "1" });
    void on.ask("/domains/1/records");
    await on.clock.advance(1000);
    expect(on.open).toHaveLength(1);
  });
});

describe("a request that waits for its turn", () => {
  it("leaves the queue when it is aborted, and one under way does not", async () => {
    const { open, ask } = desk(1);
    const stop = new AbortController();
    const first = ask("/first", { signal: stop.signal });
    const second = ask("/second", { signal: stop.signal });
    const third = ask("/third");
    await settle();
    stop.abort();
    await expect(second).rejects.toMatchObject({ name: "CancelledError" });
    open[0]?.answer();
    await first;
    await settle();
    expect(open.map(({ path }) => path)).toEqual(["/third"]);
    open[0]?.answer();
    await third;
  });

  it("leaves no timer behind when it is aborted in a pause", async () => {
    const { open, ask, clock } = desk();
    void ask("/a");
    await settle();
    open[0]?.answer(429, { "retry-after": "60" });
    await settle();
    const stop = new AbortController();
    const asked = ask("/b", { signal: stop.signal });
    await settle();
    expect(clock.sleepers()).toBe(1);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ name: "CancelledError" });
    expect(clock.sleepers()).toBe(0);
  });

  it("gets its turn although an earlier one failed", async () => {
    const clock = createFakeClock();
    const send = limited(() => Promise.reject(new Error("broken")), { parallel: 1, clock, random: () => 0 });
    await expect(send({ method: "GET", path: "/a" })).rejects.toThrow("broken");
    await expect(send({ method: "GET", path: "/b" })).rejects.toThrow("broken");
  });
});
