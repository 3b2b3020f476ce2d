/** Plans of zones against a model of the service that refuses what the contract does (section 2.4). */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Value } from "../../../../provider/core/value.ts";
import { declaredOf } from "../../../../provider/resources/dns/zone/declared.ts";
import {
  formOf,
  keyOf,
  ownerOf,
  type ZoneForm,
  type ZoneItem,
} from "../../../../provider/resources/dns/zone/form.ts";
import { faultOf, ignores } from "../../../../provider/resources/dns/zone/ignore.ts";
import { judgeRecords, sparing } from "../../../../provider/resources/dns/zone/judge.ts";
import { planZone, type ZoneStep } from "../../../../provider/resources/dns/zone/plan.ts";
import { canonicalZone, differencesOf } from "../../../../provider/resources/dns/zone/values.ts";

interface Live {
  readonly id: number;
  readonly form: ZoneForm;
}
type Step = ZoneStep<Live, { readonly form: ZoneForm }>;

/** What the service says against a record beside others. */
function refusal(form: ZoneForm, others: readonly ZoneForm[]): string | undefined {
  const beside = others.filter((other) => ownerOf(other) === ownerOf(form));
  if (form.type === "CNAME" && beside.length > 0) return "a CNAME beside others";
  if (beside.some(({ type }) => type === "CNAME")) return "beside a CNAME";
  if (form.type !== "MX") return undefined;
  const mail = others.filter(({ type }) => type === "MX");
  if (mail.some(({ target }) => target === "")) return "an MX beside a Null MX";
  return form.target === "" && mail.length > 0 ? "a Null MX beside an MX" : undefined;
}

/** Carries out a step; throws what the service would refuse. */
function carryOut(records: readonly Live[], step: Step, id: number): readonly Live[] {
  const others = step.does === "post" ? records : records.filter((record) => record.id !== step.from.id);
  if (step.does !== "post" && others.length === records.length) throw new Error("there is no such record");
  if (step.does === "delete") return others;
  if (step.does === "put" && step.from.form.type !== step.to.form.type)
    throw new Error("type cannot be changed");
  const refused = refusal(
    step.to.form,
    others.map(({ form }) => form),
  );
  if (refused) throw new Error(refused);
  return [...others, { id: step.does === "put" ? step.from.id : id, form: step.to.form }];
}

const names = fc.constantFrom("", "www", "mail", "a.b");
const record: fc.Arbitrary<ZoneItem> = fc
  .record({
    type: fc.constantFrom("A", "MX", "CNAME", "TXT", "SRV", "AAAA"),
    name: names,
    target: fc.constantFrom("one", "two", "three", ""),
    ttlSec: fc.constantFrom(0, 300, 3600),
    priority: fc.constantFrom(0, 10),
  })
  .map(({ type, name, target, ttlSec, priority }): ZoneItem => {
    const host = target === "" ? "one" : target;
    if (type === "A") return { type, name, target: `192.0.2.${host.length}`, ttlSec };
    if (type === "AAAA") return { type, name, target: `2001:db8::${host.length}`, ttlSec };
    if (type === "MX")
      return target === "" ? { type, target } : { type, name, target: `${host}.example`, priority, ttlSec };
    if (type === "CNAME")
      return { type, name: name === "" ? "alias" : name, target: `${host}.example`, ttlSec };
    if (type === "SRV")
      return { type, service: host, protocol: "tcp", target: "x.example", priority, weight: 0, port: 1 };
    return { type, name, target: host, ttlSec };
  });

/** A set of records that may stand together. */
const zone = fc.array(record, { maxLength: 12 }).map((items) => {
  const kept: ZoneForm[] = [];
  for (const item of items) {
    const form = formOf(item, "z.example");
    const isDouble = kept.some((other) => keyOf({ ...other, ttlSec: 0 }) === keyOf({ ...form, ttlSec: 0 }));
    if (!isDouble && refusal(form, kept) === undefined) kept.push(form);
  }
  return kept;
});

const live = (forms: readonly ZoneForm[]): Live[] => forms.map((form, i) => ({ id: i + 1, form }));
const wanted = (forms: readonly ZoneForm[]) => forms.map((form) => ({ form }));
const keys = (records: readonly { readonly form: ZoneForm }[]) =>
  records.map(({ form }) => keyOf(form)).sort();

