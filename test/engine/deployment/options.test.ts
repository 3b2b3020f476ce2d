import { expect, test } from "vitest";
import { secret } from "../../../provider/core/value.ts";
import { type Block, bench } from "./program.ts";
import { thing, world } from "./world.ts";

const urn = (name: string, parents = ""): string => `urn:pulumi:dev::shop::${parents}${thing}::${name}`;
const a = (inputs: Block["inputs"] = {}, options: Block["options"] = {}): Block => ({
  name: "a",
  inputs: { label: "a", ...inputs },
  options,
});

const verbs = (b: ReturnType<typeof bench>): string[] =>
  b.world.calls.map(({ verb, name }) => `${verb} ${name}`);

async function applied(...blocks: Block[]) {
  const b = bench(world());
  expect((await b.engine(blocks).up()).result).toBe("succeeded");
  b.world.calls.length = 0;
  return b;
}

test("protect refuses deletion and replacement with the guard's exit code, in the preview already", async () => {
  const b = await applied(a({ region: "eu" }, { protect: true }));
  for (const blocks of [[], [a({ region: "us" }, { protect: true })]]) {
    const preview = await b.engine(blocks).preview();
    expect(preview).toMatchObject({ result: "failed", guard: { kind: "protect" } });
    const up = await b.engine(blocks).up();
    expect(up).toMatchObject({ result: "failed", guard: { kind: "protect" } });
  }
  await expect(b.engine([]).destroy()).rejects.toMatchObject({ code: "protect", exitCode: 4 });
  expect(b.world.objects.size).toBe(1);
  expect(verbs(b)).toEqual([]);
  await b.engine([a({ region: "eu" })]).up();
  expect((await b.engine([]).up()).counts.delete).toBe(1);
});

test("protecting is not a change of the object, and is saved", async () => {
  const b = await applied(a());
  expect(await b.engine([a({}, { protect: true })]).up()).toMatchObject({ changes: false });
  expect((await b.engine([]).resources()).find((state) => state.urn === urn("a"))?.protect).toBe(true);
});

test("retainOnDelete forgets the object and leaves it, in an update and in a destroy", async () => {
  for (const what of ["up", "destroy"] as const) {
    const b = await applied(a({}, { retainOnDelete: true }));
    const result = await b.engine([])[what]();
    expect(result.steps).toMatchObject([{ op: "delete", retained: true }]);
    expect(b.world.objects.size).toBe(1);
    expect(verbs(b)).toEqual([]);
    expect((await b.engine([]).resources()).some((state) => state.type === thing)).toBe(false);
  }
});

test.each([
  [["size"], { size: 2, region: "eu" }, "same"],
  [["size"], { size: 2, region: "eu", label: "b" }, "update"],
  [["*"], { size: 2, region: "us" }, "same"],
  [["size", "region"], { region: "us" }, "same"],
] as const)("ignoreChanges %j makes %j a %s", async (ignoreChanges, inputs, op) => {
  const b = await applied(a({ size: 1, region: "eu" }));
  const { steps } = await b.engine([a(inputs, { ignoreChanges })]).up();
  expect(steps.map((step) => step.op)).toEqual([op]);
  expect([...b.world.objects.values()][0]?.values).toMatchObject({ size: 1, region: "eu" });
});

test.each([
  ["beside the old one", { label: "b", region: "us" }, {}, ["create a", "delete a"]],
  ["after the old one, as the provider wants", { region: "us" }, {}, ["delete a", "create a"]],
  [
    "after the old one, as the option wants",
    { label: "b", region: "us" },
    { deleteBeforeReplace: true },
    ["delete a", "create a"],
  ],
  ["for any named change", { label: "b", size: 2 }, { replaceOnChanges: ["size"] }, ["create a", "delete a"]],
  ["for any change at all", { label: "b" }, { replaceOnChanges: ["*"] }, ["create a", "delete a"]],
] as const)("a replacement is made %s", async (_, inputs, options, expected) => {
  const b = await applied(a({ region: "eu" }));
  const preview = await b.engine([a(inputs, options)]).preview();
  expect(preview.steps.map((step) => step.op)).toEqual(["replace"]);
  expect(preview.steps[0]?.replaceReasons.length).toBeGreaterThan(0);
  const up = await b.engine([a(inputs, options)]).up();
  expect(up.counts).toMatchObject({ replace: 1, create: 0, delete: 0 });
  expect(verbs(b)).toEqual(expected);
  expect(b.world.objects.size).toBe(1);
});

