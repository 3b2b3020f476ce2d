/** One stack under both engines at once, each on an emulator of its own; after each operation everything comparable is compared. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { comparable, withoutIds, writes } from "./account.ts";
import { createDriver, type Driver, type Exported, type Ran, type StateOf } from "./engines.ts";
import type { Program } from "./pulumi.ts";

interface Side {
  readonly emulator: Emulator;
  readonly stack: Driver;
}

interface How {
  readonly preview?: boolean;
  readonly flags?: readonly string[];
  readonly afterFailure?: boolean;
}

export interface Pair {
  readonly plumbline: Side;
  readonly pulumi: Side;
  /** Does something to both sides at once, or behind both backs. */
  readonly both: <T>(work: (side: Side) => Promise<T>) => Promise<{ plumbline: T; pulumi: T }>;
  /**
   * Writes the program, previews when asked, and brings it up; both must tell the same and leave the same. Resolves to what both told. With
   * `afterFailure` they need not tell the same, as they went on from different places.
   */
  readonly up: (program: Program | string, how?: How) => Promise<Ran>;
  /** Runs the verb; both must tell the same and leave the same. */
  readonly run: (verb: "preview" | "refresh" | "destroy", ...flags: string[]) => Promise<Ran>;
  /** Both must refuse; resolves to what each said. Neither may have written. The program that was there before is put back. */
  readonly refuse: (
    verb: "preview" | "up" | "destroy",
    program?: Program | string,
  ) => Promise<{ plumbline: string; pulumi: string }>;
  /** Both must fail on the way. How far they get differs: Pulumi begins nothing new after a failure. */
  readonly fail: (verb: "up" | "destroy", program: Program | string) => Promise<void>;
  /** Sets the stack's config for both; a value by side is a function. */
  readonly configure: (values: {
    readonly [key: string]: string | { readonly secret: string } | ((side: Side) => string);
  }) => Promise<void>;
  /** The program as last brought up. */
  readonly present: () => Program | string;
  readonly close: () => Promise<void>;
}

/** What the service deletes with its parent: the embedded engine leaves it to that, Pulumi deletes one by one. */
const deletesWithin = /^DELETE .*\/\{\w+\}\/\w+\/\{\w+\}$/;

/** The same writes by both; of what goes with its parent the embedded engine deletes no more than Pulumi does. */
function compareWrites(plumbline: Writes, pulumi: Writes): void {
  const others = (made: Writes) =>
    Object.entries(made).filter(([operation]) => !deletesWithin.test(operation));
  expect(Object.fromEntries(others(plumbline))).toEqual(Object.fromEntries(others(pulumi)));
  for (const [operation, count] of Object.entries(plumbline))
    expect([operation, count <= (pulumi[operation] ?? 0)]).toEqual([operation, true]);
}

type Writes = ReturnType<typeof writes>;

