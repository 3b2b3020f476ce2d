/** The built-in rules as tables: what each finds in a step, what it leaves alone, and what it says of values that nobody knows yet. */

import { describe, expect, it } from "vitest";
import { builtInRules } from "../../../provider/engine/policy/builtin/index.ts";
import { judge } from "../../../provider/engine/policy/judge.ts";
import type { AskedRule, SeenStep, SeenValues } from "../../../provider/engine/policy/rule.ts";

const unknown = { $unknown: true };
const rule = (name: string) => builtInRules.find((each) => each.name === name)!;

function step(type: string, inputs: SeenValues, more: Partial<SeenStep> = {}): SeenStep {
  const urn = `urn:pulumi:dev::shop::plumbline:x/y:Z::${more.name ?? "it"}`;
  const base = {
    operation: "create",
    urn,
    type,
    name: "it",
    changes: [],
    replaceReasons: [],
    retained: false,
  };
  return { ...base, inputs, ...more } as SeenStep;
}

/** The properties and messages that a rule finds, by a judge that holds it mandatory. */
async function found(
  of: AskedRule,
  steps: readonly SeenStep[],
  settings: SeenValues = {},
  except: string[] = [],
) {
  const policy = {
    ...{ rule: of, level: "mandatory" as const, settings: { ...of.defaults, ...settings }, except },
    ...{ allow: false, owner: "project" },
  };
  const subject = { project: "shop", stack: "dev", steps, isPlan: true };
  return (await judge([policy], subject, new Set())).map(
    ({ property, message }) => [property, message] as const,
  );
}
const properties = async (...given: Parameters<typeof found>) =>
  (await found(...given)).map(([each]) => each);

const database = "plumbline:databases:MySqlInstance";

describe("open-allow-list", () => {
  it.each<[string, boolean]>([
    ["0.0.0.0/0", true],
    ["1.2.3.4/0", true],
    ["::/0", true],
    ["::ffff:0:0/0", true],
    ["::ffff:0:0/96", true],
    ["::fffe:0:0/95", true],
    ["::ffff:192.0.2.0/120", false],
    ["0.0.0.0/00", true],
    ["0.0.0.0/1", true],
    ["10.0.0.0/7", true],
    ["10.0.0.0/8", false],
    ["192.0.2.1", false],
    ["2001:db8::/31", true],
    ["2001:db8::/32", false],
    ["2001:db8::1", false],
  ])("%s is too wide: %s", async (range, isFound) => {
    const steps = [step(database, { allowList: ["192.0.2.7", range] })];
    expect(await properties(rule("open-allow-list"), steps)).toEqual(isFound ? ["allowList[1]"] : []);
  });

  it("takes other bounds, and waits for what is not known", async () => {
    const steps = [step(database, { allowList: ["10.0.0.0/8", unknown] })];
    expect(await properties(rule("open-allow-list"), steps, { ipv4Prefix: 24 })).toEqual(["allowList[0]"]);
    expect(await properties(rule("open-allow-list"), [step(database, { allowList: unknown })])).toEqual([]);
  });
});

describe("single-node-database", () => {
  it.each<[SeenValues, number]>([
    [{}, 1],
    [{ clusterSize: 1 }, 1],
    [{ clusterSize: 3 }, 0],
    [{ clusterSize: unknown }, 0],
    [{ label: "scratch" }, 0],
  ])("%j has %i findings", async (inputs, count) => {
    expect(
      await found(rule("single-node-database"), [step(database, inputs)], { labels: ["scratch"] }),
    ).toHaveLength(count);
  });
});

describe("open-zone-transfer", () => {
  const zone = (axfrIps: readonly (string | { $unknown: boolean })[]) => [
    step("plumbline:dns:Domain", { axfrIps }),
  ];
  it("finds each address that is not among those that may", async () => {
    const addresses = ["192.0.2.0/24", "2001:db8::1"];
    const given = ["192.0.2.9", "2001:db8:0::1", "198.51.100.1", "2001:db8::2", unknown];
    expect(await properties(rule("open-zone-transfer"), zone(given), { addresses })).toEqual([
      "axfrIps[2]",
      "axfrIps[3]",
    ]);
    expect(await properties(rule("open-zone-transfer"), zone([]))).toEqual([]);
  });
});

