/** One writer at a time, on a disk: a lock file that says who holds the stack, since when and for what; knows nothing of what is written. */

import { randomUUID } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { duration } from "../../core/duration.ts";
import { isAlive } from "../../machine/process.ts";
import { EngineError } from "../failure.ts";
import type { Lock, LockOwner } from "./backend.ts";
import type { Disk } from "./disk.ts";
import { isMap } from "./form.ts";

/** Who this process is, and whether another one of this host still runs. */
export interface Machine {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
}

/** This process on this machine. */
export function thisMachine(): Machine {
  let user = "unknown";
  try {
    user = userInfo().username;
  } catch {
    // A container may run under a user id that has no name.
  }
  return {
    user,
    host: hostname(),
    pid: process.pid,
    isAlive,
  };
}

/** Nonces of the locks that this process holds: a lock file with our own pid and another nonce is left from an earlier life. */
const held = new Set<string>();

/** Who holds the lock now; undefined: nobody. A file that cannot be read as a lock counts as held by somebody unknown. */
export async function lockOwner(disk: Disk, file: string): Promise<LockOwner | undefined> {
  const text = await disk.read(file);
  return text === undefined ? undefined : parseOwner(text);
}

/** What a lock file says, as far as it has the form of one: anybody may have written it, so it is shown only without what a terminal obeys. */
function parseOwner(text: string): LockOwner {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    found = undefined;
  }
  const said = isMap(found) ? found : {};
  const { pid } = said;
  const word = (name: string): string => {
    const part = said[name];
    return typeof part === "string" ? part.replace(/[^\x20-\x7e\u00a1-\ufffd]/g, "?").slice(0, 100) : "";
  };
  const isWhole = Number.isSafeInteger(pid) && (pid as number) > 0 && typeof said.nonce === "string";
  return {
    user: word("user") || "unknown",
    host: isWhole && word("host") ? word("host") : "unknown",
    pid: isWhole ? (pid as number) : 0,
    since: word("since"),
    operation: word("operation") || "unknown",
    nonce: isWhole ? (said.nonce as string) : text,
  };
}

/** True when the owner was a process of this host that no longer runs. */
export function isDead(owner: LockOwner, machine: Machine): boolean {
  if (owner.host !== machine.host) return false;
  return owner.pid === machine.pid ? !held.has(owner.nonce) : !machine.isAlive(owner.pid);
}

/** `anna on host7 (process 312) since 12:04:11, 3 min 4 s ago, for up`. */
export function describeOwner(owner: LockOwner, now: Date): string {
  const age = Math.max(0, Math.round((now.getTime() - Date.parse(owner.since)) / 1000));
  const ago = Number.isNaN(age) ? "" : `, ${duration(age)} ago`;
  if (owner.pid === 0) return "somebody whose lock cannot be read";
  return `${owner.user} on ${owner.host} (process ${owner.pid}) since ${owner.since}${ago}, for ${owner.operation}`;
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
  const owner: LockOwner = {
    user: machine.user,
    host: machine.host,
    pid: machine.pid,
    since: now().toISOString(),
    operation,
    nonce: randomUUID(),
  };
  const text = `${JSON.stringify(owner)}\n`;
  let takenOverFrom: LockOwner | undefined;
  // A few rounds are enough: each one either gets the lock, meets a living owner, or has removed a dead one.
  for (let round = 0; round < 5; round += 1) {
    if (await disk.claim(file, text)) {
      held.add(owner.nonce);
      const release = async (): Promise<void> => {
        const present = await lockOwner(disk, file);
        if (present?.nonce === owner.nonce) await disk.remove(file);
        held.delete(owner.nonce);
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

function lockedBy(owner: LockOwner, file: string, now: Date): EngineError {
  return new EngineError(
    "locked",
    `The stack is being changed by ${describeOwner(owner, now)} (${file}). Wait until that run ends; if it is gone for good, run \`plumbline stack unlock\`.`,
  );
}
