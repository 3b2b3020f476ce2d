/** Deletions that a plan must show, or refuse with the way to do it, one by one; `foreseen.test.ts` draws them at random. */

import { expect, test } from "vitest";
import type { ResourceOptions } from "../../../provider/engine/host.ts";
import { type Block, bench } from "./program.ts";
import { thing, world, worldProvider } from "./world.ts";

type Options = Omit<ResourceOptions, "dependsOn">;

const one = (name: string, inputs: Block["inputs"] = {}, options: Options = {}): Block => ({
  name,
  inputs: { label: name, ...inputs },
  options,
});

const urn = (name: string): string => `urn:pulumi:dev::shop::${thing}::${name}`;

async function applied(...blocks: Block[]) {
  const b = bench(world());
  expect((await b.engine(blocks).up()).result).toBe("succeeded");
  b.world.calls.length = 0;
  return b;
}

const labels = (b: ReturnType<typeof bench>): unknown[] =>
  [...b.world.objects.values()].map(({ values }) => values.label).sort();

const textOf = (result: { readonly diagnostics: readonly { readonly message: string }[] }): string =>
  result.diagnostics.map(({ message }) => message).join("\n");

test("another id in `import` is shown as an import and the deletion of the object that was the resource before", async () => {
  const b = await applied(one("a"));
  const old = [...b.world.objects.keys()][0] as string;
  b.world.objects.set("s1", { id: "s1", values: { label: "other" }, created: 0 });
  const blocks = [one("a", { label: "other" }, { import: "s1" })];
  const preview = await b.engine(blocks).preview();
  expect(preview.steps).toMatchObject([
    { op: "import", id: "s1" },
    { op: "delete", name: "a", id: old },
  ]);
  expect(preview.counts).toMatchObject({ import: 1, delete: 1 });
  expect((await b.engine(blocks).up()).counts).toEqual(preview.counts);
  expect(labels(b)).toEqual(["other"]);
});

test.each([
  ["imported", { op: "import", name: "b", id: "s1" }, { options: { import: "s1" } }],
  ["only read", { op: "read", name: "b", id: "s1" }, { get: "s1" }],
])("what goes to make room for another, and is %s anew, is shown as deleted", async (_, step, more) => {
  const b = await applied(one("a"), one("b", { parentId: { of: "a" } }));
  const [old, within] = b.world.objects.keys();
  b.world.objects.set("s1", { id: "s1", values: { label: "other" }, created: 0 });
  // The new one takes the name of what is not declared any more, and which the other one hangs on.
  const blocks: Block[] = [
    one("c", { label: "a" }),
    { ...one("b", { label: "other" }), dependsOn: ["c"], ...more },
  ];
  const preview = await b.engine(blocks).preview();
  const shown = [{ op: "create", name: "c" }, { op: "delete", name: "b", id: within }, step];
  expect(preview.steps).toMatchObject([{ op: "delete", name: "a", id: old }, ...shown]);
  expect((await b.engine(blocks).up()).counts).toEqual(preview.counts);
  expect(labels(b)).toEqual(["a", "other"]);
});

test("what goes with another stays as long as that one's deletion is refused, whatever else it hangs on", async () => {
  const tree = (region: string): Block[] => [
    one("holder", { region }),
    one("net", { region }),
    one("sub", { parentId: { of: "net" } }, { deletedWith: "holder" }),
  ];
  const b = await applied(...tree("eu"));
  b.world.fault = (verb, { label }) =>
    verb === "delete" && label === "holder"
      ? Object.assign(new Error("refused"), { status: 400 })
      : undefined;
  const up = await b.engine(tree("us")).up();
  expect(up.result).toBe("failed");
  expect(textOf(up)).not.toContain("defect");
  expect(labels(b)).toEqual(["holder", "net", "sub"]);
});

