import fc from "fast-check";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, it } from "vitest";
import { unknownString } from "../../provider/core/engines/signature.ts";
import type { Archive, Asset, Value, ValueMap } from "../../provider/core/value.ts";
import { archive, asset, isSecret, resourceReference, secret, unknown } from "../../provider/core/value.ts";
import { decodeProperties, decodeValue, encodeProperties } from "../../provider/wire/struct.ts";

const signature = "4dabf18193072939515e22adb298388d";

/** As it is after a trip over the wire. */
function trip(properties: ValueMap): ValueMap {
  return decodeProperties(struct.Struct.deserializeBinary(encodeProperties(properties).serializeBinary()));
}

/** What the engine's JSON becomes. */
function fromEngine(json: { [name: string]: struct.JavaScriptValue }): ValueMap {
  return decodeProperties(struct.Struct.fromJavaScript(json));
}

const someText = fc.string({ unit: "grapheme", minLength: 1 });
/** Any name but the one that the protobuf library's own maps, plain objects, cannot hold. */
const someName = fc.string({ unit: "grapheme" }).filter((name) => name !== "__proto__");
const someAsset: fc.Arbitrary<Asset> = fc.oneof(
  fc.string().map((text) => asset({ text, hash: "ab" })),
  someText.map((path) => asset({ path })),
  someText.map((uri) => asset({ uri, hash: "cd" })),
  someText.map((hash) => asset({ hash })),
);
const { value: someValue } = fc.letrec<{ value: Value; bare: Value; archive: Archive }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, { arbitrary: tie("bare"), weight: 6 }, tie("bare").map(secret)),
  bare: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
    fc.string({ unit: "grapheme" }),
    fc.constant(unknown),
    someAsset,
    someText.map((urn) => resourceReference(urn)),
    fc.tuple(someText, someText).map(([urn, id]) => resourceReference(urn, id)),
    someText.map((urn) => resourceReference(urn, unknown)),
    tie("archive"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(someName, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
  archive: fc.oneof(
    { depthSize: "small" },
    someText.map((path) => archive({ path, hash: "ef" })),
    fc
      .dictionary(someName, fc.oneof({ depthSize: "small" }, someAsset, tie("archive")), {
        maxKeys: 3,
        noNullPrototype: true,
      })
      .map((assets) => archive({ assets })),
  ),
}));

describe("values on the wire", () => {
  it("come back as they went", () => {
    fc.assert(
      fc.property(fc.dictionary(someName, someValue, { noNullPrototype: true }), (properties) => {
        expect(trip(properties)).toEqual(properties);
      }),
      { numRuns: 300 },
    );
  });

  it("keep names that every object has", () => {
    const properties = {
      a: { constructor: "x", toString: 1, hasOwnProperty: [true] },
    } as unknown as ValueMap;
    expect(trip(properties)).toEqual(properties);
  });

  it.each([
    unknownString,
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    "030794c1-ac77-496b-92df-f27374a8bd58",
    "e48ece36-62e2-4504-bad9-02848725956a",
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
  ])("the text %s is a value not known yet, wherever it stands", (text) => {
    expect(fromEngine({ a: text, b: [1, { c: text }] })).toEqual({ a: unknown, b: [1, { c: unknown }] });
  });

  it("an unknown goes out as the text that every type takes", () => {
    expect(encodeProperties({ a: [unknown] }).toJavaScript()).toEqual({ a: [unknownString] });
  });

  it("a secret may hold a secret, an unknown, a list or an output, and is marked once", () => {
    const mark = "1b47061264138c4ac30d75fd1eb44270";
    const output = { [signature]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", value: "x", secret: true };
    expect(
      fromEngine({
        twice: { [signature]: mark, value: { [signature]: mark, value: 7 } },
        unknown: { [signature]: mark, value: unknownString },
        list: { [signature]: mark, value: [1, 2] },
        output: { [signature]: mark, value: output },
      }),
    ).toEqual({ twice: secret(7), unknown: secret(unknown), list: secret([1, 2]), output: secret("x") });
  });

  it("an output is its value; without one it is unknown", () => {
    const mark = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
    expect(
      fromEngine({
        plain: { [signature]: mark, value: { a: 1 }, dependencies: ["urn"] },
        none: { [signature]: mark },
        secretNone: { [signature]: mark, secret: true },
        secretValue: { [signature]: mark, value: 5, secret: true, dependencies: [] },
        null: { [signature]: mark, value: null },
      }),
    ).toEqual({
      plain: { a: 1 },
      none: unknown,
      secretNone: secret(unknown),
      secretValue: secret(5),
      null: null,
    });
  });

  it("a resource that is not created yet has an unknown id, a component has none", () => {
    const mark = "5cf8f73096256a8f31e491e813e4eb8e";
    expect(
      fromEngine({
        made: { [signature]: mark, urn: "u", id: "7", packageVersion: "1.0.0" },
        empty: { [signature]: mark, urn: "u", id: "" },
        unknown: { [signature]: mark, urn: "u", id: unknownString },
        component: { [signature]: mark, urn: "u" },
      }),
    ).toEqual({
      made: resourceReference("u", "7"),
      empty: resourceReference("u", unknown),
      unknown: resourceReference("u", unknown),
      component: resourceReference("u"),
    });
  });

  it("an asset whose content the engine left out keeps its hash only", () => {
    const mark = "c44067f5952c0a294b673a41bacd8c17";
    expect(fromEngine({ a: { [signature]: mark, hash: "ab", path: "", uri: "" } })).toEqual({
      a: asset({ hash: "ab" }),
    });
  });

  it("secrets go bare to an engine that takes none", () => {
    const bare = encodeProperties({ a: secret("x"), b: [{ c: secret({ d: 1 }) }] }, { keepSecrets: false });
    expect(bare.toJavaScript()).toEqual({ a: "x", b: [{ c: { d: 1 } }] });
  });

  it("absent members are left out, absent items of a list are null", () => {
    const properties = { a: undefined, b: [undefined, 1], c: { d: undefined } } as unknown as ValueMap;
    expect(encodeProperties(properties).toJavaScript()).toEqual({ b: [null, 1], c: {} });
  });

  it.each([
    ["not a number", Number.NaN],
    ["infinite", Number.POSITIVE_INFINITY],
    ["a big integer", 1n],
    ["a function", () => 1],
    ["a date", new Date(0)],
    ["a map", new Map()],
  ])("what is %s is refused, not sent as something else", (_what, value) => {
    expect(() => encodeProperties({ a: { b: [value as unknown as Value] } })).toThrow(
      /number|property value/,
    );
  });

  it("a kind of value that nobody knows is refused", () => {
    expect(() => fromEngine({ a: { [signature]: "00000000000000000000000000000000" } })).toThrow(
      "unknown kind",
    );
  });

  it("a value that was never set is null", () => {
    expect(decodeValue(new struct.Value())).toBeNull();
    expect(isSecret(decodeValue(new struct.Value()))).toBe(false);
  });
});
