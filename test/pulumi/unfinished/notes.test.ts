import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Notes, Provider, RequestContext } from "../../../provider/core/protocol.ts";
import { AnswerLostError } from "../../../provider/core/service-port.ts";
import { secret, type Value } from "../../../provider/core/value.ts";
import { objectKey, openCreateLog } from "../../../provider/pulumi/unfinished/create-log.ts";
import { freshFolder } from "../../folders.ts";
import { refusal, startPlugin, thing, urnOf } from "../engine.ts";
import { fakeProvider } from "../fake-provider.ts";

const urn = urnOf("a");
const lost = new AnswerLostError("POST", "/things", "no answer came", undefined);

type Watched = "create" | "update" | "read" | "delete";
type Act = (verb: Watched, notes: Notes) => Promise<void>;

/** A plugin of its own in the project's folder. Tells which note each verb finds under "pool"; each first does `act`. */
async function run(folder: string, act: Act = async () => {}, replace: Partial<Provider> = {}) {
  const heard: (readonly [verb: Watched, note: Value | undefined])[] = [];
  const objects = fakeProvider().parts.createProvider();
  const hearing =
    <Request extends RequestContext, Answer>(verb: Watched, work: (request: Request) => Promise<Answer>) =>
    async (request: Request): Promise<Answer> => {
      heard.push([verb, request.notes?.get("pool")]);
      if (request.notes) await act(verb, request.notes);
      return work(request);
    };
  const fake = fakeProvider({
    create: hearing("create", replace.create ?? objects.create),
    update: hearing("update", replace.update ?? objects.update),
    read: hearing(
      "read",
      replace.read ?? (async ({ id, inputs, state }) => ({ id, inputs: inputs ?? {}, state: state ?? {} })),
    ),
    delete: hearing("delete", replace.delete ?? objects.delete),
  });
  const started = await startPlugin(fake.parts, { folder });
  onTestFinished(started.close);
  const file = join(started.createsFolder, "dev");
  return { ...started, heard, file, notes: (id: string) => openCreateLog(file).notes(objectKey(thing, id)) };
}

const noting =
  (verb: Watched, note: Value | undefined): Act =>
  async (now, notes) => {
    if (now === verb) await notes.set("pool", note);
  };

/** What a killed plugin leaves: notes of an update of object 7 that never ended. */
async function killed(folder: string, id = "7"): Promise<void> {
  const log = openCreateLog(join(folder, "creates", "dev"));
  await log.hold(objectKey(thing, id), { pool: ["p1"] });
}

