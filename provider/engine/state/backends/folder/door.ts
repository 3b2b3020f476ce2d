/**
 * How a run shows that it lives to others on the same kernel whose process numbers are not its own, as those of containers that share a folder: it listens on a
 * socket beside its lock. The kernel answers for it however busy or stopped it is, and no more from the moment it has ended, however it did.
 */

import { constants } from "node:fs";
import { chmod, type FileHandle, open, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { basename, dirname } from "node:path";

export interface Door {
  readonly close: () => Promise<void>;
}

/** Undefined where the system, or what keeps the folder, has no such sockets. `mode`: who may knock, which takes the right to write. */
export async function openDoor(path: string, mode: number): Promise<Door | undefined> {
  if (process.platform !== "linux") return undefined;
  const folder = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY).catch(() => undefined);
  if (folder === undefined) return undefined;
  // Whoever knocks has learnt what there is to learn.
  const server = createServer((knocking) => knocking.destroy());
  const isOpen = await listening(server, within(folder, path));
  if (!isOpen) {
    await folder.close();
    return undefined;
  }
  server.unref();
  await chmod(path, mode);
  return {
    async close() {
      await new Promise((done) => server.close(done));
      await rm(path, { force: true });
      await folder.close();
    },
  };
}

/** False: whoever opened it has ended. Undefined: that cannot be seen. */
export async function isAnswered(path: string): Promise<boolean | undefined> {
  const folder = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY).catch(() => undefined);
  if (folder === undefined) return undefined;
  try {
    return await new Promise((told) => {
      const knock = connect(within(folder, path));
      knock.on("connect", () => told(true));
      knock.on("error", ({ code }: NodeJS.ErrnoException) =>
        told(code === "ECONNREFUSED" ? false : undefined),
      );
      knock.on("close", () => told(undefined));
      knock.on("connect", () => knock.destroy());
    });
  } finally {
    await folder.close();
  }
}

/** The path of a socket may have about a hundred bytes; this one is short however deep the folder lies. */
const within = (folder: FileHandle, path: string): string => `/proc/self/fd/${folder.fd}/${basename(path)}`;

function listening(server: Server, path: string): Promise<boolean> {
  return new Promise((told) => {
    // Later ones are about somebody who knocks, and none of the run's.
    server.on("error", () => told(false));
    server.listen(path, () => told(true));
  });
}
