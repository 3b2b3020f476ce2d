import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Value } from "../../../provider/core/value.ts";
import { type Bench, type Block, bench } from "./program.ts";
import { type Life, life, memoryDisk, thing, world } from "./world.ts";

/** Runs an operation in a life that may end; true when it came to its end. */
async function run(
  b: Bench,
  blocks: readonly Block[],
  of: Life,
  what: "up" | "destroy" | "refresh" = "up",
): Promise<boolean> {
  const work = b
    .engine(blocks, { of })
    [what]()
    .then((result) => {
      if (result.result !== "succeeded") throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
      return true;
    });
  work.catch(() => {});
  return Promise.race([work, of.ended.then(() => false)]);
}

function expectDeclared(b: Bench, blocks: readonly Block[]): void {
  const byLabel = new Map([...b.world.objects.values()].map((object) => [object.values.label, object]));
  expect(b.world.objects.size, "nothing doubled, nothing orphaned").toBe(blocks.length);
  for (const block of blocks) {
    const object = byLabel.get(block.inputs?.label);
    expect(object, `${block.name} is there`).toBeDefined();
    for (const [name, value] of Object.entries(block.inputs ?? {})) {
      const parent = (value as { of?: string }).of;
      const wanted =
        parent === undefined
          ? value
          : byLabel.get(blocks.find(({ name }) => name === parent)?.inputs?.label)?.id;
      expect(object?.values[name]).toBe(wanted);
    }
  }
}

const before: Block[] = [
  { name: "net", inputs: { label: "net", region: "eu", size: 1 } },
  { name: "sub", inputs: { label: "sub", parentId: { of: "net" } } },
  { name: "leaf", inputs: { label: "leaf", parentId: { of: "sub" }, size: 1 } },
  { name: "gone", inputs: { label: "gone" } },
];

const after: Block[] = [
  { name: "net", inputs: { label: "net", region: "us", size: 1 } },
  { name: "sub", inputs: { label: "sub", parentId: { of: "net" } } },
  { name: "leaf", inputs: { label: "leaf", parentId: { of: "sub" }, size: 2 } },
  { name: "moved", inputs: { label: "moved", region: "eu" } },
];

const relabelled: Block[] = [
  { name: "net", inputs: { label: "net-b", region: "us", size: 1 } },
  { name: "leaf", inputs: { label: "leaf-b", parentId: { of: "net" }, size: 2 } },
];

const declarations: readonly (readonly Block[])[] = [before, after, relabelled, []];

test.each([
  ["a first run", [], before],
  ["a run that replaces, changes, makes and deletes", before, after],
  ["a run that replaces beside the old object", after, relabelled],
  ["a run that deletes everything", before, []],
] as const)("%s may be killed at every single moment, torn journal lines included", async (_, from, to) => {
  const trial = bench(world());
  await run(trial, from, life());
  const whole = life();
  await run(trial, to, whole);
  expectDeclared(trial, to);
  for (let moment = 1; moment <= whole.moments(); moment += 1) {
    const b = bench(world());
    await run(b, from, life());
    const ended = await run(b, to, life(moment));
    // The run after the kill, declared the same: nothing is lost and nothing is made twice.
    expect(await run(b, to, life()), `after a kill at moment ${moment}`).toBe(true);
    expectDeclared(b, to);
    const calls = b.world.calls.length;
    const third = await b.engine(to).up();
    expect(third.changes, `third run after a kill at moment ${moment} (${ended})`).toBe(false);
    expect(b.world.calls.length).toBe(calls);
  }
});

