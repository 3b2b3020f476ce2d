/** What a killed create made and no program declares any more: told at the end of every run of its stack, as long as it is there, and only then. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { stackOf } from "../../../provider/core/engines/urn.ts";
import { secret, type ValueMap } from "../../../provider/core/value.ts";
import { catalogue, createProvider, packageSchema } from "../../../provider/provider.ts";
import { openCreateLog } from "../../../provider/pulumi/unfinished/create-log.ts";
import { call, kept } from "../../e2e/account.ts";
import { freshFolder } from "../../folders.ts";
import { startEngine, startPlugin, urnOf } from "../engine.ts";

const type = "plumbline:blockstorage/volume:Volume";
const urn = urnOf("disk", type);
const region = "us-east";

let emulator: Emulator;
let folder: string;
beforeAll(async () => {
  emulator = await startEmulator({ speed: "instant" });
});
beforeEach(() => {
  emulator.reset();
  folder = freshFolder();
});
afterAll(() => emulator.close());

/** A plugin of a run of the engine; `told` ends the run and has its warnings. */
async function begin({ run = "" } = {}) {
  const engine = await startEngine();
  onTestFinished(engine.close);
  const parts = { createProvider, catalogue, packageSchema };
  const how = { folder, engineAddress: engine.address, ...(run && { run }) };
  const plugin = await startPlugin(parts, how);
  await plugin.configure({ baseUrl: emulator.baseUrl, token: secret(emulator.token) });
  const file = join(plugin.createsFolder, "dev");
  let isOver = false;
  const end = async (): Promise<void> => {
    if (!isOver) await plugin.close();
    isOver = true;
  };
  onTestFinished(end);
  const told = async (): Promise<string[]> => {
    plugin.session.saved();
    await plugin.session.tellLeftBehind();
    await end();
    return engine.heard.filter(({ severity }) => severity > 1).map(({ message }) => message);
  };
  return { ...plugin, file, end, told };
}

async function create({ check, create }: Awaited<ReturnType<typeof begin>>, inputs: ValueMap, of = urn) {
  const checked = await check(of, inputs, {}, { seed: new Uint8Array(32) });
  return create(of, checked.inputs);
}

/** A create of which the engine saved nothing; `isAnswered`: the service's answer reached the log. */
async function killed({ isAnswered = true, of = urn } = {}): Promise<string> {
  const run = await begin();
  const { id } = await create(run, { region, size: 20 }, of);
  const file = join(dirname(run.file), stackOf(of));
  const lines = readFileSync(file, "utf8").split("\n");
  await run.end();
  writeFileSync(file, lines.filter((line) => isAnswered || !line.startsWith('{"made"')).join("\n"));
  return id;
}

describe("what a killed create made, and nothing declares any more", () => {
  it.each([
    ["after the answer was logged", true],
    ["before the answer came", false],
  ])("is told of with its id by every run until it is deleted, killed %s", async (_, isAnswered) => {
    const id = await killed({ isAnswered });
    for (const _again of [1, 2]) {
      const { told } = await begin();
      expect(await told()).toEqual([
        expect.stringMatching(
          `while it created disk \\(${type}\\).*it is there, as ${id}\\..*import ${type} disk ${id}`,
        ),
      ]);
    }
    await call(emulator, "DELETE", `/volumes/${id}`);
    const { told, file } = await begin();
    expect(await told()).toEqual([expect.stringContaining("it was looked for and is not there")]);
    expect(existsSync(file)).toBe(false);
    expect(await (await begin()).told()).toEqual([]);
  });

  it("is gone on with when it is declared again, and then not told of", async () => {
    const id = await killed();
    await (await begin()).told();
    const again = await begin();
    expect((await create(again, { region, size: 20 })).id).toBe(id);
    expect(await again.told()).toEqual([]);
    expect(await (await begin()).told()).toEqual([]);
    expect(kept(emulator, "volumes")).toHaveLength(1);
  });

  it("is told of once where it is a setting, which is never gone", async () => {
    const settings = "plumbline:managed/instanceSettings:InstanceSettings";
    const { file, end } = await begin();
    await end();
    const all = urnOf("all", settings);
    const log = openCreateLog(file);
    await log.begin(all, settings, "2026-01-02T03:04:05Z", { lasting: {} });
    await log.made(all, "1001");
    expect(await (await begin()).told()).toEqual([
      expect.stringContaining(`while it set all (${settings}) on 1001, and nothing`),
    ]);
    expect(await (await begin()).told()).toEqual([]);
    // Its own resource goes on with it; to others its id is free.
    expect(openCreateLog(file).find(all)).toMatchObject({ id: "1001", told: true });
    expect(openCreateLog(file).withId(settings, "1001")).toEqual([]);
  });

  it("is found by what its create noted where nothing else tells it from others", async () => {
    const ofKey = "plumbline:objectstorage/key:Key";
    const key = urnOf("key", ofKey);
    await call(emulator, "POST", "/object-storage/keys", { label: "key" });
    const run = await begin();
    const { id } = await create(run, { label: "key" }, key);
    const lines = readFileSync(run.file, "utf8").split("\n");
    await run.end();
    const noted = lines.findIndex((line) => line.startsWith(`{"notes":"${key}"`));
    expect(noted).toBeGreaterThan(0);
    writeFileSync(run.file, `${lines.slice(0, noted + 1).join("\n")}\n`);
    expect(await (await begin()).told()).toEqual([expect.stringContaining(`it is there, as ${id}.`)]);
  });

  it("is told of though the service cannot be asked", async () => {
    const id = await killed();
    emulator.setFaults([{ method: "*", path: "*", probability: 1, do: "reset-before" }]);
    const { told } = await begin();
    expect(await told()).toEqual([
      expect.stringContaining(`it may be there, as ${id}, and could not be looked`),
    ]);
    emulator.setFaults([]);
    expect(await (await begin()).told()).toHaveLength(1);
  });
});

describe("nothing is told", () => {
  it("of what an earlier run made and ended well with, though this one does not come to it", async () => {
    const first = await begin();
    await create(first, { region, size: 20 });
    expect(await first.told()).toEqual([]);
    expect(await (await begin()).told()).toEqual([]);
  });

  it("of what another plugin of the same run was asked for, or has told", async () => {
    await killed();
    const [one, other] = [await begin({ run: "1" }), await begin({ run: "1" })];
    await other.check(urn, { region, size: 20 });
    await other.end();
    expect(await one.told()).toEqual([]);
    const [two, last] = [await begin({ run: "2" }), await begin({ run: "2" })];
    expect(await two.told()).toHaveLength(1);
    expect(await last.told()).toEqual([]);
  });

  it.each([
    ["stack", urnOf("disk", type, "other")],
    ["project", urn.replace("::project::", "::another::")],
  ])("of what belongs to another %s in the same folder", async (_, of) => {
    await killed({ of });
    expect(await (await begin()).told()).toEqual([]);
  });

  it("by a run that was cancelled before it came to all that is declared", async () => {
    await killed();
    const run = await begin();
    await run.cancel();
    expect(await run.told()).toEqual([]);
    expect(await (await begin()).told()).toHaveLength(1);
  });
});
