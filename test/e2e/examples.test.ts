/** Every folder under `examples/`, in every way that it has: it comes up, needs nothing the second time, and goes without a trace. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Example,
  findExamples,
  type Life,
  liveInYaml,
  openPrograms,
  type Programs,
  previewAlone,
} from "./example.ts";
import { pulumiBin } from "./pulumi.ts";

const all = findExamples();
const runnable = all.filter(({ yaml, program }) => yaml !== undefined || program !== undefined);

it("every example can be run, or has a test of its own name", () => {
  const rest = all.filter((example) => !runnable.includes(example)).map(({ name }) => name);
  const folders = [import.meta.dirname, resolve(import.meta.dirname, "../packages")];
  const isTested = (name: string) => folders.some((folder) => existsSync(join(folder, `${name}.test.ts`)));
  expect(rest.filter((name) => !isTested(name))).toEqual([]);
  expect(runnable.length).toBeGreaterThan(0);
});

let programs: Programs;
beforeAll(async () => {
  if (pulumiBin) programs = await openPrograms();
});
afterAll(() => programs?.close());

for (const example of runnable)
  describe(`examples/${example.name}`, { timeout: 180_000 }, () => lives(example));

function lives({ yaml, program }: Example): void {
  const lived: Life[] = [];
  const live = async (life: Promise<Life>) => {
    const { created, changedAgain, deleted, before, after, mismatches, ...rest } = await life;
    expect(created.length).toBeGreaterThan(0);
    expect(changedAgain).toEqual({});
    expect([...deleted].sort()).toEqual([...created].sort());
    expect(after).toEqual(before);
    expect(mismatches).toEqual([]);
    lived.push({ created, changedAgain, deleted, before, after, mismatches, ...rest });
  };

  if (yaml !== undefined) {
    it("can be tried with nothing but an emulator", async () => {
      expect(await previewAlone(yaml)).toBeUndefined();
    });
    it("lives in YAML under plumbline", () => live(liveInYaml(yaml, "plumbline")));
    it.skipIf(!pulumiBin)("lives in YAML under pulumi", () => live(liveInYaml(yaml, "pulumi")));
  }
  if (program !== undefined) {
    it.skipIf(!pulumiBin)("lives in TypeScript by the Automation API", () => live(programs.live(program)));
  }
  if (yaml === undefined) return;
  it("makes the same in every way", () => {
    const [first, ...more] = lived.map(({ created, outputs, writes }) => ({
      created: [...created].sort(),
      outputs: Object.keys(outputs).sort(),
      writes,
    }));
    for (const other of more) expect(other).toEqual(first);
  });
}
