import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffResource } from "../../../provider/core/judgement/diff.ts";
import {
  foretoldCreate,
  foretoldUpdate,
  importedInputs,
  refreshedInputs,
  stateOf,
} from "../../../provider/core/object/state.ts";
import {
  choice,
  flag,
  group,
  id,
  integer,
  list,
  map,
  optional,
  text,
} from "../../../provider/core/type/field.ts";
import { resource } from "../../../provider/core/type/resource.ts";
import { isUnknown, secret, unknown, type ValueMap } from "../../../provider/core/value.ts";

const words = { description: "" };
const Thing = resource({
  area: "test",
  name: "Thing",
  description: "",
  path: "/parents/{parentId}/things/{thingId}",
  nameFormat: "",
  inputs: {
    parentId: id({ ...words, reference: "test/parent", immutable: true }),
    label: optional(text({ ...words, unique: true, naming: { maxLength: 30, allowed: "a-z0-9-" } })),
    kind: choice(["a", "b"], { ...words, immutable: true }),
    note: optional(text({ ...words, default: "" })),
    seconds: optional(integer({ ...words, normal: "seconds-up", default: 0 })),
    size: optional(integer({ ...words, computed: true })),
    tags: optional(list(text({ ...words, normal: "lower-case" }), { ...words, normal: "set", default: [] })),
    disks: optional(
      list(group({ size: integer(words), fast: optional(flag({ ...words, default: false })) }, words), {
        ...words,
        default: [],
      }),
    ),
    labels: optional(map(text(words), { ...words, computed: true })),
    password: optional(text({ ...words, secret: true, writeOnly: true, default: null })),
  },
  outputs: {
    thingId: id({ ...words, reference: "test/thing", wireName: "id" }),
    address: text({ ...words, movedBy: ["label"] }),
    updated: text({ ...words, movedBy: true }),
    key: optional(text({ ...words, secret: true, shownOnce: true })),
  },
});

const base: ValueMap = { parentId: "1", label: "one", kind: "a" };
const live = {
  id: 5,
  label: "one",
  kind: "a",
  note: "",
  seconds: 0,
  size: 20,
  tags: [],
  disks: [],
  address: "x",
  updated: "u",
};
const state = stateOf(Thing, "1/5", live, base);
const diff = (newInputs: ValueMap, oldInputs: ValueMap = base, more: object = {}) =>
  diffResource(Thing, { name: "thing", oldInputs, state, newInputs, ...more });
const paths = (...given: Parameters<typeof diff>) =>
  Object.fromEntries(Object.entries(diff(...given).detailedDiff).map(([path, { kind }]) => [path, kind]));

const inputs: fc.Arbitrary<ValueMap> = fc.record(
  {
    parentId: fc.nat(99).map(String),
    label: fc.stringMatching(/^[a-z]{1,5}$/),
    kind: fc.constantFrom("a", "b"),
    note: fc.string(),
    seconds: fc.nat(3_000_000),
    size: fc.nat(100),
    tags: fc.array(fc.string()),
    disks: fc.array(fc.record({ size: fc.nat(9), fast: fc.boolean() }, { requiredKeys: ["size"] })),
    labels: fc.dictionary(fc.string(), fc.string()),
    password: fc.string().map(secret),
  },
  { requiredKeys: ["parentId", "kind"] },
) as never;

