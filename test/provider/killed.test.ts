/** What is saved as applied was applied: a verb that is killed or refused at any of its writes leaves what the next diff names and the next update brings about, for every type. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Emulator } from "../../emulator/index.ts";
import { annotations } from "../../provider/core/type/field.ts";
import type { ValueMap } from "../../provider/core/value.ts";
import { resourceTypes } from "../../provider/resources/index.ts";
import { comparable } from "../e2e/account.ts";
import { type Account, openAccount, resourceNamed } from "./deployment.ts";
import { type Kept, type Memory, run, troubles } from "./killed.ts";
import type { AnyLife, Declare } from "./lifecycle.ts";
import { lives } from "./lives/index.ts";

/** Names of inputs of which a flag is set. */
const flagged = (type: string, flag: "adoptKey" | "naming") =>
  Object.entries(resourceTypes.find(({ token }) => token === type)!.inputs)
    .filter(([, field]) => annotations(field)[flag])
    .map(([name]) => name);

interface Step {
  readonly title: string;
  /** Declared before, one after the other; nothing for a create. */
  readonly past: readonly Declare<unknown>[];
  readonly declare: Declare<unknown>;
  /** Declared by the next run, when it changes its mind. */
  readonly other: Declare<unknown> | undefined;
}

/** The steps of a life whose change is made in place. */
function steps(life: AnyLife): Step[] {
  return life.steps.flatMap(({ does, declare }, i): Step[] => {
    const next = life.steps[i + 1];
    if (does === "create") {
      const other = next?.does === "update" ? next.declare : undefined;
      return [{ title: `create (step ${i + 1})`, past: [], declare, other }];
    }
    if (does !== "update") return [];
    const alone = { title: `create as of step ${i + 1}`, past: [], declare, other: undefined };
    const made = life.steps.slice(0, i).findLastIndex((step) => ["create", "replace"].includes(step.does));
    const past = life.steps.slice(made, i).map((step) => step.declare);
    return [alone, { title: `update (step ${i + 1})`, past, declare, other: past.at(-1) }];
  });
}

/** What the service never takes back. */
const lasting: { readonly [type: string]: readonly string[] } = {
  Volume: ["size"],
  MySqlInstance: ["type"],
  PostgreSqlInstance: ["type"],
  Cluster: ["k8sVersion", "controlPlane"],
};

/** What the service makes itself, and when; nodes come and go with their pools. */
const accidental = /^(_certificate|_kubeconfig|_serviceToken|_uuid|_secret|access_key|last_modified)$/;
const collateral = ["users", "computeInstances", "computeDisks", "computeConfigs", "lkeNodes"];

/** The account's objects, as far as they are somebody's wish, as one text. */
function wishes(emulator: Emulator): string {
  const all = Object.entries(comparable(emulator)).filter(([name]) => !collateral.includes(name));
  const told = all.map(([name, objects]) => {
    const texts = objects.map((object) =>
      JSON.stringify(object, (key, value) =>
        accidental.test(key) ? undefined : key === "status" && value === "ok" ? "pending" : value,
      ),
    );
    return `${name}\n${texts.sort().join("\n")}`;
  });
  return told.join("\n");
}

/** What undisturbed runs lead to. */
interface Reached {
  readonly kept: Kept;
  /** Of the last run. */
  readonly writes: number;
  readonly data: ReturnType<Emulator["data"]>;
  readonly objects: string;
}