test("an import of an object that is another resource of the stack is refused, with `aliases` as the way to rename", async () => {
  const b = await applied(one("a"));
  const id = [...b.world.objects.keys()][0] as string;
  for (const blocks of [
    [one("b", { label: "a" }, { import: id })],
    [one("a"), one("b", { label: "a" }, { import: id })],
  ]) {
    expect(textOf(await b.engine(blocks).preview())).toMatch(/is urn:.*::a of this stack already.*aliases/);
    expect((await b.engine(blocks).up()).result).toBe("failed");
  }
  expect(labels(b)).toEqual(["a"]);
});

test.each([
  ["before the new one is made", "net"],
  ["after the new one is made", "net2"],
])("a target whose old object goes %s takes no child along that is no target", async (_, label) => {
  const tree = (region: string, net: string): Block[] => [
    one("net", { label: net, region }),
    one("sub", { parentId: { of: "net" } }),
  ];
  const b = await applied(...tree("eu", "net"));
  const next = tree("us", label);
  const preview = await b.engine(next).preview({ targets: ["net"] });
  expect(preview.result).toBe("failed");
  expect(textOf(preview)).toContain(`make them targets, too:\n  ${urn("sub")}`);
  expect((await b.engine(next).up({ targets: ["net"] })).result).toBe("failed");
  expect(b.world.calls).toEqual([]);
  const both = await b.engine(next).up({ targets: ["net", "sub"] });
  expect(both).toMatchObject({ result: "succeeded", counts: { replace: 2 } });
  expect(labels(b)).toEqual([label, "sub"].sort());
});

test("a target that is not declared any more stays while something depends on it that is no target", async () => {
  const b = await applied(one("net"), one("sub", { parentId: { of: "net" } }));
  const preview = await b.engine([]).preview({ targets: ["net"] });
  expect(textOf(preview)).toContain(urn("sub"));
  expect((await b.engine([]).up({ targets: ["net"] })).result).toBe("failed");
  expect(b.world.calls).toEqual([]);
});

test("a target that needs what does not exist yet is refused in the preview, however it needs it", async () => {
  const b = await applied(one("a"));
  for (const needy of [one("d", { parentId: { of: "c" } }), { ...one("d"), dependsOn: ["c"] }]) {
    const preview = await b.engine([one("a"), one("c"), needy]).preview({ targets: ["d"] });
    expect(preview.result).toBe("failed");
    expect(textOf(preview)).toContain(`make these targets, too:\n  ${urn("c")}`);
  }
});

test("a target that neither the file nor the state has is an error, whatever is done", async () => {
  const b = await applied(one("a"));
  const how = { targets: ["a", "nobody"] };
  for (const doing of [
    () => b.engine([one("a")]).preview(how),
    () => b.engine([one("a")]).up(how),
    () => b.engine([]).destroy(how),
    () => b.engine([]).refresh(how),
  ]) {
    await expect(doing()).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining('"nobody"'),
    });
  }
  expect(b.world.calls).toEqual([]);
});

test("what a preview would refuse is refused before the first deletion of a run that had none", async () => {
  const b = await applied(one("a", { region: "eu" }));
  const next = [one("a", { region: "us", size: 14 })];
  const up = await b.engine(next).up();
  expect(up.result).toBe("failed");
  expect(textOf(up)).toBe("size: 14 is sold out");
  expect(b.world.calls).toEqual([]);
  expect(await b.engine([one("a", { region: "eu" })]).up()).toMatchObject({ changes: false });
});

test("an object that is to be kept is not replaced by one that cannot exist beside it", async () => {
  const keep = { retainOnDelete: true };
  const b = await applied(one("a", { region: "eu" }, keep));
  const same = [one("a", { region: "us" }, keep)];
  expect(textOf(await b.engine(same).preview())).toMatch(/retainOnDelete.*cannot exist beside it/);
  expect((await b.engine(same).up()).result).toBe("failed");
  expect(b.world.calls).toEqual([]);
  const renamed = [one("a", { region: "us", label: "a2" }, keep)];
  expect((await b.engine(renamed).preview()).steps).toMatchObject([{ op: "replace", retained: true }]);
  expect((await b.engine(renamed).up()).result).toBe("succeeded");
  expect(labels(b)).toEqual(["a", "a2"]);
});

