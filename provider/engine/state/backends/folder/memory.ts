/** A disk that is gone with its process: for stacks of an account that is. */

import type { Disk } from "./disk.ts";

/** `files` by path; a test may look into it. */
export function createMemoryDisk(files: Map<string, string> = new Map()): Disk {
  const change = (path: string, text: string | undefined): void => {
    if (text === undefined) files.delete(path);
    else files.set(path, text);
  };
  return {
    read: async (path) => files.get(path),
    replace: async (path, text) => change(path, text),
    append: async (path, text) => change(path, (files.get(path) ?? "") + text),
    async claim(path, text) {
      if (files.has(path)) return false;
      change(path, text);
      return true;
    },
    async move(from, to) {
      const text = files.get(from);
      change(from, undefined);
      if (text !== undefined) change(to, text);
      return text !== undefined;
    },
    remove: async (path) => change(path, undefined),
    list: async (folder) => {
      const below = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(below.map((path) => path.slice(folder.length + 1).split("/", 1)[0] as string))];
    },
    close: async () => {},
  };
}
