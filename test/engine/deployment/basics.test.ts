import { expect, test } from "vitest";
import { isUnknown, secret, type ValueMap } from "../../../provider/core/value.ts";
import { type Block, bench } from "./program.ts";
import { world } from "./world.ts";

const network: Block[] = [
  { name: "net", inputs: { label: "net", region: "eu", size: 1 } },
  { name: "sub", inputs: { label: "sub", parentId: { of: "net" } } },
  { name: "sub2", inputs: { label: "sub2", parentId: { of: "net" } } },
];

test("what is declared is made, dependencies first, and a second run does nothing and asks nothing", async () => {
  const b = bench(world());
  const first = await b.engine(network, { outputs: { id: { of: "net" } } }).up();
  expect(first).toMatchObject({ result: "succeeded", counts: { create: 3, same: 0 }, changes: true });
  expect([...b.world.objects.values()].map(({ values }) => values.label)).toEqual(["net", "sub", "sub2"]);
  expect(first.outputs.id).toMatch(/^t\d+$/);
  const state = b.files.get("/state/stacks/shop/dev.json");
  const calls = b.world.calls.length;
  const second = await b.engine(network, { outputs: { id: { of: "net" } } }).up();
  expect(second).toMatchObject({
    result: "succeeded",
    counts: { create: 0, update: 0, same: 3 },
    changes: false,
  });
  expect(b.world.calls.length).toBe(calls);
  expect(b.files.get("/state/stacks/shop/dev.json")).toBe(state);
  expect([...b.files.keys()].filter((name) => !name.startsWith("/state/history/")).sort()).toEqual([
    "/state/.gitignore",
    "/state/stacks/shop/dev.json",
  ]);
});

test("a preview writes nothing anywhere, and an up then takes the steps that it showed", async () => {
  const b = bench(world());
  const shown = await b.engine(network).preview();
  expect(shown.counts.create).toBe(3);
  expect(shown.steps.every((step) => step.op === "create" && step.id === undefined)).toBe(true);
  expect(b.files.size).toBe(0);
  expect(b.world.objects.size).toBe(0);
  const done = await b.engine(network).up();
  const names = (steps: typeof done.steps) =>
    steps
      .map(({ op, urn, detailedDiff, replaceReasons }) => ({ op, urn, detailedDiff, replaceReasons }))
      .sort((a, c) => a.urn.localeCompare(c.urn));
  expect(names(done.steps)).toEqual(names(shown.steps));
  const changed: Block[] = [{ ...network[0]!, inputs: { label: "net", region: "us", size: 2 } }, network[1]!];
  const preview = await b.engine(changed).preview();
  const up = await b.engine(changed).up();
  expect(names(up.steps.filter((step) => !step.replaced))).toEqual(names(preview.steps));
  expect(preview.counts).toMatchObject({ replace: 2, delete: 1 });
});

test("an automatic name is in the preview what it is in the run, and stays in every later one", async () => {
  const b = bench(world());
  const blocks: Block[] = [{ name: "a", inputs: { size: 1 } }];
  const engine = b.engine(blocks);
  const { steps } = await engine.preview();
  await engine.up();
  const label = [...b.world.objects.values()][0]?.values.label;
  expect(label).toMatch(/^a-[0-9a-f]{7}$/);
  expect(steps[0]?.newInputs?.label).toBe(label);
  const replaced: Block[] = [{ name: "a", inputs: { size: 1, region: "us" } }];
  const shown = await b.engine(replaced).preview();
  await b.engine(replaced).up();
  const next = [...b.world.objects.values()][0]?.values.label;
  expect(next).not.toBe(label);
  expect(shown.steps[0]?.newInputs?.label).toBe(next);
});

test("unknown outputs of a preview say what they will come from", async () => {
  const b = bench(world());
  const seen: ValueMap[] = [];
  const engine = b.engine(network);
  const { steps } = await engine.preview();
  for (const step of steps) if (step.newInputs) seen.push(step.newInputs);
  const sub = seen.find((inputs) => inputs.label === "sub");
  expect(isUnknown(sub?.parentId)).toBe(true);
  expect(sub?.parentId).toMatchObject({ source: "urn:pulumi:dev::shop::plumbline:test/thing:Thing::net#id" });
});

test("no secret is plain in any file of the state folder, and each is read back", async () => {
  const b = bench(world({ hasTokens: true }));
  const blocks = [{ name: "a", inputs: { label: "a", password: secret("hunter2") } }];
  const { result } = await b
    .engine(blocks, { outputs: { pw: { of: "a", output: "password" }, t: { of: "a", output: "token" } } })
    .up();
  expect(result).toBe("succeeded");
  for (const [path, text] of b.files) {
    expect(text, path).not.toContain("hunter2");
    expect(text, path).not.toContain("token-of");
  }
  const again = b.engine(blocks, {
    outputs: { pw: { of: "a", output: "password" }, t: { of: "a", output: "token" } },
  });
  expect((await again.up()).counts.same).toBe(1);
  expect(await again.outputs()).toEqual({
    pw: secret("hunter2"),
    t: secret(expect.stringContaining("token-of") as unknown as string),
  });
  expect(JSON.stringify(b.events)).not.toContain('"event":"finished","hunter2');
});

