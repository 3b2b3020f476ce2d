/** One writer at a time, on a disk: a lock file that says who holds the stack, since when and for what; knows nothing of what is written. */

import { basename, dirname, join } from "node:path";
import { EngineError } from "../../../failure.ts";
import type { Lock, LockOwner } from "../../backend.ts";
import {
  hold,
  isDead,
  isOfEarlierStart,
  isOfThisKernel,
  letGo,
  lockedBy,
  type Machine,
  newOwner,
  parseOwner,
} from "../../owner.ts";
import type { Disk } from "./disk.ts";
import type { Door } from "./door.ts";

/** Who holds the lock now; undefined: nobody. A file that cannot be read as a lock counts as held by somebody unknown. */
export async function lockOwner(disk: Disk, file: string): Promise<LockOwner | undefined> {
  const text = await disk.read(file);
  return text === undefined ? undefined : parseOwner(text);
}

/**
 * True when the owner is seen to have ended, false when it is seen to run; undefined: neither can be seen from here, as of another host, and of a container
 * elsewhere that has the name of this one.
 */
export async function hasEnded(
  disk: Disk,
  file: string,
  owner: LockOwner,
  machine: Machine,
): Promise<boolean | undefined> {
  if (owner.system === undefined || owner.system === machine.system)
    return owner.host === machine.host ? isDead(owner, machine) : undefined;
  if (isOfEarlierStart(owner, machine)) return true;
  if (owner.door === undefined || !isOfThisKernel(owner, machine)) return undefined;
  const isAnswered = await disk.isAnswered?.(join(dirname(file), owner.door));
  return isAnswered === undefined ? undefined : !isAnswered;
}

/**
 * Takes the lock. Throws EngineError `locked` naming the owner when another run holds it; a lock whose process is seen to have died is taken over. A lock of another
 * host is never taken over: whether that host still works on the stack cannot be seen from here.
 */
export async function takeLock(
  disk: Disk,
  file: string,
  operation: string,
  machine: Machine,
  now: () => Date,
): Promise<Lock> {
  const made = newOwner(operation, machine, now());
  const path = `${file}.${made.nonce.slice(0, 8)}.door`;
  // Open before anybody can learn of it.
  const door = await disk.openDoor?.(path);
  const owner = door === undefined ? made : { ...made, door: basename(path) };
  try {
    return await takenAs(owner, { disk, file, machine, now }, door);
  } catch (error) {
    await door?.close();
    throw error;
  }
}

async function takenAs(
  owner: LockOwner,
  { disk, file, machine, now }: { disk: Disk; file: string; machine: Machine; now: () => Date },
  door: Door | undefined,
): Promise<Lock> {
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
        await door?.close();
      };
      return { owner, release, ...(takenOverFrom ? { takenOverFrom } : {}) };
    }
    const present = await lockOwner(disk, file);
    if (present === undefined) continue;
    if (!(await hasEnded(disk, file, present, machine))) throw lockedBy(present, file, now());
    const aside = `${file}.${owner.nonce}`;
    if (!(await disk.move(file, aside))) continue;
    const moved = await disk.read(aside);
    if (moved !== undefined && parseOwner(moved).nonce !== present.nonce) {
      // Another run took the dead lock over between our look and our move: what we moved is its lock, so it goes back.
      await disk.claim(file, moved);
    } else {
      takenOverFrom = present;
      if (present.door !== undefined) await disk.remove(join(dirname(file), present.door));
    }
    await disk.remove(aside);
  }
  throw new EngineError("locked", "The stack's lock is fought over by several runs; try again in a moment.");
}
