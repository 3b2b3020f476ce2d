/** A program is run as rarely as it can be: what it registers is remembered, and asked of it again only where an answer is another. */

import { expect, test } from "vitest";
import type { Host, Program } from "../../../provider/engine/host.ts";
import { type Block, bench, program } from "./program.ts";
import { thing, world } from "./world.ts";

/** Counts the runs of a program; one that is `open` tells nothing of what it declares before it runs. */
function counted(of: Program, { open = false } = {}): Program & { runs: boolean[] } {
  const runs: boolean[] = [];
  return {
    ...of,
    ...(open ? { graph: undefined } : {}),
    runs,
    run(host, first) {
      runs.push(host.preview);
      return of.run(host, first);
    },
  };
}

const blocks = (size: number): Block[] => [
  { name: "a", inputs: { label: "a", size } },
  { name: "b", inputs: { label: "b", parentId: { of: "a" } } },
  { name: "c", inputs: { label: "c", size } },
];

for (const open of [false, true]) {
  const kind = open ? "a program that only a run tells" : "a stack file";

  test(`${kind} is run once to be previewed and once to be done`, async () => {
    const b = bench(world());
    const first = counted(program(blocks(1), { outputs: { of: { of: "a", output: "address" } } }), { open });
    await b.engine([], { program: first }).up();
    const again = counted(program(blocks(1), { outputs: { of: { of: "a", output: "address" } } }), { open });
    const engine = b.engine([], { program: again });
    const preview = await engine.preview();
    expect(again.runs).toEqual([true]);
    expect(preview.steps.map(({ op }) => op)).toEqual(["same", "same", "same"]);
    expect(preview.outputs).toEqual({ of: expect.stringMatching(/^10\.0\.0\./) });
    const up = await engine.up();
    expect(again.runs).toEqual([true, false]);
    expect(up.counts.same).toBe(3);
  });

  test(`${kind} is asked again where an answer is another, and nothing is registered twice`, async () => {
    const b = bench(world());
    await b.engine([], { program: counted(program(blocks(1)), { open }) }).up();
    const changed = counted(program(blocks(2)), { open });
    const preview = await b.engine([], { program: changed }).preview();
    expect(changed.runs).toEqual([true, true]);
    const steps = preview.steps.map(({ op, name }) => `${op} ${name}`);
    expect(steps.sort()).toEqual(["same b", "update a", "update c"]);
  });

  test(`what a preview of ${kind} finds refused is told once`, async () => {
    const b = bench(world());
    await b.engine([], { program: counted(program(blocks(1)), { open }) }).up();
    // Only the plan asks the service, which has none of this size.
    const more = [...blocks(1), { name: "d", inputs: { label: "d", size: 14 } }];
    const preview = await b.engine([], { program: counted(program(more), { open }) }).preview();
    const told = preview.diagnostics.map(({ message, urn }) => [message, urn?.split("::").pop()]);
    expect(told).toEqual([["size: 14 is sold out", "d"]]);
    expect(preview.result).toBe("failed");
  });
}

/** Registers its second resource only when it has seen the id of the first, and says nowhere that it needs it. */
const curious = (size: number, seen: unknown[]): Program => ({
  ...program([]),
  graph: undefined,
  async run(host: Host) {
    const goal = (name: string, inputs: { size: number; label: string }) => ({
      type: thing,
      name,
      inputs,
      options: {},
      dependencies: [],
      propertyDependencies: {},
      positionOf: () => undefined,
    });
    const a = await host.register(goal("a", { label: "a", size }));
    seen.push(typeof a.id);
    if (typeof a.id === "string") await host.register(goal("b", { label: "b", size: 1 }));
    host.log("info", `a is ${typeof a.id === "string" ? "there" : "to come"}`);
    return {};
  },
});

test("a program that goes by an answer is asked again when it gets another", async () => {
  const b = bench(world());
  await b.engine([], { program: curious(1, []) }).up();
  const seen: unknown[] = [];
  const preview = await b.engine([], { program: curious(2, seen) }).preview();
  // Before anything is asked nobody knows whether a changed object keeps its id.
  expect(seen).toEqual(["object", "string"]);
  expect(preview.steps.map(({ op, name }) => `${op} ${name}`)).toEqual(["update a", "same b"]);
  const logs = () =>
    preview.diagnostics.map(({ message }) => message).filter((one) => one.startsWith("a is"));
  expect(logs()).toEqual(["a is there"]);
});

test("what a remembered run said is said", async () => {
  const b = bench(world());
  await b.engine([], { program: curious(1, []) }).up();
  const seen: unknown[] = [];
  const preview = await b.engine([], { program: curious(1, seen) }).preview();
  expect(seen).toEqual(["string"]);
  expect(preview.diagnostics.map(({ message }) => message)).toEqual(["a is there"]);
});
