import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../provider/core/service-port.ts";
import { ListChangedError } from "../../../provider/service/errors.ts";
import { readList } from "../../../provider/service/reading/paging.ts";
import type { Call } from "../../../provider/service/retry.ts";

interface Item {
  readonly [name: string]: unknown;
  readonly id: number;
}

/** A service with one list; `before` runs before each page is answered. */
function listing(items: Item[], options: { before?: (asked: number) => void; size?: number } = {}) {
  const paths: string[] = [];
  const call: Call = async ({ path }) => {
    paths.push(path);
    options.before?.(paths.length);
    const query = new URLSearchParams(path.split("?")[1]);
    const size = options.size ?? Number(query.get("page_size") ?? 100);
    const page = Number(query.get("page"));
    return {
      data: items.slice((page - 1) * size, page * size),
      page,
      pages: Math.max(1, Math.ceil(items.length / size)),
      results: items.length,
    };
  };
  return { call, paths };
}

const numbered = (count: number): Item[] => Array.from({ length: count }, (_, at) => ({ id: at + 1 }));

describe("a list", () => {
  it("is read 500 items at a time, the first page and then the others", async () => {
    const { call, paths } = listing(numbered(1001));
    const answer = await readList(call, { path: "/domains" });
    expect(answer).toMatchObject({ pages: 3, whole: true });
    expect(answer.items).toEqual(numbered(1001));
    expect(paths).toEqual([1, 2, 3].map((page) => `/domains?page_size=500&page=${page}`));
  });

  it("asks for the later pages at once", async () => {
    const { call } = listing(numbered(2000));
    let flying = 0;
    let most = 0;
    const slow: Call = async (request) => {
      most = Math.max(most, ++flying);
      await new Promise((resolve) => setImmediate(resolve));
      flying--;
      return call(request);
    };
    await readList(slow, { path: "/domains" });
    expect(most).toBe(3);
  });

  it("without items is one page", async () => {
    expect(await readList(listing([]).call, { path: "/domains" })).toEqual({
      items: [],
      pages: 1,
      whole: true,
    });
  });

  it("with a query of its own keeps it", async () => {
    const { call, paths } = listing([]);
    await readList(call, { path: "/a?x=1" });
    expect(paths).toEqual(["/a?x=1&page_size=500&page=1"]);
  });

  it("stops after its first page when the rest is not worth it", async () => {
    const { call, paths } = listing(numbered(1500));
    const answer = await readList(call, { path: "/domains", goOn: (pages) => pages < 3 });
    expect(answer).toMatchObject({ pages: 3, whole: false });
    expect(answer.items).toHaveLength(500);
    expect(paths).toHaveLength(1);
  });

  it("that is a bare array is taken as it is", async () => {
    const bare = [{ id: 1 }] as unknown as { [name: string]: unknown };
    expect((await readList(async () => bare, { path: "/x" })).items).toEqual([{ id: 1 }]);
  });

  it("that claims more items or pages than any account has is not read on", async () => {
    for (const claim of [{ results: 1e15 }, { pages: 1e9, results: 2 }]) {
      const { call, paths } = listing(numbered(3));
      const boasting: Call = async (request) => ({ ...(await call(request)), ...claim });
      await expect(readList(boasting, { path: "/x" })).rejects.toThrow(/more than any account has/);
      expect(paths).toHaveLength(1);
    }
  });

  it("that always promises one page more comes to an end", async () => {
    let asked = 0;
    const endless: Call = async ({ path }) => {
      const page = Number(new URLSearchParams(path.split("?")[1]).get("page"));
      asked++;
      return { data: [{ id: page }], page, pages: page + 1, results: page + 1 };
    };
    await expect(readList(endless, { path: "/x" })).rejects.toThrow(/more than any account has/);
    expect(asked).toBeLessThan(3000);
  });

  it("is read by the service's own page size when it refuses 500", async () => {
    const { call, paths } = listing(numbered(150));
    const strict: Call = (request) => {
      if (!request.path.includes("page_size")) return call(request);
      const reasons = [{ reason: "Must be 25-100", field: "page_size" }];
      throw new ApiError({ method: "GET", path: "/x", status: 400, reasons, retryable: false });
    };
    expect((await readList(strict, { path: "/x" })).items).toHaveLength(150);
    expect(paths).toEqual(["/x?page=1", "/x?page=2"]);
  });
});

describe("a list that changes while it is read", () => {
  it("is read again when it lost items", async () => {
    const items = numbered(1000);
    const { call, paths } = listing(items, {
      before: (asked) => {
        if (asked === 2) items.splice(0, 1);
      },
    });
    const answer = await readList(call, { path: "/domains" });
    expect(answer.items.map(({ id }) => id)).toEqual(
      numbered(1000)
        .slice(1)
        .map(({ id }) => id),
    );
    expect(paths).toHaveLength(4);
  });

  it("is read on to its new end when it grew", async () => {
    const items = numbered(1000);
    const { call, paths } = listing(items, {
      before: (asked) => {
        if (asked === 2) items.push({ id: 1001 });
      },
    });
    expect((await readList(call, { path: "/domains" })).items).toHaveLength(1001);
    expect(paths).toHaveLength(3);
  });

  it("at each of five readings is an error, not a half truth", async () => {
    const items = numbered(2000);
    const { call } = listing(items, { before: () => items.splice(0, 1) });
    await expect(readList(call, { path: "/domains" })).rejects.toBeInstanceOf(ListChangedError);
  });

  it("and always shows fewer items than it counts is not believed: what it hides would pass for gone", async () => {
    for (const count of [3, 600]) {
      const { call } = listing(numbered(count));
      const boasting: Call = async (request) => ({ ...(await call(request)), results: count + 5 });
      await expect(readList(boasting, { path: "/x" })).rejects.toThrow(
        `shows ${count} of the ${count + 5} items`,
      );
    }
  });

  it("shows each item once, and every item that was there all the time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.dictionary(
          fc.integer({ min: 1, max: 12 }).map(String),
          fc.record({ adds: fc.nat(3), removes: fc.array(fc.nat(60), { maxLength: 2 }) }),
          { maxKeys: 3 },
        ),
        async (count, size, changes) => {
          const items = numbered(count);
          let next = count + 1;
          const removed = new Set<number>();
          const { call } = listing(items, {
            size,
            before: (asked) => {
              const change = changes[String(asked)];
              // A removal and an addition between the same two pages leave no trace in the counts.
              if (change && change.removes.length > 0) {
                for (const at of change.removes) for (const { id } of items.splice(at, 1)) removed.add(id);
              } else {
                for (let more = change?.adds ?? 0; more > 0; more--) items.push({ id: next++ });
              }
            },
          });
          const twoWays =
            Object.values(changes).some(({ removes }) => removes.length > 0) &&
            Object.values(changes).some(({ removes, adds }) => removes.length === 0 && adds > 0);
          fc.pre(!twoWays);
          const answer = await readList(call, { path: "/x" }).catch((error: unknown) => error);
          if (answer instanceof ListChangedError) return;
          const ids = (answer as { items: Item[] }).items.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          for (let id = 1; id <= count; id++) if (!removed.has(id)) expect(ids).toContain(id);
        },
      ),
      { numRuns: 500 },
    );
  });
});