describe("ttl-bounds", () => {
  const bounds = { min: 300, max: 3600 };
  it.each<[string, SeenValues, string[]]>([
    ["plumbline:dns:Record", { ttlSec: 30 }, ["ttlSec"]],
    ["plumbline:dns:Record", { ttlSec: 300 }, []],
    ["plumbline:dns:Record", { ttlSec: 3601 }, ["ttlSec"]],
    ["plumbline:dns:Record", { ttlSec: 0 }, []],
    ["plumbline:dns:Record", {}, []],
    ["plumbline:dns:Record", { ttlSec: unknown }, []],
    ["plumbline:dns:Domain", { ttlSec: 600 }, []],
    ["plumbline:dns:Domain", { ttlSec: 0 }, ["ttlSec"]],
    ["plumbline:dns:Domain", {}, ["ttlSec"]],
    [
      "plumbline:dns:Zone",
      { records: [{ ttlSec: 30 }, { ttlSec: 600 }, unknown, {}] },
      ["records[0].ttlSec"],
    ],
    ["plumbline:dns:Zone", { zoneFile: "$TTL 30\n@ IN A 192.0.2.1\nwww 600 IN A 192.0.2.1\n" }, ["zoneFile"]],
    ["plumbline:dns:Zone", { zoneFile: "nonsense (" }, []],
  ])("of %s %j finds %j", async (type, inputs, expected) => {
    expect(await properties(rule("ttl-bounds"), [step(type, inputs)], bounds)).toEqual(expected);
  });
});

describe("naming", () => {
  it.each<[string, SeenValues, string[]]>([
    [database, { label: "acme-shop" }, []],
    [database, { label: "shop-acme-" }, ["label"]],
    [database, { label: unknown }, []],
    ["plumbline:dns:Domain", { domain: "shop.example" }, ["domain"]],
    ["plumbline:dns:Record", { name: "www" }, []],
  ])("of %s %j finds %j", async (type, inputs, expected) => {
    expect(await properties(rule("naming"), [step(type, inputs)], { pattern: "acme-.*" })).toEqual(expected);
  });

  it("keeps to types, and matches the whole name by every choice of the pattern", async () => {
    const steps = [step(database, { label: "other" }), step("plumbline:vpc:Vpc", { label: "other" })];
    expect(await properties(rule("naming"), steps, { pattern: "a|b", types: [database] })).toEqual(["label"]);
    expect(await properties(rule("naming"), [step(database, { label: "xb" })], { pattern: "a|b" })).toEqual([
      "label",
    ]);
  });
});

it("a pattern that does not end is ended, and stops the run", async () => {
  const steps = [step(database, { label: `${"a".repeat(60)}!` })];
  expect(await found(rule("naming"), steps, { pattern: "(a+)+" })).toEqual([
    ["", "policy naming (built in) could not judge: the pattern (a+)+ does not end within 5 seconds"],
  ]);
});

describe("what goes for good", () => {
  const gone = (count: number, more: Partial<SeenStep> = {}) =>
    Array.from({ length: count }, (_, at) =>
      step(database, {}, { operation: "delete", oldInputs: {}, name: `d${at}`, ...more }),
    );
  it.each<[SeenValues, readonly SeenStep[], number]>([
    [{ count: 3 }, gone(3), 0],
    [{ count: 3 }, gone(4), 1],
    [{ count: 0 }, gone(1), 1],
    [{ count: 3 }, gone(4, { retained: true }), 0],
    [{ count: 3 }, gone(4, { operation: "replace" }), 0],
    [{ count: 3, replacements: true }, gone(4, { operation: "replace" }), 1],
    [{ percent: 50 }, gone(10), 0],
    [{ percent: 50 }, gone(11), 1],
    [{ percent: 50, small: 0 }, gone(1), 1],
    [{ percent: 100, small: 0 }, gone(5), 0],
    [{}, gone(100), 0],
  ])("a limit of %j, case %#", async (settings, steps, count) => {
    expect(await found(rule("delete-limit"), steps, settings)).toHaveLength(count);
  });

  it("is found where it is lost alone, and left alone where it is excepted", async () => {
    const lost = gone(2, { lost: "all its data" });
    expect(await found(rule("delete-loses-data"), [...lost, ...gone(1)])).toHaveLength(2);
    expect(await found(rule("delete-loses-data"), lost, {}, ["d0"])).toHaveLength(1);
    expect(await found(rule("delete-limit"), lost, { count: 1 }, ["d0"])).toHaveLength(0);
  });
});
