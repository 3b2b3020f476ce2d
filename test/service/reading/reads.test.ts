import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isGone } from "../../../provider/core/service-port.ts";
import { createMemory, type Memory } from "../../../provider/service/reading/memory.ts";
import { createReads, type Reads } from "../../../provider/service/reading/reads.ts";
import type { Write } from "../../../provider/service/reading/writes.ts";
import { createFakeClock, type FakeClock, settle } from "../fake-clock.ts";
import { lists } from "../lists.ts";
import { createMemoryService, type MemoryService, numbered } from "./memory-service.ts";

const RECORDS = "/domains/1/records";
const record = (id: number) => `${RECORDS}/${id}`;

interface Bench {
  readonly service: MemoryService;
  readonly clock: FakeClock;
  readonly memory: Memory;
  readonly reads: Reads;
  write(method: Write["method"], path: string, body?: object): Promise<{ [name: string]: unknown }>;
}

function bench(
  options: Parameters<typeof createMemoryService>[0] = {},
  clock = createFakeClock({ skipUpTo: 10 }),
): Bench {
  const service = createMemoryService(options);
  const freshnessMs = 30_000;
  const memory = createMemory({ lists, freshnessMs, now: clock.now });
  const { signal } = new AbortController();
  const reads = createReads({ lists, call: service.call, memory, clock, windowMs: 10, freshnessMs, signal });
  return {
    service,
    clock,
    memory,
    reads,
    async write(method, path, body) {
      const begun = memory.beginWrite(method, path);
      try {
        const answer = await service.call({ method, path, body: body as { [name: string]: unknown } });
        memory.endWrite(begun, answer);
        return answer;
      } catch (error) {
        memory.endWrite(begun);
        throw error;
      }
    },
  };
}

/** Reads the items in waves of so many at a time; returns what it asked. */
async function inWaves({ reads, service }: Bench, ids: readonly number[], wave: number): Promise<string[]> {
  for (let at = 0; at < ids.length; at += wave) {
    const objects = await Promise.all(ids.slice(at, at + wave).map((id) => reads.get(record(id))));
    expect(objects.map(({ id }) => id)).toEqual(ids.slice(at, at + wave));
  }
  return service.asked;
}

const ids = (count: number) => numbered(count).map(({ id }) => id);

describe("reading a thousand records", () => {
  it.each([2, 4, 16, 1000])("%i at a time makes two requests: the pages of their list", async (wave) => {
    const all = bench();
    all.service.lists.set(RECORDS, numbered(1000));
    expect(await inWaves(all, ids(1000), wave)).toEqual([`GET ${RECORDS}?page=1`, `GET ${RECORDS}?page=2`]);
  });

  it("one after the other makes three", async () => {
    const all = bench();
    all.service.lists.set(RECORDS, numbered(1000));
    expect(await inWaves(all, ids(1000), 1)).toHaveLength(3);
  });

  it("after a change of some of them makes no more: the answers of the writes are kept", async () => {
    const all = bench();
    all.service.lists.set(RECORDS, numbered(1000));
    await inWaves(all, ids(1000), 16);
    for (const id of [3, 700]) await all.write("PUT", record(id), { target: "new" });
    all.service.asked.length = 0;
    expect(await all.reads.get(record(3))).toMatchObject({ target: "new" });
    expect(await inWaves(all, ids(1000), 16)).toEqual([]);
  });
});

it("twelve thousand records are the 24 pages of their list, sixteen reads at a time", async () => {
  const all = bench();
  all.service.lists.set(RECORDS, numbered(12_000));
  expect(await inWaves(all, ids(12_000), 16)).toHaveLength(24);
});

it("two of twelve thousand records are read by themselves, not by 24 pages", async () => {
  const all = bench();
  all.service.lists.set(RECORDS, numbered(12_000));
  const asked = await inWaves(all, [600, 7000], 2);
  expect(asked).toEqual([`GET ${RECORDS}?page=1`, `GET ${record(600)}`, `GET ${record(7000)}`]);
});

