/** Unique names that go from one resource to another in one run, over the emulator: chains, removed and renamed blocks, what has no order. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../../emulator/index.ts";
import { createEngine, type Engine } from "../../../provider/engine/engine.ts";
import type { Program } from "../../../provider/engine/host.ts";
import { loadProgram } from "../../../provider/engine/language/program.ts";
import { catalogue, createProvider } from "../../../provider/provider.ts";
import { connectHurried } from "../../hurried.ts";
import { type Block, nextMachine, program, type Ref } from "./program.ts";
import { type Life, life, memoryDisk } from "./world.ts";

let emulator: Emulator;
let files: Map<string, string>;

beforeAll(async () => {
  emulator = await startEmulator({ speed: "instant", seed: starterAccount });
});
beforeEach(() => {
  emulator.reset();
  files = new Map();
});
afterAll(() => emulator.close());

function engine(blocks: readonly Block[] | Program, parallel = 8, of: Life = life()): Engine {
  const environment = { PLUMBLINE_BASE_URL: emulator.baseUrl, PLUMBLINE_TOKEN: emulator.token };
  return createEngine({
    project: "shop",
    stack: "dev",
    stateFolder: "/state",
    program: "run" in blocks ? blocks : program(blocks),
    environment,
    createProvider: () => createProvider({ environment, connect: connectHurried }),
    disk: memoryDisk(files, of),
    machine: nextMachine(),
    parallel,
  });
}

async function list(path: string): Promise<readonly { readonly [name: string]: unknown }[]> {
  const headers = { authorization: `Bearer ${emulator.token}` };
  const answer = await fetch(`${emulator.baseUrl}${path}`, { headers });
  return ((await answer.json()) as { data: { [name: string]: unknown }[] }).data;
}

/** Ids of all volumes by their labels. */
const volumes = async () => Object.fromEntries((await list("/volumes")).map(({ id, label }) => [label, id]));

const volume = (name: string, label: string, more: Partial<Block> = {}): Block => ({
  name,
  type: "plumbline:blockstorage/volume:Volume",
  inputs: { label, size: 20, region: "us-east" },
  ...more,
});

const domain = (name: string, of: string): Block => ({
  name,
  type: "plumbline:dns/domain:Domain",
  inputs: { domain: of, type: "master", soaEmail: "a@example.com" },
});

const record = (name: string, of: string): Block => ({
  name,
  type: "plumbline:dns/record:Record",
  inputs: { domainId: { of }, type: "A", name, target: "192.0.2.1" },
});

