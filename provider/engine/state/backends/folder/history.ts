/** Versions of a snapshot in a folder, a file each: a line that says what made it, and the snapshot. */

import { join } from "node:path";
import { EngineError } from "../../../failure.ts";
import type { Change, HistoryStore, Version } from "../../backend.ts";
import { isMap } from "../../form.ts";
import type { Disk } from "./disk.ts";

export interface FolderHistory extends HistoryStore {
  /** Keeps the text as the next version, and no more than so many. */
  readonly add: (text: string, change: Change) => Promise<void>;
}

function changeOf(line: string, place: string): Change {
  let found: unknown;
  try {
    found = JSON.parse(line);
  } catch {
    found = undefined;
  }
  if (isMap(found) && typeof found.at === "string") return found as unknown as Change;
  throw new EngineError(
    "state",
    `The version of the state in ${place} is damaged: it does not say what made it. The state itself is whole; move that file away, and the other versions are there again.`,
  );
}

export function historyIn(folder: string, keep: number, disk: Disk): FolderHistory {
  const fileOf = (version: number): string => join(folder, `${version}.version`);

  async function numbers(): Promise<number[]> {
    const found = (await disk.list(folder)).map((name) => Number(/^([1-9]\d*)\.version$/.exec(name)?.[1]));
    return found.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
  }

  /** Undefined: it was dropped meanwhile. */
  async function open(version: number): Promise<{ change: Change; text: string } | undefined> {
    const content = await disk.read(fileOf(version));
    if (content === undefined) return undefined;
    const end = content.indexOf("\n");
    return { change: changeOf(content.slice(0, end), fileOf(version)), text: content.slice(end + 1) };
  }

  return {
    async list() {
      const found: Version[] = [];
      for (const version of await numbers()) {
        const opened = await open(version);
        if (opened) found.push({ ...opened.change, version });
      }
      return found;
    },
    read: async (version) => (await open(version))?.text,
    async add(text, change) {
      const known = await numbers();
      await disk.claim(fileOf((known.at(-1) ?? 0) + 1), `${JSON.stringify(change)}\n${text}`);
      const tooMany = known.slice(0, Math.max(0, known.length + 1 - keep));
      await Promise.all(tooMany.map((version) => disk.remove(fileOf(version))));
    },
  };
}
