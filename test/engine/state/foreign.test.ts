/** The state file of another stack is refused where it lies, and taken over only on purpose. */

import { expect, test } from "vitest";
import { type Block, bench } from "../deployment/program.ts";
import { world } from "../deployment/world.ts";

const a: Block = { name: "a", inputs: { label: "a" } };
const b: Block = { name: "b", inputs: { label: "b", parentId: { of: "a" } } };
const own = "/state/stacks/shop/dev.json";

test("a copied state is refused by every operation, which says whose it is; no object and no file is touched", async () => {
  const made = bench(world());
  await made.engine([a, b], { stack: "prod" }).up();
  made.files.set(own, made.files.get("/state/stacks/shop/prod.json")!);
  const files = JSON.stringify([...made.files]);
  const objects = JSON.stringify([...made.world.objects]);
  made.world.calls.length = 0;
  const engine = () => made.engine([a, b]);
  const operations = [
    () => engine().preview(),
    () => engine().up(),
    () => engine().refresh(),
    () => engine().drift(),
    () => engine().destroy(),
    () => engine().outputs(),
    () => engine().exportState(),
    () => engine().importResource({ type: "Thing", name: "x", id: "a" }),
  ];
  for (const operation of operations) {
    await expect(operation()).rejects.toMatchObject({
      code: "target",
      exitCode: 4,
      message: expect.stringContaining(`${own} is of the stack prod of shop, not of dev of shop`),
    });
  }
  expect(made.world.calls).toEqual([]);
  expect(JSON.stringify([...made.files]).replaceAll(/,\["[^"]*\.gitignore",[^\]]*\]/g, "")).toBe(
    files.replaceAll(/,\["[^"]*\.gitignore",[^\]]*\]/g, ""),
  );
  expect(JSON.stringify([...made.world.objects])).toBe(objects);
});

test("it becomes this stack's on purpose: nothing is to be done then, and what lay there is put aside", async () => {
  const made = bench(world());
  await made.engine([a, b], { stack: "prod", project: "store" }).up();
  const text = made.files.get("/state/stacks/store/prod.json")!;
  made.files.set(own, text);
  const engine = () => made.engine([a, b]);
  await expect(engine().importState(text)).rejects.toMatchObject({ code: "usage" });
  await engine().importState(text, { rename: true });
  expect([...made.files].filter(([name, kept]) => name.includes(".replaced-") && kept === text)).toHaveLength(
    1,
  );
  made.world.calls.length = 0;
  expect(await engine().up()).toMatchObject({ changes: false, counts: { same: 2 } });
  expect(made.world.calls).toEqual([]);
  expect(made.files.get(own)).not.toContain("prod");
  expect((await engine().destroy()).counts.delete).toBe(2);
  expect(made.world.objects.size).toBe(0);
});