describe("a single read", () => {
  it("uses the item's own GET", async () => {
    const { reads, service } = bench();
    service.lists.set("/volumes", numbered(3));
    expect(await reads.get("/volumes/2")).toMatchObject({ id: 2 });
    expect(service.asked).toEqual(["GET /volumes/2"]);
  });

  it("asked twice at once is one request, and of different lists are two", async () => {
    const { reads, service } = bench();
    service.lists.set("/volumes", numbered(3));
    service.lists.set("/vpcs", numbered(3));
    await Promise.all([reads.get("/volumes/2"), reads.get("/volumes/2"), reads.get("/vpcs/1")]);
    expect(service.asked).toEqual(["GET /volumes/2", "GET /vpcs/1"]);
  });

  it("of a view is shared while it is under way, and asked again afterwards", async () => {
    const { reads, service } = bench();
    service.lists.set("/domains", [{ id: 1 }]);
    service.refusals.set("/domains/1/zone-file", 404);
    const both = [reads.get("/domains/1/zone-file"), reads.get("/domains/1/zone-file")];
    for (const one of both) await expect(one).rejects.toMatchObject({ status: 404 });
    await expect(reads.get("/domains/1/zone-file")).rejects.toMatchObject({ status: 404 });
    expect(service.asked).toHaveLength(2);
  });
});

describe("a list that was read", () => {
  it("is asked again when it is older than the freshness limit", async () => {
    const { reads, service, clock } = bench();
    service.lists.set(RECORDS, numbered(5));
    await Promise.all([1, 2].map((id) => reads.get(record(id))));
    await clock.advance(29_000);
    await reads.get(record(3));
    expect(service.asked).toHaveLength(1);
    await clock.advance(2_000);
    await Promise.all([1, 2].map((id) => reads.get(record(id))));
    expect(service.asked).toHaveLength(2);
  });

  it("answers the list itself, with own writes worked in", async () => {
    const { reads, service, write } = bench();
    service.lists.set(RECORDS, numbered(3));
    await reads.list(RECORDS);
    await write("PUT", record(2), { target: "new" });
    await write("DELETE", record(1));
    const made = await write("POST", RECORDS, { target: "made" });
    const seen = await reads.list(RECORDS);
    expect(seen).toEqual(service.lists.get(RECORDS));
    expect(seen.map(({ id }) => id)).toEqual([2, 3, made["id"]]);
    expect(service.asked.filter((what) => what.startsWith("GET"))).toHaveLength(1);
  });

  it("is read anew when asked fresh", async () => {
    const { reads, service } = bench();
    service.lists.set(RECORDS, numbered(3));
    await reads.list(RECORDS);
    await reads.list(RECORDS, { fresh: true });
    expect(service.asked).toHaveLength(2);
  });

  it("by two at once is one request; a fresh one never joins", async () => {
    const { reads, service } = bench();
    service.lists.set(RECORDS, numbered(3));
    await Promise.all([reads.list(RECORDS), reads.list(RECORDS), reads.list(RECORDS, { fresh: true })]);
    expect(service.asked).toHaveLength(2);
  });

  it("with a filter is kept apart, and dropped by a write of its area", async () => {
    const { reads, service, write } = bench();
    service.lists.set("/domains", [{ id: 1 }]);
    const filter = { domain: "a" };
    await reads.list("/domains", { filter });
    await reads.list("/domains", { filter });
    await reads.list("/domains", { filter: { domain: "b" } });
    expect(service.asked).toHaveLength(2);
    await write("PUT", "/domains/1", {});
    await reads.list("/domains", { filter });
    expect(service.asked.filter((what) => what.startsWith("GET"))).toHaveLength(3);
  });

  it("of things without an id shows them all", async () => {
    const { reads, service } = bench();
    service.lists.set("/vpcs/ips", [{ address: "10.0.0.1" }, { address: "10.0.0.2" }] as never[]);
    await reads.list("/vpcs/ips");
    expect(await reads.list("/vpcs/ips")).toHaveLength(2);
    expect(service.asked).toHaveLength(1);
  });
});

