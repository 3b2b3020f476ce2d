/** How a run takes a stack that others may be after, keeps it by a lease and lets go of it, whatever store says who has it. */

import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../failure.ts";
import type { Lock, LockOwner } from "../backend.ts";
import { hold, isDeadHere, letGo, lockedBy, type Machine, newOwner } from "../owner.ts";
import { keepLease, type Lease, moment } from "./lease.ts";

/** What every store of many machines is made for. */
export interface HoldingOptions {
  readonly machine: Machine;
  readonly now: () => Date;
  /** Seconds. */
  readonly lease: number;
  /** Versions. */
  readonly keep: number;
}

/** What a run holds of a stack; `own` is the store's. */
export interface Hold<Own> {
  readonly owner: LockOwner;
  readonly lease: Lease;
  readonly own: Own;
}

/** The stack as the store tells of it. */
export interface Seen {
  readonly owner: LockOwner | undefined;
  /** By the store's clock. */
  readonly hasEnded: boolean;
}

export interface Holding<Found extends Seen, Own> extends Pick<HoldingOptions, "machine" | "now" | "lease"> {
  /** What messages call the stack. */
  readonly place: string;
  readonly look: () => Promise<Found>;
  /** Makes the owner the stack's, unless anything changed since it was seen; undefined: it did. */
  readonly claim: (owner: LockOwner, found: Found) => Promise<Own | undefined>;
  /** What `claim` resolves to, for an owner whom an earlier attempt put there. */
  readonly recall: (found: Found) => Own;
  /** In one attempt that the signal ends. Throws EngineError `locked` when it is another's by now. */
  readonly renew: (held: Hold<Own>, signal: AbortSignal) => Promise<void>;
  readonly free: (held: Hold<Own>) => Promise<void>;
  /** Called before anything else is done with what was just taken. */
  readonly held: (held: Hold<Own>) => void;
  /** Called when it is let go; another may be held by then. */
  readonly left: (held: Hold<Own>) => void;
  /** What comes first under the lock. */
  readonly begin: (held: Hold<Own>) => Promise<void>;
}

/** Throws EngineError `locked` naming the owner when another run has the stack. */
export async function takeStack<Found extends Seen, Own>(
  operation: string,
  stack: Holding<Found, Own>,
): Promise<Lock> {
  const owner: LockOwner = {
    ...newOwner(operation, stack.machine, stack.now()),
    lease: stack.lease,
  };
  const { since, last, own } = await claimed(owner, stack);
  const lease = keepLease({ seconds: stack.lease, since, renew: (signal) => stack.renew(mine, signal) });
  const mine: Hold<Own> = { owner, lease, own };
  hold(owner);
  stack.held(mine);
  const release = async (): Promise<void> => {
    lease.stop();
    stack.left(mine);
    letGo(owner);
    if (lease.lost.aborted) return;
    // A store that cannot be reached lets go of it when the lease ends.
    await stack.free(mine).catch(() => {});
  };
  try {
    await stack.begin(mine);
  } catch (error) {
    await release();
    throw error;
  }
  return { owner, lost: lease.lost, release, ...(last ? { takenOverFrom: last } : {}) };
}

async function claimed<Found extends Seen, Own>(
  owner: LockOwner,
  { machine, now, place, look, claim, recall }: Holding<Found, Own>,
) {
  let last: LockOwner | undefined;
  for (let round = 0; round < 20; round += 1) {
    const since = moment();
    const found = await look();
    // The answer to an attempt before this one may be what was lost.
    if (found.owner?.nonce === owner.nonce) return { since, last, own: recall(found) };
    last = found.owner;
    if (last !== undefined && !found.hasEnded && !isDeadHere(last, machine))
      throw lockedBy(last, place, now());
    const own = await claim(owner, found);
    if (own !== undefined) return { since, last, own };
    await sleep(Math.random() * 100);
  }
  throw new EngineError("locked", "The stack's lock is fought over by several runs; try again in a moment.");
}

export const isSeenAlive =
  (machine: Machine) =>
  async (owner: LockOwner): Promise<boolean> =>
    owner.host === machine.host && owner.system === machine.system && !isDeadHere(owner, machine);

/** What stops a write of a run without a lock. */
export const changedAtOnce = (): EngineError =>
  new EngineError("locked", "The stack is changed by several runs at once; try again in a moment.");

/** Found out once for each lease, since whoever holds a stack is alone with it, and each time where there is none. */
export function perLease<T>(lease: () => Lease | undefined, find: () => Promise<T>) {
  const known = new WeakMap<Lease, Promise<T>>();
  return {
    get(): Promise<T> {
      const held = lease();
      if (held === undefined) return find();
      const found = known.get(held) ?? find();
      known.set(held, found);
      return found;
    },
    set(value: T): void {
      const held = lease();
      if (held) known.set(held, Promise.resolve(value));
    },
  };
}
