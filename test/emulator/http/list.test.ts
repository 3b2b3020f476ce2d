import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../emulator/contract/contract.ts";
import { shapeReader } from "../../../emulator/contract/shape.ts";
import { createBrand } from "../../../emulator/http/brand.ts";
import { readFilter } from "../../../emulator/http/filter.ts";
import { cut } from "../../../emulator/http/page.ts";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { ask } from "../client.ts";

const plain = createBrand("compute");
const item = shapeReader({})({
  type: "object",
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    size: { type: ["integer", "null"] },
    on: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    entity: { type: ["object", "null"], properties: { id: { type: ["integer", "string"] } } },
  },
});
const attributes = new Map([
  ...["id", "name", "size", "on", "tags"].map((name) => [name, item.properties.get(name)] as const),
  ["entity.id", item.properties.get("entity")?.properties.get("id")] as const,
]);
const filter = (value: unknown) => readFilter(JSON.stringify(value), attributes, plain);

interface Thing {
  id: number;
  name: string;
  size: number | null;
  on: boolean;
  tags: string[];
  entity: { id: number | string } | null;
}

const things = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 1_000 }),
    name: fc.constantFrom("", "a", "A", "ab", "Ab", "b", "ba", "é"),
    size: fc.option(fc.integer({ min: 0, max: 5 })),
    on: fc.boolean(),
    tags: fc.array(fc.constantFrom("x", "X", "y", "xy"), { maxLength: 3 }),
    entity: fc.option(fc.record({ id: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant("a")) })),
  }),
  { selector: ({ id }) => id, maxLength: 30 },
);

describe("operators agree with a plain reference", () => {
  const lower = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value);
  const check = (condition: unknown, reference: (thing: Thing) => boolean) =>
    fc.assert(
      fc.property(things, (list) => {
        expect(list.filter(filter(condition).matches)).toEqual(list.filter(reference));
      }),
    );

  test("equality, without regard to case, and null", () => {
    check({ name: "AB" }, ({ name }) => lower(name) === "ab");
    check({ size: 3 }, ({ size }) => size === 3);
    check({ size: "3" }, ({ size }) => size === 3);
    check({ size: null }, ({ size }) => size === null);
    check({ on: true }, ({ on }) => on);
    check({ "entity.id": 2 }, ({ entity }) => entity?.id === 2);
    check({ "entity.id": "A" }, ({ entity }) => entity?.id === "a");
  });

  test("an array equals when it contains", () => {
    check({ tags: "x" }, ({ tags }) => tags.some((tag) => lower(tag) === "x"));
    check({ tags: { "+contains": "Y" } }, ({ tags }) => tags.some((tag) => tag.toLowerCase().includes("y")));
    check({ tags: { "+neq": "x" } }, ({ tags }) => !tags.some((tag) => lower(tag) === "x"));
  });

  test("orderings, contains and neq, alone and together", () => {
    check({ size: { "+gt": 2 } }, ({ size }) => size !== null && size > 2);
    check({ size: { "+gte": 2 } }, ({ size }) => size !== null && size >= 2);
    check({ size: { "+lt": 2 } }, ({ size }) => size !== null && size < 2);
    check({ size: { "+lte": 2 } }, ({ size }) => size !== null && size <= 2);
    check({ name: { "+gte": "B" } }, ({ name }) => name.toLowerCase() >= "b");
    check({ name: { "+contains": "B" } }, ({ name }) => name.toLowerCase().includes("b"));
    check({ name: { "+neq": "a" } }, ({ name }) => lower(name) !== "a");
    check({ size: { "+neq": null } }, ({ size }) => size !== null);
    check({ size: { "+gt": 1, "+lt": 4 } }, ({ size }) => size !== null && size > 1 && size < 4);
  });

  test("and, or, nested, and several keys in one object", () => {
    check({}, () => true);
    check({ name: "a", on: true }, ({ name, on }) => lower(name) === "a" && on);
    check(
      { "+and": [{ size: { "+gt": 1 } }, { on: false }] },
      ({ size, on }) => size !== null && size > 1 && !on,
    );
    check({ "+or": [{ size: 1 }, { name: "b" }] }, ({ size, name }) => size === 1 || lower(name) === "b");
    check(
      {
        "+or": [{ "+and": [{ size: 1 }, { on: true }] }, { "+or": [{ id: 5 }, { tags: "y" }] }],
        id: { "+lt": 500 },
      },
      ({ size, on, id, tags }) => ((size === 1 && on) || id === 5 || tags.includes("y")) && id < 500,
    );
    check({ "+or": [] }, () => false);
  });

  test("an order is total, and turns around with desc", () => {
    fc.assert(
      fc.property(things, fc.constantFrom("id", "name", "size", "on", "entity.id"), (list, by) => {
        const up = filter({ "+order_by": by }).compare!;
        const down = filter({ "+order_by": by, "+order": "desc" }).compare!;
        const ascending = list.toSorted(up);
        expect(list.toReversed().toSorted(up)).toEqual(ascending);
        expect(list.toSorted(down)).toEqual(ascending.toReversed());
        for (const [a, b] of ascending.slice(1).map((thing, at) => [ascending[at]!, thing] as const)) {
          if (by === "size") expect(a.size ?? -1).toBeLessThanOrEqual(b.size ?? -1);
          if (by === "name") expect(a.name.toLowerCase() <= b.name.toLowerCase()).toBe(true);
        }
      }),
    );
  });
});

