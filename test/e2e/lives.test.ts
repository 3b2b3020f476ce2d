/**
 * Every resource type leads its whole life under each engine, all of them in one stack: each step, the empty plan after it, imports by id and
 * by natural name, drift of each readable property, deletion behind our back, and the end. The lives are those of test/provider/lives.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { isAmong } from "../../provider/core/plain.ts";
import { parsePath } from "../../provider/core/property-path.ts";
import { isAsset, mapValue, type ValueMap } from "../../provider/core/value.ts";
import { catalogue, createProvider } from "../../provider/provider.ts";
import { environmentOf } from "../hurried.ts";
import { type Account, resourceNamed, type Saved } from "../provider/deployment.ts";
import type { AnyLife } from "../provider/lifecycle.ts";
import { lives } from "../provider/lives/index.ts";
import { call } from "./account.ts";
import { createDriver, type Driver, type EngineName, type Ran } from "./engines.ts";
import { type Program, pulumiBin } from "./pulumi.ts";

const nameOf = ({ type }: AnyLife) => `subject${type.split(":").at(-1)}`;
const longest = (length: (life: AnyLife) => number) => Math.max(...lives.map(length));
const stepOf = (life: AnyLife, at: number) => life.steps[Math.min(at, life.steps.length - 1)]!;
const drifts = (life: AnyLife) => Object.entries(life.drift);
/** Test/provider/lives moves each property alone; here several of a type move at once. */
const rounds = 3;

it("every type has a life", () => {
  expect(lives.map(({ type }) => type).sort()).toEqual([...catalogue.resources.keys()].sort());
});

/** Values as a stack file writes them. */
const written = (values: ValueMap) =>
  mapValue(values, (value) => (isAsset(value) ? { "fn::stringAsset": value.text ?? "" } : value));

const engines: readonly EngineName[] = ["plumbline", "pulumi"];
for (const engine of engines) {
  describe.skipIf(engine === "pulumi" && !pulumiBin)(`every type under ${engine}`, { timeout: 300_000 }, () =>
    lead(engine),
  );
}

function lead(engine: EngineName): void {
  let emulator: Emulator;
  let stack: Driver;
  let parents: readonly unknown[];
  let wasRight = true;

  beforeAll(async () => {
    emulator = await startEmulator({ speed: "instant", checkAnswers: true });
    const ask = { emulator, call: (...request: Parameters<Account["call"]>) => call(emulator, ...request) };
    const made: unknown[] = [];
    for (const life of lives) made.push(await life.prepare(ask as unknown as Account));
    parents = made;
    stack = await open(program(0));
  }, 300_000);
  afterAll(async () => {
    stack?.remove();
    expect(emulator?.mismatches).toEqual([]);
    await emulator?.close();
  });

  const open = (declared: Program) =>
    createDriver(engine, declared, { baseUrl: emulator.baseUrl, token: emulator.token });
  const declared = (life: AnyLife, step: number) =>
    written(stepOf(life, step).declare(parents[lives.indexOf(life)]));
  const program = (step: number): Program => ({
    resources: Object.fromEntries(
      lives.map((life) => [nameOf(life), { type: life.type, properties: declared(life, step) }]),
    ),
  });
  const last = () => program(Number.MAX_SAFE_INTEGER);
  const ops = ({ plan }: Ran) => Object.fromEntries(Object.entries(plan).map(([name, { op }]) => [name, op]));
  const all = (op: string) => Object.fromEntries(lives.map((life) => [nameOf(life), op]));
  const saved = async (): Promise<(life: AnyLife) => Saved> => {
    const { resources } = await stack.state();
    return (life) => {
      const { id, inputs, outputs } = resources[nameOf(life)]!;
      return { id, inputs, state: outputs } as unknown as Saved;
    };
  };
  /** A later part of the story means nothing once an earlier one went wrong. */
  const then = (title: string, part: () => Promise<void>) =>
    it(title, async (context) => {
      if (!wasRight) return context.skip("the story broke off before");
      wasRight = false;
      await part();
      wasRight = true;
    });

  for (let step = 0; step < longest(({ steps }) => steps.length); step++) {
    then(`step ${step + 1} does what each life says, and a second run changes nothing`, async () => {
      stack.write(program(step));
      const expected = lives.map((life) => [nameOf(life), life.steps[step]?.does ?? "same"]);
      expect(ops(await stack.up())).toEqual(Object.fromEntries(expected));
      expect((await stack.preview()).changes).toEqual({ same: lives.length });
    });
  }

  then("an import by id, and one by natural name, need no change", async () => {
    const own = await saved();
    const namings = [
      (life: AnyLife) => own(life).id,
      (life: AnyLife) => life.naturalName(parents[lives.indexOf(life)], own(life)),
    ];
    for (const naming of namings) {
      const second = await open(last());
      try {
        await second.import(
          Object.fromEntries(lives.map((life) => [nameOf(life), [life.type, naming(life)] as const])),
        );
        const { plan } = await second.preview();
        for (const life of lives) {
          const unreadable = (life.unreadable ?? []).map(parsePath);
          const paths = Object.keys(plan[nameOf(life)]?.paths ?? {});
          const unexpected = paths.filter((path) => !isAmong(parsePath(path), unreadable));
          expect([nameOf(life), unexpected]).toEqual([nameOf(life), []]);
        }
      } finally {
        second.remove();
      }
    }
  });

  for (let round = 0; round < rounds; round++) {
    then(
      `drift of every ${rounds}rd property of each type is found and put right, round ${round + 1}`,
      async () => {
        const own = await saved();
        const moved = lives.flatMap((life) =>
          drifts(life)
            .filter((_, i) => i % rounds === round)
            .map(([property, change]) => ({ life, property, change })),
        );
        for (const { life, change } of moved) {
          const { method, path, body } = change(own(life), parents[lives.indexOf(life)]);
          await call(emulator, method, path, body);
        }
        const found = ops(await stack.refresh());
        const { plan: put } = await stack.up();
        for (const { life, property } of moved) {
          const name = nameOf(life);
          expect([name, property, found[name]]).toEqual([name, property, "update"]);
          const paths = Object.keys(put[name]?.paths ?? {}).map((path) => String(parsePath(path)[0]));
          expect([name, property, paths]).toEqual([name, property, expect.arrayContaining([property])]);
        }
        expect((await stack.preview()).changes).toEqual({ same: lives.length });
      },
    );
  }

  const mortal = lives.filter(({ remains }) => remains === undefined);
  /** Removes every object beside the engine, as somebody else would. */
  const removeBehind = async () => {
    const own = await saved();
    const provider = createProvider({ environment: environmentOf(emulator) });
    await provider.configure({});
    try {
      for (const life of mortal) {
        const { id, inputs: oldInputs, state } = own(life);
        await provider.delete({ ...resourceNamed(life.type, "theirs"), id, oldInputs, state });
      }
    } finally {
      await provider.close();
    }
  };

  then("what was deleted outside is found, and made again", async () => {
    await removeBehind();
    const found = ops(await stack.refresh());
    for (const life of mortal) expect([nameOf(life), found[nameOf(life)]]).toEqual([nameOf(life), "delete"]);
    const made = ops(await stack.up());
    for (const life of mortal) expect([nameOf(life), made[nameOf(life)]]).toEqual([nameOf(life), "create"]);
    expect((await stack.preview()).changes).toEqual({ same: lives.length });
  });

  then("a destroy removes what is there, and does not mind what is gone", async () => {
    await removeBehind();
    expect(ops(await stack.destroy())).toEqual(all("delete"));
    const own = await stack.state();
    expect(own.resources).toEqual({});
  });
}
