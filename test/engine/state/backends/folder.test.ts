/** The stores of states that there are, before their one judge: a folder, on each disk that it can lie on. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { createDisk, type Disk } from "../../../../provider/engine/state/backends/folder/disk.ts";
import { createStateFolder } from "../../../../provider/engine/state/backends/folder/folder.ts";
import { createMemoryDisk } from "../../../../provider/engine/state/backends/folder/memory.ts";
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