describe("after an own write", () => {
  it("an action's object is asked again, the others are not", async () => {
    const { reads, service, memory } = bench();
    service.lists.set("/volumes", numbered(4));
    await Promise.all([1, 2, 3].map((id) => reads.get(`/volumes/${id}`)));
    memory.endWrite(memory.beginWrite("POST", "/volumes/2/resize"), {});
    service.asked.length = 0;
    await Promise.all([1, 2, 3].map((id) => reads.get(`/volumes/${id}`)));
    expect(service.asked).toEqual(["GET /volumes/2"]);
  });

  it("whose answer was lost, the object is asked again", async () => {
    const { reads, service, memory } = bench();
    service.lists.set(RECORDS, numbered(4));
    await Promise.all([1, 2].map((id) => reads.get(record(id))));
    memory.endWrite(memory.beginWrite("PUT", record(1)));
    service.asked.length = 0;
    await reads.get(record(1));
    expect(service.asked).toEqual([`GET ${record(1)}`]);
  });

  it("what it made is known, what it deleted is gone, without a request", async () => {
    const { reads, service, write } = bench();
    service.lists.set(RECORDS, numbered(2));
    const made = await write("POST", RECORDS, { target: "x" });
    await write("DELETE", record(1));
    service.asked.length = 0;
    expect(await reads.get(record(Number(made["id"])))).toMatchObject({ target: "x" });
    await expect(reads.get(record(1))).rejects.toMatchObject({
      status: 404,
      message: `GET ${record(1)}: 404 Not found`,
    });
    expect(service.asked).toEqual([]);
  });

  it("of a parent, the children are asked again", async () => {
    const { reads, service, write } = bench();
    service.lists.set("/domains", [{ id: 1 }]);
    service.lists.set(RECORDS, numbered(3));
    await Promise.all([1, 2].map((id) => reads.get(record(id))));
    await write("DELETE", "/domains/1");
    service.lists.delete(RECORDS);
    await expect(reads.get(record(1))).rejects.toMatchObject({ status: 404 });
  });

  it("of a child, the parent is asked again", async () => {
    const { reads, service, write } = bench();
    service.lists.set("/vpcs", [{ id: 1, subnets: [] } as never]);
    service.lists.set("/vpcs/1/subnets", []);
    await reads.get("/vpcs/1");
    await write("POST", "/vpcs/1/subnets", { label: "a" });
    service.asked.length = 0;
    await reads.get("/vpcs/1");
    expect(service.asked).toEqual(["GET /vpcs/1"]);
  });

  it("of a child, the list of parents is asked again, although the parent was written before", async () => {
    const { reads, service, write } = bench();
    service.lists.set("/vpcs", [{ id: 1 }]);
    service.lists.set("/vpcs/1/subnets", []);
    await reads.list("/vpcs");
    await write("PUT", "/vpcs/1", { label: "new" });
    await write("POST", "/vpcs/1/subnets", { label: "a" });
    service.asked.length = 0;
    await reads.list("/vpcs");
    expect(service.asked).toHaveLength(1);
  });

  it("a list of the same things from another side is asked again", async () => {
    const { reads, service, write } = bench();
    service.lists.set("/databases/instances", numbered(1));
    service.lists.set("/databases/mysql/instances", numbered(1));
    await reads.list("/databases/instances");
    await write("PUT", "/databases/mysql/instances/1", { label: "new" });
    service.asked.length = 0;
    await reads.list("/databases/instances");
    expect(service.asked).toHaveLength(1);
  });

  it("a key's secret, shown once, is not shown by a read", async () => {
    const { reads, service, write } = bench();
    service.lists.set("/object-storage/keys", []);
    const made = await write("POST", "/object-storage/keys", { secret_key: "once" });
    service.asked.length = 0;
    await reads.get(`/object-storage/keys/${made["id"]}`);
    expect(service.asked).toHaveLength(1);
  });

  it("of a bucket, its cluster's list and the list of all are asked again", async () => {
    const { reads, service, memory } = bench();
    for (const list of ["/object-storage/buckets", "/object-storage/buckets/us"]) service.lists.set(list, []);
    await reads.list("/object-storage/buckets");
    await reads.list("/object-storage/buckets/us");
    memory.endWrite(memory.beginWrite("POST", "/object-storage/buckets"), { label: "b", cluster: "us" });
    await reads.list("/object-storage/buckets");
    await reads.list("/object-storage/buckets/us");
    memory.endWrite(memory.beginWrite("DELETE", "/object-storage/buckets/us/b"), {});
    await reads.list("/object-storage/buckets");
    expect(service.asked).toHaveLength(5);
  });

  it("a fresh read never gets what was seen before", async () => {
    const { reads, service } = bench();
    service.lists.set(RECORDS, numbered(2));
    await reads.list(RECORDS);
    await reads.getFresh(record(1));
    expect(service.asked.at(-1)).toBe(`GET ${record(1)}`);
  });
});