test("an object that is to be kept does not hang on one that has to go first", async () => {
  const tree = (region: string): Block[] => [
    one("net", { region }),
    one("sub", { parentId: { of: "net" } }, { retainOnDelete: true }),
  ];
  const b = await applied(...tree("eu"));
  expect(textOf(await b.engine(tree("us")).preview())).toContain(
    "what it depends on has to be deleted first",
  );
  expect((await b.engine(tree("us")).up()).result).toBe("failed");
  expect(labels(b)).toEqual(["net", "sub"]);
});

test("an alias does not take an object from the block that has its name", async () => {
  const b = await applied(one("a"));
  const blocks = [one("b", {}, { aliases: [{ name: "a" }] }), one("a")];
  expect(await b.engine(blocks).up()).toMatchObject({ counts: { create: 1, same: 1, delete: 0 } });
  expect(labels(b)).toEqual(["a", "b"]);
});

test("an alias does not take what an interrupted run made for the block that has its name", async () => {
  const b = bench(world());
  b.world.pause = async () => {
    throw new Error("the connection was reset");
  };
  expect((await b.engine([one("a", { label: "first" })]).up()).result).toBe("failed");
  b.world.pause = async () => {};
  b.world.fault = (verb) =>
    verb === "update" ? Object.assign(new Error("refused"), { status: 400 }) : undefined;
  const blocks = [one("b", {}, { aliases: [{ name: "a" }] }), one("a")];
  await b.engine(blocks).up();
  const states = await b.engine([]).resources();
  const ofThings = states.filter(({ type }) => type === thing);
  expect(ofThings.map((state) => state.urn).sort()).toEqual([urn("a"), urn("b")]);
  b.world.fault = () => undefined;
  expect((await b.engine(blocks).up()).result).toBe("succeeded");
  expect(labels(b)).toEqual(["a", "b"]);
});

test("an alias does not revive what waits for its deletion under the name of another block", async () => {
  const b = await applied(one("a", { label: "first", region: "eu" }));
  b.world.fault = (verb) =>
    verb === "delete" ? Object.assign(new Error("refused"), { status: 400 }) : undefined;
  expect((await b.engine([one("a", { label: "second", region: "us" })]).up()).result).toBe("failed");
  expect(labels(b)).toEqual(["first", "second"]);
  b.world.fault = (verb) =>
    verb === "update" ? Object.assign(new Error("refused"), { status: 400 }) : undefined;
  const blocks = [
    one("b", { region: "eu" }, { aliases: [{ name: "a" }] }),
    one("a", { label: "second", region: "us" }),
  ];
  expect(await b.engine(blocks).up()).toMatchObject({
    result: "succeeded",
    counts: { create: 1, same: 1, delete: 1 },
  });
  expect(labels(b)).toEqual(["b", "second"]);
});

test("two blocks that have one former name are refused, whichever would come first", async () => {
  const b = await applied(one("a"));
  const aliases = [{ name: "a" }];
  const blocks = [one("b", {}, { aliases }), one("c", {}, { aliases })];
  await expect(b.engine(blocks).preview()).rejects.toMatchObject({
    message: expect.stringContaining("both have"),
  });
  await expect(b.engine(blocks).up()).rejects.toMatchObject({ code: "usage" });
  expect(b.world.calls).toEqual([]);
});

test("a deletion that the preview of a run does not show is refused as a defect", async () => {
  const b = await applied(one("a", { region: "eu" }));
  let diffs = 0;
  // In the preview of the run the change looks like one in place.
  const fickle = b.engine([one("a", { region: "us" })], {
    createProvider: () => {
      const provider = worldProvider(b.world);
      return {
        ...provider,
        async diff(request) {
          diffs += 1;
          const diff = await provider.diff(request);
          return diffs === 1 ? { ...diff, replaces: [], deleteBeforeReplace: false } : diff;
        },
      };
    },
  });
  const up = await fickle.up();
  expect(up).toMatchObject({ result: "failed", guard: { kind: "plan" } });
  expect(textOf(up)).toContain("the preview of this run does not show");
  expect(labels(b)).toEqual(["a"]);
});