describe("a note", () => {
  it("of an update that was killed is found by each verb of a later run, and by a preview", async () => {
    const folder = freshFolder();
    await killed(folder);
    const { heard, update, read, delete: remove } = await run(folder);
    await update(urn, "7", {}, {}, {}, { preview: true });
    await read(urn, "7", {}, {});
    await update(urn, "7", {}, {}, {});
    await remove(urn, "7");
    expect(heard).toEqual([
      ["update", ["p1"]],
      ["read", ["p1"]],
      ["update", ["p1"]],
      ["delete", ["p1"]],
    ]);
  });

  it("is on disk when it is set, and known to another process", async () => {
    const folder = freshFolder();
    const seen: unknown[] = [];
    const one = await run(folder, async (_, notes) => {
      await notes.set("pool", ["p1"]);
      seen.push(readFileSync(one.file, "utf8"), other.notes("7"), notes.get("pool"));
    });
    const other = await run(folder);
    await one.update(urn, "7", {}, {}, {});
    const line = { notes: `${thing} 7`, hold: { pool: ["p1"] }, pid: process.pid };
    expect(seen).toEqual([`${JSON.stringify(line)}\n`, { notes: line.hold, pid: process.pid }, ["p1"]]);
    await other.read(urn, "7", {}, {});
    expect(other.heard).toEqual([["read", ["p1"]]]);
  });

  it("is not given to an import, which reads without state", async () => {
    const folder = freshFolder();
    await killed(folder);
    const { heard, read } = await run(folder);
    await read(urn, "7");
    expect(heard).toEqual([["read", undefined]]);
  });

  it("goes with the object: its delete, or a refresh that finds it gone", async () => {
    for (const end of ["delete", "read"] as const) {
      const folder = freshFolder();
      await killed(folder);
      const {
        file,
        delete: remove,
        read,
        update,
        heard,
        session,
      } = await run(folder, undefined, {
        read: async () => undefined,
      });
      if (end === "delete") await remove(urn, "7");
      else await read(urn, "7", {}, {});
      await update(urn, "7", {}, {}, {});
      expect(heard).toEqual([
        [end, ["p1"]],
        ["update", undefined],
      ]);
      session.flushNow();
      // An append that was on its way to the file may end after it, and tidies up behind itself.
      await expect.poll(() => existsSync(file)).toBe(false);
    }
  });

  it("stays when the delete fails", async () => {
    const folder = freshFolder();
    await killed(folder);
    const { delete: remove, notes } = await run(folder, undefined, {
      delete: async () => {
        throw lost;
      },
    });
    await refusal(remove(urn, "7"));
    expect(notes("7")?.notes).toEqual({ pool: ["p1"] });
  });

  it("stays after a run that ended well, and goes when it is taken back", async () => {
    const folder = freshFolder();
    const first = await run(folder, noting("update", ["p1"]));
    await first.update(urn, "7", {}, {}, {});
    await first.close();
    const second = await run(folder, noting("update", undefined));
    await second.update(urn, "7", {}, {}, {});
    expect(second.heard).toEqual([["update", ["p1"]]]);
    second.session.flushNow();
    // An append that was on its way may end after it, and tidies up behind itself.
    await expect.poll(() => existsSync(second.file)).toBe(false);
  });

  it("stays with an object that an alias renames", async () => {
    const folder = freshFolder();
    await killed(folder);
    const { heard, update } = await run(folder);
    await update(urnOf("renamed"), "7", {}, {}, {});
    expect(heard).toEqual([["update", ["p1"]]]);
  });

  it("is refused in a preview, which writes nothing", async () => {
    const folder = freshFolder();
    const { create, update, file } = await run(folder, (_, notes) => notes.set("pool", 1));
    for (const call of [
      create(urn, {}, { preview: true }),
      update(urn, "7", {}, {}, {}, { preview: true }),
    ]) {
      expect((await refusal(call)).details).toContain('a preview must not note anything ("pool")');
    }
    expect(existsSync(file)).toBe(false);
  });

  it("is refused when it is a secret", async () => {
    const { update, file } = await run(freshFolder(), (_, notes) => notes.set("pool", [secret("hunter2")]));
    expect((await refusal(update(urn, "7", {}, {}, {}))).details).toContain("not plain JSON");
    expect(existsSync(file)).toBe(false);
  });
});

