/** A plan as a table. */

import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { detailLines } from "../../../provider/cli/render/lines.ts";
import { phraseOf } from "../../../provider/cli/render/phrase.ts";
import { planLines } from "../../../provider/cli/render/plan.ts";
import { secret, unknownFrom, type ValueMap } from "../../../provider/core/value.ts";
import type { Step, StepOp } from "../../../provider/engine/event.ts";
import { catalogue } from "../../../provider/provider.ts";

const palette = { colors: pc.createColors(false), showSecrets: false };
const urn = (type: string, name: string) => `urn:pulumi:dev::web::${type}::${name}`;
const domain = "plumbline:dns/domain:Domain";
const record = "plumbline:dns/record:Record";
const volume = "plumbline:blockstorage/volume:Volume";

function step(op: StepOp, type: string, name: string, inputs: ValueMap, more: Partial<Step> = {}): Step {
  const values = op === "delete" ? { oldInputs: inputs } : { newInputs: inputs };
  return { op, urn: urn(type, name), type, name, detailedDiff: {}, replaceReasons: [], ...values, ...more };
}

const shown = (steps: readonly Step[], diff = false) => {
  const options = { ...palette, diff };
  return planLines(steps, { ...options, detailsOf: (one) => detailLines(one, options) });
};

const zone = (op: StepOp = "create") =>
  step(op, domain, "zone", { domain: "shop.example", type: "master" }, { id: "7" });
const www = (n: number, parent: ValueMap["x"] = "7") =>
  step("create", record, `r${n}`, {
    domainId: parent!,
    name: `h${n}`,
    type: "CNAME",
    target: "shop.example",
  });

describe("a plan", () => {
  it("has operation, type, name and phrase in columns, and children under their parents in whatever order they come", () => {
    const data = step(
      "update",
      volume,
      "data",
      { label: "data", size: 40, region: "us-east" },
      {
        detailedDiff: { size: { kind: "update", inputDiff: true } },
      },
    );
    expect(shown([www(1), data, zone(), www(22)])).toEqual([
      "~ update  blockstorage:Volume  data  40 GB us-east",
      "            changes: size",
      "+ create  dns:Domain           zone  shop.example master",
      "+ create    dns:Record         r1    h1 CNAME shop.example",
      "+ create    dns:Record         r22   h22 CNAME shop.example",
    ]);
  });

  it("knows a child of what does not exist yet by what it waits for, and shows what stays as it is only above what changes", () => {
    const new_ = { ...zone(), id: "" };
    const child = www(1, unknownFrom(`${new_.urn}#id`));
    expect(shown([child, new_]).map((line) => line.slice(0, 22))).toEqual([
      "+ create  dns:Domain  ",
      "+ create    dns:Record",
    ]);
    const other = step("same", volume, "data", { label: "data" });
    expect(shown([zone("same"), other, www(1)])).toEqual([
      "  unchanged  dns:Domain    zone  shop.example master",
      "+ create       dns:Record  r1    h1 CNAME shop.example",
    ]);
    expect(shown([zone("same"), other])).toEqual([]);
  });

  it("puts a resource under the parent that it declares", () => {
    const data = step("create", volume, "data", { label: "data" }, { parent: zone().urn });
    expect(shown([zone(), data]).at(-1)).toBe("+ create    blockstorage:Volume  data");
  });

  it("loses nothing to parents that go round in a circle", () => {
    const a = step("create", volume, "a", {}, { parent: urn(volume, "b") });
    const b = step("create", volume, "b", {}, { parent: urn(volume, "a") });
    expect(shown([a, b])).toHaveLength(2);
  });

  it("folds long lists with their count, and shows them whole with --diff", () => {
    const many = [zone(), ...Array.from({ length: 1006 }, (_, n) => www(n))];
    const lines = shown(many);
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe("+ create    … 996 more dns:Record (--diff shows all)");
    expect(shown(many, true).filter((line) => line.startsWith("+"))).toHaveLength(1007);
  });

  it("never folds away what is of another kind, or has something under it", () => {
    const doomed = step("delete", record, "old", {
      domainId: "7",
      name: "old",
      type: "A",
      target: "192.0.2.1",
    });
    const zones = Array.from({ length: 30 }, (_, n) =>
      step("same", domain, `z${n}`, {}, { id: `${n + 100}` }),
    );
    const lines = shown([
      zone("same"),
      ...Array.from({ length: 50 }, (_, n) => www(n)),
      doomed,
      ...zones,
      ...zones.map((_, n) => www(n + 1000, `${n + 100}`)),
    ]);
    expect(lines.filter((line) => /^- delete .* old +old A 192/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("dns:Domain"))).toHaveLength(31);
    expect(lines.filter((line) => /h10\d\d/.test(line))).toHaveLength(30);
  });

  it("says what a value waits for", () => {
    const lines = shown([www(1, unknownFrom(`${zone().urn}#id`))], true);
    expect(lines.join("\n")).toContain('domainId: "[unknown until zone is made]"');
  });
});

describe("a phrase", () => {
  it("leaves out what is not known, not there, secret, or the name again", () => {
    const values = { label: "data", size: unknownFrom("x#size"), region: secret("us-east") };
    expect(phraseOf(step("create", volume, "data", values))).toBe("");
    expect(phraseOf(step("create", volume, "disk", { label: "data", region: "us-east" }))).toBe(
      "data us-east",
    );
  });

  it("counts what is in a list", () => {
    const script = "plumbline:compute/stackScript:StackScript";
    const phrases = [1, 2].map((count) =>
      phraseOf(step("create", script, "it", { images: Array.from({ length: count }, (_, n) => `i${n}`) })),
    );
    expect(phrases).toEqual(["for 1 image", "for 2 images"]);
  });

  it("is short, and has no line ends", () => {
    const long = step("create", record, "txt", { name: "t", type: "TXT", target: `a\n${"b".repeat(500)}` });
    expect(phraseOf(long).length).toBeLessThanOrEqual(60);
    expect(shown([long])).toHaveLength(1);
    expect(shown([long])[0]).not.toContain("\n");
  });

  it("is there for every type, made of inputs that it has", () => {
    for (const [token, { phrase = [], inputs }] of catalogue.resources) {
      expect(phrase.length, token).toBeGreaterThan(0);
      for (const [, name] of phrase.join(" ").matchAll(/\{(\w+)\}/g))
        expect(Object.keys(inputs), token).toContain(name);
    }
  });
});
