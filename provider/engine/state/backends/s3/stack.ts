/** What is kept of one stack in a bucket: versions of its snapshot and segments of its journal, each written once, and the head that says which count. */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import { EngineError } from "../../../failure.ts";
import type { Change, Lock, LockOwner, StackStore, Version } from "../../backend.ts";
import { lockedBy } from "../../owner.ts";
import { changedAtOnce, type Hold, type HoldingOptions, isSeenAlive, takeStack } from "../holding.ts";
import { leaseTaken } from "../lease.ts";
import type { Bucket, Effort } from "./client.ts";
import { type FoundHead, type Head, type KeptVersion, readHead, writeHead } from "./head.ts";
import { createSegments, isSeal } from "./segments.ts";

export interface StackOptions extends HoldingOptions {
  readonly bucket: Bucket;
  /** Resolves once the bucket is seen to honour conditions; throws EngineError `state` when it does not. */
  readonly prove: (key: string, found: FoundHead) => Promise<void>;
}

/** What this run has of the stack that it holds. */
interface Own {
  /** True: it was taken from one who had not let go. */
  readonly isTakenOver: boolean;
  /** As this run has left it. */
  found: FoundHead;
}

type Next = Omit<Head, "format" | "revision">;

const atOnce = 48;

export function createStackStore(project: string, stack: string, options: StackOptions): StackStore {
  const { bucket, machine, now } = options;
  const base = `stacks/${project}/${stack}`;
  const key = `${base}/head.json`;
  const place = `${bucket.place}/${base}`;
  let held: Hold<Own> | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  /** One after the other: each goes on from the head that the one before has left. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work);
    turn = mine;
    return mine;
  }

  /** Changes the head of a run that holds it, or finds that it does no more. */
  const changeHeld = (by: Hold<Own>, next: (head: Head) => Next, how: Effort): Promise<void> =>
    inTurn(async () => {
      for (;;) {
        const written = await writeHead(bucket, key, by.own.found, next(by.own.found.head), how);
        if (written !== undefined) {
          by.own.found = written;
          return;
        }
        // It may be a write of this run whose answer was lost.
        const present = await readHead(bucket, key, how);
        if (present.head.owner?.nonce !== by.owner.nonce) throw leaseTaken(present.head.owner);
        by.own.found = present;
      }
    });

  /** Changes the head: of the run that holds it, or of nobody's stack. */
  async function change(next: (head: Head) => Next): Promise<void> {
    if (held === undefined) return changeFree((head) => refuseHeld(head) ?? next(head));
    const by = held;
    await by.lease.ensure();
    try {
      await changeHeld(by, next, { signal: by.lease.lost });
    } catch (error) {
      if (error instanceof EngineError && error.code === "locked") by.lease.lose(error);
      throw error;
    }
  }

  /** Changes a head that may be changed by others at the same time; undefined: nothing is to be done. */
  async function changeFree(next: (head: Head) => Next | undefined): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      const found = await readHead(bucket, key);
      const head = next(found.head);
      if (head === undefined || (await writeHead(bucket, key, found, head)) !== undefined) return;
      await sleep(Math.random() * 100);
    }
    throw changedAtOnce();
  }

  function refuseHeld({ owner }: Head): undefined {
    if (owner !== undefined) throw lockedBy(owner, place, now());
  }

  const present = async (): Promise<Head> => (held ? held.own.found : await readHead(bucket, key)).head;

  const segments = createSegments({
    bucket,
    base: `${base}/journal`,
    present,
    refuseHeld: (head) => held === undefined && refuseHeld(head),
    lease: () => held?.lease,
    change: (journal) => change((head) => ({ ...head, journal })),
  });

  /** Removes what counts no more. What cannot be removed now is left to `tidy`. */
  const drop = (keys: readonly string[]): Promise<unknown> => {
    const limit = pLimit(atOnce);
    return Promise.allSettled(keys.map((each) => limit(() => bucket.remove(each))));
  };

  async function readSnapshot(): Promise<string | undefined> {
    for (let round = 0; round < 5; round += 1) {
      const { snapshot } = await present();
      if (snapshot === undefined) return undefined;
      const found = await bucket.get(snapshot);
      if (found !== undefined) return found.text;
      // It may be replaced, and gone, since the head was read.
      await sleep(20 * round);
    }
    throw new EngineError(
      "state",
      `The state ${place} is damaged: the snapshot that it names is not there. Nothing was done. Bring it back, or take over an export with \`plumbline stack import FILE\`.`,
    );
  }

  async function replace(text: string, made?: Change): Promise<void> {
    const before = await present();
    const version = 1 + (before.versions.at(-1)?.version ?? 0);
    const name = `${base}/versions/${String(version).padStart(6, "0")}-${randomBytes(4).toString("hex")}.json`;
    await held?.lease.ensure();
    await bucket.put(name, text, undefined, { signal: held?.lease.lost });
    let dropped: string[] = [];
    await change((head) => {
      const all: KeptVersion[] = made
        ? [...head.versions, { ...made, version, key: name }]
        : [...head.versions];
      const versions = all.slice(-options.keep);
      const kept = new Set([name, ...versions.map((each) => each.key)]);
      const known = [...head.versions.map((each) => each.key), ...(head.snapshot ? [head.snapshot] : [])];
      dropped = [...new Set(known)].filter((each) => !kept.has(each));
      return { ...head, snapshot: name, versions };
    });
    await drop(dropped);
  }

  async function putAside(kind: "json" | "journal", mark: string, text: string | undefined) {
    if (text === undefined) return undefined;
    const name = `aside/${project}/${stack}.${kind}${mark}`;
    await bucket.put(name, text);
    if (kind === "journal") await segments.remove();
    else await change(({ snapshot: _, ...head }) => head);
    return `${bucket.place}/${name}`;
  }

  const take = (operation: string): Promise<Lock> =>
    takeStack(operation, {
      ...{ machine, now, place, lease: options.lease },
      async look() {
        const found = await readHead(bucket, key);
        const { owner } = found.head;
        return { found, owner, hasEnded: owner !== undefined && hasEnded(owner, found.age) };
      },
      async claim(owner, { found }): Promise<Own | undefined> {
        const { owner: last, isAbandoned, ...head } = found.head;
        const written = await writeHead(bucket, key, found, { ...head, owner });
        return written && { isTakenOver: last !== undefined || isAbandoned === true, found: written };
      },
      // Who was there before is not told any more.
      recall: ({ found }) => ({ isTakenOver: true, found }),
      renew: (mine, signal) => changeHeld(mine, (head) => head, { signal, once: true }),
      free: (mine) => changeHeld(mine, ({ owner: _, ...head }) => head, { signal: mine.lease.lost }),
      held: (mine) => {
        held = mine;
      },
      left: (mine) => {
        if (held === mine) held = undefined;
      },
      async begin({ own }) {
        await options.prove(key, own.found);
        if (own.isTakenOver) await segments.seal(own.found.head.journal);
      },
    });

  return {
    snapshot: {
      place: `${place}/snapshot`,
      read: readSnapshot,
      replace,
      putAside: async (mark) => putAside("json", mark, await readSnapshot()),
    },
    journal: {
      place: `${place}/journal`,
      together: segments.together,
      read: segments.read,
      add: segments.add,
      remove: segments.remove,
      putAside: async (mark) => putAside("journal", mark, await segments.read()),
    },
    history: {
      list: async () => (await present()).versions.map(({ key: _, ...version }): Version => version),
      async read(version) {
        const kept = (await present()).versions.find((each) => each.version === version);
        return kept && (await bucket.get(kept.key))?.text;
      },
    },
    lock: {
      take,
      owner: async () => (await readHead(bucket, key)).head.owner,
      isSeenAlive: isSeenAlive(machine),
      clear: () => changeFree(({ owner, ...head }) => (owner ? { ...head, isAbandoned: true } : undefined)),
    },
    async tidy() {
      if (!held?.own.isTakenOver) return;
      const { head } = held.own.found;
      const kept = new Set([head.snapshot, ...head.versions.map((each) => each.key)]);
      const current = segments.folderOf(head.journal);
      // Below the same keys others may keep what is theirs: another backend whose prefix lies within this one.
      const all = [await bucket.list(`${base}/versions/`), await bucket.list(`${base}/journal/`)].flat();
      const left = all.filter(
        (each) =>
          ours.test(each.key.slice(base.length)) &&
          !(kept.has(each.key) || each.key.startsWith(current) || isSeal(each)),
      );
      await drop(left.map((each) => each.key));
    },
  };
}

/** What a stack's snapshots and segments are called, behind its own key. */
const ours = /^\/(versions\/\d{6,}-[0-9a-f]{8}\.json|journal\/\d+\/\d{8,})$/;

/** By the store's clock, whose dates count whole seconds. */
const hasEnded = ({ lease }: LockOwner, age: number | undefined): boolean =>
  lease !== undefined && age !== undefined && age > lease + 1;
