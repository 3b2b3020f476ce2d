/** States in a folder: which file is whose, and what is said when one cannot be used. */

import { dirname, join } from "node:path";
import { EngineError } from "../../../failure.ts";
import type { LockStore, StackStore, StateBackend } from "../../backend.ts";
import { isKeepable, keepable } from "../../names.ts";
import type { Machine } from "../../owner.ts";
import { usualKeep } from "../parameters.ts";
import { pulumisPaths } from "../pulumis.ts";
import { createDisk, type Disk } from "./disk.ts";
import { historyIn } from "./history.ts";
import { hasEnded, lockOwner, takeLock } from "./lock.ts";

export interface FolderOptions {
  readonly folder: string;
  readonly machine: Machine;
  readonly now: () => Date;
  readonly disk?: Disk | undefined;
  /** How many versions are kept; default 20. */
  readonly keep?: number;
}

/** Opens nothing yet. */
export function createStateFolder(options: FolderOptions): StateBackend {
  const { folder } = options;
  const disk = explained(options.disk ?? createDisk());
  const key = join(folder, "key");
  const all = join(folder, "stacks");
  const ofProject = (project: string) => join(all, keepable("project", project));
  const stacks = async (project: string): Promise<readonly string[]> => {
    const names = await disk.list(ofProject(project));
    const found = names
      .map((name) => /^(.*)\.(json|journal)$/.exec(name)?.[1])
      .filter((name) => name !== undefined);
    return [...new Set(found)].sort();
  };
  return {
    place: folder,
    key: { isKept: true, place: key, read: () => disk.read(key), claim: (text) => disk.claim(key, text) },
    stack: (project, stack) =>
      storeAt(join(ofProject(project), keepable("stack", stack)), join(folder, "history", project, stack), {
        ...options,
        disk,
      }),
    stacks,
    async projects() {
      const names = (await disk.list(all)).filter(isKeepable);
      const has = await Promise.all(names.map(async (name) => (await stacks(name)).length > 0));
      return names.filter((_, at) => has[at]).sort();
    },
    async pulumis(project, stack) {
      for (const path of pulumisPaths(keepable("project", project), keepable("stack", stack)))
        if ((await disk.read(join(folder, path))) !== undefined) return join(folder, path);
      return undefined;
    },
    close: () => disk.close(),
  };
}

/** The files of one stack, whose paths begin with `base`. */
function storeAt(
  base: string,
  versions: string,
  options: FolderOptions & { readonly disk: Disk },
): StackStore {
  const { folder, disk } = options;
  const history = historyIn(versions, options.keep ?? usualKeep, disk);
  const [snapshot, journal] = [`${base}.json`, `${base}.journal`];
  const textAt = (path: string) => ({
    place: path,
    read: () => disk.read(path),
    putAside: async (mark: string) => ((await disk.move(path, path + mark)) ? path + mark : undefined),
  });
  return {
    snapshot: {
      ...textAt(snapshot),
      async replace(text, change) {
        if (change) await history.add(text, change);
        await disk.replace(snapshot, text);
      },
    },
    history,
    journal: {
      ...textAt(journal),
      together: 1,
      add: (text) => disk.append(journal, text),
      remove: () => disk.remove(journal),
    },
    lock: lockAt(`${base}.lock`, options),
    /** Also says in a `.gitignore`, once, what is to be kept out of version control. */
    async tidy() {
      const within = dirname(snapshot);
      const left = (await disk.list(within)).map((name) => join(within, name));
      // Not those of a stack whose name goes on with a dot.
      const torn = left.filter(
        (path) =>
          path.startsWith(`${snapshot}.`) && /^[0-9a-f]{12}\.tmp$/.test(path.slice(snapshot.length + 1)),
      );
      await Promise.all(torn.map((path) => disk.remove(path)));
      const file = join(folder, ".gitignore");
      if ((await disk.read(file)) === undefined)
        await disk.claim(file, "key\nselected\nhistory\n*.lock\n*.lock.*\n*.tmp\n");
    },
  };
}

function lockAt(file: string, { disk, machine, now }: FolderOptions & { readonly disk: Disk }): LockStore {
  return {
    take: (operation) => takeLock(disk, file, operation, machine, now),
    owner: () => lockOwner(disk, file),
    isSeenAlive: async (owner) => (await hasEnded(disk, file, owner, machine)) === false,
    async clear() {
      const owner = await lockOwner(disk, file);
      await disk.remove(file);
      if (owner?.door !== undefined) await disk.remove(join(dirname(file), owner.door));
    },
  };
}

const otherFolder = "Give another folder with --state (or PLUMBLINE_STATE), or make room for this one.";
const noRights =
  "Give this user the right to read and write it, or another folder with --state (or PLUMBLINE_STATE).";

/** What to do about what a file system says. */
const wayOut: { readonly [code: string]: string } = {
  ENOSPC: "Make room on the disk, and run this again: it goes on from what is saved.",
  EDQUOT: "Make room on the disk, and run this again: it goes on from what is saved.",
  ENOTDIR: otherFolder,
  EEXIST: otherFolder,
  EISDIR: "A folder lies where the file should be: move it away.",
  ELOOP: "It is a link that leads to itself: put the file in its place.",
  EACCES: noRights,
  EPERM: noRights,
  EROFS: noRights,
};

/** The disk with errors that say which file cannot be used, and that this is about the state. */
function explained(disk: Disk): Disk {
  async function tried<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof Error) || typeof (cause as { code?: unknown }).code !== "string") throw cause;
      const advice = wayOut[(cause as { code?: string }).code ?? ""] ?? "See to it, and run this again.";
      throw new EngineError("state", `The state cannot be kept: ${path}: ${cause.message}. ${advice}`, {
        cause,
      });
    }
  }
  return {
    read: (path) => tried(path, () => disk.read(path)),
    replace: (path, text) => tried(path, () => disk.replace(path, text)),
    append: (path, text) => tried(path, () => disk.append(path, text)),
    claim: (path, text) => tried(path, () => disk.claim(path, text)),
    move: (from, to) => tried(from, () => disk.move(from, to)),
    remove: (path) => tried(path, () => disk.remove(path)),
    list: (path) => tried(path, () => disk.list(path)),
    ...(disk.openDoor && { openDoor: disk.openDoor }),
    ...(disk.isAnswered && { isAnswered: disk.isAnswered }),
    close: () => disk.close(),
  };
}
