/** Keeps the account in a file: appends what changed and waits until it is on the disk. It must not know what an account holds. */

import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { AccountData, Changes } from "./journal.ts";

export interface Keeper {
  /** The account changed by itself: it is kept soon. */
  changed(): void;
  /** Resolves when everything up to now is on the disk; those who ask meanwhile share one writing. Rejects when it cannot be written. */
  saved(): Promise<void>;
  /** Makes the file one whole, and writes nothing after that. Rejects when that fails, or anything failed before. */
  close(): Promise<void>;
}

export interface Kept {
  data(): AccountData;
  /** What changed since the last call; `"all"` when the whole account is to be written, as at first. Nothing: nothing did. */
  changes(): Changes | "all" | undefined;
}

/** The file is written as one whole when the changes after its first line come to this many bytes, and to that line's own. */
const mostChanges = 4 * 1024 * 1024;

const sync = promisify(fs.fsync);
const syncData = promisify(fs.fdatasync);

/** The file that a name means: a link is followed, so that the file behind it is the one that is replaced. Throws for what is no file. */
export function keptFile(name: string): string {
  try {
    const path = fs.realpathSync(name);
    if (!fs.statSync(path).isFile()) throw new Error("it is not a regular file");
    return path;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return name;
    throw new Error(`cannot use the data file ${name}: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Keeps the account in the file, which is its owner's alone and is made at once when there is none. `failed` is told once, when a change cannot be
 * written: from then on nothing is. Rejects when the file cannot be made.
 */
export async function openKeeper(path: string, kept: Kept, failed: (error: Error) => void): Promise<Keeper> {
  const leftover = join(dirname(path), `.${basename(path)}.new`);
  /** The file as we wrote it; absent until then. */
  let own: number | undefined;
  /** Bytes of the whole file and of its first line. */
  let size = 0;
  let base = 0;
  let failure: Error | undefined;
  let closed = false;
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  /** Replaces the file as a whole, so that a crash leaves the old or the new one. */
  async function rewrite(): Promise<void> {
    const text = Buffer.from(`${JSON.stringify(kept.data())}\n`);
    const fresh = fs.openSync(leftover, "wx", 0o600);
    try {
      fs.writeFileSync(fresh, text);
      await sync(fresh);
      fs.renameSync(leftover, path);
      await syncFolder(dirname(path));
    } catch (error) {
      fs.closeSync(fresh);
      fs.rmSync(leftover, { force: true });
      throw error;
    }
    if (own !== undefined) fs.closeSync(own);
    own = fresh;
    size = base = text.length;
  }

  async function append(file: number, changes: Changes): Promise<void> {
    const found = fs.fstatSync(file);
    if (found.nlink === 0 || found.size !== size)
      throw new Error("another program has changed, replaced or removed it");
    const line = Buffer.from(`${JSON.stringify(changes)}\n`);
    for (let at = 0; at < line.length; ) at += fs.writeSync(file, line, at, line.length - at, size + at);
    await syncData(file);
    size += line.length;
    if (size - base > Math.max(mostChanges, base)) await rewrite();
  }

  async function save(): Promise<void> {
    if (failure) throw failure;
    try {
      const changes = kept.changes();
      if (changes === "all" || (changes && own === undefined)) await rewrite();
      else if (changes && own !== undefined) await append(own, changes);
    } catch (cause) {
      failure = cannotWrite(cause);
      failed(failure);
      throw failure;
    }
  }

  function cannotWrite(cause: unknown): Error {
    return new Error(`cannot write the data file ${path}: ${(cause as Error).message}`, { cause });
  }

  function saved(): Promise<void> {
    if (closed) return current;
    // All requests that have come in are handled before it is the immediates' turn, and share the writing.
    next ??= current
      .catch(() => {})
      .then(() => new Promise((turn) => setImmediate(turn)))
      .then(() => {
        next = undefined;
        current = save();
        return current;
      });
    return next;
  }

  try {
    fs.rmSync(leftover, { force: true });
    if (!fs.existsSync(path) || fs.statSync(path).size === 0) {
      kept.changes();
      await rewrite();
    } else if ((fs.statSync(path).mode & 0o077) !== 0) fs.chmodSync(path, 0o600);
  } catch (cause) {
    throw cannotWrite(cause);
  }

  return {
    // A failure is told to `failed`, and to every later request.
    changed: () => void (closed || saved().catch(() => {})),
    saved,
    close: async () => {
      const last = saved();
      closed = true;
      try {
        await last;
        if (own !== undefined && size !== base) await rewrite();
      } finally {
        if (own !== undefined) fs.closeSync(own);
        own = undefined;
      }
    },
  };
}

/** Makes a new name in the folder last. */
async function syncFolder(path: string): Promise<void> {
  const folder = fs.openSync(path, "r");
  try {
    await sync(folder);
  } finally {
    fs.closeSync(folder);
  }
}
