import { describe, expect, test } from "vitest";
import { operations } from "../../../emulator/contract/contract.ts";
import { type Schema, shapeReader } from "../../../emulator/contract/shape.ts";
import { checkBody, checkQuery } from "../../../emulator/contract/validate.ts";

const document = {
  defs: {
    Thing: {
      type: "object",
      properties: {
        id: { type: "integer", readOnly: true },
        label: { type: "string", minLength: 1, maxLength: 64 },
        count: { type: "integer", minimum: 1, maximum: 100 },
        port: { type: "integer", minimum: 1 },
        timeout: { type: "integer", maximum: 255 },
        kind: { type: "string", enum: ["a", "b"] },
        tag: { type: ["string", "null"], enum: ["issue", null] },
        name: { type: "string", pattern: "^[a-z]+$", "x-reason": { pattern: "Must begin with a letter" } },
        code: { type: "string", pattern: "^[0-9]+$" },
        note: { type: "string", maxLength: 5 },
        on: { type: "boolean" },
        tags: { type: "array", items: { type: "string" }, uniqueItems: true, maxItems: 3 },
        data: { type: "object" },
        limits: { type: "object", additionalProperties: { type: "integer" } },
        subnets: {
          type: "array",
          items: {
            type: "object",
            required: ["ipv4"],
            properties: { ipv4: { type: "string" }, id: { type: "integer", readOnly: true } },
          },
        },
        updates: {
          type: "object",
          properties: { week_of_month: { type: ["integer", "null"], minimum: 1, maximum: 4 } },
        },
      },
    },
  },
};
const read = shapeReader(document);
const thing = read({ $ref: "#/defs/Thing" });
const check = (body: { [name: string]: unknown }) => checkBody(thing, body);
const reasons = (body: { [name: string]: unknown }) => check(body).reasons;

describe("what counts of a body", () => {
  test("unknown and read-only fields are dropped, at every depth", () => {
    expect(check({ id: 7, label: "a", more: 1, subnets: [{ ipv4: "x", id: 3, more: 1 }] }).body).toEqual({
      label: "a",
      subnets: [{ ipv4: "x" }],
    });
  });

  test("null counts as absent where the contract does not allow it, and stays where it does", () => {
    const { body, reasons: found } = check({
      tags: null,
      label: null,
      tag: null,
      updates: { week_of_month: null },
    });
    expect(body).toEqual({ tag: null, updates: { week_of_month: null } });
    expect(found).toEqual([]);
  });

  test("a required field that is null is missing", () => {
    const shape = read({ required: ["label"], allOf: [{ $ref: "#/defs/Thing" }] } as Schema);
    expect(checkBody(shape, { label: null }).reasons).toEqual([
      { reason: "label is required", field: "label" },
    ]);
  });

  test("a required field that is read-only is not asked for", () => {
    const shape = read({ required: ["id"], allOf: [{ $ref: "#/defs/Thing" }] } as Schema);
    expect(checkBody(shape, {}).reasons).toEqual([]);
  });

  test("an object without declared properties is kept whole", () => {
    expect(check({ data: { any: { thing: null } }, limits: { cpu: 5 } }).body).toEqual({
      data: { any: { thing: null } },
      limits: { cpu: 5 },
    });
  });
});

describe("the words of problems", () => {
  test.each([
    [{ label: 5 }, "Must be of type String", "label"],
    [{ count: "5" }, "Must be of type Integer", "count"],
    [{ count: 1.5 }, "Must be of type Integer", "count"],
    [{ on: "true" }, "Must be of type Boolean", "on"],
    [{ tags: "a" }, "Must be of type Array", "tags"],
    [{ updates: [] }, "Must be of type Object", "updates"],
    [{ tag: 5 }, "Must be of type String", "tag"],
    [{ count: 0 }, "Must be 1-100", "count"],
    [{ count: 101 }, "Must be 1-100", "count"],
    [{ port: 0 }, "Must be at least 1", "port"],
    [{ timeout: 256 }, "Must be at most 255", "timeout"],
    [{ label: "" }, "Length must be 1-64 characters", "label"],
    [{ note: "123456" }, "Length must be at most 5 characters", "note"],
    [{ kind: "c" }, "Must be one of a, b", "kind"],
    [{ tag: "x" }, "Must be one of issue", "tag"],
    [{ name: "5" }, "Must begin with a letter", "name"],
    [{ code: "a" }, "code is not valid", "code"],
    [{ tags: ["a", 5] }, "Must be of type String", "tags[1]"],
    [{ tags: ["a", null] }, "Must be of type String", "tags[1]"],
    [{ tags: ["a", "a"] }, "Must not hold the same value twice", "tags"],
    [{ limits: { cpu: "x" } }, "Must be of type Integer", "limits.cpu"],
    [{ subnets: [{ ipv4: "a" }, {}] }, "ipv4 is required", "subnets[1].ipv4"],
    [{ updates: { week_of_month: 5 } }, "Must be 1-4", "updates.week_of_month"],
  ])("%j is refused: %s on %s", (body, reason, field) => {
    expect(reasons(body)).toEqual([{ reason, field }]);
  });

  test("all problems are told together", () => {
    expect(reasons({ label: "", count: "x", subnets: [{}, { ipv4: 5 }] })).toHaveLength(4);
  });

  test("a length counts characters, not UTF-16 units", () => {
    expect(reasons({ note: "🙂🙂🙂🙂🙂" })).toEqual([]);
  });
});

describe("query parameters", () => {
  const { query } = operations.find(({ key }) => key === "GET /domains")!;
  test.each([
    ["page_size=24", [{ reason: "Must be 25-500", field: "page_size" }]],
    ["page=0", [{ reason: "Must be at least 1", field: "page" }]],
    ["page=x", [{ reason: "Must be of type Integer", field: "page" }]],
    ["page=2&page_size=500", []],
    ["page=", []],
    ["other=x", []],
  ])("%s", (text, expected) => {
    expect(checkQuery(query, new URLSearchParams(text))).toEqual(expected);
  });

  test("a required one must be there", () => {
    const acl = operations.find(
      ({ key }) => key === "GET /object-storage/buckets/{clusterId}/{bucket}/object-acl",
    )!;
    expect(checkQuery(acl.query, new URLSearchParams())).toEqual([
      { reason: "name is required", field: "name" },
    ]);
  });
});

test("every request schema of the contract can be checked, and an empty body never throws", () => {
  const withBody = operations.filter(({ body }) => body !== undefined);
  expect(withBody.length).toBeGreaterThan(40);
  for (const { key, body } of withBody) expect(() => checkBody(body!, {}), key).not.toThrow();
});

test("schemas that contain themselves or refer to nothing are refused", () => {
  const loop = shapeReader({ defs: { A: { properties: { a: { $ref: "#/defs/A" } } } } });
  expect(() => loop({ $ref: "#/defs/A" })).toThrow("contains itself");
  expect(() => loop({ $ref: "#/defs/B" })).toThrow("does not exist");
});
