import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { comparable, equal, same } from "../../provider/core/judgement/compare.ts";
import { nearest } from "../../provider/core/nearest.ts";
import { fromWire, pathFromWire, toWire } from "../../provider/core/object/wire.ts";
import { fromWireName, toWireName } from "../../provider/core/object/wire-name.ts";
import { formatPath, isWithin, parsePath } from "../../provider/core/property-path.ts";
import { automaticName, decideName, isAutomaticName } from "../../provider/core/type/automatic-name.ts";
import { group, id, integer, list, map, optional, text } from "../../provider/core/type/field.ts";
import {
  type NormalFormName,
  normalForms,
  roundNearest,
  roundUp,
} from "../../provider/core/type/normal-form.ts";
import { resourceReference, secret, unknown, type Value } from "../../provider/core/value.ts";

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Value>;

describe("names on the wire", () => {
  test("lead back to where they came from", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (parts) => {
        const wire = parts.join("_");
        expect(toWireName(fromWireName(wire))).toBe(wire);
      }),
    );
  });

  test.each([
    ["soaEmail", "soa_email"],
    ["ipv4", "ipv4"],
    ["k8sVersion", "k8s_version"],
    ["ttlSec", "ttl_sec"],
  ])("%s is %s", (ours, wire) => {
    expect(toWireName(ours)).toBe(wire);
    expect(fromWireName(wire)).toBe(ours);
  });

  test("a reason's place is told as the user's own property", () => {
    const fields = {
      soaEmail: text({ description: "" }),
      natAddress: text({ description: "", wireName: "nat_1_1" }),
      nodePools: list(group({ nodeCount: integer({ description: "" }) }, { description: "" }), {
        description: "",
      }),
    };
    expect(pathFromWire(fields, "soa_email")).toBe("soaEmail");
    expect(pathFromWire(fields, "nat_1_1")).toBe("natAddress");
    expect(pathFromWire(fields, "node_pools[0].node_count")).toBe("nodePools[0].nodeCount");
    expect(pathFromWire(fields, "other_thing")).toBe("otherThing");
  });
});

describe("values on the wire", () => {
  const pool = group(
    {
      poolId: id({ description: "", reference: "x/y" }),
      labels: optional(map(text({ description: "" }), { description: "" })),
    },
    { description: "" },
  );

  test("translate names and ids at every depth, and leave the user's own names alone", () => {
    const ours = [{ poolId: "12", labels: { ownName: "x" } }];
    const wire = [{ pool_id: 12, labels: { ownName: "x" } }];
    const pools = list(pool, { description: "" });
    expect(toWire(pools, ours)).toEqual(wire);
    expect(fromWire(pools, wire)).toEqual(ours);
  });

  test("secrets are revealed, references become ids, null is absent", () => {
    expect(toWire(text({ description: "" }), secret("x"))).toBe("x");
    expect(toWire(id({ description: "", reference: "x/y" }), resourceReference("urn", "7"))).toBe(7);
    expect(fromWire(pool, { pool_id: null, labels: null })).toEqual({});
  });
});

describe("property paths", () => {
  const step = fc.oneof(
    fc.string({ minLength: 1, maxLength: 6 }).filter((name) => name !== "*"),
    fc.nat(20),
  );

  test("are read back as they were written", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), (path) => {
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
    );
  });

  test.each([
    ["a.b[0]", ["a", "b", 0]],
    ['a["b.c"].d', ["a", "b.c", "d"]],
    ["a[*]", ["a", "*"]],
    ["", []],
  ])("%s", (path, steps) => {
    expect(parsePath(path)).toEqual(steps);
  });

  test.each(["a..b", ".a", "a[", "a[x]", "a.", 'a["b'])("%s is refused", (path) => {
    expect(() => parsePath(path)).toThrow("not a property path");
  });

  test("a pattern holds what is within it", () => {
    expect(isWithin(["a", 1, "b"], ["a", "*"])).toBe(true);
    expect(isWithin(["a"], ["a", "b"])).toBe(false);
  });
});