describe("an item that its list lacks", () => {
  it("is gone when the list is all there is", async () => {
    const { reads, service } = bench();
    service.lists.set(RECORDS, numbered(3));
    const outcomes = await Promise.allSettled([1, 99, 98].map((id) => reads.get(record(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(service.asked).toHaveLength(1);
  });

  it("is asked by itself when an own delete, under way before the list was read and after it, ran between two of its pages", async () => {
    let beforeSecondPage = (): void => {};
    const pause = async (what: string): Promise<void> => {
      if (what === "GET /domains/1/records?page=2 arrives") beforeSecondPage();
    };
    const { reads, service, memory } = bench({ pageSize: 3, pause });
    service.lists.set(RECORDS, numbered(8));
    memory.beginWrite("DELETE", record(1));
    beforeSecondPage = () => {
      const [, ...others] = service.lists.get(RECORDS) ?? [];
      service.lists.set(RECORDS, [...others, { id: 9, version: 0 }]);
    };
    const seen = await Promise.all([4, 5, 6, 7].map((id) => reads.get(record(id))));
    expect(seen.map((item) => item["id"])).toEqual([4, 5, 6, 7]);
    expect(service.asked).toContain(`GET ${record(4)}`);
  });

  it("is asked by itself when grants may hide it from the list", async () => {
    const { reads, service } = bench();
    service.lists.set("/volumes", numbered(3));
    service.refusals.set("/volumes/99", 403);
    const outcomes = await Promise.allSettled([1, 99].map((id) => reads.get(`/volumes/${id}`)));
    expect(outcomes[1]).toMatchObject({ reason: { status: 403 } });
    expect(service.asked).toEqual(["GET /volumes?page=1", "GET /volumes/99"]);
  });

  it("is asked by itself when we made it: a list can lag behind", async () => {
    const { reads, service, write, clock } = bench();
    service.lists.set(RECORDS, numbered(3));
    const made = await write("POST", RECORDS, {});
    await clock.advance(31_000);
    const id = Number(made["id"]);
    const lagging = service.lists.get(RECORDS) ?? [];
    service.lists.set(
      RECORDS,
      lagging.filter((item) => item.id !== id),
    );
    const asked = Promise.allSettled([1, id].map((each) => reads.get(record(each))));
    await settle();
    await asked;
    expect(service.asked).toContain(`GET ${record(id)}`);
  });
});

describe("a list that cannot be read", () => {
  it.each([403, 405, 501, 400])(
    "because of %i leaves each item to its own GET, from then on",
    async (status) => {
      const { reads, service } = bench();
      service.lists.set(RECORDS, numbered(4));
      service.refusals.set(RECORDS, status);
      await Promise.all([1, 2].map((id) => reads.get(record(id))));
      await Promise.all([3, 4].map((id) => reads.get(record(id))));
      expect(service.asked).toEqual([
        `GET ${RECORDS}?page=1`,
        ...[1, 2, 3, 4].map((id) => `GET ${record(id)}`),
      ]);
    },
  );

  it("because its parent is gone makes every item gone, for one more request", async () => {
    const { reads, service } = bench();
    const outcomes = await Promise.allSettled([1, 2, 3].map((id) => reads.get(record(id))));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: { name: "ApiError", status: 404 } });
    expect(service.asked).toEqual([`GET ${RECORDS}?page=1`, `GET ${record(1)}`]);
  });

  it("because the service is broken fails the reads that wanted it", async () => {
    const { reads, service } = bench();
    service.refusals.set(RECORDS, 502);
    const outcomes = await Promise.allSettled([1, 2].map((id) => reads.get(record(id))));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { status: 502 } });
  });
});

