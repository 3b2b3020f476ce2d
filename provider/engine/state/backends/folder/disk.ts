/** The few things that a state folder asks of a file system, each of which either happened as a whole or did not; knows no format. */

import { randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { dirname, resolve } from "node:path";

export interface Disk {
  /** The whole text; undefined when there is no such file. */
  readonly read: (path: string) => Promise<string | undefined>;
  /** Writes the whole file at once and durably: a reader sees the old text or the new one. Makes the folder. */
  readonly replace: (path: string, text: string) => Promise<void>;
  /** Adds text at the end, durable when it resolves. Makes the file (mode 0600) and its folder. */
  readonly append: (path: string, text: string) => Promise<void>;
  /** Makes the file (mode 0600) with all its text unless it exists; false: it did. */
  readonly claim: (path: string, text: string) => Promise<boolean>;
  /** False: there was nothing to move. */
  readonly move: (from: string, to: string) => Promise<boolean>;
  /** Nothing happens when it is not there. */
  readonly remove: (path: string) => Promise<void>;
  /** Names of the files and folders in a folder; none when it does not exist. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Closes what `append` keeps open. */
  readonly close: () => Promise<void>;
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** What file systems without hard links answer. */
const noLinks = new Set<unknown>(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

async function claimWithoutLink(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
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

async function writeTemporary(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const handle = await open(temporary, "wx", 0o600);
  try {
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
    await mkdir(dirname(path), { recursive: true });
    const handle = await open(path, "a", 0o600);
    opened.set(path, handle);
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
        return await claimWithoutLink(path, text);
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
    async close() {
      await Promise.all([...opened.keys()].map(close));
    },
  };
}
