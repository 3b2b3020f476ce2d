/** The stores of states that there are, before their one judge: a folder, on each disk that it can lie on. */

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { createDisk, type Disk } from "../../../../provider/engine/state/backends/folder/disk.ts";
import { createStateFolder } from "../../../../provider/engine/state/backends/folder/folder.ts";
import { createMemoryDisk } from "../../../../provider/engine/state/backends/folder/memory.ts";
import type { Machine } from "../../../../provider/engine/state/owner.ts";
import { memoryDisk } from "../../deployment/world.ts";
import { judgesBackend, type Place } from "./judge.ts";

const made: string[] = [];
afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))));

/** A folder whose every run has a disk of its own. */
const folderOn = (folder: string, disk: () => Disk): Place => ({
  open: (machine) => createStateFolder({ folder, machine, now: () => new Date(), disk: disk() }),
  textAt: (place) => disk().read(place),
});

judgesBackend("a folder of the file system", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-backend-"));
  made.push(folder);
  return folderOn(folder, createDisk);
});

judgesBackend("a folder in memory", () => {
  const files = new Map<string, string>();
  return folderOn("/state", () => createMemoryDisk(files));
});

judgesBackend("a folder of the tests' own", () => {
  const files = new Map<string, string>();
  return folderOn("/state", () => memoryDisk(files));
});

describe.runIf(process.platform === "linux")("a lock of a process whose number says nothing here", () => {
  const machine = (system: string, more: Partial<Machine> = {}): Machine => ({
    ...{ user: "anna", host: "here", pid: 7, system, isAlive: () => false },
    ...more,
  });
  async function place() {
    // Deeper than the path of a socket may be long.
    const base = await mkdtemp(join(tmpdir(), "plumbline-backend-"));
    made.push(base);
    const folder = join(base, "a".repeat(120));
    mkdirSync(folder);
    const at = (of: Machine) =>
      createStateFolder({ folder, machine: of, now: () => new Date() }).stack("shop", "dev").lock;
    const doors = () => readdirSync(join(folder, "stacks", "shop")).filter((name) => name.endsWith(".door"));
    return { at, doors, folder };
  }

  test("of another container on this kernel is held as long as that is answered for", async () => {
    const { at, doors } = await place();
    const theirs = await at(machine("boot pid:[1]")).take("up");
    const mine = at(machine("boot pid:[2]"));
    await expect(mine.take("up")).rejects.toMatchObject({ code: "locked" });
    expect(await mine.isSeenAlive(theirs.owner)).toBe(true);
    expect(doors()).toHaveLength(1);
    await theirs.release();
    expect(doors()).toEqual([]);
    await (await mine.take("up")).release();
    expect(doors()).toEqual([]);
  });

  test("of another kernel of this name is never taken over, be it answered for or not", async () => {
    const { at } = await place();
    const theirs = await at(machine("other pid:[1]")).take("up");
    const mine = at(machine("boot pid:[1]"));
    await expect(mine.take("up")).rejects.toMatchObject({ code: "locked" });
    expect(await mine.isSeenAlive(theirs.owner)).toBe(false);
    await mine.clear();
    await (await mine.take("up")).release();
    await theirs.release();
  });

  test("takes nothing with it but its door, whatever it names", async () => {
    const { at, folder } = await place();
    const dead = await at(machine("boot pid:[1]")).take("up");
    const stacks = join(folder, "stacks", "shop");
    for (const door of ["dev.json", "..", "../shop"]) {
      writeFileSync(join(stacks, "dev.json"), "{}");
      writeFileSync(join(stacks, "dev.lock"), JSON.stringify({ ...dead.owner, door, nonce: "another" }));
      const lock = await at(machine("boot pid:[1]")).take("up");
      await lock.release();
      expect(readFileSync(join(stacks, "dev.json"), "utf8")).toBe("{}");
    }
    await dead.release();
  });

  test("of this installation before it started anew is taken over", async () => {
    const { at } = await place();
    const theirs = await at(machine("before pid:[1]", { installation: "one" })).take("up");
    const lock = await at(machine("after pid:[1]", { installation: "one" })).take("up");
    expect(lock.takenOverFrom).toEqual(theirs.owner);
    await lock.release();
  });

  const hasRooms = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;
  test.runIf(hasRooms)("is held by a process in a room of its own until that is killed", async () => {
    const { at, doors, folder } = await place();
    const modules = ["backends/folder/folder.ts", "owner.ts"].map((file) =>
      JSON.stringify(resolve("provider/engine/state", file)),
    );
    const holding = `
      import { createStateFolder } from ${modules[0]};
      import { thisMachine } from ${modules[1]};
      const folder = createStateFolder({ folder: ${JSON.stringify(folder)}, machine: thisMachine(), now: () => new Date() });
      await folder.stack("shop", "dev").lock.take("up");
      console.log("held");
      setInterval(() => {}, 1000);
    `;
    const { thisMachine } = await import("../../../../provider/engine/state/owner.ts");
    const mine = at(thisMachine());
    const esbuild = await import("esbuild");
    const { outputFiles } = await esbuild.build({
      stdin: { contents: holding, resolveDir: resolve("."), loader: "ts" },
      ...{ bundle: true, write: false, platform: "node", format: "esm" },
    });
    const child = spawn("unshare", [
      "--pid",
      "--fork",
      "--mount-proc",
      "--kill-child",
      process.execPath,
      "--input-type=module",
      "-",
    ]);
    child.stdin.end(outputFiles[0]!.text);
    let said = "";
    child.stderr.on("data", (text: Buffer) => {
      said += text.toString();
    });
    await new Promise<void>((held, fail) => {
      child.stdout.once("data", () => held());
      child.once("exit", () => fail(new Error(said)));
    });
    await expect(mine.take("up")).rejects.toMatchObject({ code: "locked" });
    const owner = (await mine.owner())!;
    expect([owner.host, await mine.isSeenAlive(owner)]).toEqual([thisMachine().host, true]);
    child.removeAllListeners("exit");
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
    // What was killed is what made the room; the kernel ends who is in it a moment later.
    const lock = await vi.waitFor(() => mine.take("up"), { timeout: 5000 });
    expect(lock.takenOverFrom).toEqual(owner);
    await lock.release();
    expect(doors()).toEqual([]);
  });
});

