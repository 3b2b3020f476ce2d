/** The state folder: which file is whose, and how its stacks are opened. */

import { dirname, join } from "node:path";
import { stackType } from "../../core/engines/urn.ts";
import type { ValueMap } from "../../core/value.ts";
import { EngineError } from "../failure.ts";
import { createDisk, type Disk } from "./disk.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import type { DeriveKey } from "./passphrase.ts";
import { createSealers, type Sealer } from "./sealer.ts";

export interface StateFolder {
  readonly path: string;
  readonly disk: Disk;
  readonly files: { readonly snapshot: string; readonly journal: string; readonly lock: string };
  readonly sealer: (salt: string | undefined) => Sealer;
  /** `write` needs the lock. */
  readonly open: (options: {
    readonly write: boolean;
    readonly lineage?: string;
    readonly withoutKey?: boolean;
  }) => Promise<Ledger>;
  /** Outputs of another stack of the folder: `stack`, `project/stack` or `organization/project/stack`. */
  readonly stackOutputs: (name: string) => Promise<ValueMap>;
  /** Names of the project's stacks. */
  readonly stacks: () => Promise<readonly string[]>;
  /** Needs the lock: says in a `.gitignore`, once, what is to be kept out of version control, and removes what killed writes left. */
  readonly tidy: () => Promise<void>;
}

export interface FolderOptions {
  readonly folder: string;
  readonly project: string;
  readonly stack: string;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly now: () => Date;
  readonly notice: (message: string) => void;
  readonly disk?: Disk | undefined;
  readonly deriveKey?: DeriveKey | undefined;
}

/** Opens nothing yet. Throws EngineError `usage` for a name that cannot be a file's. */
export function createStateFolder(options: FolderOptions): StateFolder {
  const disk = explained(options.disk ?? createDisk());
  const sealer = createSealers({
    environment: options.environment,
    keyFile: join(options.folder, "key"),
    disk,
    notice: options.notice,
    deriveKey: options.deriveKey,
  });
  const filesOf = (project: string, stack: string) => {
    const base = join(options.folder, "stacks", fileName("project", project), fileName("stack", stack));
    return { snapshot: `${base}.json`, journal: `${base}.journal`, lock: `${base}.lock` };
  };
  const files = filesOf(options.project, options.stack);
  const ledgerOptions = { sealer, now: options.now, notice: options.notice };
  return {
    path: options.folder,
    disk,
    files,
    sealer,
    open: ({ write, lineage, withoutKey = false }) =>
      openLedger(
        { disk, ...files },
        {
          ...ledgerOptions,
          write,
          withoutKey,
          owner: { project: options.project, stack: options.stack },
          ...(lineage === undefined ? {} : { lineage }),
        },
      ),
    async stackOutputs(name) {
      const parts = name.split("/");
      const stack = parts[parts.length - 1] ?? "";
      const project = parts.length > 1 ? (parts[parts.length - 2] ?? "") : options.project;
      if (parts.length > 3)
        throw new Error(`"${name}" is no stack: write STACK, PROJECT/STACK or ORGANIZATION/PROJECT/STACK`);
      const other = await openLedger(
        { disk, ...filesOf(project, stack) },
        { ...ledgerOptions, write: false, owner: { project, stack } },
      );
      if (other.isNew) throw new Error(`there is no stack ${name} in the state folder ${options.folder}`);
      const root = [...other.resources.values()].find((state) => state.type === stackType);
      return root?.outputs ?? {};
    },
    async stacks() {
      const names = await disk.list(join(options.folder, "stacks", fileName("project", options.project)));
      const found = names
        .map((name) => /^(.*)\.(json|journal)$/.exec(name)?.[1])
        .filter((name) => name !== undefined);
      return [...new Set(found)].sort();
    },
    async tidy() {
      const within = dirname(files.snapshot);
      const left = (await disk.list(within)).map((name) => join(within, name));
      const torn = left.filter((path) => path.startsWith(`${files.snapshot}.`) && path.endsWith(".tmp"));
      await Promise.all(torn.map((path) => disk.remove(path)));
      const file = join(options.folder, ".gitignore");
      if ((await disk.read(file)) === undefined) await disk.claim(file, "key\n*.lock\n*.lock.*\n*.tmp\n");
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
    close: () => disk.close(),
  };
}

function fileName(what: string, name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(name)) return name;
  throw new EngineError(
    "usage",
    `"${name}" is no name for a ${what}: use up to 100 letters, digits, "-", "_" and ".", not beginning with "-" or ".".`,
  );
}
