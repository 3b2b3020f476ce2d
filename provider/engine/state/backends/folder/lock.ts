/** One writer at a time, on a disk: a lock file that says who holds the stack, since when and for what; knows nothing of what is written. */

import { EngineError } from "../../../failure.ts";
import type { Lock, LockOwner } from "../../backend.ts";
import { hold, isDead, letGo, lockedBy, type Machine, newOwner, parseOwner } from "../../owner.ts";
import type { Disk } from "./disk.ts";

/** Who holds the lock now; undefined: nobody. A file that cannot be read as a lock counts as held by somebody unknown. */
export async function lockOwner(disk: Disk, file: string): Promise<LockOwner | undefined> {
  const text = await disk.read(file);
  return text === undefined ? undefined : parseOwner(text);
}

/**
 * Takes the lock. Throws EngineError `locked` naming the owner when another run holds it; a lock whose process has died on this host is
 * taken over. A lock of another host is never taken over: whether that host still works on the stack cannot be seen from here.
 */
export async function takeLock(
  disk: Disk,
  file: string,
  operation: string,
  machine: Machine,
  now: () => Date,
): Promise<Lock> {
  const owner = newOwner(operation, machine, now());
  const text = `${JSON.stringify(owner)}\n`;
  let takenOverFrom: LockOwner | undefined;
  // A few rounds are enough: each one either gets the lock, meets a living owner, or has removed a dead one.
  for (let round = 0; round < 5; round += 1) {
    if (await disk.claim(file, text)) {
      hold(owner);
      const release = async (): Promise<void> => {
        const present = await lockOwner(disk, file);
        if (present?.nonce === owner.nonce) await disk.remove(file);
        letGo(owner);
      };
      return { owner, release, ...(takenOverFrom ? { takenOverFrom } : {}) };
    }
    const present = await lockOwner(disk, file);
    if (present === undefined) continue;
    if (!isDead(present, machine)) throw lockedBy(present, file, now());
    const aside = `${file}.${owner.nonce}`;
    if (!(await disk.move(file, aside))) continue;
    const moved = await disk.read(aside);
    if (moved !== undefined && parseOwner(moved).nonce !== present.nonce) {
      // Another run took the dead lock over between our look and our move: what we moved is its lock, so it goes back.
      await disk.claim(file, moved);
    } else takenOverFrom = present;
    await disk.remove(aside);
  }
  throw new EngineError("locked", "The stack's lock is fought over by several runs; try again in a moment.");
}