test("whatever is declared after kills at any moments, the next whole run ends in the declared state", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          declared: fc.nat(3),
          moment: fc.integer({ min: 1, max: 60 }),
          also: fc.constantFrom("nothing", "refresh", "destroy"),
        }),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
      fc.nat(3),
      async (lives, last) => {
        const b = bench(world());
        for (const { declared, moment, also } of lives) {
          await run(b, declarations[declared] ?? [], life(moment));
          if (also !== "nothing") await run(b, [], life(moment), also);
        }
        const wanted = declarations[last] ?? [];
        expect(await run(b, wanted, life())).toBe(true);
        expectDeclared(b, wanted);
        expect((await b.engine(wanted).up()).changes).toBe(false);
        expect([...b.files.keys()].filter((path) => /journal|lock$/.test(path))).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

const apart: Block[] = ["one", "two", "three"].map((name) => ({ name, inputs: { label: name } }));

test.each([
  ["destroy", "of what hangs together", before],
  ["destroy", "of what goes at once", apart],
  ["up", "of a file without blocks, of what goes at once,", apart],
] as const)("%s %s may be killed at every single moment", async (verb, _, blocks) => {
  const end = (b: Bench, of: Life) => run(b, [], of, verb);
  const trial = bench(world());
  await run(trial, blocks, life());
  const whole = life();
  await end(trial, whole);
  expect(trial.world.objects.size).toBe(0);
  for (let moment = 1; moment <= whole.moments(); moment += 1) {
    const b = bench(world());
    await run(b, blocks, life());
    await end(b, life(moment));
    expect(await end(b, life()), `killed at moment ${moment}`).toBe(true);
    expect(b.world.objects.size, `killed at moment ${moment}`).toBe(0);
    expect((await b.engine([]).resources()).filter(({ type }) => type === thing)).toEqual([]);
  }
});

test("a kill during a first run leaves a creation that is found again whatever its block has become", async () => {
  const one: Block[] = [{ name: "a", inputs: { label: "a", size: 1 } }];
  for (const next of [
    one,
    [],
    [{ name: "a", inputs: { label: "a", size: 2 } }],
    [{ name: "a", inputs: { label: "z", region: "us" } }],
  ] as Block[][]) {
    for (let moment = 1; moment < 14; moment += 1) {
      const b = bench(world());
      await run(b, one, life(moment));
      const preview = await b.engine(next).preview();
      expect(preview.result).toBe("succeeded");
      expect(await run(b, next, life())).toBe(true);
      expectDeclared(b, next);
    }
  }
});

test("a run without accidents makes no request beyond its writes", async () => {
  const b = bench(world());
  await b.engine(before).up();
  expect(b.world.calls.map(({ verb }) => verb)).toEqual(["create", "create", "create", "create"]);
});

test("an answer lost within a run is looked for by the next one", async () => {
  const b = bench(world());
  b.world.pause = async () => {
    throw new Error("the connection was reset");
  };
  const blocks: Block[] = [{ name: "a", inputs: { label: "a" } }];
  expect((await b.engine(blocks).up()).result).toBe("failed");
  expect(b.world.objects.size).toBe(1);
  b.world.pause = async () => {};
  expect((await b.engine(blocks).up()).counts.create).toBe(1);
  expect(b.world.calls.map(({ verb }) => verb)).toEqual(["create", "list"]);
  expectDeclared(b, blocks);
});

test("what a lost answer made for a block that is gone is deleted before its name is needed", async () => {
  const b = bench(world());
  b.world.pause = async () => {
    throw new Error("the connection was reset");
  };
  await b.engine([{ name: "a", inputs: { label: "same" } }]).up();
  b.world.pause = async () => {};
  b.world.calls.length = 0;
  const renamed: Block[] = [{ name: "b", inputs: { label: "same" } }];
  const preview = await b.engine(renamed).preview();
  expect(preview).toMatchObject({ result: "succeeded", counts: { create: 1, delete: 1 } });
  expect((await b.engine(renamed).up()).counts).toEqual(preview.counts);
  expectDeclared(b, renamed);
});

test("what a lost answer made in this very run does not go with an old object that it never hung on", async () => {
  const b = bench(world());
  const tree = (region: string, parent: object): Block[] => [
    { name: "a", inputs: { label: "a", region } },
    { name: "b", inputs: { label: "b", ...parent } },
  ];
  await b.engine(tree("eu", { parentId: { of: "a" } })).up();
  b.world.pause = async (verb, { label }) => {
    if (verb === "create" && label === "d") throw new Error("the connection was reset");
  };
  const next: Block[] = [...tree("us", {}), { name: "d", inputs: { label: "d" }, dependsOn: ["b"] }];
  const first = await b.engine(next.toReversed()).up();
  expect(first.diagnostics.map(({ message }) => message)).toEqual(["the connection was reset"]);
  b.world.pause = async () => {};
  expect((await b.engine(next).up()).result).toBe("succeeded");
  expectDeclared(b, next);
});

test("a refusal of the service leaves nothing to look for", async () => {
  const b = bench(world());
  b.world.fault = () => Object.assign(new Error("400 no"), { status: 400 });
  const blocks: Block[] = [{ name: "a", inputs: { label: "a" } }];
  await b.engine(blocks).up();
  b.world.fault = () => undefined;
  await b.engine(blocks).up();
  expect(b.world.calls.map(({ verb }) => verb)).toEqual(["create", "create"]);
});

test("after an update of unknown end the object is read, and brought to what is declared", async () => {
  const b = bench(world());
  const block = (size: Value): Block[] => [{ name: "a", inputs: { label: "a", size } }];
  await b.engine(block(1)).up();
  b.world.pause = async () => {
    throw new Error("the connection was reset");
  };
  expect((await b.engine(block(2)).up()).result).toBe("failed");
  b.world.pause = async () => {};
  b.world.calls.length = 0;
  await b.engine(block(3)).up();
  // Read for the preview that the run is held to, and for the run.
  expect(b.world.calls.map(({ verb }) => verb)).toEqual(["read", "read", "update"]);
  expectDeclared(b, block(3));
});

test("cancelling starts nothing new, lets what runs end, and the next run goes on", async () => {
  const b = bench(world());
  const controller = new AbortController();
  b.world.pause = async (_, values) => {
    if (values.label === "net") controller.abort();
  };
  const result = await b.engine(before, { signal: controller.signal, parallel: 1 }).up();
  expect(result).toMatchObject({ result: "cancelled", diagnostics: [] });
  expect(b.world.objects.size).toBe(1);
  b.world.pause = async () => {};
  const next = await b.engine(before).up();
  expect(next.counts).toMatchObject({ create: 3, same: 1 });
  expectDeclared(b, before);
});

test("intents are kept before there is a place, and what a cancel keeps from starting leaves none", async () => {
  const many = Array.from({ length: 6 }, (_, at) => ({ name: `t${at}`, inputs: { label: `t${at}` } }));
  const b = bench(world());
  const controller = new AbortController();
  let journal = "";
  b.world.pause = async () => {
    await setTimeout(20);
    journal = [...b.files.values()].find((text) => text.startsWith('{"journal"')) ?? "";
    controller.abort();
  };
  const result = await b.engine(many, { signal: controller.signal, parallel: 1 }).up();
  expect(result).toMatchObject({ result: "cancelled", diagnostics: [] });
  expect(b.world.objects.size).toBe(1);
  expect(journal.match(/"begin":"creating"/g)).toHaveLength(4);
  const state = JSON.parse([...b.files].find(([path]) => path.endsWith("dev.json"))?.[1] ?? "");
  expect(state.deployment).toMatchObject({ resources: expect.any(Array) });
  expect(state.deployment.pending_operations ?? []).toEqual([]);
});

test("what is whole when it is made is saved once, and what is not twice", async () => {
  const b = bench(world());
  let lines: string[] = [];
  const kept = memoryDisk(b.files);
  const disk = {
    ...kept,
    append: async (path: string, text: string) => {
      lines.push(...text.trim().split("\n"));
      await kept.append(path, text);
    },
  };
  await b.engine([{ name: "one", inputs: { label: "one" } }], { disk }).up();
  expect(lines.filter((line) => line.startsWith('{"set"') && line.includes('"one"'))).toHaveLength(1);
  expect(lines.join()).not.toContain("interrupted");
  lines = [];
  await b.engine([{ name: "two", inputs: { label: "two", size: 5 } }], { disk }).up();
  expect(lines.filter((line) => line.startsWith('{"set"') && line.includes('"two"'))).toHaveLength(2);
  expect(lines.filter((line) => line.includes("interrupted"))).toHaveLength(1);
});