test("the same secret in a plan, a journal and a torn journal is sealed too", async () => {
  const b = bench(world());
  const blocks = [{ name: "a", inputs: { label: "a", password: secret("hunter2") } }];
  const { plan } = await b.engine(blocks).preview({ plan: true });
  expect(JSON.stringify(plan)).not.toContain("hunter2");
  expect(plan?.steps).toHaveLength(1);
  const up = await b.engine(blocks).up({ plan: plan! });
  expect(up.result).toBe("succeeded");
  await expect(b.engine(blocks).up({ plan: plan! })).rejects.toMatchObject({ code: "plan", exitCode: 4 });
});

test("a removed block is deleted after what depends on it", async () => {
  const b = bench(world());
  await b.engine(network).up();
  b.world.calls.length = 0;
  const { counts } = await b.engine([]).up();
  expect(counts.delete).toBe(3);
  expect(b.world.objects.size).toBe(0);
  expect(b.world.calls.at(-1)).toMatchObject({ verb: "delete", name: "net" });
});

test("a failed resource stops what depends on it and nothing else; nothing is deleted after a failure", async () => {
  const b = bench(world());
  await b.engine([{ name: "old", inputs: { label: "old" } }]).up();
  b.world.fault = (verb, values) =>
    verb === "create" && values.label === "net" ? new Error("out of stock") : undefined;
  const blocks: Block[] = [...network, { name: "other", inputs: { label: "other" } }];
  const result = await b.engine(blocks).up();
  expect(result.result).toBe("failed");
  expect(result.diagnostics).toMatchObject([{ severity: "error", message: "out of stock", line: 1 }]);
  expect([...b.world.objects.values()].map(({ values }) => values.label).sort()).toEqual(["old", "other"]);
  const onward = await b.engine(blocks).up({ continueOnError: true });
  expect(onward.counts).toMatchObject({ delete: 1 });
  b.world.fault = () => undefined;
  const last = await b.engine(blocks).up();
  expect(last.counts).toMatchObject({ create: 3, same: 1, delete: 0 });
});

test("bad inputs are refused with their place before any request", async () => {
  const b = bench(world());
  const result = await b
    .engine([
      { name: "a", inputs: { size: 13 } },
      { name: "b", inputs: { size: 1 } },
    ])
    .up();
  expect(result).toMatchObject({ result: "failed", requests: { GET: 0 }, steps: [] });
  expect(result.diagnostics).toEqual([
    expect.objectContaining({
      severity: "error",
      property: "size",
      message: "size: 13 is no size",
      file: "Pulumi.yaml",
      line: 1,
    }),
  ]);
  const looked = await b.engine([{ name: "a", inputs: { size: 14 } }]).preview();
  expect(looked.diagnostics).toMatchObject([{ property: "size", message: "size: 14 is sold out" }]);
});

test("a reason that stops every resource alike is told once, with a count", async () => {
  const b = bench(world());
  const blocks = [1, 2, 3].map((n) => ({ name: `a${n}`, inputs: { label: `a${n}` } }));
  const result = await b.engine(blocks, { config: { token: "none" } }).up();
  expect(result.diagnostics.map((d) => d.message)).toEqual([
    "no token: set plumbline:token",
    "2 more resources failed for the same reason: no token: set plumbline:token",
  ]);
});

test("an object that is there but not ready is kept, and the next run finishes it by an update", async () => {
  const b = bench(world());
  const failing = await b.engine([{ name: "a", inputs: { label: "a", size: 99 } }]).up();
  expect(failing).toMatchObject({ result: "failed", diagnostics: [{ message: "it never got ready" }] });
  const next = await b.engine([{ name: "a", inputs: { label: "a", size: 99 } }]).preview();
  expect(next.counts).toMatchObject({ update: 1, create: 0 });
  await b.engine([{ name: "a", inputs: { label: "a", size: 5 } }]).up();
  expect(b.world.objects.size).toBe(1);
  expect((await b.engine([{ name: "a", inputs: { label: "a", size: 5 } }]).preview()).changes).toBe(false);
});

test("a partial update keeps the inputs last applied, so that the change is tried again", async () => {
  const b = bench(world());
  await b.engine([{ name: "a", inputs: { label: "a", size: 1 } }]).up();
  const failed = await b.engine([{ name: "a", inputs: { label: "a", size: 98 } }]).up();
  expect(failed.result).toBe("failed");
  const preview = await b.engine([{ name: "a", inputs: { label: "a", size: 98 } }]).preview();
  expect(preview.steps[0]?.detailedDiff).toEqual({ size: { kind: "update", inputDiff: true } });
});
