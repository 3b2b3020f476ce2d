/** Fields that hold an asset: what may stand there, when two are the same, what is kept, and how the schemas call it. */

import { expect, test } from "vitest";
import { same } from "../../provider/core/judgement/compare.ts";
import { refreshedInputs, stateOf } from "../../provider/core/object/state.ts";
import { plainInputs } from "../../provider/core/plain.ts";
import { packageSchemaOf } from "../../provider/core/schema/package-schema.ts";
import { stackSchemaOf } from "../../provider/core/schema/stack-schema.ts";
import {
  anything,
  asset,
  type Fields,
  group,
  list,
  map,
  optional,
  text,
} from "../../provider/core/type/field.ts";
import { resource } from "../../provider/core/type/resource.ts";
import { validate } from "../../provider/core/validate.ts";
import {
  archive,
  asset as assetOf,
  secret,
  unknown,
  type Value,
  type ValueMap,
} from "../../provider/core/value.ts";

const words = { description: "Words." };
const fields: Fields = {
  source: optional(asset({ ...words, witness: "etag" })),
  body: optional(text({ ...words, writeOnly: true, large: true, emptyCounts: true, witness: "etag" })),
  names: optional(map(text(words), words)),
  rows: optional(list(group({ name: text(words) }, words), words)),
  trigger: optional(anything({ ...words, trigger: true })),
};
const file = assetOf({ path: "a.txt", hash: "aa" });
const reasons = async (inputs: ValueMap) => {
  const failures = await validate({ fields, noun: "property" }, plainInputs(fields, inputs));
  return Object.fromEntries(failures.map(({ property, reason }) => [property, reason]));
};

test.each([file, assetOf({ text: "" }), assetOf({ uri: "https://a.example/" }), secret(file), unknown])(
  "an asset, secret or unknown, may stand where one is wanted: %j",
  async (source) => {
    expect(await reasons({ source })).toEqual({});
  },
);

test.each<[Value, string]>([
  ["./a.txt", 'must be an asset, not "./a.txt": use fn::fileAsset'],
  [{ path: "a.txt" }, 'must be an asset, not {"path":"a.txt"}: use fn::fileAsset'],
  [archive({ path: "folder" }), "must be an asset, not an archive: use fn::fileAsset"],
])("anything else in its place is refused, and told what to use: %j", async (source, reason) => {
  expect((await reasons({ source }))["source"]).toContain(reason);
});

test("an asset where something else is wanted is refused in its own place, and never shown", async () => {
  const hidden = assetOf({ text: "the content", hash: "aa" });
  const found = await reasons({ body: hidden, names: hidden, rows: [{ name: hidden }] });
  const reason = "cannot be an asset or an archive";
  expect(found).toEqual({ body: reason, names: reason, "rows[0].name": reason });
  expect(await reasons({ trigger: hidden })).toEqual({});
});

test("two assets are the same when their hashes are, wherever their content is", () => {
  const source = fields["source"]!;
  expect(same(source, file, assetOf({ text: "x", hash: "aa" }))).toBe(true);
  expect(same(source, file, assetOf({ hash: "aa" }))).toBe(true);
  expect(same(source, file, assetOf({ path: "a.txt", hash: "bb" }))).toBe(false);
  expect(same(source, file, undefined)).toBe(false);
});

test("an empty text counts where the field says so", () => {
  expect(same(fields["body"]!, "", undefined)).toBe(false);
  expect(same(text(words), "", undefined)).toBe(true);
});

const type = resource({
  area: "test",
  name: "Thing",
  description: "A thing.",
  path: "/things/{thing}",
  nameFormat: "THING",
  inputs: { thing: text({ ...words, immutable: true }), ...fields },
  outputs: { etag: text(words) },
});

test("contents are kept by the inputs alone: the state does not repeat them", () => {
  const inputs = { thing: "t", source: file, body: "text" };
  expect(stateOf(type, "t", { etag: "1" }, inputs)).toEqual({ thing: "t", etag: "1" });
});

test("a refresh takes out contents whose witness has moved, and only then", () => {
  const inputs = { thing: "t", source: file, body: "text" };
  const state = { thing: "t", etag: "1" };
  expect(refreshedInputs(type, inputs, state, state)).toEqual(inputs);
  expect(refreshedInputs(type, inputs, state, { thing: "t", etag: "2" })).toEqual({ thing: "t" });
});

test("the schemas call it an asset, and show editors how to write one", () => {
  const offer = { resources: new Map([[type.token, type]]), functions: new Map(), config: {} };
  const pulumi = packageSchemaOf(offer) as {
    resources: { [token: string]: { inputProperties: object; properties: object; required: string[] } };
  };
  expect(pulumi.resources[type.token]?.inputProperties).toMatchObject({
    source: { $ref: "pulumi.json#/Asset" },
  });
  expect(pulumi.resources[type.token]?.required).toEqual(["thing", "etag"]);
  const stack = stackSchemaOf(offer) as { definitions: { [name: string]: object } };
  expect(stack.definitions["plumbline:test:Thing"]).toMatchObject({
    properties: {
      source: { anyOf: [{ $ref: "#/definitions/asset" }, { $ref: "#/definitions/expression" }] },
    },
  });
});