describe("a create's notes", () => {
  it("are the new object's, and none of an object that had the URN before", async () => {
    const folder = freshFolder();
    await killed(folder);
    const {
      heard,
      check,
      diff,
      create,
      delete: remove,
      notes,
      session,
    } = await run(folder, noting("create", "new"));
    // A replacement that makes the new object first.
    await check(urn, {}, { name: "x" });
    await diff(urn, "7", {}, {}, {});
    const { id } = await create(urn, {});
    expect(notes(id)?.notes).toEqual({ pool: "new" });
    await remove(urn, "7");
    expect(heard).toEqual([
      ["create", undefined],
      ["delete", ["p1"]],
    ]);
    session.flushNow();
    expect(notes("7")).toBeUndefined();
    expect(notes(id)?.notes).toEqual({ pool: "new" });
  });

  it("begin with none even for an id that is used again", async () => {
    const folder = freshFolder();
    await killed(folder, "1");
    const { heard, create, update } = await run(folder);
    const { id } = await create(urn, {});
    expect(id).toBe("1");
    await update(urn, id, {}, {}, {});
    expect(heard).toEqual([
      ["create", undefined],
      ["update", undefined],
    ]);
  });

  it("before and after the id are found by the create that goes on with it, and by an update", async () => {
    const folder = freshFolder();
    const both: Provider["create"] = async ({ inputs, notes, onCreated }) => {
      await notes?.set("before", 1);
      await onCreated?.("8", inputs, inputs);
      expect(notes?.get("before")).toBe(1);
      await notes?.set("pool", "p2");
      return { id: "8", state: inputs };
    };
    const first = await run(folder, noting("create", "p1"), { create: both });
    await first.create(urn, {});
    await first.close();
    const { heard, create, update, notes } = await run(folder, undefined, {
      create: async ({ inputs }) => ({ id: "8", state: inputs }),
    });
    await create(urn, {});
    await update(urn, "8", {}, {}, {});
    expect(heard).toEqual([
      ["create", "p2"],
      ["update", "p2"],
    ]);
    expect(notes("8")?.notes).toEqual({ pool: "p2", before: 1 });
  });

  it("are found when the answer was lost, and go when the create was refused", async () => {
    const refused = Object.assign(new Error("400"), { status: 400 });
    for (const [error, found] of [
      [lost, "p1"],
      [refused, undefined],
    ] as const) {
      const folder = freshFolder();
      const first = await run(folder, noting("create", "p1"), {
        create: async () => {
          throw error;
        },
      });
      await refusal(first.create(urn, {}));
      await first.close();
      expect(existsSync(first.file)).toBe(found !== undefined);
      const { heard, create } = await run(folder);
      await create(urn, {});
      expect(heard).toEqual([["create", found]]);
    }
  });

  it("are only its own when it makes another object than the attempt that it goes on with", async () => {
    const folder = freshFolder();
    await killed(folder);
    const log = openCreateLog(join(folder, "creates", "dev"));
    await log.begin(urn, thing, "2026-01-02T03:04:05Z");
    await log.made(urn, "7");
    const { heard, create, notes } = await run(folder, (_, kept) => kept.set("own", 1));
    const { id } = await create(urn, {});
    expect(heard).toEqual([["create", ["p1"]]]);
    expect(notes(id)?.notes).toEqual({ own: 1 });
    expect(notes("7")).toBeUndefined();
  });
});

describe("a verb after a killed engine", () => {
  it("waits for the plugin that is still in the middle of one, and finds what it noted last", async () => {
    const folder = freshFolder();
    const lingering = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    onTestFinished(() => void lingering.kill("SIGKILL"));
    const { update, read, heard, file } = await run(folder);
    mkdirSync(dirname(file), { recursive: true });
    const note = (pool: string) =>
      appendFileSync(
        file,
        `${JSON.stringify({ notes: objectKey(thing, "7"), hold: { pool }, pid: lingering.pid })}\n`,
      );
    note("before the POST");
    const updating = update(urn, "7", {}, {}, {});
    // The calls that come after are answered while it waits.
    await read(urnOf("b"), "8", {}, {});
    expect(heard).toEqual([["read", undefined]]);
    note("after the POST");
    lingering.kill("SIGKILL");
    await updating;
    expect(heard[1]).toEqual(["update", "after the POST"]);
  });

  it("does not wait for a process whose verb ended, though its notes stay", async () => {
    const folder = freshFolder();
    const first = await run(folder, noting("update", ["p1"]));
    await first.update(urn, "7", {}, {}, {});
    first.session.flushNow();
    expect(first.notes("7")).toEqual({ notes: { pool: ["p1"] } });
  });

  it("finds the notes of a process that was killed with SIGKILL", async () => {
    const folder = freshFolder();
    const outfile = join(folder, "noting-process.mjs");
    const entryPoints = [resolve(import.meta.dirname, "noting-process.ts")];
    await build({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
    const { update, heard, file } = await run(folder);
    const child = spawn(process.execPath, [outfile, file, thing], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    await update(urn, "7", {}, {}, {});
    expect(heard).toEqual([["update", ["p1"]]]);
  });
});