test("a folder that is handed to a group is the group's however deep, and any other its user's alone", async () => {
  const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
  const before = process.umask(0o077);
  try {
    for (const [mode, files, folders] of [
      [0o2770, "660", "2770"],
      [0o770, "600", "700"],
    ] as const) {
      const folder = await mkdtemp(join(tmpdir(), "plumbline-backend-"));
      made.push(folder);
      chmodSync(folder, mode);
      const backend = createStateFolder({
        folder,
        machine: { user: "a", host: "h", pid: 1, isAlive: () => true },
        now: () => new Date(),
      });
      const { snapshot, journal, lock } = backend.stack("shop", "dev");
      const held = await lock.take("up");
      await snapshot.replace("{}", { user: "a", host: "h", at: "", operation: "up", result: "succeeded" });
      await journal.add("one\n");
      await backend.key.claim("key\n");
      const within = readdirSync(folder, { recursive: true, withFileTypes: true });
      const found = within.map((each) => [each.isDirectory(), modeOf(join(each.parentPath, each.name))]);
      expect(new Set(found.map(String))).toEqual(new Set([`true,${folders}`, `false,${files}`]));
      expect(found.length).toBeGreaterThan(7);
      await held.release();
      await backend.close();
    }
  } finally {
    process.umask(before);
  }
});

test("tidying takes no unfinished write of a stack whose name goes on with a dot", async () => {
  const files = new Map([
    ["/state/stacks/shop/dev.json.0123456789ab.tmp", "torn"],
    ["/state/stacks/shop/dev.json.json.0123456789ab.tmp", "another stack's"],
  ]);
  const machine = { user: "a", host: "h", pid: 1, isAlive: () => true };
  const disk = createMemoryDisk(files);
  await createStateFolder({ folder: "/state", machine, now: () => new Date(), disk })
    .stack("shop", "dev")
    .tidy();
  expect([...files.values()].filter((text) => /torn|stack/.test(text))).toEqual(["another stack's"]);
});