describe("normal forms", () => {
  test("applied twice are applied once", () => {
    const sample = fc.oneof(json, fc.nat(3_000_000), fc.ipV4(), fc.ipV6(), fc.domain(), fc.array(fc.ipV6()));
    fc.assert(
      fc.property(
        sample,
        fc.constantFrom(...(Object.keys(normalForms) as NormalFormName[])),
        (value, name) => {
          const once = normalForms[name](value as Value);
          expect(normalForms[name](once)).toEqual(once);
        },
      ),
    );
  });

  test.each([
    [0, 0],
    [1, 30],
    [299, 300],
    [3601, 7200],
    [2_419_201, 2_419_200],
  ])("%i seconds of a domain are %i", (given, kept) => {
    expect(roundUp(given)).toBe(kept);
  });

  test.each([
    [0, 0],
    [1, 300],
    [1949, 300],
    [1950, 3600],
    [5400, 7200],
    [9_999_999, 2_419_200],
  ])("a TTL of %i is %i", (given, kept) => {
    expect(roundNearest(given)).toBe(kept);
  });

  test("an address has one spelling", () => {
    const address = text({ description: "", normal: ["address", "lower-case"] });
    expect(same(address, "2001:DB8:0:0::0001", "2001:db8::1")).toBe(true);
    expect(same(address, "2001:DB8::/32", "2001:db8:0::/32")).toBe(true);
    expect(same(address, "192.0.2.1", "192.0.2.10")).toBe(false);
  });
});

describe("comparison", () => {
  const tags = list(text({ description: "", normal: "lower-case" }), {
    description: "",
    normal: "set",
    default: [],
  });

  test("of a value with itself finds no difference, and none of its copy", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(equal(value, structuredClone(value))).toBe(true);
      }),
    );
  });

  test("of sets takes no notice of order, case and repetition", () => {
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(
          same(
            tags,
            words,
            [...words, ...words].reverse().map((each) => each.toUpperCase()),
          ),
        ).toBe(true);
      }),
    );
  });

  test("takes absent, null, empty and the default for the same", () => {
    expect(same(tags, undefined, [])).toBe(true);
    expect(same(text({ description: "", default: "x" }), null, "x")).toBe(true);
    expect(same(integer({ description: "", default: 0 }), undefined, 0)).toBe(true);
    expect(same(integer({ description: "" }), undefined, 0)).toBe(false);
  });

  test("looks through secrets, numbers for ids and references", () => {
    const reference = id({ description: "", reference: "x/y" });
    expect(same(reference, 7, secret("7"))).toBe(true);
    expect(same(reference, resourceReference("urn", "7"), "7")).toBe(true);
  });

  test("never takes an unknown for anything, not even for itself", () => {
    expect(same(tags, unknown, unknown)).toBe(false);
    expect(equal(comparable(tags, ["a", unknown]), comparable(tags, ["a", unknown]))).toBe(false);
  });
});

describe("automatic names", () => {
  const rule = { maxLength: 32, allowed: "A-Za-z0-9_-", startsWithLetter: true };

  test("keep the rule, are told again from their resource's name, and depend on the seed alone", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 60 }),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        (name, seed) => {
          const made = automaticName(name, rule, seed);
          expect(made).toMatch(/^[a-zA-Z]((?!--|__)[a-zA-Z0-9_-]){1,31}$/);
          expect(isAutomaticName(made, name, rule)).toBe(true);
          expect(automaticName(name, rule, Uint8Array.from(seed))).toBe(made);
        },
      ),
    );
  });

  test("are kept, proposed, enforced or refused as the user's settings say", () => {
    const randomSeed = new Uint8Array(32).fill(1);
    const decide = (mode?: "propose" | "enforce" | "disable", proposedName = "p--x!", previous?: string) =>
      decideName(
        { name: "web", randomSeed, ...(mode && { autonaming: { mode, proposedName } }) },
        rule,
        previous,
      );
    expect(decide()).toEqual({ name: "web-0101010" });
    expect(decide("disable", "", "kept")).toEqual({ name: "kept" });
    expect(decide("enforce")).toEqual({ name: "p--x!" });
    expect(decide("propose")).toEqual({ name: "p-x-" });
    expect(decide("propose", `${"x".repeat(40)}-abcdefg`)).toEqual({ name: `${"x".repeat(23)}-abcdefg` });
    expect(decide("disable")).toEqual({ failure: expect.stringContaining("switched off") });
    expect(decideName({ name: "web" }, rule, undefined)).toEqual({
      failure: expect.stringContaining("random seed"),
    });
  });
});

test.each([
  ["soaEmial", "soaEmail"],
  ["TTLSEC", "ttlSec"],
  ["lable", "label"],
  ["zzz", undefined],
])("the nearest of %s is %s", (given, found) => {
  expect(nearest(given, ["soaEmail", "ttlSec", "label", "type"])).toBe(found);
});
