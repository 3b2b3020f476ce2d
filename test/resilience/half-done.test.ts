/** What ends in the middle: a wait in trouble, a create that is refused, trouble by chance. What was made is kept, and the next run finishes it. */

import { beforeAll, describe, expect, it, type TestContext } from "vitest";
import type { EmulatorOptions, FaultRule } from "../../emulator/index.ts";
import { comparable, kept, leftovers } from "../e2e/account.ts";
import { stackText } from "../e2e/pulumi.ts";
import { text } from "../e2e/web.ts";
import { type Undisturbed, undisturbed } from "./web.ts";
import { errorsOf, openWorkbench, type Workbench } from "./workbench.ts";

async function open(
  { onTestFinished }: TestContext,
  stack: string,
  options: EmulatorOptions = {},
): Promise<Workbench> {
  const bench = await openWorkbench(stack, options);
  onTestFinished(() => bench.close());
  return bench;
}

const disk = (options: object = {}) =>
  stackText({
    resources: {
      disk: {
        type: "plumbline:blockstorage:Volume",
        properties: { label: "disk", region: "us-east" },
        ...options,
      },
    },
  });

/** Reads of volumes, alone or in their list: what a wait does. */
const looks = (rule: Omit<FaultRule, "method" | "path">): FaultRule[] =>
  ["/volumes", "/volumes/{volumeId}"].map((path) => ({ method: "GET", path, ...rule }));

describe.concurrent("while a volume is waited for", () => {
  it.for([
    ["a 502", { do: "status", status: 502 }],
    ["a 503", { do: "status", status: 503 }],
    ["a 429", { do: "status", status: 429, headers: { "Retry-After": "1" } }],
    ["a broken connection", { do: "reset-before" }],
    ["an answer cut off", { do: "truncate" }],
  ] as const)("%s loses nothing: the wait goes on, in the same run", async ([, rule], context) => {
    // A volume takes 3 seconds; at half the speed its wait takes some looks, of which the second meets the trouble.
    const bench = await open(context, disk(), { speed: 2 });
    bench.emulator.setFaults(looks({ nth: 2, ...rule }));
    const made = await bench.run((engine) => engine.up());
    expect([made.result, errorsOf(made)]).toEqual(["succeeded", []]);
    expect((await bench.fired()).some(({ fired }) => fired === 1)).toBe(true);
    expect(kept(bench.emulator, "volumes")).toMatchObject([{ label: "disk", status: "active" }]);
    const resources = await bench.run(async (engine) => ({
      ...(await engine.preview()),
      saved: await engine.resources(),
    }));
    expect(resources.changes).toBe(false);
    expect(resources.saved.filter(({ type }) => !type.startsWith("pulumi:"))).toMatchObject([
      { outputs: { status: "active" } },
    ]);
  });

  it("trouble that outlasts its patience leaves the volume in the state, and the next run finishes it", async (context) => {
    const bench = await open(context, disk({ options: { customTimeouts: { create: "2s" } } }), {
      speed: 0.01,
    });
    bench.emulator.setFaults(looks({ times: 10_000, do: "status", status: 502 }));
    const failed = await bench.run((engine) => engine.up());
    expect(failed.result).toBe("failed");
    expect(errorsOf(failed).join()).toMatch(/not ready after [\d.]+ s.*502/);
    bench.emulator.setFaults([]);
    bench.emulator.advance(3600);
    const finished = await bench.run((engine) => engine.up());
    expect([finished.result, errorsOf(finished)]).toEqual(["succeeded", []]);
    expect(finished.counts.create).toBe(0);
    expect(kept(bench.emulator, "volumes")).toHaveLength(1);
    expect((await bench.run((engine) => engine.preview())).changes).toBe(false);
    await bench.run((engine) => engine.destroy());
    expect(leftovers(bench.emulator)).toEqual({});
  });
});

describe.concurrent("the web example", { timeout: 60_000 }, () => {
  let clean: Undisturbed;
  beforeAll(async () => {
    clean = await undisturbed();
  });

  it.for([
    ["/domains", ["zoneDomain"], 6],
    ["/vpcs", ["network"], 17],
    ["/volumes", [], 19],
  ] as const)(
    "stops only what needs it when POST %s is refused, and the next run finishes",
    async ([path, names, made], context) => {
      const bench = await open(context, text);
      bench.emulator.setFaults([{ method: "POST", path, nth: 1, do: "status", status: 400, times: 9 }]);
      const failed = await bench.run((engine) => engine.up());
      expect(failed.result).toBe("failed");
      expect(failed.counts.create).toBe(made);
      for (const name of names) {
        const told = failed.diagnostics.filter(({ urn }) => urn?.endsWith(`::${name}`));
        expect(told.map(({ severity }) => severity)).toContain("error");
      }
      bench.emulator.setFaults([]);
      const finished = await bench.run((engine) => engine.up());
      expect([finished.result, errorsOf(finished)]).toEqual(["succeeded", []]);
      expect(finished.counts.create).toBe(21 - made);
      expect(comparable(bench.emulator)).toEqual(clean.account.get("up"));
    },
  );

  it.for([1, 2, 3, 4, 5, 6])(
    "ends in the declared account however often trouble comes by chance (seed %i)",
    async (seed, context) => {
      const bench = await open(context, text);
      const trouble = (rule: Partial<FaultRule> & Pick<FaultRule, "do">, more: number): FaultRule => ({
        method: "*",
        path: "*",
        probability: 0.04,
        seed: seed * 100 + more,
        ...rule,
      });
      bench.emulator.setFaults([
        trouble({ do: "reset-after" }, 1),
        trouble({ do: "reset-before" }, 2),
        trouble({ do: "truncate" }, 3),
        trouble({ do: "garbage" }, 4),
        trouble({ do: "status", status: 502 }, 5),
        trouble({ do: "status", status: 503 }, 6),
      ]);
      // A run may give up; then the next one goes on.
      const results: string[] = [];
      do results.push((await bench.run((engine) => engine.up())).result);
      while (results.at(-1) !== "succeeded" && results.length < 5);
      expect(results.at(-1)).toBe("succeeded");
      expect(comparable(bench.emulator)).toEqual(clean.account.get("up"));
      expect((await bench.run((engine) => engine.preview())).changes).toBe(false);
      do results.push((await bench.run((engine) => engine.destroy())).result);
      while (results.at(-1) !== "succeeded" && results.length < 10);
      expect(leftovers(bench.emulator)).toEqual({});
    },
  );
});
