import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blockOf } from "../../../provider/cli/declaration/block.ts";
import { blocksText } from "../../../provider/cli/declaration/stack-file.ts";
import { secret } from "../../../provider/core/value.ts";
import type { Host } from "../../../provider/engine/host.ts";
import { dot, mermaid } from "../../../provider/engine/operations/graph.ts";
import { createDisk } from "../../../provider/engine/state/backends/folder/disk.ts";
import { takeLock } from "../../../provider/engine/state/backends/folder/lock.ts";
import { readJournal } from "../../../provider/engine/state/journal.ts";
import { type Block, bench, nextMachine, program } from "../deployment/program.ts";
import { life, memoryDisk, thing, world, worldCatalogue } from "../deployment/world.ts";

const urn = (name: string): string => `urn:pulumi:dev::shop::${thing}::${name}`;
const a: Block = { name: "a", inputs: { label: "a", size: 1 } };
const stateFile = "/state/stacks/shop/dev.json";

test("a refresh takes over what moved, drops what is gone, and writes nothing to the service", async () => {
  const b = bench(world());
  await b
    .engine([
      a,
      { name: "b", inputs: { label: "b" } },
      { name: "c", inputs: { label: "c", size: { of: "b" } } },
    ])
    .up();
  const [first, second] = [...b.world.objects.values()];
  b.world.objects.set(first!.id, { ...first!, values: { label: "a", size: 7 } });
  b.world.objects.delete(second!.id);
  b.world.calls.length = 0;
  const before = b.files.get(stateFile);
  const shown = await b.engine([]).refresh({ previewOnly: true });
  expect(b.files.get(stateFile)).toBe(before);
  const done = await b.engine([]).refresh();
  expect(done.counts).toEqual(shown.counts);
  expect(done.counts).toMatchObject({ update: 1, delete: 1, same: 1 });
  expect(done.steps.find((step) => step.op === "update")).toMatchObject({
    name: "a",
    detailedDiff: { size: { kind: "update" } },
    newInputs: { size: 7 },
  });
  expect(new Set(b.world.calls.map(({ verb }) => verb))).toEqual(new Set(["read"]));
  expect(await b.engine([]).refresh()).toMatchObject({ changes: false });
  // What referred to the gone object does not any more, so that the state stays whole.
  const left = (await b.engine([]).resources()).find((state) => state.urn === urn("c"));
  expect(left).toMatchObject({ dependencies: [], propertyDependencies: {} });
});

test("a read that fails keeps the resource as it was and fails the refresh", async () => {
  const b = bench(world());
  await b.engine([a]).up();
  const id = [...b.world.objects.keys()][0] as string;
  const object = b.world.objects.get(id);
  Object.defineProperty(b.world.objects, "get", {
    value: () => {
      throw new Error("503");
    },
  });
  const result = await b.engine([]).refresh();
  expect(result).toMatchObject({ result: "failed", diagnostics: [{ message: "503", urn: urn("a") }] });
  expect(object).toBeDefined();
  expect((await b.engine([]).resources()).some((state) => state.urn === urn("a"))).toBe(true);
});

test("up --refresh puts right what was changed behind its back; a plain up does not look", async () => {
  const b = bench(world());
  await b.engine([a]).up();
  const [object] = [...b.world.objects.values()];
  b.world.objects.set(object!.id, { ...object!, values: { label: "a", size: 7 } });
  expect((await b.engine([a]).preview()).changes).toBe(false);
  const preview = await b.engine([a]).preview({ refresh: true });
  expect(preview).toMatchObject({
    counts: { update: 1 },
    steps: [{ op: "update", detailedDiff: { size: { kind: "update" } } }],
  });
  await b.engine([a]).up({ refresh: true });
  expect(b.world.objects.get(object!.id)?.values.size).toBe(1);
});