test("what hangs on an object that must go first goes before it and comes back after it", async () => {
  const tree: Block[] = [
    { name: "net", inputs: { label: "net", region: "eu" } },
    { name: "sub", inputs: { label: "sub", parentId: { of: "net" } } },
    { name: "leaf", inputs: { label: "leaf", parentId: { of: "sub" } } },
    { name: "note", inputs: { label: "note", size: { of: "net" } } },
    { name: "after", inputs: { label: "after" }, dependsOn: ["net"] },
  ];
  const b = await applied(...tree);
  const next = [{ name: "net", inputs: { label: "net", region: "us" } }, ...tree.slice(1)];
  const preview = await b.engine(next).preview();
  expect(Object.fromEntries(preview.steps.map((step) => [step.name, step.op]))).toEqual({
    net: "replace",
    sub: "replace",
    leaf: "replace",
    note: "update",
    after: "same",
  });
  await b.engine(next).up();
  expect(verbs(b).slice(0, 3)).toEqual(["delete leaf", "delete sub", "delete net"]);
  expect(verbs(b)).toContain("update note");
  expect(verbs(b)).not.toContain("delete after");
  expect(b.world.objects.size).toBe(5);
});

test("hundreds that must go first wait for hundreds that let go of them, whichever are registered first", async () => {
  const nets = (region: string): Block[] =>
    Array.from({ length: 300 }, (_, n) => ({ name: `net${n}`, inputs: { label: `net${n}`, region } }));
  const notes = (isBound: boolean): Block[] =>
    Array.from({ length: 300 }, (_, n) => ({
      name: `note${n}`,
      inputs: { label: `note${n}`, ...(isBound ? { parentId: { of: `net${n}` } } : {}) },
    }));
  const b = await applied(...nets("eu"), ...notes(true));
  const up = await b.engine([...nets("us"), ...notes(false)]).up();
  expect(up.counts).toMatchObject({ replace: 600, create: 0, delete: 0 });
  expect(b.world.objects.size).toBe(600);
});

test("a protected dependant stops the replacement before anything is deleted", async () => {
  const tree = (region: string): Block[] => [
    { name: "net", inputs: { label: "net", region } },
    { name: "sub", inputs: { label: "sub", parentId: { of: "net" } }, options: { protect: true } },
  ];
  const b = await applied(...tree("eu"));
  expect((await b.engine(tree("us")).up()).guard?.kind).toBe("protect");
  expect(verbs(b)).toEqual([]);
});

test("an alias keeps the object under its new name, and what depends on it", async () => {
  const b = await applied(a({ region: "eu" }), {
    name: "child",
    inputs: { label: "c", parentId: { of: "a" } },
  });
  for (const aliases of [[{ name: "a" }], [{ urn: urn("a") }]]) {
    const renamed: Block[] = [
      { name: "renamed", inputs: { label: "a", region: "eu" }, options: { aliases } },
      { name: "child", inputs: { label: "c", parentId: { of: "renamed" } } },
    ];
    expect(await b.engine(renamed).up()).toMatchObject({ changes: false, counts: { same: 2 } });
    await b
      .engine([
        a({ region: "eu" }, { aliases: [{ name: "renamed" }] }),
        { name: "child", inputs: { label: "c", parentId: { of: "a" } } },
      ])
      .up();
  }
  expect(verbs(b)).toEqual([]);
});

test("children of a renamed parent are found under their old URNs", async () => {
  const tree = (name: string, aliases: { name: string }[]): Block[] => [
    { name, inputs: { label: "p" }, options: { aliases } },
    { name: "child", inputs: { label: "c" }, options: { parent: name } },
  ];
  const b = await applied(...tree("p", []));
  expect((await b.engine([]).resources()).map((state) => state.urn)).toContain(urn("child", `${thing}$`));
  const moved: Block[] = [
    { name: "q", inputs: { label: "p" }, options: { aliases: [{ name: "p" }] } },
    { name: "child", inputs: { label: "c" }, options: { parent: "q", aliases: [{ noParent: true }] } },
  ];
  expect(await b.engine(moved).up()).toMatchObject({ changes: false });
  const top: Block[] = [
    moved[0] as Block,
    {
      name: "child",
      inputs: { label: "c" },
      options: { aliases: [{ parent: `urn:pulumi:dev::shop::${thing}::q` }] },
    },
  ];
  expect(await b.engine(top).up()).toMatchObject({ changes: false });
  expect(verbs(b)).toEqual([]);
});