it("an abort ends one caller's read, not the others'", async () => {
  const { reads, service } = bench();
  service.lists.set(RECORDS, numbered(3));
  const stop = new AbortController();
  const first = reads.get(record(1), { signal: stop.signal });
  const second = reads.get(record(2));
  stop.abort();
  await expect(first).rejects.toMatchObject({ name: "CancelledError" });
  expect(await second).toMatchObject({ id: 2 });
});

it("no interleaving of reads and writes shows anything older than the last own write that had ended", async () => {
  const id = fc.integer({ min: 1, max: 7 });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("get" as const), id }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("put" as const), id }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), id }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("post" as const), id }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("list" as const), id }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("lost" as const), id }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 }),
      async (scheduler, actors) => {
        const clock = createFakeClock();
        const timed = {
          ...clock,
          sleep: () => scheduler.schedule(Promise.resolve(), "window") as Promise<void>,
        };
        const all = bench(
          { pageSize: 3, pause: (what) => scheduler.schedule(Promise.resolve(), what) },
          timed,
        );
        all.service.lists.set(RECORDS, numbered(7));
        /** What own writes that ended have shown: the least version, or gone. */
        const least = new Map<number, number>(numbered(7).map((item) => [item.id, 0]));
        const gone = new Set<number>();
        const deleting = new Set<number>();
        const made: number[] = [];
        const pick = (n: number) => (n === 7 ? (made.at(-1) ?? 7) : n);

        const run = async (what: "get" | "put" | "delete" | "post" | "list" | "lost", n: number) => {
          const one = pick(n);
          const floor = least.get(one) ?? 0;
          const wasGone = gone.has(one);
          if (what === "get") {
            const seen = await all.reads.get(record(one)).catch((error: unknown) => {
              if (isGone(error)) return undefined;
              throw error;
            });
            if (wasGone) expect(seen).toBeUndefined();
            else if (!deleting.has(one)) expect(Number(seen?.["version"])).toBeGreaterThanOrEqual(floor);
            else if (seen) expect(Number(seen["version"])).toBeGreaterThanOrEqual(floor);
          } else if (what === "list") {
            const floors = new Map(least);
            const goneBefore = new Set(gone);
            for (const item of await all.reads.list(RECORDS)) {
              expect(goneBefore.has(Number(item["id"]))).toBe(false);
              expect(Number(item["version"])).toBeGreaterThanOrEqual(floors.get(Number(item["id"])) ?? 0);
            }
          } else if (what === "post") {
            const answer = await all.write("POST", RECORDS, {});
            made.push(Number(answer["id"]));
            least.set(Number(answer["id"]), Number(answer["version"]));
          } else if (what === "delete") {
            deleting.add(one);
            await all.write("DELETE", record(one)).catch(() => undefined);
            gone.add(one);
          } else if (what === "put") {
            const answer = await all.write("PUT", record(one), {}).catch(() => undefined);
            if (answer) least.set(one, Math.max(least.get(one) ?? 0, Number(answer["version"])));
          } else {
            // It runs, but its answer never comes.
            const begun = all.memory.beginWrite("PUT", record(one));
            const answer = await all.service
              .call({ method: "PUT", path: record(one), body: {} })
              .catch(() => undefined);
            all.memory.endWrite(begun);
            if (answer) least.set(one, Math.max(least.get(one) ?? 0, Number(answer["version"])));
          }
        };
        const acting = Promise.all(
          actors.map(async (steps) => {
            for (const each of steps) await run(each.do, each.id);
          }),
        );
        acting.catch(() => undefined);
        await scheduler.waitFor(acting);
      },
    ),
    { numRuns: 400 },
  );
});