test("drift tells declared, last applied and live, and not what only the file changed or is ignored", async () => {
  const b = bench(world());
  await b
    .engine([
      a,
      { name: "b", inputs: { label: "b", size: 1 }, options: { ignoreChanges: ["size"] } },
      { name: "c", inputs: { label: "c" } },
    ])
    .up();
  const [one, two, three] = [...b.world.objects.values()];
  b.world.objects.set(one!.id, { ...one!, values: { label: "a", size: 7, password: "x" } });
  b.world.objects.set(two!.id, { ...two!, values: { label: "b", size: 7 } });
  b.world.objects.delete(three!.id);
  const files = JSON.stringify([...b.files]);
  const { drifted, result } = await b
    .engine([
      { name: "a", inputs: { label: "changed in the file", size: 3 } },
      { name: "b", inputs: { label: "b", size: 1 } },
      { name: "c", inputs: { label: "c" } },
    ])
    .drift();
  expect(result).toBe("succeeded");
  expect(drifted).toMatchObject([
    {
      urn: urn("a"),
      id: one!.id,
      kind: "changed",
      paths: { size: { declared: 3, last: 1, live: 7 }, password: { live: "x" } },
      position: { line: 1 },
    },
    { urn: urn("c"), kind: "missing", paths: {} },
  ]);
  expect(drifted[0]?.paths.password).toEqual({ live: "x" });
  expect(JSON.stringify([...b.files])).toBe(files);
});

test("a drifted secret is secret on every side", async () => {
  const b = bench(world());
  await b.engine([{ name: "a", inputs: { label: "a", password: secret("one") } }]).up();
  const [object] = [...b.world.objects.values()];
  b.world.objects.set(object!.id, { ...object!, values: { label: "a", password: "two" } });
  const { drifted } = await b.engine([{ name: "a", inputs: { label: "a", password: "three" } }]).drift();
  expect(drifted[0]?.paths.password).toEqual({
    declared: secret("three"),
    last: secret("one"),
    live: secret("two"),
  });
}, 60_000);

test("one writer at a time: a living owner is named, a dead one of this host is taken over, one of another host is not", async () => {
  const b = bench(world());
  const lock = "/state/stacks/shop/dev.lock";
  const machine = nextMachine();
  b.files.set(
    lock,
    JSON.stringify({
      user: "bert",
      host: "here",
      pid: machine.pid,
      since: "2029-12-31T23:50:00.000Z",
      operation: "up",
      nonce: "n",
    }),
  );
  const alive = { ...machine, pid: 1, isAlive: () => true };
  await expect(b.engine([a], { machine: alive }).up()).rejects.toMatchObject({
    code: "locked",
    message: expect.stringContaining(
      `bert on here (process ${machine.pid}) since 2029-12-31T23:50:00.000Z, 10 min 0 s ago, for up`,
    ),
  });
  expect(b.world.calls).toEqual([]);
  await expect(b.engine([], { machine: alive }).unlock()).rejects.toMatchObject({ code: "locked" });
  expect((await b.engine([a]).up()).diagnostics).toMatchObject([
    { severity: "info", message: expect.stringContaining("taken over from bert") },
  ]);
  expect(b.files.has(lock)).toBe(false);
  b.files.set(
    lock,
    JSON.stringify({
      user: "bert",
      host: "there",
      pid: 1,
      since: "2029-12-31T23:50:00.000Z",
      operation: "up",
      nonce: "n",
    }),
  );
  await expect(b.engine([a]).up()).rejects.toMatchObject({
    code: "locked",
    message: expect.stringContaining("stack unlock"),
  });
  expect((await b.engine([a]).preview()).result).toBe("succeeded");
  expect(await b.engine([]).unlock()).toMatchObject({ host: "there" });
  expect((await b.engine([a]).up()).result).toBe("succeeded");
  expect(await b.engine([]).unlock()).toBeUndefined();
});

test("of many runs that start at once on a real disk one gets the lock, and the next one after it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-lock-"));
  const file = join(folder, "deep", "dev.lock");
  const machine = { user: "anna", host: "here", pid: 1, isAlive: () => true };
  const take = () => takeLock(createDisk(), file, "up", machine, () => new Date());
  const all = await Promise.allSettled(Array.from({ length: 12 }, take));
  const won = all.filter((one) => one.status === "fulfilled");
  expect(won).toHaveLength(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await won[0]?.value.release();
  await (await take()).release();
  await rm(folder, { recursive: true });
});

