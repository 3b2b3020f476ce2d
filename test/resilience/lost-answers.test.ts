/** An answer that is lost after the service acted, for each POST of the five types: nothing is doubled, nothing missing. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { EmulatorOptions, FaultRule } from "../../emulator/index.ts";
import { comparable, leftovers, writes } from "../e2e/account.ts";
import { everyPost, posts, program, startOtherNameserver } from "./every-post.ts";
import { errorsOf, openWorkbench, type Workbench } from "./workbench.ts";

type Step = keyof typeof posts;
const steps = ["make", "change", "destroy"] as const;

describe("a lost answer under the embedded engine", { timeout: 60_000 }, () => {
  let nameserver: Awaited<ReturnType<typeof startOtherNameserver>>;
  /** What the account is after each step of a run that nothing disturbs. */
  const declared = new Map<Step, unknown>();
  let bench: Workbench;

  beforeAll(async () => {
    nameserver = await startOtherNameserver();
    bench = await openWorkbench(program(nameserver.address, "make"));
    for (const step of steps) {
      await perform(step);
      declared.set(step, comparable(bench.emulator));
    }
    // The list of POSTs is whole, and all of it is made.
    const made = Object.keys(writes(bench.emulator)).filter((operation) => operation.startsWith("POST "));
    expect(made).toEqual(everyPost.map((path) => `POST ${path}`).sort());
    expect(leftovers(bench.emulator)).toEqual({});
    await bench.close();
  });
  afterAll(() => nameserver.close());
  afterEach(() => bench.close());

  async function perform(step: Step): Promise<void> {
    if (step !== "destroy") bench.write(program(nameserver.address, step));
    const result = await bench.run((engine) => (step === "destroy" ? engine.destroy() : engine.up()));
    expect([result.result, errorsOf(result)]).toEqual(["succeeded", []]);
  }

  /** The whole story with the rules of each step in force; every rule must have fired, and each step ends in the declared account. */
  async function disturbed(
    rulesOf: (step: Step) => readonly FaultRule[],
    options: EmulatorOptions = {},
  ): Promise<void> {
    bench = await openWorkbench(program(nameserver.address, "make"), options);
    for (const step of steps) {
      bench.emulator.setFaults(rulesOf(step));
      await perform(step);
      expect((await bench.fired()).filter(({ fired }) => fired === 0)).toEqual([]);
      bench.emulator.setFaults([]);
      expect(comparable(bench.emulator)).toEqual(declared.get(step));
      if (step === "destroy") continue;
      const again = await bench.run((engine) => engine.preview());
      expect([again.result, again.changes]).toEqual(["succeeded", false]);
    }
  }

  const rule = (path: string, kind: FaultRule["do"]): FaultRule => ({
    method: "POST",
    path,
    nth: 1,
    do: kind,
    // Silence that ends in a closed connection; the client's own patience is a minute.
    ...(kind === "drop-after" ? { seconds: 0.3 } : {}),
  });

  it.each(everyPost)("of POST %s leaves exactly one object, in the same run", async (path) => {
    await disturbed((step) => (posts[step].includes(path as never) ? [rule(path, "reset-after")] : []));
  });

  it.each(["reset-after", "drop-after", "truncate", "garbage"] as const)(
    "of every POST at once (%s) leaves exactly one object each",
    async (kind) => {
      await disturbed((step) => posts[step].map((path) => rule(path, kind)));
    },
  );

  it("of every POST at once leaves exactly one object each where what was begun takes its time", async () => {
    await disturbed((step) => posts[step].map((path) => rule(path, "reset-after")), { speed: 10 });
  });
});
