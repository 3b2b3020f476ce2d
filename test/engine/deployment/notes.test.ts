import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import type { Notes, Provider, RequestContext } from "../../../provider/core/protocol.ts";
import { secret, type Value } from "../../../provider/core/value.ts";
import { createEngine } from "../../../provider/engine/engine.ts";
import { type Bench, type Block, bench, program } from "./program.ts";
import { type Life, life, thing, world, worldCatalogue, worldProvider } from "./world.ts";

const block = (inputs: { [name: string]: Value }, more: Partial<Block> = {}): Block[] => [
  { name: "a", inputs: { label: "a", ...inputs }, ...more },
];

interface Heard {
  /** True for what only a preview asks. */
  readonly isAsked: boolean;
  readonly verb: string;
  readonly name: string;
  readonly id: string | undefined;
  readonly note: Value | undefined;
}

type Watched = "create" | "update" | "read" | "delete" | "find";

/** Engines over the bench's world whose provider tells which note each verb finds, and first does `act` with it. */
function watched(
  b: Bench,
  act: (verb: Watched, notes: Notes, name: string, isAsked: boolean) => Promise<void> = async () => {},
) {
  const heard: Heard[] = [];
  const engine = (blocks: readonly Block[], of: Life = life()) =>
    b.engine(blocks, {
      of,
      createProvider: () => {
        const provider = worldProvider(b.world, of);
        const hearing =
          <Request extends RequestContext & { readonly name: string; readonly id?: string }, Answer>(
            verb: Watched,
            work: (request: Request) => Promise<Answer>,
          ) =>
          async (request: Request): Promise<Answer> => {
            const isAsked = (request as { preview?: boolean }).preview === true;
            const note = request.notes?.get("pool");
            heard.push({ verb, name: request.name, id: request.id, note, isAsked });
            if (request.notes) await act(verb, request.notes, request.name, isAsked);
            return work(request);
          };
        return {
          ...provider,
          create: hearing("create", provider.create),
          update: hearing("update", provider.update),
          read: hearing("read", provider.read),
          delete: hearing("delete", provider.delete),
          find: hearing("find", provider.find as NonNullable<Provider["find"]>),
        };
      },
    });
  return { engine, heard, done: () => heard.filter(({ isAsked }) => !isAsked) };
}

/** Notes once, in the verb. */
const noting = (verb: Watched, note: Value) => async (now: Watched, notes: Notes) => {
  if (now === verb) await notes.set("pool", note);
};

const stateOf = (b: Bench): string => b.files.get("/state/stacks/shop/dev.json") ?? "";

async function ended(work: Promise<{ readonly result: string }>, of: Life): Promise<void> {
  work.catch(() => {});
  await Promise.race([work, of.ended]);
}

test("a POST within an update is done once, whenever the run is killed, thanks to its notes alone", async () => {
  /** Pools of the object; the service tells their ids only. */
  async function poolsAfterKill(moment: number, hasNotes: boolean): Promise<number> {
    const b = bench(world());
    const pools: string[] = [];
    const engine = (size: number, of: Life) =>
      b.engine(block({ size }), {
        of,
        createProvider: () => {
          const provider = worldProvider(b.world, of);
          return {
            ...provider,
            async update(request) {
              const { notes } = request;
              const before = hasNotes ? (notes?.get("before") as string[] | undefined) : undefined;
              const made = before && pools.find((id) => !before.includes(id));
              if (!request.preview && made === undefined) {
                await notes?.set("before", [...pools]);
                await of.moment();
                pools.push(`p${pools.length}`);
                await of.moment();
              }
              return provider.update(request);
            },
          };
        },
      });
    await engine(1, life()).up();
    const dying = life(moment);
    await ended(engine(2, dying).up(), dying);
    if (!dying.isOver()) return 0;
    expect((await engine(2, life()).up()).result).toBe("succeeded");
    return pools.length;
  }
  const withNotes: number[] = [];
  const without: number[] = [];
  for (let moment = 1; ; moment += 1) {
    const count = await poolsAfterKill(moment, true);
    if (count === 0) break;
    withNotes.push(count);
    without.push(await poolsAfterKill(moment, false));
  }
  expect(withNotes.length).toBeGreaterThan(10);
  expect(new Set(withNotes)).toEqual(new Set([1]));
  expect(without).toContain(2);
});