test("the key file has mode 0600, is made once with a notice, and a passphrase wins over it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-key-"));
  const b = bench(world({ hasTokens: true }));
  const disk = () => ({ disk: createDisk(), stateFolder: folder });
  const first = await b.engine([a], disk()).up();
  expect(first.diagnostics).toMatchObject([
    { severity: "info", message: expect.stringContaining("key file") },
  ]);
  expect((await stat(join(folder, "key"))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "stacks/shop/dev.json"))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, ".gitignore"), "utf8")).toContain("key\n");
  const key = await readFile(join(folder, "key"), "utf8");
  expect((await b.engine([a], disk()).up()).diagnostics).toEqual([]);
  // A passphrase that is set later does not shut the state off, since its key is still there.
  expect(
    (await b.engine([a], { ...disk(), environment: { PLUMBLINE_PASSPHRASE: "later" } }).up()).result,
  ).toBe("succeeded");
  await rm(join(folder, "key"));
  await expect(
    b.engine([a], { ...disk(), environment: { PLUMBLINE_PASSPHRASE: "wrong" } }).preview(),
  ).rejects.toThrow("None of those at hand opens them");
  await expect(b.engine([a], disk()).preview()).rejects.toThrow("There is none");
  expect(
    (await b.engine([a], { ...disk(), environment: { PULUMI_CONFIG_PASSPHRASE: key.trim() } }).preview())
      .changes,
  ).toBe(false);
  await rm(folder, { recursive: true });
}, 60_000);

test("a disk that fails stops the run, names the file, and loses nothing that was made", async () => {
  const b = bench(world());
  const disk = memoryDisk(b.files);
  const full = {
    ...disk,
    append: async (path: string, text: string) => {
      if (b.world.objects.size > 0)
        throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
      return disk.append(path, text);
    },
  };
  await expect(b.engine([a], { disk: full }).up()).rejects.toMatchObject({
    code: "state",
    message: expect.stringContaining(
      "The state cannot be kept: /state/stacks/shop/dev.journal: ENOSPC: no space left",
    ),
  });
  expect(b.world.objects.size).toBe(1);
  expect((await b.engine([a]).up()).result).toBe("succeeded");
  expect(b.world.objects.size).toBe(1);
});

test("a broken state file is refused, and left alone", async () => {
  const b = bench(world());
  b.files.set(stateFile, "{ torn");
  await expect(b.engine([a]).up()).rejects.toMatchObject({ code: "state" });
  expect(b.files.get(stateFile)).toBe("{ torn");
  expect(b.world.calls).toEqual([]);
});

test("a line that is damaged in the middle of a journal is told, and the rest counts", async () => {
  const b = bench(world());
  const of = life(13);
  await Promise.race([
    b.engine([a, { name: "b", inputs: { label: "b" } }], { of, parallel: 1 }).up(),
    of.ended,
  ]);
  const journal = "/state/stacks/shop/dev.journal";
  const lines = (b.files.get(journal) ?? "").split("\n");
  expect(lines.length).toBeGreaterThan(4);
  lines[1] = lines[1]!.slice(0, 20);
  b.files.set(journal, lines.join("\n"));
  const result = await b.engine([a, { name: "b", inputs: { label: "b" } }]).preview();
  expect(result.diagnostics).toMatchObject([
    { severity: "info", message: expect.stringContaining("1 entries of the journal") },
  ]);
});

test("a journal whose first line is torn began nothing", () => {
  const header = JSON.stringify({ journal: 1, base: 12, lineage: 'a "quoted" \\ one' });
  for (let length = 0; length <= header.length; length++)
    expect(readJournal(header.slice(0, length)), header.slice(0, length)).toBeUndefined();
  expect(() => readJournal('{"jour\n{"set":[],"end":[]}\n')).toThrow("first line");
  expect(readJournal('{"journal":1,"base":3,"lineage":"x"}\n{"begin":"crea')).toMatchObject({
    base: 3,
    damaged: 0,
  });
});

