/** Each provider of a stack has a target of its own: what was made with it stays there. */

import { expect, test } from "vitest";
import type { Provider } from "../../../provider/core/protocol.ts";
import { type Block, bench, type ProgramOptions } from "../deployment/program.ts";
import { type World, world, worldProvider } from "../deployment/world.ts";

const providerType = "pulumi:providers:plumbline";
const east: Block = {
  name: "east",
  type: providerType,
  inputs: { baseUrl: "https://east.example/v4", token: "e" },
};
const west: Block = {
  name: "west",
  type: providerType,
  inputs: { baseUrl: "https://west.example/v4", token: "w" },
};
const made = (name: string, provider?: string): Block => ({
  name,
  inputs: { label: name },
  options: provider === undefined ? {} : { provider },
});

/** Worlds by address; an account is named by its token. */
function earth() {
  const worlds = new Map<string, World>();
  const at = (baseUrl: string): World => {
    const known = worlds.get(baseUrl) ?? world();
    worlds.set(baseUrl, known);
    return known;
  };
  const asked: string[] = [];
  const createProvider = (): Provider => {
    let target = { baseUrl: "https://main.example/v4", token: "m" };
    const of = () => worldProvider(at(target.baseUrl));
    const plain = worldProvider(at(target.baseUrl));
    return {
      ...plain,
      configure: async (config) => {
        target = { ...target, ...(config as object) };
      },
      diffConfig: async () => ({
        changes: false,
        detailedDiff: {},
        replaces: [],
        deleteBeforeReplace: false,
        stables: [],
      }),
      create: (request) => of().create(request),
      read: (request) => of().read(request),
      update: (request) => of().update(request),
      delete: (request) => of().delete(request),
      find: (request) => of().find!(request),
      identify: async ({ asks = true } = {}) => {
        if (asks) asked.push(target.token);
        const account = target.token.slice(0, 1).toUpperCase();
        return { baseUrl: target.baseUrl, credential: target.token, ...(asks ? { account } : {}) };
      },
    };
  };
  return { at, asked, createProvider };
}

function stack() {
  const { at, asked, createProvider } = earth();
  const b = bench(world());
  const engine = (blocks: readonly Block[], more: ProgramOptions = {}) =>
    b.engine(blocks, { ...more, createProvider });
  const labels = (where: string) =>
    [...at(`https://${where}.example/v4`).objects.values()].map(({ values }) => values.label);
  const targets = () =>
    (JSON.parse(b.files.get("/state/stacks/shop/dev.json")!) as { plumbline: { targets?: object } }).plumbline
      .targets;
  return { engine, labels, asked, targets, files: b.files };
}

test("the state names a target for each provider that has objects, and no token", async () => {
  const { engine, targets, files } = stack();
  await engine([east, west, made("a"), made("b", "east")]).up();
  expect(targets()).toMatchObject({
    default: { baseUrl: "https://main.example/v4", account: "M" },
    "urn:pulumi:dev::shop::pulumi:providers:plumbline::east": {
      baseUrl: "https://east.example/v4",
      account: "E",
    },
  });
  expect(Object.keys(targets()!)).toHaveLength(2);
  expect(
    Object.values(targets()!).every(({ credential }: { credential: string }) => credential.length === 43),
  ).toBe(true);
  await engine([]).up();
  expect(targets()).toBeUndefined();
  expect([...files.keys()].some((name) => name.endsWith(".journal"))).toBe(false);
});

test("a declared provider that works elsewhere than what was made with it is refused", async () => {
  const { engine, labels } = stack();
  await engine([east, made("b", "east")]).up();
  const moved = { ...east, inputs: { baseUrl: "https://west.example/v4", token: "w" } };
  for (const operation of [
    () => engine([moved, made("b", "east")]).preview(),
    () => engine([moved, made("b", "east")]).up(),
  ]) {
    const result = await operation();
    expect(result).toMatchObject({ result: "failed", guard: { kind: "target" } });
    expect(result.diagnostics[0]?.message).toMatch(/account E of https:\/\/east.*https:\/\/west/);
  }
  expect([labels("east"), labels("west")]).toEqual([["b"], []]);
});

test("a resource that moves to a provider of another target is replaced: made there, and deleted where it was", async () => {
  const { engine, labels } = stack();
  await engine([east, west, made("b", "east"), made("c", "west")]).up();
  const next = [east, west, made("b", "west"), made("c", "west")];
  const { steps } = await engine(next).preview();
  expect(steps.find(({ name }) => name === "b")).toMatchObject({
    op: "replace",
    replaceReasons: ["provider"],
  });
  expect(await engine(next).up()).toMatchObject({ result: "succeeded", diagnostics: [] });
  expect([labels("east"), labels("west").sort()]).toEqual([[], ["b", "c"]]);
});

test("a token that changes is asked once whose it is, and not again once the state has been written", async () => {
  const { engine, asked } = stack();
  const as = (token: string) => ({ config: { token } });
  await engine([made("a")], as("mine")).up();
  asked.length = 0;
  await engine([made("a")], as("mine")).preview();
  expect(asked).toEqual([]);
  await engine([made("a")], as("my-second")).up();
  expect(asked).toEqual(["my-second"]);
  asked.length = 0;
  expect((await engine([made("a")], as("my-second")).preview()).changes).toBe(false);
  expect(asked).toEqual([]);
  await expect(engine([made("a")], as("theirs")).preview()).rejects.toMatchObject({
    code: "target",
    exitCode: 4,
  });
});
