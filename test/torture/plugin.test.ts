/** The plugin's bench and its judge: a kill is a kill, and what goes wrong after one is found under its name. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "../e2e/account.ts";
import type { Moment } from "./bench.ts";
import { type Aim, judge } from "./judge.ts";
import { openPluginBench, type PluginBench } from "./plugin-bench.ts";
import { type Resources, resourcesAt, stackFile } from "./stack.ts";

const made = stackFile(resourcesAt("made", ["networks"]));
let bench: PluginBench;
let empty: Moment;
let done: Moment;
let aim: Aim;

beforeAll(async () => {
  bench = await openPluginBench();
  empty = bench.now();
  const { result } = await bench.run(made, (engine) => engine.up());
  expect(result).toBe("succeeded");
  done = bench.now();
  aim = {
    ...{ stack: made, operation: "up" },
    ...{ account: done.account, empty: empty.account, before: done.account },
  };
});
afterAll(() => bench.close());

/** The kinds of what is found after the moment. */
async function found(moment: Moment, as: Aim = aim): Promise<string[]> {
  const faults = await judge(bench, moment, as);
  return [...new Set(faults.map(({ kind }) => kind))].sort();
}

/** The account of the finished run, changed behind the engine's back. */
async function changed(change: () => Promise<unknown>): Promise<Moment> {
  bench.restore(done);
  await change();
  return bench.now();
}

interface Kept {
  readonly id: number;
}
const all = (name: string): readonly Kept[] =>
  (bench.emulator.data() as { collections: { [name: string]: Kept[] } }).collections[name]!;

it("a finished run has nothing wrong", async () => {
  expect(await found(done)).toEqual([]);
});

it("what is gone though the preview is empty is silent and lost", async () => {
  const gone = () => {
    const [subnet] = all("vpcSubnets") as (Kept & { readonly vpc_id: number })[];
    return call(bench.emulator, "DELETE", `/vpcs/${subnet!.vpc_id}/subnets/${subnet!.id}`);
  };
  expect(await found(await changed(gone))).toEqual(["lost", "silent"]);
});

it("what nobody declared is silent and doubled, and an orphan in the end", async () => {
  const more = () => call(bench.emulator, "POST", "/vpcs", { label: "more", region: "us-east" });
  expect(await found(await changed(more))).toEqual(["doubled", "orphaned", "silent"]);
});

it("a create whose plugin was killed is gone on with, and doubled where the create log is lost", async () => {
  bench.restore(empty);
  const killed = await bench.strike(made, { when: "unsaved", nth: 1, isRefreshed: false });
  expect(killed?.at).toMatch(/^after the answer to create (network|office)$/);
  expect(bench.unfinished().length).toBeGreaterThan(0);
  const before = { ...aim, before: empty.account };
  expect(await found(killed!, before)).toEqual([]);
  const { network } = resourcesAt("made", ["networks"]) as Resources & { network: Resources[string] };
  const one = stackFile({ network });
  bench.restore(empty);
  await bench.run(one, (engine) => engine.up());
  const account = bench.now().account;
  bench.restore(empty);
  const struck = await bench.strike(one, { when: "unsaved", nth: 1, isRefreshed: false });
  const files = new Map([...struck!.files].filter(([name]) => name === "state"));
  const forgotten = { account: struck!.account, files };
  expect(await found(forgotten, { ...before, stack: one, account })).toEqual(["doubled", "orphaned"]);
});

it("a kill before a request is handled leaves nothing of it, and one after it all that it did", async () => {
  const one = stackFile({ office: resourcesAt("made", ["networks"])["office"]! });
  const vpcsAfter = async (when: "before" | "after"): Promise<number> => {
    for (let nth = 1; ; nth++) {
      bench.restore(empty);
      const killed = await bench.strike(one, { when, nth, isRefreshed: false });
      if (killed === undefined) throw new Error("the run has no such request");
      if (killed.at === `${when} POST /v4/vpcs`) return all("vpcs").length;
    }
  };
  expect(await vpcsAfter("before")).toBe(0);
  expect(await vpcsAfter("after")).toBe(1);
});