describe.each(lives.map((life) => [life.type, life] as const))("%s", (type, life) => {
  const resource = resourceNamed(type, "subject");
  let account: Account;
  let parents: unknown;
  let prepared: unknown;

  beforeAll(async () => {
    account = await openAccount();
    parents = await life.prepare(account);
    prepared = account.emulator.data();
  });
  afterAll(() => account.close());

  /** What is declared, with a name of its own: other tests are about names that are made. */
  const declared = (declare: Declare<unknown>): ValueMap => ({
    ...Object.fromEntries(flagged(type, "naming").map((name) => [name, "subject"])),
    ...declare(parents),
  });

  /** True for what only an object that is there can be declared to be. */
  async function isRefused(wish: ValueMap) {
    const { failures } = await account.during((provider) => provider.check({ ...resource, newInputs: wish }));
    return failures.length > 0;
  }

  /** What undisturbed runs came to, by what they declared. */
  const reached = new Map<string, Promise<Reached>>();

  /** The account with the resource as these were declared, one after the other, without any trouble. */
  function undisturbed(...all: readonly ValueMap[]): Promise<Reached> {
    const key = JSON.stringify(all);
    const known = reached.get(key) ?? reach(all);
    reached.set(key, known);
    return known;
  }

  async function reach(all: readonly ValueMap[]): Promise<Reached> {
    const last = all.at(-1);
    const before = last && (await undisturbed(...all.slice(0, -1)));
    account.emulator.setData(structuredClone(before?.data ?? prepared));
    const kept: Kept = structuredClone(before?.kept ?? { notes: {} });
    const writes = last ? (await run(account, resource, last, kept, { memory: "late" })).writes : 0;
    return {
      kept,
      writes,
      data: structuredClone(account.emulator.data()),
      objects: wishes(account.emulator),
    };
  }

  /** Kills the run, or has it refused, at each of its writes; then declares `next`, which must lead to one of the accounts that undisturbed runs make of it. */
  async function killedThen(memory: Memory, past: ValueMap[], wish: ValueMap, next: ValueMap) {
    const begun = await undisturbed(...past);
    const { writes } = await undisturbed(...past, wish);
    // What is left to the service is as the killed run left it, or as it was before.
    const expected = [
      (await undisturbed(...past, wish, next)).objects,
      (await undisturbed(...past, next)).objects,
    ];
    for (const trouble of troubles(writes)) {
      account.emulator.setData(structuredClone(begun.data));
      const kept: Kept = past.length > 0 ? structuredClone(begun.kept) : { notes: {} };
      const first = await run(account, resource, wish, kept, { memory, trouble });
      const where = `write ${trouble.at} of ${writes}: ${trouble.what}`;
      expect([first.isKilled, first.error !== undefined], where).toEqual(
        trouble.what === "refused" ? [false, true] : [true, false],
      );
      const isSaved = kept.saved !== undefined;
      const isOpen = !expected.includes(wishes(account.emulator));
      const recovered = await run(account, resource, next, kept, { memory });
      const objects = wishes(account.emulator);
      if (!expected.includes(objects)) expect(objects, where).toBe(expected[0]);
      if (isSaved && isOpen) expect(Object.keys(recovered.diff?.detailedDiff ?? {}), where).not.toEqual([]);
      const again = await run(account, resource, next, kept, { memory });
      expect(again.diff?.detailedDiff, where).toEqual({});
      expect(again.writes, where).toBe(0);
    }
  }

  for (const { title, past, declare, other } of steps(life)) {
    const isCreate = past.length === 0;
    for (const memory of isCreate ? (["early", "late"] as const) : (["late"] as const)) {
      const engine = `an engine that saves ${memory}`;
      test(`${title}: ${engine} finishes it in the next run`, async ({ skip }) => {
        if (isCreate && (await isRefused(declared(declare)))) skip("it can only be an update");
        await killedThen(memory, past.map(declared), declared(declare), declared(declare));
      });
      if (!other) continue;
      test(`${title}: ${engine} brings about what is declared by then`, async () => {
        const wish = declared(declare);
        // An engine that saves late finds what it made by what it is called.
        const names = memory === "late" && isCreate ? flagged(type, "adoptKey") : [];
        const kept = [...names, ...(lasting[type.split(":")[2]!] ?? [])].filter((name) => name in wish);
        const same = Object.fromEntries(kept.map((name) => [name, wish[name]!]));
        await killedThen(memory, past.map(declared), wish, { ...declared(other), ...same });
      });
    }
  }
});
