/** Reads files that others name: regular ones only, never longer than a limit, never waiting for a writer. Knows no language and no engine. */

import { constants, type Stats } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** A file that is not read; the message is the reason, without the file's name. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFileError";
}

const CHUNK = 1024 * 1024;

/** What a place of the file system holds, as messages call it; undefined for a regular file. */
export function oddKindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe (FIFO)";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

/**
 * The bytes of a regular file. Rejects with UnreadableFileError for anything else and for more than `most` bytes, and as the system does
 * (ENOENT, EACCES) for what cannot be opened. Nothing is opened that is no file: opening a pipe waits, and opening a device may do things.
 */
export async function readRegularFile(path: string, most: number): Promise<Buffer> {
  refuse(await stat(path), most);
  // Between the look and the opening another thing may have come there.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    refuse(stats, most);
    const chunks: Buffer[] = [];
    let length = 0;
    // The size that is told may be wrong (0 below /proc), or change while it is read.
    for (;;) {
      const room = Buffer.allocUnsafe(Math.max(CHUNK, Math.min(most, stats.size) - length + 1));
      const { bytesRead } = await handle.read(room, 0, room.length);
      if (bytesRead === 0) return Buffer.concat(chunks, length);
      chunks.push(room.subarray(0, bytesRead));
      length += bytesRead;
      if (length > most) throw tooLarge(most);
    }
  } finally {
    await handle.close();
  }
}

function refuse(stats: Stats, most: number): void {
  const odd = oddKindOf(stats);
  if (odd !== undefined) throw new UnreadableFileError(`it is ${odd}, and only a regular file is read`);
  if (stats.size > most) throw tooLarge(most);
}

const tooLarge = (most: number) =>
  new UnreadableFileError(`it is larger than the ${most / 1024 / 1024} MiB that are read of such a file`);

/** True when the path, as it is written, stays within the folder. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Rejects with UnreadableFileError when a path that is written as one inside the folder leads out of it through a link. A path that openly
 * names a place elsewhere is its writer's own choice.
 */
export async function refuseLinkOut(folder: string, path: string): Promise<void> {
  const absolute = resolve(folder, path);
  if (!isWithin(folder, absolute)) return;
  const [realFolder, real] = await Promise.all([realpath(folder), realpath(absolute)]);
  if (isWithin(realFolder, real)) return;
  throw new UnreadableFileError(
    `it is reached through a link out of the folder ${folder}: name the place itself, if it is meant`,
  );
}
