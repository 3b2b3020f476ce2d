/** The judge itself: each thing that can go wrong after a kill is planted once, and found under its name. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "../e2e/account.ts";
import { type Bench, type Moment, openBench } from "./bench.ts";
import { isShown, judge } from "./judge.ts";
import { aimOf, perform, type Undisturbed, undisturbed } from "./kill.ts";
import { record } from "./recording.ts";
import type { Family } from "./stack.ts";

const families: readonly Family[] = ["networks"];
let bench: Bench;
let life: Undisturbed;

beforeAll(async () => {
  bench = await openBench();
  life = await undisturbed(bench, families);
});
afterAll(() => bench.close());

/** The kinds of what is found when the account of a finished `up` was changed behind the engine's back. */
async function found(change: () => Promise<unknown>, moment: Moment = life.starts.edit): Promise<string[]> {
  bench.restore(moment);
  await change();
  const faults = await judge(bench, bench.now(), aimOf(life, "up"));
  return [...new Set(faults.map(({ kind }) => kind))].sort();
}

interface Kept {
  readonly id: number;
}
const all = (name: string): readonly Kept[] =>
  (bench.emulator.data() as { collections: { [name: string]: Kept[] } }).collections[name]!;
const subnet = (id: number) =>
  `/vpcs/${(all("vpcSubnets").find((one) => one.id === id) as never)["vpc_id"]}/subnets/${id}`;

it("a finished run has nothing wrong", async () => {
  expect(await found(async () => {})).toEqual([]);
});

it("what is gone though the preview is empty is silent and lost", async () => {
  const gone = async () => call(bench.emulator, "DELETE", subnet(all("vpcSubnets")[0]!.id));
  expect(await found(gone)).toEqual(["lost", "silent"]);
});

it("what nobody declared is silent and doubled, and an orphan in the end", async () => {
  const more = async () => call(bench.emulator, "POST", "/vpcs", { label: "more", region: "us-east" });
  expect(await found(more)).toEqual(["doubled", "orphaned", "silent"]);
});

it("a lock that nobody gives back is stuck", async () => {
  const owner = {
    user: "u",
    host: "elsewhere",
    pid: 7,
    since: "2030-01-01T00:00:00Z",
    operation: "up",
    nonce: "n",
  };
  const lock = async () => bench.files.set("/state/stacks/torture/dev.lock", JSON.stringify(owner));
  expect(await found(lock)).toContain("stuck");
});

it("a deletion is shown by the plan's own deletion of that object, and by a change of what it is part of", () => {
  const step = (op: string, id: string) => [{ op, id }] as never;
  const none = new Set<string>();
  expect(isShown("/v4/vpcs/7", step("delete", "7"), none)).toBe(true);
  expect(isShown("/v4/vpcs/7", step("update", "7"), none)).toBe(false);
  expect(isShown("/v4/vpcs/7", step("delete", "8"), none)).toBe(false);
  expect(isShown("/v4/domains/7/records/8", step("update", "7"), none)).toBe(true);
  expect(isShown("/v4/vpcs/7/subnets/8", step("delete", "7/8"), none)).toBe(true);
  expect(isShown("/v4/object-storage/keys/8", step("create", "x"), none)).toBe(true);
  expect(isShown("/v4/object-storage/keys/8", step("create", "x"), new Set(["8"]))).toBe(false);
});

it("a recording holds a moment before and after each request, and one of all that was sent at once", async () => {
  bench.restore(life.starts.up);
  const { moments } = await record(bench, () => perform(bench, life, "up"));
  const posts = moments.filter(({ at }) => at.startsWith("after POST")).length;
  expect(posts).toBe(5);
  bench.restore(life.starts.up);
  const together = await record(bench, () => perform(bench, life, "up"), { gathered: true });
  expect(together.moments.some(({ at }) => /after \d+ together: POST .*POST/.test(at))).toBe(true);
});
