/** Who holds a stack: this process as an owner, what a lock says of one, and whether it still runs as far as can be seen from here. */

import { createHash, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { duration } from "../../core/duration.ts";
import { isAlive } from "../../machine/process.ts";
import { EngineError } from "../failure.ts";
import type { LockOwner } from "./backend.ts";
import { isMap } from "./form.ts";

/** Who this process is, and whether another one of this host still runs. */
export interface Machine {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  /** Which system's process numbers `pid` is one of, where that can be told; hosts may share a name. */
  readonly system?: string;
  /** Which installation of an operating system it is, where that can be told. */
  readonly installation?: string;
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
  return { user, host: hostname(), pid: process.pid, isAlive, ...thisSystem(), ...thisInstallation() };
}

/** Linux names the boot and the room of process numbers that a container has for itself. */
function thisSystem(): Pick<Machine, "system"> {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return { system: `${boot} ${readlinkSync("/proc/self/ns/pid")}` };
  } catch {
    return {};
  }
}

/** Told of what is no container alone: those of one image would all have its name. */
function thisInstallation(): Pick<Machine, "installation"> {
  try {
    if (readlinkSync("/proc/self/ns/pid") !== firstRoom) return {};
    const id = readFileSync("/etc/machine-id", "utf8").trim();
    return id === "" ? {} : { installation: createHash("sha256").update(id).digest("hex").slice(0, 16) };
  } catch {
    return {};
  }
}

/** The room of process numbers that Linux starts with. */
const firstRoom = "pid:[4026531836]";

/** Nonces of the locks that this process holds: a lock file with our own pid and another nonce is left from an earlier life. */
const held = new Set<string>();

/** This process as the owner of a new lock, from now on seen to hold it until it is let go. */
export function newOwner(operation: string, machine: Machine, now: Date): LockOwner {
  return {
    user: machine.user,
    host: machine.host,
    pid: machine.pid,
    since: now.toISOString(),
    operation,
    nonce: randomUUID(),
    ...(machine.system === undefined ? {} : { system: machine.system }),
    ...(machine.installation === undefined ? {} : { installation: machine.installation }),
  };
}

/** Notes that this process holds the lock. */
export const hold = (owner: LockOwner): void => void held.add(owner.nonce);

/** Notes that it does no more. */
export const letGo = (owner: LockOwner): void => void held.delete(owner.nonce);

/** What a lock file says, as far as it has the form of one: anybody may have written it, so it is shown only without what a terminal obeys. */
export function parseOwner(text: string): LockOwner {
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
    ...(typeof said.system === "string" ? { system: word("system") } : {}),
    ...(typeof said.installation === "string" ? { installation: word("installation") } : {}),
    // What is removed with a dead lock is a door, whoever wrote this.
    ...(/^[\w.-]+\.door$/.test(word("door")) ? { door: word("door") } : {}),
    ...(isLease(said.lease) ? { lease: said.lease } : {}),
  };
}

const isLease = (value: unknown): value is number => typeof value === "number" && value > 0;

/** True when the owner was a process of this host that no longer runs. */
export function isDead(owner: LockOwner, machine: Machine): boolean {
  if (owner.host !== machine.host) return false;
  return owner.pid === machine.pid ? !held.has(owner.nonce) : !machine.isAlive(owner.pid);
}

/** The same where hosts of one name may share a store: the number must be one of this very system, since its last start. */
export const isDeadHere = (owner: LockOwner, machine: Machine): boolean =>
  owner.system === machine.system && isDead(owner, machine);

/** True: the system of the owner has been started anew since. */
export const isOfEarlierStart = (owner: LockOwner, machine: Machine): boolean =>
  owner.host === machine.host &&
  machine.installation !== undefined &&
  owner.installation === machine.installation &&
  bootOf(owner.system) !== bootOf(machine.system);

/** True: both are of one kernel, though it may count their processes apart. */
export const isOfThisKernel = (owner: LockOwner, machine: Machine): boolean =>
  machine.system !== undefined && bootOf(owner.system) === bootOf(machine.system);

const bootOf = (system: string | undefined): string | undefined => system?.split(" ", 1)[0];

/** `anna on host7 (process 312) since 12:04:11, 3 min 4 s ago, for up`. */
export function describeOwner(owner: LockOwner, now: Date): string {
  const age = Math.max(0, Math.round((now.getTime() - Date.parse(owner.since)) / 1000));
  const ago = Number.isNaN(age) ? "" : `, ${duration(age)} ago`;
  if (owner.pid === 0) return "somebody whose lock cannot be read";
  return `${owner.user} on ${owner.host} (process ${owner.pid}) since ${owner.since}${ago}, for ${owner.operation}`;
}

/** What stops a run that meets a living owner. `place`: where the lock is. */
export function lockedBy(owner: LockOwner, place: string, now: Date): EngineError {
  const end =
    owner.lease === undefined
      ? ""
      : `its hold ends by itself ${duration(owner.lease)} after its last sign of life, or `;
  return new EngineError(
    "locked",
    `The stack is being changed by ${describeOwner(owner, now)} (${place}). Wait until that run ends; if it is gone for good, ${end}run \`plumbline stack unlock\`.`,
  );
}