test.each(["asc", "desc"])(
  "an order %s of nothing is ignored, as clients send it with every filter",
  (order) => {
    const { matches, compare } = readFilter(
      JSON.stringify({ name: "a", "+order": order }),
      attributes,
      plain,
    );
    expect(compare).toBeUndefined();
    expect([matches({ name: "A" }), matches({ name: "b" })]).toEqual([true, false]);
  },
);

describe("filters that are refused", () => {
  test.each([
    ["{", "not valid JSON"],
    ["[]", "must be a JSON object"],
    ['"a"', "must be a JSON object"],
    ['{"foo":1}', "Cannot filter on foo"],
    ['{"+or":[{"foo":1}]}', "Cannot filter on foo"],
    ['{"entity":1}', "Cannot filter on entity"],
    ['{"+order_by":"foo"}', "Cannot filter on foo"],
    ['{"+order_by":5}', "+order_by must name an attribute"],
    ['{"+order":"up"}', "+order must be one of asc, desc"],
    ['{"+order_by":"id","+order":"up"}', "+order must be one of asc, desc"],
    ['{"+or":{"id":1}}', "+or must be a list"],
    ['{"+and":[1]}', "+and must be a list"],
    ['{"size":{"+near":1}}', "+near is not an operator"],
    ['{"size":{"constructor":1}}', "constructor is not an operator"],
    ['{"size":{}}', "Could not apply filter"],
    ['{"size":"big"}', "Could not apply filter"],
    ['{"size":true}', "Could not apply filter"],
    ['{"on":"yes"}', "Could not apply filter"],
    ['{"name":5}', "Could not apply filter"],
    ['{"size":[1]}', "Could not apply filter"],
    ['{"size":{"+gt":null}}', "Could not apply filter"],
    ['{"name":{"+contains":5}}', "Could not apply filter"],
  ])("%s: %s", (text, reason) => {
    expect(() => readFilter(text, attributes, plain)).toThrow(reason);
    expect(() => readFilter(text, attributes, plain)).toThrow(
      expect.objectContaining({ status: 400, reasons: [expect.objectContaining({ field: "X-Filter" })] }),
    );
  });
});

test("pages cover every item once, in order, and agree on their number", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_300 }), fc.integer({ min: 25, max: 500 }), (count, size) => {
      const items = Array.from({ length: count }, (_, at) => at);
      const first = cut(items, { page: 1, size });
      const all = Array.from({ length: first.pages }, (_, at) => cut(items, { page: at + 1, size }));
      expect(all.flatMap(({ data }) => data)).toEqual(items);
      expect(new Set(all.map(({ pages, results }) => `${pages}/${results}`)).size).toBe(1);
      expect(first.pages).toBe(Math.max(1, Math.ceil(count / size)));
      expect(cut(items, { page: first.pages + 1, size })).toEqual({
        data: [],
        page: first.pages + 1,
        pages: first.pages,
        results: count,
      });
    }),
  );
});