describe("a diff", () => {
  test("of anything with itself is empty", () => {
    fc.assert(
      fc.property(inputs, inputs, (each, other) => {
        expect(
          diffResource(Thing, {
            name: "x",
            oldInputs: each,
            newInputs: structuredCloneOf(each),
            state: other,
          }),
        ).toMatchObject({ changes: false, detailedDiff: {}, replaces: [], deleteBeforeReplace: false });
      }),
    );
  });

  test("names each changed property by at least one path, and replaces exactly where something immutable changes", () => {
    fc.assert(
      fc.property(inputs, inputs, (one, other) => {
        const found = diffResource(Thing, { name: "x", oldInputs: one, newInputs: other, state: {} });
        const replacing = Object.entries(found.detailedDiff)
          .filter(([, { kind }]) => kind.endsWith("-replace"))
          .map(([path]) => path);
        expect(new Set(replacing)).toEqual(new Set(found.replaces));
        expect(found.changes).toBe(Object.keys(found.detailedDiff).length > 0);
        for (const name of found.replaces) expect(["parentId", "kind"]).toContain(name);
      }),
    );
  });

  test.each<[string, ValueMap, { [path: string]: string }]>([
    [
      "a value that is added, removed or changed",
      { ...base, note: "x", seconds: 300 },
      { note: "add", seconds: "add" },
    ],
    ["what the service rounds", { ...base, seconds: 0 }, {}],
    ["a default that is written out", { ...base, note: "", tags: [] }, {}],
    ["a value left to the service that is declared as it is", { ...base, size: 20 }, {}],
    ["a value left to the service that is declared otherwise", { ...base, size: 30 }, { size: "add" }],
    [
      "places within lists and maps",
      { ...base, disks: [{ size: 1 }], labels: { "a.b": "x" } },
      { disks: "add", labels: "add" },
    ],
    ["an immutable property", { ...base, kind: "b" }, { kind: "update-replace" }],
    [
      "an unknown",
      { ...base, note: unknown, parentId: unknown },
      { note: "add", parentId: "update-replace" },
    ],
  ])("sees %s", (_, newInputs, expected) => {
    expect(paths(newInputs)).toEqual(expected);
  });

  test("goes into lists by position, into maps by name, and takes sets as one", () => {
    const old = { ...base, disks: [{ size: 1 }, { size: 2 }], labels: { "a.b": "x", c: "y" }, tags: ["a"] };
    const now = { ...base, disks: [{ size: 1, fast: true }], labels: { "a.b": "z" }, tags: ["b"] };
    expect(paths(now, old)).toEqual({
      "disks[0].fast": "update",
      "disks[1]": "delete",
      'labels["a.b"]': "update",
      "labels.c": "delete",
      tags: "update",
    });
  });

  test("takes a removed value for a change unless the service chooses it anyway", () => {
    expect(paths(base, { ...base, note: "x", size: 20 })).toEqual({ note: "delete" });
  });

  test("leaves out what is to be ignored", () => {
    expect(paths({ ...base, note: "x", kind: "b" }, base, { ignoreChanges: ["note", "kind"] })).toEqual({});
  });

  test("deletes first only where a chosen unique name stays under the same parent", () => {
    const first = (newInputs: ValueMap, oldInputs?: ValueMap) =>
      diff(newInputs, oldInputs).deleteBeforeReplace;
    expect(first({ ...base, kind: "b" })).toBe(true);
    expect(first({ ...base, kind: "b", label: "two" })).toBe(false);
    expect(first({ ...base, parentId: "2" })).toBe(false);
    const automatic = { ...base, label: "thing-0123abc" };
    expect(first({ ...automatic, kind: "b" }, automatic)).toBe(false);
    // A change in place that the user may have replace all the same.
    expect(first({ ...base, note: "x" })).toBe(true);
    expect(first(base)).toBe(false);
  });

  test("compares what was left to the service with what it chose, and not with the default", () => {
    const Shared = resource({
      area: "test",
      name: "Shared",
      description: "A thing that may be open to all.",
      path: "/shared/{sharedNumber}",
      nameFormat: "LABEL",
      inputs: {
        open: optional(flag({ description: "Open to all.", default: false, computed: true })),
      },
      outputs: {},
    });
    const changed = (before: ValueMap, state: ValueMap, after: ValueMap) =>
      diffResource(Shared, { name: "shared", oldInputs: before, state, newInputs: after }).detailedDiff;
    expect(changed({}, { open: true }, { open: false })).toEqual({ open: { kind: "add", inputDiff: true } });
    expect(changed({}, { open: true }, { open: true })).toEqual({});
    expect(changed({}, { open: false }, { open: false })).toEqual({});
    expect(changed({ open: true }, { open: true }, {})).toEqual({});
  });

  test("leaves out at every depth of a map what the declaration leaves to the service", () => {
    const part = { size: integer({ description: "", computed: true }), kind: text({ description: "" }) };
    const Box = resource({
      area: "test",
      name: "Box",
      description: "A thing of parts.",
      path: "/boxes/{boxNumber}",
      nameFormat: "LABEL",
      inputs: {
        parts: map(group({ inner: group(part, { description: "" }) }, { description: "" }), {
          description: "",
        }),
      },
      outputs: {},
    });
    const all = (inner: ValueMap): ValueMap => ({ parts: { one: { inner } } });
    const changed = (before: ValueMap, after: ValueMap) =>
      Object.keys(
        diffResource(Box, { name: "box", oldInputs: all(before), state: all(before), newInputs: all(after) })
          .detailedDiff,
      );
    expect(changed({ size: 3, kind: "a" }, { kind: "a" })).toEqual([]);
    expect(changed({ size: 3, kind: "a" }, { kind: "b" })).toEqual(["parts.one.inner.kind"]);
    expect(changed({ size: 3, kind: "a" }, { size: 4, kind: "a" })).toEqual(["parts.one.inner.size"]);
  });

  test("names the outputs that stay", () => {
    const { stables } = diff({ ...base, note: "x" });
    expect(stables).toContain("address");
    expect(stables).not.toContain("updated");
    expect(stables).not.toContain("note");
    expect(diff({ ...base, label: "two" }).stables).not.toContain("address");
    expect(diff({ ...base, kind: "b" }).stables).toEqual([]);
  });
});

