/** What a state folder relies on, for every disk alike: the file system, the one in memory, and the one of the tests. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createDisk, type Disk } from "../../../../provider/engine/state/backends/folder/disk.ts";
import { createMemoryDisk } from "../../../../provider/engine/state/backends/folder/memory.ts";
import { memoryDisk } from "../../deployment/world.ts";

const made: string[] = [];
afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))));

/** A disk and an empty place on it. */
const disks: { readonly [name: string]: () => Promise<{ readonly disk: Disk; readonly root: string }> } = {
  "the file system": async () => {
    const root = await mkdtemp(join(tmpdir(), "plumbline-disk-"));
    made.push(root);
    return { disk: createDisk(), root };
  },
  memory: async () => ({ disk: createMemoryDisk(), root: "/state" }),
  "the tests' own": async () => ({ disk: memoryDisk(new Map()), root: "/state" }),
};

describe.each(Object.entries(disks))("%s", (_name, open) => {
  test("has nothing where nothing was written, and minds no removal of it", async () => {
    const { disk, root } = await open();
    expect(await disk.read(join(root, "a/b"))).toBeUndefined();
    expect(await disk.list(join(root, "a"))).toEqual([]);
    expect(await disk.move(join(root, "a/b"), join(root, "a/c"))).toBe(false);
    await disk.remove(join(root, "a/b"));
  });

  test("replaces a file as a whole, and makes its folder", async () => {
    const { disk, root } = await open();
    const file = join(root, "deep/er/state.json");
    await disk.replace(file, "a long first text");
    await disk.replace(file, "short");
    expect(await disk.read(file)).toBe("short");
    expect(await disk.list(join(root, "deep/er"))).toEqual(["state.json"]);
  });

  test("appends in the order of the calls that are waited for, also after a removal", async () => {
    const { disk, root } = await open();
    const file = join(root, "deep/journal");
    for (const line of ["one\n", "two\n", "three\n"]) await disk.append(file, line);
    expect(await disk.read(file)).toBe("one\ntwo\nthree\n");
    await disk.remove(file);
    expect(await disk.read(file)).toBeUndefined();
    await disk.append(file, "four\n");
    expect(await disk.read(file)).toBe("four\n");
    await disk.close();
  });

  test("gives a claim to one of many that ask at once, with its whole text", async () => {
    const { disk, root } = await open();
    const file = join(root, "lock");
    const texts = Array.from({ length: 12 }, (_, i) => `owner ${i}`);
    const won = await Promise.all(texts.map((text) => disk.claim(file, text)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await disk.read(file)).toBe(texts[won.indexOf(true)]);
    await disk.remove(file);
    expect(await disk.claim(file, "next")).toBe(true);
    expect(await disk.list(root)).toEqual(["lock"]);
  });

  test("moves a file over what is there, and once", async () => {
    const { disk, root } = await open();
    const [from, to] = [join(root, "from"), join(root, "to")];
    await disk.replace(from, "new");
    await disk.replace(to, "old");
    expect(await disk.move(from, to)).toBe(true);
    expect(await disk.move(from, to)).toBe(false);
    expect(await disk.read(to)).toBe("new");
  });

  test("lists the files of a folder, and not those below it", async () => {
    const { disk, root } = await open();
    for (const name of ["b.json", "a.lock", "under/c.json"]) await disk.replace(join(root, name), name);
    const names = (await disk.list(root)).filter((name) => name !== "under");
    expect([...names].sort()).toEqual(["a.lock", "b.json"]);
    expect(await disk.list(join(root, "under"))).toEqual(["c.json"]);
  });
});