/** Starts both. Tests that use it are skipped when there is no Pulumi. */
export async function createPair(program: Program | string): Promise<Pair> {
  const start = async (engine: "plumbline" | "pulumi"): Promise<Side> => {
    const emulator = await startEmulator({ seed: starterAccount, speed: "instant", checkAnswers: true });
    const { baseUrl, token } = emulator;
    return { emulator, stack: await createDriver(engine, program, { baseUrl, token, plugin: "own" }) };
  };
  const [plumbline, pulumi] = await Promise.all([start("plumbline"), start("pulumi")]);
  const both: Pair["both"] = async (work) => {
    const [one, other] = await Promise.all([work(plumbline), work(pulumi)]);
    return { plumbline: one, pulumi: other };
  };
  let present = program;
  const write = (program: Program | string) => {
    plumbline.stack.write(program);
    pulumi.stack.write(program);
  };

  /** Accounts, outputs and states as they are now. */
  async function compare(): Promise<void> {
    const found = await both(async ({ emulator, stack }) => ({
      account: comparable(emulator),
      writes: writes(emulator),
      state: withoutIds(emulator, comparableState(await stack.state())),
      mismatches: emulator.mismatches,
    }));
    expect({ ...found.plumbline, writes: [] }).toEqual({ ...found.pulumi, writes: [] });
    compareWrites(found.plumbline.writes, found.pulumi.writes);
  }

  async function run(
    verb: "preview" | "up" | "refresh" | "destroy",
    flags: readonly string[] = [],
    { plans = true } = {},
  ) {
    const told = await both(({ stack }) => stack[verb](...flags));
    // Pulumi also tells what it left alone because it was no target.
    const theirs = flags.includes("--target") ? withoutSame(told.pulumi.plan) : told.pulumi.plan;
    if (plans) expect(asPulumiTells(told.plumbline.plan, theirs)).toEqual(theirs);
    if (verb !== "preview") await compare();
    return told.plumbline;
  }

  return {
    plumbline,
    pulumi,
    both,
    async up(program, { preview = false, flags = [], afterFailure = false } = {}) {
      present = program;
      write(program);
      if (preview) await run("preview", flags);
      return run("up", flags, { plans: !afterFailure });
    },
    run: (verb, ...flags) => run(verb, flags),
    async refuse(verb, program) {
      if (program !== undefined) write(program);
      const before = await both(async ({ emulator }) => writes(emulator));
      // With no preview of its own Pulumi would delete what it may before it comes to what it may not.
      const told = await both(({ stack }) =>
        stack.attempt(
          verb,
          ...(stack.engine === "pulumi" && verb !== "preview" ? ["--skip-preview=false"] : []),
        ),
      );
      write(present);
      expect([told.plumbline.code === 0, told.pulumi.code === 0]).toEqual([false, false]);
      expect(await both(async ({ emulator }) => writes(emulator))).toEqual(before);
      const text = (ran: Ran) => `${ran.said.join("\n")}\n${ran.printed}`;
      return { plumbline: text(told.plumbline), pulumi: text(told.pulumi) };
    },
    async fail(verb, program) {
      present = program;
      write(program);
      const told = await both(({ stack }) => stack.attempt(verb));
      expect([told.plumbline.code === 0, told.pulumi.code === 0]).toEqual([false, false]);
    },
    async configure(values) {
      for (const [key, value] of Object.entries(values)) {
        const [text, flag] =
          typeof value === "function"
            ? [value(pulumi), "--plaintext"]
            : typeof value === "string"
              ? [value, "--plaintext"]
              : [value.secret, "--secret"];
        const set = await pulumi.stack.command("config", "set", key, text, flag, "--stack", "dev");
        if (set.code !== 0) throw new Error(`pulumi config set ${key}: ${set.stderr}`);
      }
      // The embedded engine reads the very file that Pulumi wrote, with its secrets sealed.
      let settings = readFileSync(join(pulumi.stack.folder, "Pulumi.dev.yaml"), "utf8");
      for (const value of Object.values(values)) {
        if (typeof value === "function") settings = settings.replace(value(pulumi), value(plumbline));
      }
      writeFileSync(join(plumbline.stack.folder, "Pulumi.dev.yaml"), settings);
    },
    present: () => present,
    async close() {
      await both(async ({ emulator, stack }) => {
        stack.remove();
        await emulator.close();
      });
    },
  };
}

function withoutSame(plan: Ran["plan"]): Ran["plan"] {
  return Object.fromEntries(Object.entries(plan).filter(([, { op }]) => op !== "same"));
}

/** Pulumi gives no reason for what is deleted and made again along with something else; ours is left out there. */
function asPulumiTells(ours: Ran["plan"], theirs: Ran["plan"]): Ran["plan"] {
  const isTold = (name: string) => theirs[name]?.op !== "replace" || theirs[name].because.length > 0;
  return Object.fromEntries(
    Object.entries(ours).map(([name, planned]) => [
      name,
      isTold(name) || planned.op !== "replace" ? planned : { op: "replace", because: [], paths: {} },
    ]),
  );
}

// Uuids of providers, stamps, where in a program of Pulumi's a resource stands; and what Pulumi forgets once it has served: the id that an
// object was imported by, and former names.
const ownWays = new Set([
  ...["created", "modified", "provider", "sourcePosition", "stackTrace"],
  ...["importID", "aliases"],
]);

/** What both engines keep in the same words. An empty list of what a property depends on is as good as none. */
export function comparableState({ outputs, resources }: Exported): unknown {
  const comparable = (one: StateOf) => {
    const { propertyDependencies = {}, dependencies = [], ...rest } = one;
    const depends = Object.entries(propertyDependencies as { [property: string]: string[] })
      .filter(([, on]) => on.length > 0)
      .map(([property, on]) => [property, [...on].sort()]);
    const fields = Object.entries(rest).filter(
      // Only the embedded engine keeps the inputs of what is only read.
      ([field]) => !ownWays.has(field) && !(field === "inputs" && one["external"]),
    );
    return {
      ...Object.fromEntries(fields),
      dependencies: [...(dependencies as string[])].sort(),
      propertyDependencies: Object.fromEntries(depends),
    };
  };
  // A reference to a whole resource names its package's version in Pulumi's state, though there is none to name.
  const text = JSON.stringify(outputs, (key, value) =>
    key === "packageVersion" && value === "" ? undefined : value,
  );
  return {
    outputs: JSON.parse(text),
    resources: Object.fromEntries(Object.entries(resources).map(([name, one]) => [name, comparable(one)])),
  };
}
