/** Writes files so that a reader sees the old text or the new one, all of them or none. */

import { chmodSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { CommandError, exitCode } from "./exit.ts";
import { refusal } from "./given-files.ts";
import { shownPath } from "./render/account.ts";

/** What is to be written, by path. */
export type Files = ReadonlyMap<string, string>;

export interface Staged {
  /** Puts each text in its place. */
  readonly keep: () => void;
  /** Takes away what was not kept. */
  readonly drop: () => void;
}

/** Writes each file under a name of its own beside its place (a link's target). Throws CommandError, with nothing left. */
export function stage(files: Files): Staged {
  const fresh = new Map<string, string>();
  const drop = () => {
    for (const temporary of fresh.values()) rmSync(temporary, { force: true });
  };
  let path = "";
  try {
    for (const [next, text] of files) {
      path = next;
      const isThere = existsSync(path);
      const place = isThere ? realpathSync(path) : path;
      const temporary = `${place}.${process.pid}.tmp`;
      fresh.set(place, temporary);
      writeFileSync(temporary, text);
      if (isThere) chmodSync(temporary, statSync(place).mode);
    }
  } catch (cause) {
    drop();
    const { message } = refusal("write", path, { shown: shownPath(path) }, cause);
    throw new CommandError(`${message}. Nothing was done`, exitCode.error, { cause });
  }
  return {
    keep() {
      for (const [place, temporary] of fresh) renameSync(temporary, place);
    },
    drop,
  };
}

/** Replaces one file. */
export function replaceFile(path: string, text: string): void {
  const staged = stage(new Map([[path, text]]));
  try {
    staged.keep();
  } finally {
    staged.drop();
  }
}