describe("a plan of a zone", () => {
  it("makes the old records the new ones, whatever the order within a stage, and nothing on the way is refused", () => {
    fc.assert(
      fc.property(zone, zone, fc.infiniteStream(fc.nat()), (before, after, luck) => {
        const { stages } = planZone(live(before), wanted(after));
        let now: readonly Live[] = live(before);
        let id = 1000;
        for (const stage of stages) {
          const left = [...stage];
          while (left.length > 0) {
            const [step] = left.splice(luck.next().value % left.length, 1);
            now = carryOut(now, step!, ++id);
          }
        }
        expect(keys(now)).toEqual(keys(wanted(after)));
      }),
      { numRuns: 2000 },
    );
  });

  it("takes the fewest requests: of each name and type as many as there are more on one side, or differ", () => {
    fc.assert(
      fc.property(zone, zone, (before, after) => {
        const count = planZone(live(before), wanted(after)).stages.flat().length;
        const groupOf = (form: ZoneForm) => `${ownerOf(form)}/${form.type}`;
        const groups = new Set([...before, ...after].map(groupOf));
        let least = 0;
        for (const group of groups) {
          const [old, next] = [before, after].map((side) => side.filter((form) => groupOf(form) === group));
          const same = next!.filter((form) => old!.some((other) => keyOf(other) === keyOf(form))).length;
          least += Math.max(old!.length, next!.length) - same;
        }
        expect(count).toBe(least);
      }),
      { numRuns: 1000 },
    );
  });

  it("has nothing to do for the same records in another order, and after it was carried out half way does the rest", () => {
    fc.assert(
      fc.property(zone, zone, fc.nat(), (before, after, cut) => {
        expect(planZone(live([...before].reverse()), wanted(before)).stages).toEqual([]);
        const steps = planZone(live(before), wanted(after)).stages.flat();
        const done = steps.length === 0 ? 0 : cut % steps.length;
        let now: readonly Live[] = live(before);
        for (const [i, step] of steps.slice(0, done).entries()) now = carryOut(now, step, 1000 + i);
        const rest = planZone(now, wanted(after)).stages.flat();
        expect(rest.length).toBe(steps.length - done);
      }),
      { numRuns: 1000 },
    );
  });

  it("deletes first where a domain has no room for both", () => {
    const full = Array.from({ length: 12_000 }, (_, i) =>
      formOf({ type: "A", name: `h${i}`, target: "192.0.2.1" }, "z"),
    );
    const next = [...full.slice(2), formOf({ type: "A", name: "new", target: "192.0.2.1" }, "z")];
    const does = (others: number) =>
      planZone(
        live(full.slice(0, full.length - others)),
        wanted(next.filter((_, i) => i < next.length - 1 - others || i === next.length - 1)),
        others,
      ).stages.map((stage) => stage.map((step) => step.does));
    expect(does(0)).toEqual([["delete"], ["post"], ["delete"]]);
    expect(does(3)).toEqual([["delete"], ["post"], ["delete"]]);
    expect(
      planZone(live(full.slice(0, 5)), wanted([...full.slice(2, 5), next.at(-1)!])).stages.map((stage) =>
        stage.map((step) => step.does),
      ),
    ).toEqual([["post"], ["delete", "delete"]]);
  });
});

