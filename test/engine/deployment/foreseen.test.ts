/** What a run deletes is what its preview showed: judged by the account, over random programs, edits, options, targets and accidents. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Step } from "../../../provider/engine/event.ts";
import { type Block, bench } from "./program.ts";
import { type World, world } from "./world.ts";

const names = ["a", "b", "c", "d"] as const;

/** One block as it is drawn: everything by numbers, so that a failure shrinks to little. */
const drawnBlock = fc.record({
  isDeclared: fc.boolean(),
  /** 0: a label of its own; else one that others may have, too. */
  label: fc.nat(2),
  region: fc.nat(1),
  size: fc.nat(2),
  /** Which block before it is its parent, dependency or holder; too big: none. */
  parent: fc.nat(5),
  after: fc.nat(5),
  deletedWith: fc.nat(9),
  protect: fc.nat(6),
  retain: fc.nat(4),
  alias: fc.nat(9),
  imports: fc.nat(9),
  order: fc.nat(5),
  any: fc.nat(5),
});

type DrawnBlock = typeof drawnBlock extends fc.Arbitrary<infer T> ? T : never;

const drawnEdit = fc.record({
  blocks: fc.tuple(drawnBlock, drawnBlock, drawnBlock, drawnBlock),
  /** Which names are targets; none: all. */
  targets: fc.subarray([...names], { maxLength: 2 }),
  isTargeted: fc.nat(2),
  accident: fc.constantFrom("none", "none", "refused", "lost"),
  at: fc.nat(4),
});

function blocksOf(drawn: readonly DrawnBlock[], world: World): Block[] {
  const blocks: Block[] = [];
  drawn.forEach((one, i) => {
    if (!one.isDeclared) return;
    const before = names.slice(0, i).filter((name) => blocks.some((block) => block.name === name));
    const pick = (at: number): string | undefined => before[at];
    const [parent, after, holder] = [pick(one.parent), pick(one.after), pick(one.deletedWith)];
    const name = names[i]!;
    const stranger = [...world.objects.values()].find(
      ({ values }) => values.label === `stranger-${one.imports}`,
    );
    const alias = names[one.alias];
    blocks.push({
      name,
      inputs: {
        label: stranger ? (stranger.values.label as string) : one.label === 0 ? name : `shared-${one.label}`,
        region: stranger ? "eu" : ["eu", "us"][one.region]!,
        size: one.size,
        ...(parent && !stranger ? { parentId: { of: parent } } : {}),
      },
      ...(after ? { dependsOn: [after] } : {}),
      options: {
        ...(holder ? { deletedWith: holder } : {}),
        ...(one.protect === 0 ? { protect: true } : {}),
        ...(one.retain === 0 ? { retainOnDelete: true } : {}),
        ...(alias && alias !== name ? { aliases: [{ name: alias }] } : {}),
        ...(stranger ? { import: stranger.id } : {}),
        ...(one.order < 2 ? { deleteBeforeReplace: one.order === 0 } : {}),
        ...(one.any === 0 ? { replaceOnChanges: ["size"] } : {}),
      },
    });
  });
  return blocks;
}

/** Ids of the objects that the steps of a preview say will be gone. */
const shownGone = (steps: readonly Step[]): Set<string> =>
  new Set(
    steps.flatMap((step) =>
      (step.op === "delete" || step.op === "replace") && !step.retained && step.id ? [step.id] : [],
    ),
  );

function arrange(of: World, { accident, at }: { accident: string; at: number }): void {
  let writes = 0;
  of.fault = () => {
    if (accident !== "refused") return undefined;
    writes += 1;
    return writes === at + 1 ? Object.assign(new Error("refused"), { status: 400 }) : undefined;
  };
  of.pause = async () => {
    if (accident !== "lost") return;
    writes += 1;
    if (writes === at + 1) throw new Error("the connection was reset");
  };
}

test("an up deletes exactly what its preview showed, whatever was edited, asked for or cut off before", async () => {
  let deleted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(drawnEdit, { minLength: 2, maxLength: 5 }), async (edits) => {
      const b = bench(world());
      for (const n of [0, 1]) {
        const id = `s${n}`;
        b.world.objects.set(id, {
          id,
          values: { label: `stranger-${n}`, region: "eu", size: 0 },
          created: 0,
        });
      }
      for (const edit of edits) {
        const blocks = blocksOf(edit.blocks, b.world);
        const how = edit.isTargeted === 0 && edit.targets.length > 0 ? { targets: edit.targets } : {};
        arrange(b.world, { accident: "none", at: 0 });
        const before = new Set(b.world.objects.keys());
        const refused = (): undefined => undefined;
        // What is declared to go with another gets no request of its own, and this world deletes nothing by itself.
        const states = await b.engine([]).resources();
        const along = new Set(states.flatMap(({ id, deletedWith }) => (deletedWith && id ? [id] : [])));
        const preview = await b.engine(blocks).preview(how).catch(refused);
        const shown = new Set(
          preview?.result === "succeeded" ? [...shownGone(preview.steps)].filter((id) => before.has(id)) : [],
        );
        arrange(b.world, edit);
        const up = await b.engine(blocks).up(how).catch(refused);
        const gone = [...before].filter((id) => !b.world.objects.has(id));
        deleted += gone.length;
        expect(gone.filter((id) => !shown.has(id))).toEqual([]);
        if (up?.result === "succeeded") {
          // A create that was cut off is in no state: what it had to go with is known to the run alone.
          for (const { id, replaced, retained } of up.steps) if (replaced && retained && id) along.add(id);
          const left = [...shown].filter((id) => !gone.includes(id) && !along.has(id));
          expect(left).toEqual([]);
        }
        expect((up?.diagnostics ?? []).filter(({ message }) => message.includes("report a defect"))).toEqual(
          [],
        );
      }
    }),
    { numRuns: 150, endOnFailure: true },
  );
  expect(deleted).toBeGreaterThan(20);
});
