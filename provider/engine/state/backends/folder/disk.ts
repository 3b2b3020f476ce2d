/** The few things that a state folder asks of a file system, each of which either happened as a whole or did not; knows no format. */

import { randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import {
  chmod,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Door, isAnswered, openDoor } from "./door.ts";

/** Files are their user's alone (mode 0600), and those of a folder that is handed to a group the group's, too. */
export interface Disk {
  /** The whole text; undefined when there is no such file. */
  readonly read: (path: string) => Promise<string | undefined>;
  /** Writes the whole file at once and durably: a reader sees the old text or the new one. Makes the folder. */
  readonly replace: (path: string, text: string) => Promise<void>;
  /** Adds text at the end, durable when it resolves. Makes the file and its folder. */
  readonly append: (path: string, text: string) => Promise<void>;
  /** Makes the file with all its text unless it exists; false: it did. */
  readonly claim: (path: string, text: string) => Promise<boolean>;
  /** False: there was nothing to move. */
  readonly move: (from: string, to: string) => Promise<boolean>;
  /** Nothing happens when it is not there. */
  readonly remove: (path: string) => Promise<void>;
  /** Names of the files and folders in a folder; none when it does not exist. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Makes a socket that is answered as long as this process runs; undefined: there are none here. Absent: nobody else reads this disk. */
  readonly openDoor?: (path: string) => Promise<Door | undefined>;
  /** Undefined: that cannot be seen. */
  readonly isAnswered?: (path: string) => Promise<boolean | undefined>;
  /** Closes what `append` keeps open. */
  readonly close: () => Promise<void>;
}

/** Of files, for their user alone and for a group. */
const [forOne, forGroup] = [0o600, 0o660];
/** A folder that is handed to a group: setgid, and the group may write. */
const handed = 0o2020;

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** What file systems without hard links answer. */
const noLinks = new Set<unknown>(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Makes the folder, and says with which mode its files are made. */
async function madeFolder(folder: string): Promise<number> {
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined) return (found.mode & handed) === handed ? forGroup : forOne;
  const above = dirname(folder) === folder ? forOne : await madeFolder(dirname(folder));
  try {
    await mkdir(folder);
    // Whatever this user's mask leaves out.
    if (above === forGroup) await chmod(folder, 0o2770);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return above;
}

/** Of a file that was just made, whatever this user's mask leaves out. */
async function admit(handle: FileHandle, mode: number): Promise<void> {
  if (mode === forGroup) await handle.chmod(mode);
}

async function claimWithoutLink(path: string, text: string, mode: number): Promise<boolean> {
  try {
    const handle = await open(path, "wx", mode);
    try {
      await admit(handle, mode);
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function durableFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
    // Some file systems cannot sync a folder; the file itself was synced.
  } finally {
    await handle?.close();
  }
}

/** Where a link ends, so that what it stands for is replaced and not the link; it may end at what is not there yet. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? path : resolve(dirname(path), target);
  }
}

/** The file, to be added to, and whether it was made now. */
async function appended(path: string, mode: number): Promise<[FileHandle, boolean]> {
  try {
    return [await open(path, "ax", mode), true];
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return [await open(path, "a", mode), false];
  }
}

async function writeTemporary(path: string, text: string): Promise<string> {
  const mode = await madeFolder(dirname(path));
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const handle = await open(temporary, "wx", mode);
  try {
    await admit(handle, mode);
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return temporary;
}

/** The file system of this machine. */
export function createDisk(): Disk {
  const opened = new Map<string, FileHandle>();

  async function appendable(path: string): Promise<FileHandle> {
    const known = opened.get(path);
    if (known) return known;
    const mode = await madeFolder(dirname(path));
    const [handle, isNew] = await appended(path, mode);
    opened.set(path, handle);
    if (isNew) await admit(handle, mode);
    await durableFolder(dirname(path));
    return handle;
  }

  async function close(path: string): Promise<void> {
    const handle = opened.get(path);
    opened.delete(path);
    await handle?.close();
  }

  return {
    async read(path) {
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        if (codeOf(error) === "ENOENT") return undefined;
        throw error;
      }
    },
    async replace(link, text) {
      const path = await realPath(link);
      const temporary = await writeTemporary(path, text);
      try {
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await durableFolder(dirname(path));
    },
    async append(path, text) {
      const handle = await appendable(path);
      await handle.appendFile(text);
      await handle.datasync();
    },
    async claim(path, text) {
      const temporary = await writeTemporary(path, text);
      try {
        await link(temporary, path);
        return true;
      } catch (error) {
        if (codeOf(error) === "EEXIST") return false;
        if (!noLinks.has(codeOf(error))) throw error;
        return await claimWithoutLink(path, text, await madeFolder(dirname(path)));
      } finally {
        await rm(temporary, { force: true });
      }
    },
    async move(from, to) {
      try {
        await rename(from, to);
        return true;
      } catch (error) {
        if (codeOf(error) === "ENOENT") return false;
        throw error;
      }
    },
    async remove(path) {
      await close(path);
      await rm(path, { force: true });
    },
    async list(folder) {
      try {
        return await readdir(folder);
      } catch (error) {
        if (codeOf(error) === "ENOENT") return [];
        throw error;
      }
    },
    async openDoor(path) {
      // Why a folder cannot be made is told by whatever is written to it next.
      const mode = await madeFolder(dirname(path)).catch(() => undefined);
      return mode === undefined ? undefined : openDoor(path, mode);
    },
    isAnswered,
    async close() {
      await Promise.all([...opened.keys()].map(close));
    },
  };
}