describe("over HTTP", () => {
  const folder = mkdtempSync(join(tmpdir(), "emulator-list-"));
  let emulator: Emulator;
  beforeAll(async () => {
    const seed = join(folder, "seed.json");
    const requests = Array.from({ length: 120 }, (_, at) => ({
      method: "POST",
      path: "/vpcs",
      body: { label: `vpc-${at}`, region: at % 2 ? "us-east" : "us-southeast", description: `é ${at}` },
    }));
    writeFileSync(seed, JSON.stringify({ requests }));
    emulator = await startEmulator({ seed, checkAnswers: true });
  });
  afterAll(async () => {
    await emulator.close();
    rmSync(folder, { recursive: true });
  });
  const list = (query: string, options = {}) => ask(emulator.port, "GET", `/v4/vpcs${query}`, options);

  test("the envelope has a hundred items a page unless told otherwise, by id", async () => {
    const first = await list("");
    expect(Object.keys(first.json).sort()).toEqual(["data", "page", "pages", "results"]);
    expect(first.json).toMatchObject({ page: 1, pages: 2, results: 120 });
    expect(first.json.data).toHaveLength(100);
    const ids = first.json.data.map(({ id }: { id: number }) => id);
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b));
    const second = await list("?page=2&page_size=100");
    expect(second.json).toMatchObject({ page: 2, pages: 2, results: 120 });
    expect(second.json.data).toHaveLength(20);
  });

  test("a page past the end is 200 and empty, and one beyond counting is the last", async () => {
    const past = await list("?page=100");
    expect(past.status).toBe(200);
    expect(past.json).toEqual({ data: [], page: 100, pages: 2, results: 120 });
    expect((await list("?page=99999999999999999999")).json).toMatchObject({ page: 2, results: 120 });
  });

  test("an empty list has one page", async () => {
    const none = await list("", { filter: { label: "nothing" } });
    expect(none.json).toEqual({ data: [], page: 1, pages: 1, results: 0 });
  });

  test("both bounds are refused together with their fields", async () => {
    const told = await list("?page=0&page_size=501");
    expect(told.status).toBe(400);
    expect(told.json.errors).toEqual([
      { reason: "Must be at least 1", field: "page" },
      { reason: "Must be 25-500", field: "page_size" },
    ]);
  });

  test("filters choose before pages are cut", async () => {
    const told = await list("?page_size=25", {
      filter: { region: "US-EAST", "+order_by": "label", "+order": "desc" },
    });
    expect(told.json).toMatchObject({ pages: 3, results: 60 });
    expect(told.json.data[0].label).toBe("vpc-99");
    const bad = await list("", { headers: { "x-filter": '{"description":"x"}' } });
    expect(bad.json.errors).toEqual([{ reason: "Cannot filter on description", field: "X-Filter" }]);
  });

  test("a filter on a single object is ignored, and an empty header counts as none", async () => {
    const { id } = (await list("")).json.data[0];
    expect((await ask(emulator.port, "GET", `/v4/vpcs/${id}`, { headers: { "x-filter": "{" } })).status).toBe(
      200,
    );
    expect((await list("", { headers: { "x-filter": "" } })).json.results).toBe(120);
  });

  test("a filter in UTF-8 is understood", async () => {
    const bytes = Buffer.from('{"label":"é"}').toString("latin1");
    expect((await list("", { headers: { "x-filter": bytes } })).json.results).toBe(0);
  });
});

test("what real clients filter on is filterable", () => {
  const sent: { [key: string]: string[] } = {
    "GET /account/events": ["action", "entity.id", "entity.type", "created", "id", "read"],
    "GET /domains": ["domain", "group", "tags"],
    "GET /domains/{domainId}/records": ["type", "name", "target", "tag"],
    "GET /databases/instances": ["label", "type", "engine", "version", "region", "status"],
    "GET /databases/mysql/instances": ["engine", "version", "label", "region", "type", "status"],
    "GET /databases/engines": ["engine", "version"],
    "GET /lke/clusters": ["label", "region", "k8s_version", "tags"],
    "GET /lke/clusters/{clusterId}/pools": ["id", "tags"],
    "GET /managed/contacts": ["group"],
    "GET /vpcs": ["id", "label", "region", "created", "updated"],
    "GET /vpcs/ips": ["active", "config_id", "compute_id", "region", "vpc_id"],
    "GET /volumes": ["label", "tags", "id", "region", "size", "compute_id"],
    "GET /compute/stackscripts": [
      "label",
      "description",
      "is_public",
      "mine",
      "username",
      "images",
      "rev_note",
    ],
  };
  for (const [key, names] of Object.entries(sent)) {
    const operation = operations.find((candidate) => candidate.key === key)!;
    expect(operation.list, key).toBe(true);
    expect([...operation.filterable.keys()], key).toEqual(expect.arrayContaining(names));
  }
});