describe("differences of two zones", () => {
  const canonical = (records: readonly ZoneItem[]) =>
    canonicalZone({ records: records as unknown as Value }, { domain: "z.example" })["records"];

  it("are one place for each record that differs, and none for another order or spelling", () => {
    fc.assert(
      fc.property(zone, zone, (before, after) => {
        const places = differencesOf(canonical(before), canonical(after)) ?? [];
        const changes = planZone(live(before), wanted(after)).stages.flat();
        expect(places.length).toBe(changes.length);
        expect(new Set(places.map(({ path }) => JSON.stringify(path))).size).toBe(places.length);
        expect(differencesOf(canonical(before), canonical([...before].reverse()))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("are named as people name records", () => {
    const places = differencesOf(
      canonical([
        { type: "A", name: "www", target: "192.0.2.1" },
        { type: "A", name: "many", target: "192.0.2.1" },
        { type: "A", name: "many", target: "192.0.2.2" },
        { type: "MX", target: "old", priority: 10 },
      ]),
      canonical([
        { type: "A", name: "WWW.z.example.", target: "192.0.2.9" },
        { type: "A", name: "many", target: "192.0.2.1" },
        { type: "A", name: "many", target: "192.0.2.3", ttlSec: 300 },
        { type: "SRV", service: "_sip", target: "sip", priority: 1, weight: 0, port: 5060 },
      ]),
    );
    expect(places?.map(({ kind, path }) => `${kind} ${path.join(".")}`)).toEqual([
      "add records._sip._tcp/SRV",
      "update records.many/A 192.0.2.2",
      "update records.www/A.target",
      "delete records.@/MX",
    ]);
    expect(places?.[2]?.values).toEqual({ before: "192.0.2.1", after: "192.0.2.9" });
  });
});

describe("what a zone declares", () => {
  const failures = (source: Parameters<typeof declaredOf>[0], name: string | undefined = "z.example") => {
    const found: string[] = [];
    const { refuse, end } = sparing((property, reason) => found.push(`${property}: ${reason}`));
    judgeRecords(declaredOf(source, name) ?? [], name, refuse);
    end();
    return found;
  };

  it("is refused at the place where it is declared", () => {
    expect(
      failures({
        records: [
          { type: "CNAME", name: "www", target: "a.example" },
          { type: "A", name: "www.z.example.", target: "192.0.2.1" },
          { type: "A", name: "x", target: "192.0.2.300" },
          { type: "MX", target: "" },
          { type: "MX", name: "sub", target: "mail" },
          { type: "TXT", name: "t", target: "x" },
          { type: "TXT", name: "T", target: "x", ttlSec: 300 },
        ],
      }),
    ).toEqual([
      'records[2].target: must be an IPv4 address (or [remote_addr]), not "192.0.2.300"',
      "records[1].name: is the name of records[0], a CNAME, which must be alone",
      "records[4].target: conflicts with records[3]: beside a Null MX (empty target) there is no other MX",
      "records[6]: is the same record as records[5]; keep one of them",
    ]);
  });

  it("is refused at its line in a zone file", () => {
    const zoneFile = "$TTL 300\nwww IN CNAME a.example.\nok IN A 192.0.2.1\nwww IN TXT x\nbad IN A 1.2.3\n";
    expect(failures({ zoneFile })).toEqual([
      'zoneFile: line 5: target must be an IPv4 address (or [remote_addr]), not "1.2.3"',
      "zoneFile: line 4: name is the name of line 2, a CNAME, which must be alone",
    ]);
  });

  it("is told of fifty failures and a count, not of thousands", () => {
    const records = Array.from({ length: 80 }, (_, i) => ({ type: "A", name: `h${i}`, target: "x" }));
    expect(failures({ records })).toHaveLength(51);
    expect(failures({ records }).at(-1)).toContain("30 more");
  });
});

describe("ignore patterns", () => {
  const isIgnored = (patterns: readonly string[], item: ZoneItem) =>
    ignores(patterns, "z.example")(formOf(item, "z.example"));
  const acme = { type: "TXT", name: "_acme-challenge.www", target: "x" };

  it("mean names, and names of one type, with * for any characters", () => {
    expect(isIgnored(["_acme-challenge*/TXT"], acme)).toBe(true);
    expect(isIgnored(["_acme-challenge*/A"], acme)).toBe(false);
    expect(isIgnored(["_ACME-challenge.www.z.example."], acme)).toBe(true);
    expect(isIgnored(["*.www"], acme)).toBe(true);
    expect(isIgnored(["www"], acme)).toBe(false);
    expect(isIgnored(["@/MX"], { type: "MX", target: "mail" })).toBe(true);
    expect(isIgnored(["@"], acme)).toBe(false);
    expect(isIgnored(["*/txt"], acme)).toBe(true);
    expect(isIgnored(["_sip._tcp"], { type: "SRV", service: "sip", target: "x.y" })).toBe(true);
    expect(isIgnored(["a.c"], { type: "A", name: "abc", target: "192.0.2.1" })).toBe(false);
  });

  it("are refused when they can mean nothing", () => {
    expect(faultOf("www/A")).toBeUndefined();
    for (const bad of ["", "/A", "www/", "www/SSHFP", "a/b/c"])
      expect([bad, faultOf(bad)]).not.toEqual([bad, undefined]);
  });
});
