/** States, journals, locks and folders as a kill, a full disk or another hand leaves them: one sentence, nothing overwritten, a way out. */

import { mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { secret } from "../../../provider/core/value.ts";
import { createDisk } from "../../../provider/engine/state/backends/folder/disk.ts";
import { type Block, bench } from "../deployment/program.ts";
import { memoryDisk, thing, world } from "../deployment/world.ts";

const a: Block = { name: "a", inputs: { label: "a" } };
const b: Block = { name: "b", inputs: { label: "b", parentId: { of: "a" } } };
const snapshot = "/state/stacks/shop/dev.json";
const journal = "/state/stacks/shop/dev.journal";
const lock = "/state/stacks/shop/dev.lock";

async function made() {
  const one = bench(world());
  await one.engine([a, b]).up();
  one.world.calls.length = 0;
  return one;
}

type Json = { [name: string]: unknown };
interface State {
  version: unknown;
  deployment: { resources: Json[]; pending_operations?: unknown; [name: string]: unknown };
  plumbline: Json;
}

/** Each makes of a sound state a damaged one; a text is the whole file. */
const damages: { readonly [name: string]: string | ((state: State) => void) } = {
  nothing: "",
  null: "null",
  "a list": "[]",
  "a number": "7",
  "no deployment": (state) => void delete (state as Partial<State>).deployment,
  "a null deployment": (state) => void Object.assign(state, { deployment: null }),
  "resources that are no list": (state) => void Object.assign(state.deployment, { resources: {} }),
  "a null resource": (state) => void state.deployment.resources.push(null as never),
  "a resource without a URN": (state) => void delete state.deployment.resources[2]!.urn,
  "a URN that is none": (state) => void Object.assign(state.deployment.resources[2]!, { urn: "nonsense" }),
  "a resource without a type": (state) => void delete state.deployment.resources[2]!.type,
  "a URN twice": (state) => void state.deployment.resources.push({ ...state.deployment.resources[2]! }),
  "inputs that are a list": (state) => void Object.assign(state.deployment.resources[2]!, { inputs: [] }),
  "an id that is a number": (state) => void Object.assign(state.deployment.resources[2]!, { id: 7 }),
  "dependencies that are a text": (state) =>
    void Object.assign(state.deployment.resources[3]!, { dependencies: "x" }),
  "a provider that is none": (state) => void Object.assign(state.deployment.resources[2]!, { provider: "x" }),
  "pending operations of nothing": (state) =>
    void Object.assign(state.deployment, { pending_operations: [{ type: "creating" }] }),
  "an object that would be nobody's": (state) => void delete state.deployment.resources[2]!.custom,
  "lists nested without end": (state) =>
    void Object.assign(state.deployment.resources[2]!.inputs as Json, { label: "@lists@" }),
  "objects nested without end": (state) =>
    void Object.assign(state.deployment.resources[2]!.inputs as Json, { label: "@objects@" }),
  "a serial that is none": (state) => void Object.assign(state.plumbline, { serial: "x" }),
  "targets that are none": (state) => void Object.assign(state.plumbline, { targets: { default: null } }),
};

/** The text with what no one writes down in the place of its marks. */
const nested = (text: string): string =>
  text
    .replace('"@lists@"', "[".repeat(100_000) + "]".repeat(100_000))
    .replace('"@objects@"', `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);

describe("a state file", () => {
  test.each(Object.entries(damages))(
    "with %s is refused in one sentence, and left as it is",
    async (_name, damage) => {
      const one = await made();
      const state = JSON.parse(one.files.get(snapshot)!) as State;
      if (typeof damage === "function") damage(state);
      const text = typeof damage === "string" ? damage : nested(JSON.stringify(state));
      one.files.set(snapshot, text);
      const engine = one.engine([a, b]);
      for (const operation of [
        () => engine.preview(),
        () => engine.up(),
        () => engine.destroy(),
        () => engine.exportState(),
      ]) {
        const error = await operation().then(
          () => undefined,
          (thrown: Error) => thrown,
        );
        expect(error).toMatchObject({ name: "EngineError", code: "state" });
        expect(error?.message).toContain(snapshot);
        expect(error?.message).toContain("plumbline stack import");
        expect(error?.message).not.toContain("\n");
      }
      expect(one.files.get(snapshot)).toBe(text);
      expect(one.world.calls).toEqual([]);
    },
  );

  test("that is damaged makes room for an intact export, and is kept beside it", async () => {
    const one = await made();
    const intact = one.files.get(snapshot)!;
    one.files.set(snapshot, "null");
    await one.engine([a, b]).importState(intact);
    expect([...one.files].filter(([name]) => name.includes(".replaced-")).map(([, text]) => text)).toEqual([
      "null",
    ]);
    expect(await one.engine([a, b]).preview()).toMatchObject({ changes: false, counts: { same: 2 } });
  });

  test("with null for what is empty is read as Pulumi means it", async () => {
    const one = await made();
    const state = JSON.parse(one.files.get(snapshot)!) as State;
    const parts = ["dependencies", "propertyDependencies", "initErrors", "aliases", "provider", "protect"];
    Object.assign(state.deployment.resources[2]!, Object.fromEntries(parts.map((part) => [part, null])));
    one.files.set(snapshot, JSON.stringify(state));
    expect((await one.engine([a, b]).up()).result).toBe("succeeded");
    expect((await one.engine([a, b]).destroy()).result).toBe("succeeded");
    expect(one.world.objects.size).toBe(0);
  });

  test.each(["newer", { a: {} }, 7])(
    "with a value of the unknown form %j says which, and the way out",
    async (kind) => {
      const one = await made();
      const state = JSON.parse(one.files.get(snapshot)!) as State;
      Object.assign(state.deployment.resources[2]!.inputs as Json, {
        label: { "4dabf18193072939515e22adb298388d": kind },
      });
      const text = JSON.stringify(state);
      one.files.set(snapshot, text);
      for (const operation of [() => one.engine([a, b]).up(), () => one.engine([a, b]).destroy()])
        await expect(operation()).rejects.toThrow(
          new RegExp(`${JSON.stringify(kind).replace(/[{}]/g, "\\$&")}.*stack import`),
        );
      expect(one.files.get(snapshot)).toBe(text);
      expect(one.world.calls).toEqual([]);
    },
  );

  test("whose references go round is worked with, and ends", async () => {
    const c: Block = { name: "c", inputs: { label: "c" } };
    const one = bench(world());
    await one.engine([a, c]).up();
    const state = JSON.parse(one.files.get(snapshot)!) as State;
    const [, , first, second] = state.deployment.resources;
    first!.dependencies = [second!.urn, first!.urn];
    first!.parent = second!.urn;
    second!.parent = first!.urn;
    one.files.set(snapshot, JSON.stringify(state));
    expect((await one.engine([a, c]).preview()).result).toBe("succeeded");
    expect((await one.engine([a, c]).destroy()).result).toBe("succeeded");
    expect(one.world.objects.size).toBe(0);
  });
});

describe("a journal", () => {
  const begun = (base: number, lineage: string) => `${JSON.stringify({ journal: 1, base, lineage })}\n`;

  test.each([
    ["null", "null\n"],
    ["one line of something else, without its end", "7"],
    ["a state that lies in its place", '{"version":3,"deployment":{}}'],
    ["zeros alone", "\0".repeat(300)],
    ["all its lines in one", '{"journal":1,"base":1,"lineage":"x"}{"set":[],"end":[]}'],
    ["another history", begun(1, "other")],
    ["no serial", '{"journal":1,"lineage":"x"}\n'],
    ["lists nested without end", `${begun(0, "x")}{"notes":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`],
  ])("of %s is refused and stays", async (_name, text) => {
    const one = await made();
    one.files.set(journal, text);
    for (const operation of [() => one.engine([a, b]).up(), () => one.engine([a, b]).preview()]) {
      await expect(operation()).rejects.toMatchObject({
        code: "state",
        message: expect.stringContaining(journal),
      });
    }
    expect(one.files.get(journal)).toBe(text);
    expect(one.world.calls).toEqual([]);
  });

  test("with a record that is none leaves that line out, and says so", async () => {
    const one = await made();
    const { serial, lineage } = (JSON.parse(one.files.get(snapshot)!) as State).plumbline as {
      serial: number;
      lineage: string;
    };
    const lines = [JSON.stringify({ set: [[2, { urn: 7 }]], end: [] }), JSON.stringify({ set: [], end: [] })];
    one.files.set(journal, `${begun(serial, lineage)}${lines.join("\n")}\n`);
    const result = await one.engine([a, b]).preview();
    expect(result).toMatchObject({ result: "succeeded", changes: false });
    expect(result.diagnostics[0]?.message).toContain("1 entries");
  });
});

describe("a lock", () => {
  test.each(["null", "7", "[]", "", "{", '{"pid":-1,"host":"here","nonce":"x"}', '{"pid":"1"}'])(
    "that reads %j is held by somebody unknown, until it is removed",
    async (text) => {
      const one = await made();
      one.files.set(lock, text);
      await expect(one.engine([a, b]).up()).rejects.toMatchObject({
        code: "locked",
        message: expect.stringMatching(
          /cannot be read \(\/state\/stacks\/shop\/dev\.lock\).*plumbline stack unlock/,
        ),
      });
      expect(one.files.get(lock)).toBe(text);
      expect(await one.engine([]).unlock()).toMatchObject({ user: "unknown" });
      expect((await one.engine([a, b]).up()).result).toBe("succeeded");
    },
  );

  test("cannot make a terminal do anything", async () => {
    const one = await made();
    const hostile = {
      user: "\u001b[2Janna",
      host: "there\r\nerror: x",
      pid: 3,
      since: "\u0007",
      operation: "up\u009b",
      nonce: "n",
    };
    one.files.set(lock, JSON.stringify(hostile));
    const error = await one
      .engine([a])
      .up()
      .catch((thrown: Error) => thrown);
    expect((error as Error).message).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });
});

describe("a folder", () => {
  async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "plumbline-damaged-"));
    await work(folder).finally(() => rm(folder, { recursive: true }));
  }

  test("that is a file is refused before anything is made", () =>
    withFolder(async (folder) => {
      const one = bench(world());
      const stateFolder = join(folder, "state");
      await writeFile(stateFolder, "mine");
      for (const path of [stateFolder, join(stateFolder, "deeper")]) {
        const engine = one.engine([a], { disk: createDisk(), stateFolder: path });
        await expect(engine.up()).rejects.toMatchObject({
          code: "state",
          message: expect.stringMatching(/state.*--state/),
        });
      }
      expect(one.world.objects.size).toBe(0);
      expect(await readFile(stateFolder, "utf8")).toBe("mine");
    }));

  test("where the state file is a folder is refused with its name", () =>
    withFolder(async (folder) => {
      const one = bench(world());
      await mkdir(join(folder, "stacks/shop/dev.json"), { recursive: true });
      await expect(one.engine([a], { disk: createDisk(), stateFolder: folder }).up()).rejects.toMatchObject({
        code: "state",
        message: expect.stringContaining("dev.json"),
      });
      expect(one.world.objects.size).toBe(0);
    }));

  test("where the state file is a link keeps the link, and writes what it leads to", () =>
    withFolder(async (folder) => {
      const one = bench(world());
      const link = join(folder, "stacks/shop/dev.json");
      await mkdir(join(folder, "elsewhere"));
      await mkdir(join(folder, "stacks/shop"), { recursive: true });
      await symlink("../../elsewhere/kept.json", link);
      for (const size of [1, 2]) {
        const block = { ...a, inputs: { label: "a", size } };
        await one.engine([block], { disk: createDisk(), stateFolder: folder }).up();
        expect(await readlink(link)).toBe("../../elsewhere/kept.json");
        expect(JSON.parse(await readFile(join(folder, "elsewhere/kept.json"), "utf8")).plumbline.serial).toBe(
          size,
        );
      }
    }));

  test("on a full disk says so, and the next run goes on", async () => {
    const one = bench(world());
    const disk = memoryDisk(one.files);
    const full = async () => {
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    };
    await expect(one.engine([a, b], { disk: { ...disk, replace: full } }).up()).rejects.toMatchObject({
      code: "state",
      message: expect.stringContaining("Make room on the disk"),
    });
    expect((await one.engine([a, b]).up()).counts).toMatchObject({ same: 2 });
    expect(one.world.objects.size).toBe(2);
  });
});

test("without the key a stack is told, exported and destroyed, and what needs a secret is refused", async () => {
  const one = bench(world({ hasTokens: true }));
  const environment = { PLUMBLINE_PASSPHRASE: "one" };
  await one.engine([a, b], { environment, outputs: { size: { of: "a", output: "token" } } }).up();
  const lost = () => one.engine([a, b], { environment: {} });
  const before = one.files.get(snapshot)!;
  await expect(lost().preview()).rejects.toMatchObject({ name: "PassphraseError" });
  await expect(lost().up()).rejects.toMatchObject({ name: "PassphraseError" });
  expect(JSON.stringify(await lost().exportState())).toContain(
    JSON.stringify((JSON.parse(before) as State).deployment.resources[3]!.outputs),
  );
  expect((await lost().resources()).filter(({ type }) => type === thing)).toHaveLength(2);
  expect((await lost().graph()).nodes).toHaveLength(2);
  expect(one.files.get(snapshot)).toBe(before);
  // What is left after a part of it keeps its secrets, for whoever finds the key again.
  expect((await lost().destroy({ targets: ["b"] })).result).toBe("succeeded");
  expect(one.files.get(snapshot)).toContain(
    JSON.stringify((JSON.parse(before) as State).deployment.resources[2]!.outputs),
  );
  expect((await one.engine([a], { environment }).preview()).changes).toBe(false);
  expect((await lost().destroy()).result).toBe("succeeded");
  expect(one.world.objects.size).toBe(0);
}, 60_000);

test("without the key a declared provider's objects are not destroyed, which names it and the way out; the others are", async () => {
  const own: Block = { name: "own", type: "pulumi:providers:plumbline", inputs: { token: secret("hush") } };
  const far: Block = { name: "far", inputs: { label: "far" }, options: { provider: "own" } };
  const one = bench(world());
  const environment = { PLUMBLINE_PASSPHRASE: "one" };
  await one.engine([own, far, a], { environment }).up();
  const lost = () => one.engine([own, far, a], { environment: {} });
  one.world.calls.length = 0;
  const before = one.files.get(snapshot);
  for (const destroy of [() => lost().destroy({ previewOnly: true }), () => lost().destroy()])
    await expect(destroy()).rejects.toMatchObject({
      name: "PassphraseError",
      message: expect.stringMatching(
        /^Nothing was deleted.*PLUMBLINE_PASSPHRASE.*key file.*--target:\n {2}urn:\S+plumbline::own$/,
      ),
    });
  expect([one.world.calls, one.files.get(snapshot)]).toEqual([[], before]);
  expect((await lost().destroy({ targets: ["a"] })).result).toBe("succeeded");
  expect([...one.world.objects.values()].map(({ values }) => values.label)).toEqual(["far"]);
  expect((await one.engine([own, far], { environment }).destroy()).result).toBe("succeeded");
  expect(one.world.objects.size).toBe(0);
}, 60_000);