test("a note is found by every verb of a later run, and in a preview", async () => {
  const b = bench(world());
  await watched(b).engine(block({})).up();
  await watched(b, noting("update", ["p1"]))
    .engine(block({ size: 2 }))
    .up();
  const { engine, heard } = watched(b);
  await engine(block({})).refresh();
  await engine(block({})).drift();
  await engine(block({ size: 3 })).preview();
  await engine(block({ size: 3 })).up();
  await engine([]).destroy();
  expect(heard.map(({ verb, note }) => [verb, note])).toEqual([
    ["read", ["p1"]],
    ["read", ["p1"]],
    ["update", ["p1"]],
    ["update", ["p1"]],
    ["delete", ["p1"]],
  ]);
});

test("an import reads without notes", async () => {
  const b = bench(world());
  let isGiven: boolean | undefined;
  b.world.objects.set("t9", { id: "t9", values: { label: "found" }, created: 0 });
  const engine = b.engine([], {
    createProvider: () => {
      const provider = worldProvider(b.world);
      return {
        ...provider,
        read: (request) => {
          isGiven = request.notes !== undefined;
          return provider.read(request);
        },
      };
    },
  });
  await engine.importResource({ type: thing, name: "found", id: "t9" });
  expect(isGiven).toBe(false);
});

test("a note is durable once it is set: a run that is killed right after has kept it", async () => {
  const b = bench(world());
  await watched(b).engine(block({})).up();
  const of = life();
  const killed = watched(b, async (verb, notes) => {
    if (verb !== "update") return;
    await notes.set("pool", "p1");
    await new Promise(() => {});
  });
  void killed.engine(block({ size: 2 }), of).up();
  await expect.poll(() => [...b.files.values()].join("")).toContain("p1");
  const { engine, done } = watched(b);
  await engine(block({ size: 2 })).up();
  // Read for the preview that the run is held to, and for the run.
  expect(done().map(({ verb, note }) => [verb, note])).toEqual([
    ["read", "p1"],
    ["read", "p1"],
    ["update", "p1"],
  ]);
});

test("a preview that notes something is refused, and nothing is written", async () => {
  const b = bench(world());
  await watched(b).engine(block({})).up();
  const before = new Map(b.files);
  for (const verb of ["update", "create"] as const) {
    const { engine } = watched(b, noting(verb, "p1"));
    const blocks = [...block({ size: 2 }), { name: "b", inputs: { label: "b" } }];
    const { result, diagnostics } = await engine(blocks).preview();
    expect(result).toBe("failed");
    expect(diagnostics.map(({ message }) => message)).toEqual(['a preview must not note anything ("pool")']);
  }
  expect(b.files).toEqual(before);
});

test("a note that is a secret or no plain JSON is refused", async () => {
  for (const note of [secret("hunter2"), { deep: [secret("hunter2")] }, Number.NaN]) {
    const b = bench(world());
    const { diagnostics } = await watched(b, noting("create", note as Value))
      .engine(block({}))
      .up();
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'the note "pool" is not plain JSON, or holds a secret: it must not be kept',
    ]);
    expect([...b.files.values()].join("")).not.toContain("hunter2");
  }
});

test("notes with names of object members are notes like any other", async () => {
  const b = bench(world());
  const found: unknown[] = [];
  const act = async (_: Watched, notes: Notes) => {
    found.push(notes.get("constructor"), notes.get("__proto__"));
    await Promise.all([notes.set("constructor", 1), notes.set("__proto__", { x: 2 })]);
  };
  await watched(b, act).engine(block({})).up();
  await watched(b, act)
    .engine(block({ size: 2 }))
    .up();
  expect(found).toEqual([undefined, undefined, 1, { x: 2 }]);
});

test("a note that is taken back is gone from the state", async () => {
  const b = bench(world());
  await watched(b, noting("create", "p1")).engine(block({})).up();
  expect(stateOf(b)).toContain("p1");
  const { engine } = watched(b, async (_, notes) => notes.set("pool", undefined));
  await engine(block({ size: 2 })).up();
  expect(stateOf(b)).not.toContain("p1");
  expect(stateOf(b)).not.toContain("notes");
});

test("notes go with the object: its delete, or a refresh that finds it gone", async () => {
  for (const end of ["destroy", "refresh"] as const) {
    const b = bench(world());
    await watched(b, noting("create", "p1")).engine(block({})).up();
    if (end === "refresh") b.world.objects.clear();
    await watched(b).engine(block({}))[end]();
    const present = [...b.files].filter(([name]) => !name.startsWith("/state/history/"));
    expect(present.map(([, text]) => text).join("")).not.toContain("p1");
    const { engine, heard } = watched(b);
    await engine(block({})).up();
    expect(heard).toMatchObject([{ verb: "create", note: undefined }]);
  }
});