test("the outputs of another stack of the folder are read, in every spelling of its name", async () => {
  const b = bench(world());
  await b.engine([a], { stack: "net", outputs: { size: { of: "a", output: "size" } } }).up();
  const referring = (name: string) => ({ ...program([]), run: (host: Host) => host.stackReference(name) });
  for (const name of ["net", "shop/net", "organization/shop/net"]) {
    expect((await b.engine([], { program: referring(name) }).preview()).outputs).toEqual({ size: 1 });
  }
  await expect(b.engine([], { program: referring("shop/none") }).preview()).rejects.toThrow(
    "there is no stack shop/none",
  );
  expect(await b.engine([]).stacks()).toEqual(["net"]);
  await expect(b.engine([], { stack: "none" }).outputs()).rejects.toMatchObject({ code: "usage" });
});

test("an adopted object is in the state, and its block makes the next preview empty", async () => {
  const b = bench(world());
  await b.engine([{ name: "x", inputs: { label: "a$b", size: 1 } }]).up();
  const id = [...b.world.objects.keys()][0] as string;
  b.files.clear();
  const { adopted, counts } = await b.engine([]).importResource({ type: "Thing", name: "mine", id: "a$b" });
  expect(counts).toMatchObject({ import: 1 });
  expect(adopted?.state).toMatchObject({ id, importID: "a$b", protect: true });
  const { state, references } = adopted!;
  const info = worldCatalogue.resources.get(thing)!;
  const source = { key: "mine", name: "mine", inputs: state.inputs, references, options: state };
  expect(blocksText([blockOf(source, info, () => undefined)], 2)).toBe(
    [
      "  mine:",
      "    type: plumbline:test:Thing",
      "    properties:",
      "      label: a$$b",
      "      size: 1",
      "    options:",
      "      protect: true",
      "",
    ].join("\n"),
  );
  const declared: Block = { name: "mine", inputs: { label: "a$b", size: 1 }, options: { protect: true } };
  expect((await b.engine([declared]).preview()).changes).toBe(false);
  await expect(b.engine([]).importResource({ type: "Thing", name: "mine", id })).rejects.toMatchObject({
    code: "usage",
  });
  await expect(b.engine([]).importResource({ type: "Thing", name: "again", id })).rejects.toMatchObject({
    code: "usage",
  });
  await expect(b.engine([]).importResource({ type: "Nothing", name: "n", id })).rejects.toMatchObject({
    code: "usage",
  });
  expect(await b.engine([]).importResource({ type: "Thing", name: "n", id: "t0" })).toMatchObject({
    result: "failed",
  });
});

test("an export carries the state to another folder, sealed under that folder's passphrase", async () => {
  const b = bench(world({ hasTokens: true }));
  await b
    .engine([a], {
      environment: { PLUMBLINE_PASSPHRASE: "one" },
      outputs: { t: { of: "a", output: "token" } },
    })
    .up();
  const text = JSON.stringify(
    await b.engine([], { environment: { PLUMBLINE_PASSPHRASE: "one" } }).exportState(),
  );
  const pulumi = await b
    .engine([], { environment: { PLUMBLINE_PASSPHRASE: "one" } })
    .exportPulumi({ showSecrets: true });
  expect(text).not.toContain("token-of");
  expect(JSON.stringify(pulumi)).toContain("token-of");
  for (const given of [
    text,
    JSON.stringify(pulumi),
    JSON.stringify({ version: 3, checkpoint: { stack: "dev", latest: pulumi.deployment } }),
  ]) {
    const c = bench(b.world);
    const environment = { PLUMBLINE_PASSPHRASE: "one" };
    await c.engine([], { environment }).importState(given);
    expect([...c.files.values()].join()).not.toContain("token-of");
    expect(
      (await c.engine([a], { environment, outputs: { t: { of: "a", output: "token" } } }).preview()).changes,
    ).toBe(false);
  }
  await expect(
    b.engine([], { stack: "other", environment: { PLUMBLINE_PASSPHRASE: "one" } }).importState(text),
  ).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("belongs to the stack dev") });
  await expect(b.engine([]).importState("{}")).rejects.toMatchObject({ code: "usage" });
}, 120_000);