describe("state", () => {
  test("echoes what the service does not answer unless it is secret, marks secrets, and keeps what is shown once", () => {
    const declared = { ...base, password: secret("p"), note: secret("n") };
    const first = stateOf(Thing, "1/5", { ...live, note: "n", key: "k" }, declared);
    expect(first).not.toHaveProperty("password");
    expect(first).toMatchObject({
      note: secret("n"),
      key: secret("k"),
      parentId: "1",
      thingId: "5",
    });
    expect(stateOf(Thing, "1/5", { ...live, key: "[REDACTED]" }, declared, first)["key"]).toEqual(
      secret("k"),
    );
  });

  test("after a refresh takes what moved, and keeps the user's spelling of what did not", () => {
    const declared = { ...base, seconds: 299, tags: ["B", "a"], password: secret("p") };
    const saved = stateOf(Thing, "1/5", { ...live, seconds: 300, tags: ["a", "b"] }, declared);
    const refresh = (now: object) =>
      refreshedInputs(
        Thing,
        declared,
        saved,
        stateOf(Thing, "1/5", { ...live, seconds: 300, tags: ["b", "a"], ...now }, declared),
      );
    expect(refresh({})).toEqual(declared);
    expect(refresh({ seconds: 3600 })).toEqual({ ...declared, seconds: 3600 });
    expect(refresh({ seconds: 0 })).toEqual(without(declared, "seconds"));
    expect(refresh({ note: "theirs" })).toEqual({ ...declared, note: "theirs" });
    expect(refresh({ tags: ["A", "B", "a"] })).toEqual(declared);
    expect(refresh({ size: 50 })).toEqual({ ...declared, size: 50 });
  });

  test("of an import gives every readable input that is not at its default", () => {
    expect(importedInputs(Thing, state, live)).toEqual({ ...base, size: 20 });
  });

  test("foretold of a create shows what is sure and leaves the rest unknown", () => {
    const identity = { urn: "u", type: Thing.token, name: "thing" };
    const told = foretoldCreate(Thing, identity, {
      ...base,
      seconds: 299,
      tags: ["A"],
      note: unknown,
      password: secret("p"),
    });
    expect(told).toMatchObject({
      parentId: "1",
      kind: "a",
      label: "one",
      tags: ["A"],
    });
    expect(told).not.toHaveProperty("password");
    for (const name of ["seconds", "note", "size", "address", "updated", "thingId"])
      expect(isUnknown(told[name])).toBe(true);
    expect(isUnknown(foretoldCreate(Thing, identity, { ...base, label: "thing-0123abc" })["label"])).toBe(
      true,
    );
    expect(told["address"]).toMatchObject({ source: "u#address" });
  });

  test("foretold of an update keeps what the update cannot move", () => {
    const identity = { urn: "u", type: Thing.token, name: "thing" };
    const told = foretoldUpdate(Thing, identity, base, state, { ...base, note: "x" });
    expect(told).toMatchObject({ note: "x", address: "x", thingId: "5", size: 20 });
    expect(isUnknown(told["updated"])).toBe(true);
    expect(foretoldUpdate(Thing, identity, base, state, base)).toEqual(state);
  });
});

function without(map: ValueMap, name: string): ValueMap {
  return Object.fromEntries(Object.entries(map).filter(([each]) => each !== name));
}

/** A deep copy that keeps secret marks, which are made by a symbol. */
function structuredCloneOf(map: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, name === "password" ? value : structuredClone(value)]),
  );
}
