/** Files that a user names: read and written, and what is wrong with one said alike by every command. */

import { readFileSync, type WriteFileOptions, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { addAbortSignal } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { fileFault } from "../core/wording.ts";
import { CommandError, exitCode } from "./exit.ts";

export interface Given {
  /** As the user wrote it. Absent: the path. */
  readonly shown?: string;
  /** The option that names it (`--plan`). */
  readonly option?: string;
}

/** The text of a file. Throws CommandError. */
export function readGiven(path: string, given: Given = {}): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw refusal("read", path, given, cause);
  }
}

export const standardInput = "standard input";

/** All that is piped in, however slowly it comes: a pipe that another process holds open may have nothing yet. Throws CommandError. */
export async function readStandardInput(given: Given = {}, signal?: AbortSignal): Promise<string> {
  try {
    return await textOf(signal === undefined ? process.stdin : addAbortSignal(signal, process.stdin));
  } catch (cause) {
    if (!signal?.aborted) throw refusal("read", standardInput, given, cause);
    throw new CommandError("interrupted: nothing was done", exitCode.interrupted, { cause });
  }
}

/** Throws CommandError. */
export function writeGiven(path: string, text: string, options: WriteFileOptions, given: Given = {}): void {
  try {
    writeFileSync(path, text, options);
  } catch (cause) {
    throw refusal("write", path, given, cause);
  }
}

/** The error that says which file could not be read or written, and why. */
export function refusal(
  verb: "read" | "write",
  path: string,
  { shown = path, option }: Given,
  cause: unknown,
): CommandError {
  const isFolderMissing = verb === "write" && (cause as NodeJS.ErrnoException).code === "ENOENT";
  const reason = isFolderMissing ? `there is no folder ${dirname(path)}` : fileFault(cause);
  const message = `${option === undefined ? "" : `${option}: `}cannot ${verb} ${shown}: ${reason}`;
  return new CommandError(message, undefined, { cause });
}