/** Previews and applies; both must end well and agree, and a second run has nothing to do. */
async function change(blocks: readonly Block[], parallel: number) {
  const shown = await engine(blocks, parallel).preview();
  expect(shown.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const done = await engine(blocks, parallel).up();
  expect(done.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(done).toMatchObject({ result: "succeeded", counts: shown.counts });
  expect(await engine(blocks, parallel).up()).toMatchObject({ changes: false });
  expect((await engine(blocks, parallel).refresh()).changes).toBe(false);
  return done;
}

describe.each([1, 8])("with %i at a time", (parallel) => {
  test("names move on along a chain, in whichever order it is written", async () => {
    const before = [volume("a", "one"), volume("b", "two"), volume("c", "three")];
    const after = [volume("a", "two"), volume("b", "three"), volume("c", "four")];
    await engine(before).up();
    const { one, two, three } = await volumes();
    expect((await change(after, parallel)).counts).toMatchObject({ update: 3, create: 0, delete: 0 });
    expect(await volumes()).toEqual({ two: one, three: two, four: three });
    emulator.reset();
    files = new Map();
    await engine(before.toReversed()).up();
    await change(after.toReversed(), parallel);
  });

  test("a new resource takes the name of one that is not declared any more, or is called otherwise now", async () => {
    await engine([volume("a", "one"), volume("b", "two")]).up();
    const { one, two } = await volumes();
    expect((await change([volume("x", "one"), volume("b", "two")], parallel)).counts).toMatchObject({
      create: 1,
      delete: 1,
    });
    const now = await volumes();
    expect(now).toEqual({ one: expect.anything(), two });
    expect(now.one).not.toBe(one);
    await change([volume("x", "three"), volume("y", "one"), volume("b", "two")], parallel);
    expect(await volumes()).toEqual({ one: expect.anything(), two, three: now.one });
  });

  test("a renamed resource takes the name of one that is not declared any more", async () => {
    await engine([volume("a", "one"), volume("b", "two")]).up();
    const { two } = await volumes();
    expect((await change([volume("b", "one")], parallel)).counts).toMatchObject({ update: 1, delete: 1 });
    expect(await volumes()).toEqual({ one: two });
  });

  test("a name that a replaced resource leaves is taken once its old object is gone", async () => {
    await engine([volume("a", "one")]).up();
    const moved = volume("a", "two", { inputs: { label: "two", size: 20, region: "us-west" } });
    expect((await change([volume("x", "one"), moved], parallel)).counts).toMatchObject({
      create: 1,
      replace: 1,
    });
    expect((await list("/volumes")).map(({ label, region }) => `${label} ${region}`).sort()).toEqual([
      "one us-east",
      "two us-west",
    ]);
  });

  test("a zone whose block has another name now is made anew, and its records with it", async () => {
    await engine([domain("zone", "example.com"), record("www", "zone"), record("old", "zone")]).up();
    const blocks = [domain("main", "example.com"), record("www", "main"), record("new", "main")];
    expect((await change(blocks, parallel)).counts).toMatchObject({ create: 2, replace: 1, delete: 2 });
    const [only, ...others] = await list("/domains");
    expect(others).toEqual([]);
    expect((await list(`/domains/${only?.id}/records`)).map(({ name }) => name).sort()).toEqual([
      "new",
      "www",
    ]);
  });
});

test("subnets exchange names along a chain in a network that changes, too", async () => {
  const vpc = (label: string): Block => ({
    name: "net",
    type: "plumbline:vpc/vpc:Vpc",
    inputs: { label, region: "us-east" },
  });
  const subnet = (name: string, label: string, ipv4: string): Block => ({
    name,
    type: "plumbline:vpc/subnet:Subnet",
    inputs: { vpcId: { of: "net" } as Ref, label, ipv4 },
  });
  await engine([vpc("main"), subnet("a", "one", "10.0.1.0/24"), subnet("b", "two", "10.0.2.0/24")]).up();
  await change([vpc("core"), subnet("a", "two", "10.0.1.0/24"), subnet("b", "three", "10.0.2.0/24")], 8);
});

test("settings whose block has another name now are set after the defaults were put back", async () => {
  const [instance] = await list("/managed/compute-settings");
  const settings = (name: string): Block => ({
    name,
    type: "plumbline:managed/instanceSettings:InstanceSettings",
    inputs: { computeId: String(instance?.id), ssh: { user: "support" } },
  });
  await engine([settings("a")]).up();
  await change([settings("x")], 8);
  expect((await list("/managed/compute-settings"))[0]).toMatchObject({ ssh: { user: "support" } });
});

test("a stack file's resources wait for each other as their names demand, and one that fails stops the rest", async () => {
  const of = (one: string, two: string, size: number) =>
    loadProgram({
      file: "Pulumi.yaml",
      stack: "dev",
      catalogue,
      environment: {},
      readFile: async (path) => {
        if (path !== "Pulumi.yaml") throw Object.assign(new Error("none"), { code: "ENOENT" });
        return `name: shop
runtime: yaml
variables:
  region: us-east
resources:
  a: {type: "plumbline:blockstorage:Volume", properties: {label: ${one}, size: 20, region: "\${region}"}}
  b: {type: "plumbline:blockstorage:Volume", properties: {label: ${two}, size: ${size}, region: "\${region}"}}
`;
      },
    });
  await engine(await of("one", "two", 20)).up();
  const { one, two } = await volumes();
  emulator.setFaults([{ method: "PUT", path: "/volumes/{volumeId}", do: "status", status: 400 }]);
  expect((await engine(await of("two", "three", 20)).up()).result).toBe("failed");
  expect(await volumes()).toEqual({ one, two });
  expect((await engine(await of("two", "three", 20)).up()).result).toBe("succeeded");
  expect(await volumes()).toEqual({ two: one, three: two });
});

test.each([1, 8])(
  "wherever the run of a chain is killed, the next one ends it, with %i at a time",
  async (parallel) => {
    const before = [volume("a", "one"), volume("b", "two"), volume("c", "three"), volume("gone", "four")];
    const after = [volume("a", "two"), volume("b", "three"), volume("c", "four"), volume("new", "one")];
    const whole = life();
    await engine(before).up();
    await engine(after, parallel, whole).up();
    expect(whole.moments()).toBeGreaterThan(8);
    for (let last = 1; last <= whole.moments(); last += 1) {
      emulator.reset();
      files = new Map();
      await engine(before).up();
      const { one, two, three } = await volumes();
      const dying = life(last);
      await Promise.race([
        engine(after, parallel, dying)
          .up()
          .catch(() => {}),
        dying.ended,
      ]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await change(after, parallel);
      expect(await volumes()).toEqual({ two: one, three: two, four: three, one: expect.anything() });
    }
  },
  120_000,
);

describe("what has no order is refused by the preview and by the run, before any request that writes", () => {
  async function refusal(blocks: readonly Block[], how: { targets?: string[] } = {}): Promise<string> {
    const before = await list("/volumes");
    const shown = await engine(blocks).preview(how);
    const done = await engine(blocks).up(how);
    const told = ({ diagnostics }: typeof shown) =>
      diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
    expect(told(shown)).toHaveLength(1);
    expect(told(done)).toEqual(told(shown));
    expect(done.result).toBe("failed");
    expect(await list("/volumes")).toEqual(before);
    return told(shown)[0] as string;
  }

  test("a name that its holder leaves only after the one who takes it", async () => {
    await engine([volume("a", "one"), volume("b", "two")]).up();
    expect(await refusal([volume("a", "two"), volume("b", "three", { dependsOn: ["a"] })])).toMatch(
      /^label: "two" is still the label of "b", which needs "a" before it can leave it: give one/,
    );
  });

  test("a name of what is to be kept", async () => {
    await engine([volume("a", "one", { options: { retainOnDelete: true } })]).up();
    expect(await refusal([volume("x", "one")])).toMatch(/^its name is still that of .*::a, whose object/);
  });

  test("a name of what is no target", async () => {
    await engine([volume("a", "one"), volume("b", "two")]).up();
    const blocks = [volume("a", "two"), volume("b", "three")];
    expect(await refusal(blocks, { targets: ["a"] })).toMatch(
      /^label: "two" is still the label of .*::b, which is no target: make it one, too$/,
    );
    expect(await refusal([volume("a", "two")], { targets: ["a"] })).toMatch(/which is no target/);
  });
});