test("protect and retainOnDelete are taken over from the parent", async () => {
  const b = await applied(
    { name: "p", inputs: { label: "p" }, options: { protect: true, retainOnDelete: true } },
    { name: "child", inputs: { label: "c" }, options: { parent: "p" } },
    { name: "free", inputs: { label: "f" }, options: { parent: "p", protect: false } },
  );
  const state = Object.fromEntries(
    (await b.engine([]).resources()).map((one) => [one.urn.split("::").pop(), one]),
  );
  expect(state.child).toMatchObject({ protect: true, retainOnDelete: true });
  expect(state.free?.protect).toBeUndefined();
});

test("import adopts the object, changes it in place where it differs, and refuses what would replace it", async () => {
  const b = bench(world());
  await b.engine([a({ region: "eu", size: 1 })]).up();
  const id = [...b.world.objects.keys()][0] as string;
  b.files.clear();
  b.world.calls.length = 0;
  const refused = await b.engine([a({ region: "us" }, { import: id })]).up();
  expect(refused.diagnostics).toMatchObject([
    { message: expect.stringContaining("because of region"), line: 1 },
  ]);
  const missing = await b.engine([a({}, { import: "t0" })]).preview();
  expect(missing.diagnostics).toMatchObject([
    { message: expect.stringContaining('no object with the id "t0"') },
  ]);
  const blocks = [a({ region: "eu", size: 2 }, { import: id })];
  const preview = await b.engine(blocks).preview();
  expect(preview).toMatchObject({
    steps: [{ op: "import", id, detailedDiff: { size: { kind: "update" } } }],
    counts: { import: 1 },
  });
  expect((await b.engine(blocks).up()).counts).toMatchObject({ import: 1 });
  expect(b.world.objects.get(id)?.values.size).toBe(2);
  expect((await b.engine(blocks).up()).changes).toBe(false);
});

test("customTimeouts reach the verbs, the delete's from the state", async () => {
  const b = await applied(a({}, { customTimeouts: { create: 5, delete: 7 } }));
  const saved = (await b.engine([]).resources()).find((state) => state.urn === urn("a"));
  expect(saved?.customTimeouts).toEqual({ create: 5, delete: 7 });
});

