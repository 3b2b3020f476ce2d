/** What a killed run left open, as the next preview and drift tell it. */

import pc from "picocolors";
import { expect, test } from "vitest";
import { createLineRenderer } from "../../../provider/cli/render/lines.ts";
import type { EngineEvent } from "../../../provider/engine/event.ts";
import { type Block, bench } from "./program.ts";
import { life, world } from "./world.ts";

const blocks: Block[] = Array.from({ length: 6 }, (_, i) => ({ name: `t${i}`, inputs: { label: `t${i}` } }));

/** The lines of a run's events. */
function linesOf(events: readonly EngineEvent[]): string[] {
  const lines: string[] = [];
  const renderer = createLineRenderer({
    ...{ colors: pc.createColors(false), showSecrets: false, diff: false },
    write: (line) => lines.push(line),
  });
  for (const event of events) renderer.event(event);
  return lines;
}

test("wherever creations are killed, the preview says what it takes up, with no empty line, and drift names it", async () => {
  const whole = life();
  await bench(world()).engine(blocks, { of: whole }).up();
  let taken = 0;
  for (let last = 1; last < whole.moments(); last += 1) {
    const b = bench(world());
    const dying = life(last);
    await Promise.race([
      b
        .engine(blocks, { of: dying })
        .up()
        .catch(() => {}),
      dying.ended,
    ]);
    b.events.length = 0;
    const drift = await b.engine(blocks).drift();
    b.events.length = 0;
    const preview = await b.engine(blocks).preview();
    const lines = linesOf(b.events);
    expect(lines.filter((line) => /:\s*$/.test(line))).toEqual([]);
    const unfinished = preview.steps.filter((step) => step.unfinished);
    expect(drift.pending.map(({ name }) => name).sort()).toEqual(unfinished.map(({ name }) => name).sort());
    const told = lines.filter((line) => line.trim().startsWith("unfinished: Its creation was interrupted."));
    expect(told).toHaveLength(unfinished.length);
    for (const { op, detailedDiff, unfinished } of preview.steps)
      if (op === "update")
        expect(Object.keys(detailedDiff).length + (unfinished?.length ?? 0)).toBeGreaterThan(0);
    taken += unfinished.length;
    await b.engine(blocks).up();
    expect((await b.engine(blocks).drift()).pending).toEqual([]);
  }
  expect(taken).toBeGreaterThan(10);
});
