/** Everything gone at once stops an operation: sooner a wrong account than the truth. */

import { expect, test } from "vitest";
import { type Block, bench } from "../deployment/program.ts";
import { world } from "../deployment/world.ts";

const blocks: Block[] = [
  { name: "a", inputs: { label: "a" } },
  { name: "b", inputs: { label: "b" } },
  { name: "c", inputs: { label: "c", parentId: { of: "a" } } },
];

async function emptied(declared: Block[] = blocks) {
  const b = bench(world());
  await b.engine(declared).up();
  b.world.objects.clear();
  b.world.calls.length = 0;
  return b;
}

const operations = {
  refresh: (b: Awaited<ReturnType<typeof emptied>>, allowGone: boolean) =>
    b.engine(blocks).refresh({ allowGone }),
  destroy: (b: Awaited<ReturnType<typeof emptied>>, allowGone: boolean) =>
    b.engine(blocks).destroy({ allowGone }),
  drift: (b: Awaited<ReturnType<typeof emptied>>, allowGone: boolean) =>
    b.engine(blocks).drift({ allowGone }),
  "up --refresh": (b: Awaited<ReturnType<typeof emptied>>, allowGone: boolean) =>
    b.engine(blocks).up({ refresh: true, allowGone }),
  "up of a file without blocks": (b: Awaited<ReturnType<typeof emptied>>, allowGone: boolean) =>
    b.engine([]).up({ allowGone }),
};

test.each(Object.entries(operations))(
  "%s of a stack that reads as gone is refused, and forgets and writes nothing, until it is allowed",
  async (_name, operation) => {
    const b = await emptied();
    const files = JSON.stringify([...b.files]);
    await expect(operation(b, false)).rejects.toMatchObject({
      code: "gone",
      exitCode: 4,
      message: expect.stringMatching(/^All 3 objects of the stack dev .* right account\?.*--allow-gone\.$/),
    });
    expect(JSON.stringify([...b.files])).toBe(files);
    expect(b.world.calls.filter(({ verb }) => verb !== "read")).toEqual([]);
    expect((await operation(b, true)).result).toBe("succeeded");
  },
);

test("one object that is there is enough to believe that the others are gone", async () => {
  for (const operation of Object.values(operations)) {
    const b = await emptied();
    await b.engine(blocks).up({ refresh: true, allowGone: true });
    const kept = [...b.world.objects.values()].find(({ values }) => values.label === "b");
    b.world.objects.clear();
    b.world.objects.set(kept!.id, kept!);
    expect((await operation(b, false)).result).toBe("succeeded");
  }
});

test("a stack of one object may lose it", async () => {
  const b = await emptied([blocks[0]!]);
  expect((await b.engine([blocks[0]!]).refresh()).counts).toMatchObject({ delete: 1 });
});

test("what is protected is not forgotten, though everything may be gone", async () => {
  const declared = blocks.map((block) => ({ ...block, options: { protect: block.name === "b" } }));
  const b = await emptied(declared);
  const files = JSON.stringify([...b.files]);
  await expect(b.engine(declared).refresh({ allowGone: true })).rejects.toMatchObject({ code: "protect" });
  await expect(b.engine(declared).destroy({ allowGone: true })).rejects.toMatchObject({ code: "protect" });
  expect(JSON.stringify([...b.files])).toBe(files);
});

test("a destroy of a whole stack looks for one object, however many it has", async () => {
  const b = bench(world());
  await b.engine(blocks).up();
  b.world.calls.length = 0;
  await b.engine(blocks).destroy();
  expect(b.world.calls.map(({ verb }) => verb)).toEqual(["read", "delete", "delete", "delete"]);
});
