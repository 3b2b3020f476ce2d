/** Components: parents of others, without an object of their own. */

import { expect, test } from "vitest";
import { secret } from "../../../provider/core/value.ts";
import { type Block, bench } from "./program.ts";
import { thing, world } from "./world.ts";

const site = "shop:web:Site";
const component = (name: string, told = {}): Block => ({ name, type: site, component: told });
const child = (name: string, parent: string): Block => ({
  name,
  inputs: { label: name },
  options: { parent },
});

const steps = ({ steps }: { steps: readonly { op: string; name: string }[] }) =>
  steps.map(({ op, name }) => `${op} ${name}`).sort();

test("a component is made with what it holds, and needs nothing the second time", async () => {
  const w = world();
  const b = bench(w);
  const blocks = [component("front", { address: "site.example" }), child("a", "front")];
  expect(steps(await b.engine(blocks).preview())).toEqual(["create a", "create front"]);
  expect(steps(await b.engine(blocks).up())).toEqual(["create a", "create front"]);
  expect([...w.objects.values()].map(({ values }) => values.label)).toEqual(["a"]);
  const resources = await b.engine([]).resources();
  const saved = resources.find(({ type }) => type === site);
  expect(saved).toMatchObject({ custom: false, outputs: { address: "site.example" } });
  expect(saved?.id).toBeUndefined();
  expect(saved?.provider).toBeUndefined();
  expect(resources.find(({ type }) => type === thing)).toMatchObject({
    urn: `urn:pulumi:dev::shop::${site}$${thing}::a`,
    parent: saved?.urn,
  });
  expect(steps(await b.engine(blocks).up())).toEqual(["same a", "same front"]);
  expect((await b.engine(blocks).preview()).changes).toBe(false);
});

test("a component goes after what it holds, by itself or with the whole stack", async () => {
  const w = world();
  const b = bench(w);
  const blocks = [component("front"), child("a", "front"), { name: "b", inputs: { label: "b" } }];
  await b.engine(blocks).up();
  const gone = await b.engine([{ name: "b", inputs: { label: "b" } }]).up();
  expect(gone.steps.filter(({ op }) => op === "delete").map(({ name }) => name)).toEqual(["a", "front"]);
  await b.engine(blocks).up();
  const end = await b.engine([]).destroy();
  expect(end.steps.map(({ name }) => name).indexOf("front")).toBeGreaterThan(
    end.steps.map(({ name }) => name).indexOf("a"),
  );
  expect(w.objects.size).toBe(0);
  expect(await b.engine([]).resources()).toEqual([]);
});

test("what a component holds follows it to another name, by the component's alias", async () => {
  const w = world();
  const b = bench(w);
  await b.engine([component("front"), child("a", "front")]).up();
  const ids = [...w.objects.keys()];
  const renamed = [
    { ...component("back"), options: { aliases: [{ name: "front" }] } },
    child("a", "back"),
  ] satisfies Block[];
  expect(steps(await b.engine(renamed).up())).toEqual(["same a", "same back"]);
  expect([...w.objects.keys()]).toEqual(ids);
  const names = (await b.engine([]).resources()).map(({ urn }) => urn.split("::").pop());
  expect(names).toContain("back");
  expect(names).not.toContain("front");
});

test("what is named by its component has the former names, too, whether they began like that or not", async () => {
  const w = world();
  const b = bench(w);
  const labelled = (name: string, parent: string, label: string): Block => ({
    name,
    inputs: { label },
    options: { parent },
  });
  const under = (name: string): Block[] => [
    labelled(`${name}-a`, name, "a"),
    { ...component(`${name}-in`), options: { parent: name } },
    labelled(`${name}-in-b`, `${name}-in`, "b"),
    labelled("app-c", name, "c"),
  ];
  await b.engine([component("ap"), ...under("ap")]).up();
  const ids = [...w.objects.keys()];
  const renamed = [{ ...component("app"), options: { aliases: [{ name: "ap" }] } }, ...under("app")];
  expect((await b.engine(renamed).preview()).changes).toBe(false);
  await b.engine(renamed).up();
  expect([...w.objects.keys()]).toEqual(ids);
  const names = (await b.engine([]).resources()).map(({ urn }) => urn.split("::").pop());
  expect(names).toEqual(expect.arrayContaining(["app", "app-a", "app-in", "app-in-b", "app-c"]));
});