test("notes stay with an object that gets another name", async () => {
  const b = bench(world());
  await watched(b, noting("create", "p1")).engine(block({})).up();
  const { engine, heard } = watched(b);
  const renamed = block({ size: 2 }, { name: "z", options: { aliases: [{ name: "a" }] } });
  await engine(renamed).up();
  expect(heard).toMatchObject([{ verb: "update", name: "z", note: "p1" }]);
});

test("an object and its replacement never see each other's notes, whichever goes first", async () => {
  for (const label of ["a", "beside"]) {
    const b = bench(world());
    await watched(b, noting("create", "of the old one"))
      .engine(block({ region: "eu" }))
      .up();
    const { engine, done } = watched(b, async (verb, notes, _, isAsked) => {
      if (verb === "create" && !isAsked) await notes.set("pool", "of the new one");
    });
    await engine(block({ region: "us", label })).up();
    const order = [
      { verb: "create", note: undefined },
      { verb: "delete", note: "of the old one" },
    ];
    expect(done()).toMatchObject(label === "a" ? order.reverse() : order);
    const next = watched(b);
    await next.engine(block({ region: "us", label, size: 2 })).up();
    expect(next.heard).toMatchObject([{ verb: "update", note: "of the new one" }]);
    expect(stateOf(b)).not.toContain("of the old one");
  }
});

test("a creation's notes are found by whatever takes it up, and no note outlives one that was refused", async () => {
  const lost = new Error("the connection was reset");
  const cases: [Block[], Heard["verb"][], boolean][] = [
    [block({}), ["create"], true],
    // Looked for twice: for the preview that the run is held to, and for the run.
    [block({ size: 2 }), ["find", "find", "update"], true],
    [[], ["find", "find", "delete"], true],
    [block({}), ["create"], false],
  ];
  for (const [declared, verbs, isMade] of cases) {
    const b = bench(world());
    if (isMade) {
      b.world.pause = async () => {
        throw lost;
      };
    } else b.world.fault = () => Object.assign(new Error("400"), { status: 400 });
    const first = await watched(b, noting("create", "p1")).engine(block({})).up();
    expect(first.result).toBe("failed");
    expect(stateOf(b).includes("p1")).toBe(isMade);
    b.world.pause = async () => {};
    b.world.fault = () => undefined;
    const { engine, done } = watched(b);
    expect((await engine(declared).up()).result).toBe("succeeded");
    expect(done().map(({ verb, note }) => [verb, note])).toEqual(
      verbs.map((verb) => [verb, isMade ? "p1" : undefined]),
    );
  }
});

test("notes travel with our own export, and Pulumi's has none", async () => {
  const b = bench(world());
  await watched(b, noting("create", ["p1"]))
    .engine(block({}))
    .up();
  const engine = b.engine(block({}));
  const own = await engine.exportState();
  expect(JSON.stringify(await engine.exportPulumi())).not.toMatch(/p1|plumbline":/);
  const other = bench(b.world);
  await other.engine(block({})).importState(JSON.stringify(own));
  const { engine: later, heard } = watched(other);
  await later(block({ size: 2 })).up();
  expect(heard).toMatchObject([{ verb: "update", note: ["p1"] }]);
});

test("a process killed with SIGKILL leaves its notes to the next one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-notes-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const outfile = join(folder, "noting-process.mjs");
  const banner = {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  };
  const entryPoints = [resolve(import.meta.dirname, "noting-process.ts")];
  await build({
    entryPoints,
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    banner,
    logLevel: "error",
  });
  const stateFolder = join(folder, "state");
  const child = spawn(process.execPath, [outfile, stateFolder], { stdio: ["ignore", "pipe", "inherit"] });
  const [id] = (await once(child.stdout, "data")).map((data) => String(data).trim());
  child.kill("SIGKILL");
  await once(child, "exit");

  const b = bench(world());
  b.world.objects.set(id ?? "", { id: id ?? "", values: { label: "a", size: 1 }, created: 0 });
  const found: unknown[] = [];
  const { result } = await createEngine({
    project: "shop",
    stack: "dev",
    stateFolder,
    program: program(block({ size: 2 })),
    environment: {},
    catalogue: worldCatalogue,
    createProvider: () => {
      const provider = worldProvider(b.world);
      return {
        ...provider,
        update: (request) => {
          if (!request.preview) found.push(request.notes?.get("pool"));
          return provider.update(request);
        },
      };
    },
  }).up();
  expect(result).toBe("succeeded");
  expect(found).toEqual([["p1"]]);
});
