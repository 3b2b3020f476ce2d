/** A stack that gets another name: at every kill one name at most has its objects, and the same command ends it. */

import { describe, expect, test } from "vitest";
import { secret } from "../../../provider/core/value.ts";
import type { EngineOptions } from "../../../provider/engine/engine.ts";
import { type Bench, type Block, bench } from "../deployment/program.ts";
import { type Life, life, world } from "../deployment/world.ts";

const blocks: Block[] = [
  { name: "p", type: "pulumi:providers:plumbline", inputs: { token: secret("t0ken"), baseUrl: "http://b" } },
  { name: "a", inputs: { label: "a", size: 1 } },
  { name: "b", inputs: { label: "b", password: secret("open sesame"), size: { of: "a" } } },
];

type Work = Partial<EngineOptions> & { of?: Life };
const on = (b: Bench, stack: string, more: Work = {}) => b.engine(blocks, { stack, ...more });

/** How many resources a name has; why it is refused. */
const holds = async (b: Bench, stack: string): Promise<number | string> =>
  on(b, stack)
    .resources()
    .then(
      (found) => found.length,
      (error: Error) => error.message,
    );

async function begun(): Promise<Bench> {
  const b = bench(world());
  await b.engine(blocks.slice(0, 2)).up();
  await b.engine(blocks).up();
  return b;
}

/** Renames until the moment; false: it came to its end before. */
async function cutOff(b: Bench, moment: number): Promise<boolean> {
  const of = life(moment);
  const renaming = on(b, "dev", { of }).renameStack("live");
  await Promise.race([renaming, of.ended]);
  return of.isOver();
}

describe("a stack under another name", () => {
  test("has what it had, its versions too, and the old one nothing", async () => {
    const b = await begun();
    const before = (await on(b, "dev").history()).map(({ version: _, ...change }) => change);
    expect(await on(b, "dev").renameStack("live")).toBe(true);
    expect(await on(b, "live").preview()).toMatchObject({ changes: false, counts: { same: 3 } });
    expect(await holds(b, "dev")).toBe(0);
    expect(await on(b, "dev").stacks()).toEqual(["live"]);
    const history = await on(b, "live").history();
    expect(history.map(({ version: _, ...change }) => change).slice(0, -1)).toEqual(before);
    expect(history.at(-1)).toMatchObject({ operation: "rename", result: "succeeded" });
    const first = JSON.stringify(await on(b, "live").exportState({ version: 1 }));
    expect(first).toContain("urn:pulumi:live::shop::");
    expect(first).not.toContain("urn:pulumi:dev::");
    expect(await on(b, "dev").renameStack("other")).toBe(false);
  });

  test("is refused where the name is taken, and while a run holds either", async () => {
    const b = await begun();
    await on(b, "live").up();
    const files = new Map(b.files);
    await expect(on(b, "dev").renameStack("live")).rejects.toThrow("there is a stack live already");
    for (const held of ["dev", "free"]) {
      b.files.set(
        `/state/stacks/shop/${held}.lock`,
        JSON.stringify({
          user: "berta",
          host: "elsewhere",
          pid: 1,
          since: "2026-01-01T00:00:00Z",
          operation: "up",
          nonce: "n",
        }),
      );
      await expect(on(b, "dev").renameStack("free")).rejects.toMatchObject({ code: "locked" });
      b.files.delete(`/state/stacks/shop/${held}.lock`);
    }
    expect(b.files).toEqual(files);
  });

  test("is one or the other wherever the renaming is cut off, and the same again ends it", async () => {
    let refusals = 0;
    for (let moment = 1; ; moment += 1) {
      const b = await begun();
      const objects = JSON.stringify([...b.world.objects]);
      if (!(await cutOff(b, moment))) {
        expect(moment).toBeGreaterThan(10);
        break;
      }
      const names = ["dev", "live"];
      const held = await Promise.all(names.map((name) => holds(b, name)));
      expect(held.filter((found) => found === 5).length, `moment ${moment}: ${held}`).toBeLessThan(2);
      for (const [at, found] of held.entries()) {
        if (typeof found === "number") expect([0, 5]).toContain(found);
        else {
          refusals += 1;
          expect([names[at], found]).toEqual([
            "live",
            expect.stringContaining("plumbline stack rename live --stack dev"),
          ]);
          await expect(on(b, "live").up()).rejects.toThrow("was cut off");
        }
      }
      const again = held[1] === 5 && held[0] === 0;
      expect(await on(b, "dev").renameStack("live", { again }), `moment ${moment}`).toBe(true);
      expect(await on(b, "live").preview()).toMatchObject({ changes: false, counts: { same: 3 } });
      expect(await holds(b, "dev")).toBe(0);
      expect(JSON.stringify([...b.world.objects])).toBe(objects);
    }
    expect(refusals).toBeGreaterThan(2);
  });
});