test("additionalSecretOutputs and secret inputs make the outputs of their names secret", async () => {
  const b = await applied(a({ password: secret("pw") }, { additionalSecretOutputs: ["address"] }));
  const state = (await b.engine([]).resources()).find((one) => one.urn === urn("a"));
  expect(state?.outputs.address).toEqual(secret(expect.any(String) as unknown as string));
  expect(state?.outputs.password).toEqual(secret("pw"));
  expect([...b.files.values()].join()).not.toMatch(/"10\.0\.0\.|"pw"/);
}, 60_000);

test("hideDiffs leaves the path out of what is shown, not out of what is done", async () => {
  const b = await applied(a({ size: 1 }));
  const { steps } = await b.engine([a({ size: 2 }, { hideDiffs: ["size"] })]).up();
  expect(steps).toMatchObject([{ op: "update", detailedDiff: {} }]);
  expect([...b.world.objects.values()][0]?.values.size).toBe(2);
});

test("replaceWith replaces along, deletedWith spares the call", async () => {
  const b = await applied(a({ region: "eu" }), { name: "b", inputs: { label: "b" } });
  const next = [
    a({ label: "a2", region: "us" }),
    { name: "b", inputs: { label: "b2" }, options: { replaceWith: ["a"] } },
  ];
  expect((await b.engine(next).up()).counts.replace).toBe(2);
  const c = await applied(a(), {
    name: "b",
    inputs: { label: "b" },
    options: { deletedWith: "a" },
    dependsOn: ["a"],
  });
  const result = await c.engine([]).up();
  expect(result.counts.delete).toBe(2);
  // What deletes everything looks whether anything is there.
  expect(verbs(c)).toEqual(["read a", "delete a"]);
});

test("an object that goes with another stays in the state when the other could not be deleted", async () => {
  const b = await applied(a(), {
    name: "b",
    inputs: { label: "b" },
    options: { deletedWith: "a" },
    dependsOn: ["a"],
  });
  b.world.fault = () => new Error("locked");
  const result = await b.engine([]).destroy();
  expect(result.result).toBe("failed");
  expect((await b.engine([]).resources()).filter((state) => state.type === thing)).toHaveLength(2);
});

test("an explicit provider is a resource; moving to one of another account replaces, a new token does not", async () => {
  const provider = (config: { baseUrl: string; token: string }): Block => ({
    name: "p",
    type: "pulumi:providers:plumbline",
    inputs: config,
  });
  const b = await applied(provider({ baseUrl: "one", token: "x" }), a({}, { provider: "p" }));
  expect(
    (await b.engine([provider({ baseUrl: "one", token: "y" }), a({}, { provider: "p" })]).up()).counts,
  ).toMatchObject({ update: 1, same: 1 });
  const moved = await b
    .engine([provider({ baseUrl: "two", token: "y" }), a({ label: "b" }, { provider: "p" })])
    .preview();
  expect(moved.steps).toMatchObject([
    { op: "replace", name: "p", replaceReasons: ["baseUrl"] },
    { op: "replace", name: "a", replaceReasons: ["provider"] },
  ]);
  expect(
    (await b.engine([provider({ baseUrl: "two", token: "y" }), a({ label: "b" }, { provider: "p" })]).up())
      .result,
  ).toBe("succeeded");
  const left = await b.engine([]).destroy();
  expect(left.counts.delete).toBe(2);
  expect(await b.engine([]).resources()).toEqual([]);
});

test("a provider that is not known before something is made does not stop the preview", async () => {
  const b = bench(world());
  const blocks: Block[] = [
    a(),
    { name: "p", type: "pulumi:providers:plumbline", inputs: { token: { of: "a", output: "address" } } },
    { name: "b", inputs: { label: "b" }, options: { provider: "p" } },
  ];
  expect((await b.engine(blocks).preview()).counts.create).toBe(3);
  expect((await b.engine(blocks).up()).counts.create).toBe(3);
});

test("get reads an object that stays somebody else's", async () => {
  const b = await applied(a());
  const id = [...b.world.objects.keys()][0] as string;
  const c = { name: "seen", get: id, inputs: {} };
  const { counts, outputs } = await b
    .engine([a(), c], { outputs: { label: { of: "seen", output: "label" } } })
    .up();
  expect(counts).toMatchObject({ same: 1, read: 1 });
  expect(outputs).toEqual({ label: "a" });
  expect(await b.engine([a(), c]).preview()).toMatchObject({ changes: false });
  b.world.calls.length = 0;
  await b.engine([]).destroy();
  expect(verbs(b)).toEqual(["delete a"]);
});

test("targets leave everything else as it is, and what a target needs must be there", async () => {
  const b = await applied(a({ size: 1 }), { name: "b", inputs: { label: "b", size: 1 } });
  const next: Block[] = [
    a({ size: 2 }),
    { name: "b", inputs: { label: "b", size: 2 } },
    { name: "c", inputs: { label: "c" } },
    { name: "d", inputs: { label: "d", parentId: { of: "c" } } },
  ];
  const only = await b.engine(next).up({ targets: ["b"] });
  expect(only.steps).toMatchObject([{ op: "update", name: "b" }]);
  expect(only.result).toBe("succeeded");
  const missing = await b.engine(next).up({ targets: [urn("d")] });
  expect(missing.diagnostics).toMatchObject([
    { message: expect.stringContaining("is not a target"), urn: urn("d") },
  ]);
  expect((await b.engine([]).up({ targets: ["**::a"] })).counts).toMatchObject({ delete: 1 });
  expect(b.world.objects.size).toBe(1);
});

test("two resources of one URN are refused", async () => {
  const b = bench(world());
  const twice = [a(), { ...a(), name: "a" }];
  const { diagnostics } = await b.engine(twice).preview();
  expect(diagnostics.some(({ message }) => message.includes("two resources have the URN"))).toBe(true);
});