test("a component does not take over an object, nor the other way round", async () => {
  const w = world();
  const b = bench(w);
  await b.engine([{ name: "a", inputs: { label: "a" } }]).up();
  const aliases = [{ urn: `urn:pulumi:dev::shop::${thing}::a` }];
  const over = await b.engine([{ ...component("a"), options: { aliases } }]).up();
  expect(over.result).toBe("failed");
  expect(over.diagnostics.map(({ message }) => message).join()).toMatch(/a component has none/);
  expect(w.objects.size).toBe(1);

  const other = bench(w);
  await other.engine([component("front")]).up();
  const taken: Block = {
    name: "x",
    inputs: { label: "x" },
    options: { aliases: [{ urn: `urn:pulumi:dev::shop::${site}::front` }] },
  };
  const back = await other.engine([taken]).up();
  expect(back.diagnostics.map(({ message }) => message).join()).toMatch(/as a component/);
  expect(w.objects.size).toBe(1);
});

test("a protected component stays, with all that it holds", async () => {
  const w = world();
  const b = bench(w);
  await b.engine([{ ...component("front"), options: { protect: true } }, child("a", "front")]).up();
  const up = await b.engine([{ name: "b", inputs: { label: "b" } }]).up();
  expect(up.result).toBe("failed");
  expect([...w.objects.values()].map(({ values }) => values.label)).toEqual(["a"]);
  await expect(b.engine([]).destroy()).rejects.toMatchObject({ code: "protect" });
});

test("a target within a component that is not there yet needs the component, too", async () => {
  const w = world();
  const b = bench(w);
  const blocks = [component("front"), child("a", "front"), child("b", "front")];
  const alone = await b.engine(blocks).up({ targets: ["a"] });
  expect(alone.diagnostics.map(({ message }) => message).join()).toMatch(/make these targets, too:\n.*front/);
  expect(w.objects.size).toBe(0);
  await b.engine(blocks).up({ targets: ["a", "front"] });
  expect(w.objects.size).toBe(1);
  expect(steps(await b.engine(blocks).up({ targets: ["b"] }))).toEqual(["create b"]);
});

test("outputs of a component follow the program, secrets sealed, and pass to Pulumi and back", async () => {
  const w = world();
  const b = bench(w);
  await b.engine([component("front", { key: secret("hidden-word"), size: 1 }), child("a", "front")]).up();
  await b.engine([component("front", { key: secret("hidden-word"), size: 2 }), child("a", "front")]).up();
  const state = JSON.stringify(await b.engine([]).exportState());
  expect(state).not.toContain("hidden-word");
  const exported = await b.engine([]).exportPulumi({ showSecrets: true });
  const record = exported.deployment.resources?.find(({ type }) => type === site);
  expect(record).toMatchObject({ custom: false, outputs: { size: 2 } });
  expect(record).not.toHaveProperty("id");
  await b.engine([]).importState(JSON.stringify(exported));
  const again = await b
    .engine([component("front", { key: secret("hidden-word"), size: 2 }), child("a", "front")])
    .preview();
  expect(steps(again)).toEqual(["same a", "same front"]);
});

test("a replacement of what a component depends on leaves the component as it is", async () => {
  const w = world();
  const b = bench(w);
  const blocks = (region: string): Block[] => [
    { name: "net", inputs: { label: "net", region } },
    { ...component("front"), dependsOn: ["net"], inputs: { net: { of: "net" } } },
    child("a", "front"),
  ];
  await b.engine(blocks("one")).up();
  const moved = await b.engine(blocks("two")).up();
  expect(moved.result).toBe("succeeded");
  expect(steps(moved).filter((step) => !step.startsWith("same"))).toEqual([
    "delete net",
    "replace net",
    "update front",
  ]);
});