test("the deployment for Pulumi has the stack first, providers before their users, and the hash of its version", async () => {
  const b = bench(world());
  await b
    .engine([
      { name: "z", inputs: { label: "z" } },
      { name: "b", inputs: { label: "b", parentId: { of: "z" } } },
    ])
    .up();
  const { deployment } = await b.engine([]).exportPulumi();
  expect(deployment.resources?.map((record) => record.urn)).toEqual([
    "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev",
    "urn:pulumi:dev::shop::pulumi:providers:plumbline::default",
    urn("z"),
    urn("b"),
  ]);
  expect(deployment.resources?.[0]).toEqual({
    urn: "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev",
    type: "pulumi:pulumi:Stack",
    custom: false,
  });
  expect(deployment.resources?.[3]).toMatchObject({
    dependencies: [urn("z")],
    propertyDependencies: { parentId: [urn("z")] },
    custom: true,
  });
});

test("the graph draws what depends on what", async () => {
  const b = bench(world());
  await b
    .engine([
      { name: "z", inputs: { label: "z" } },
      { name: 'q"q', inputs: { label: "b", parentId: { of: "z" } } },
    ])
    .up();
  const graph = await b.engine([]).graph();
  expect(graph.edges).toEqual([{ from: urn('q"q'), to: urn("z") }]);
  expect(mermaid(graph)).toBe('graph TD\n  n0["Thing z"]\n  n1["Thing q#quot;q"]\n  n1 --> n0\n');
  expect(dot(graph)).toContain(`"${urn("z")}" [label="Thing\\nz"];`);
});

test("an operation that was told to stop before it began does nothing", async () => {
  const b = bench(world());
  const signal = AbortSignal.abort();
  expect(await b.engine([a], { signal }).up()).toMatchObject({ result: "cancelled", steps: [] });
  expect(b.world.objects.size).toBe(0);
});

test("names that are no file names are refused", async () => {
  const b = bench(world());
  expect(() => b.engine([a], { stack: "../other" })).toThrow("is no name for a stack");
  expect(() => b.engine([a], { project: "" })).toThrow("is no name for a project");
});

test("five thousand resources cost what each costs, made and looked through", async () => {
  const b = bench(world());
  const folder = await mkdtemp(join(tmpdir(), "plumbline-large-"));
  const many = (count: number): Block[] => [
    { name: "net", inputs: { label: "net", region: "eu" } },
    ...Array.from(
      { length: count },
      (_, i): Block => ({ name: `r${i}`, inputs: { label: `r${i}`, parentId: { of: "net" } } }),
    ),
  ];
  // The world looks for equal labels in everything it has; that is its cost and not the engine's.
  Object.defineProperty(b.world.objects, "values", { value: () => [][Symbol.iterator]() });
  const timed = async (count: number, stack: string): Promise<number> => {
    const engine = () => b.engine(many(count), { disk: createDisk(), stateFolder: folder, stack });
    const begun = performance.now();
    expect((await engine().up()).counts.create).toBe(count + 1);
    expect((await engine().up()).counts.same).toBe(count + 1);
    return performance.now() - begun;
  };
  await timed(50, "warm");
  const small = (await timed(500, "small")) / 500;
  const large = (await timed(5000, "large")) / 5000;
  expect(large).toBeLessThan(small * 4 + 1);
  await rm(folder, { recursive: true });
}, 120_000);

test("what a killed write of the state file left is removed by the next run", async () => {
  const b = bench(world());
  b.files.set(`${stateFile}.0123456789ab.tmp`, "{");
  await b.engine([a]).up();
  expect([...b.files.keys()].filter((path) => path.endsWith(".tmp"))).toEqual([]);
});

test("what others wrote into the state folder is left alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-shared-"));
  await writeFile(join(folder, ".gitignore"), "mine\n");
  const b = bench(world());
  await b.engine([a], { disk: createDisk(), stateFolder: folder }).up();
  expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe("mine\n");
  await rm(folder, { recursive: true });
});
