/**
 * A journal in a bucket: numbered segments, each made if it is absent. Several may be under way at once; the journal ends before the first number
 * that is missing. A segment without text seals it: whoever wrote there before finds the number taken, and has lost the stack.
 */

import pLimit from "p-limit";
import { EngineError } from "../../../failure.ts";
import type { Lease } from "../lease.ts";
import { leaseLost } from "../lease.ts";
import type { Bucket } from "./client.ts";
import type { Head } from "./head.ts";

export interface SegmentsOptions {
  readonly bucket: Bucket;
  /** What the keys of every journal of the stack begin with, without a slash. */
  readonly base: string;
  /** The head as it is now. */
  readonly present: () => Promise<Head>;
  /** Throws when somebody else holds the stack. */
  readonly refuseHeld: (head: Head) => void;
  /** Absent: this run does not hold the stack. */
  readonly lease: () => Lease | undefined;
  /** Makes another journal count. */
  readonly change: (journal: number) => Promise<void>;
}

/** Where the next segment goes. */
interface Position {
  readonly journal: number;
  next: number;
}

const atOnce = 48;

export function createSegments({ bucket, base, present, refuseHeld, lease, change }: SegmentsOptions) {
  const folderOf = (journal: number): string => `${base}/${journal}/`;
  const keyOf = (journal: number, n: number): string => `${folderOf(journal)}${String(n).padStart(8, "0")}`;
  /** Of the lease that it was found under: whoever holds the stack is alone with its journal. */
  const positions = new WeakMap<Lease, Promise<Position>>();

  async function locate(): Promise<Position> {
    const head = await present();
    refuseHeld(head);
    const keys = new Set(await bucket.list(folderOf(head.journal)));
    let next = 1;
    while (keys.has(keyOf(head.journal, next))) next += 1;
    // Of segments that were under way together, none counts where the first is missing; they must not follow on one of this run.
    if (next > 1 || keys.size === 0) return { journal: head.journal, next };
    await change(head.journal + 1);
    return { journal: head.journal + 1, next };
  }

  function position(): Promise<Position> {
    const held = lease();
    if (held === undefined) return locate();
    const known = positions.get(held) ?? locate();
    positions.set(held, known);
    return known;
  }

  async function remove(): Promise<void> {
    const { journal, next } = await position();
    if (next === 1) return;
    await change(journal + 1);
    const held = lease();
    if (held) positions.set(held, Promise.resolve({ journal: journal + 1, next: 1 }));
    const limit = pLimit(atOnce);
    const gone = Array.from({ length: next - 1 }, (_, at) => keyOf(journal, at + 1));
    // What cannot be removed counts no more, and is left to whoever tidies.
    await Promise.allSettled(gone.map((key) => limit(() => bucket.remove(key))));
  }

  const segments = {
    folderOf,
    together: 4,
    async read(): Promise<string | undefined> {
      const { journal } = await present();
      const limit = pLimit(atOnce);
      const keys = (await bucket.list(folderOf(journal))).filter((key, at) => key === keyOf(journal, at + 1));
      const found = await Promise.all(keys.map((key) => limit(() => bucket.get(key))));
      const texts = found.map((each) => each?.text ?? "");
      const end = texts.indexOf("");
      const text = texts.slice(0, end < 0 ? texts.length : end).join("");
      return text === "" ? undefined : text;
    },
    async add(text: string): Promise<void> {
      const held = lease();
      const at = await position();
      const n = at.next;
      at.next += 1;
      await held?.ensure();
      const written = await bucket.put(keyOf(at.journal, n), text, { absent: true }, { signal: held?.lost });
      if (written !== undefined) return;
      const cause = leaseLost("another run has taken it over, and goes on with its journal");
      held?.lose(cause);
      throw cause;
    },
    remove,
    /** Ends the journal for whoever wrote it before. */
    async seal(journal: number): Promise<void> {
      const keys = new Set(await bucket.list(folderOf(journal)));
      let refused = 0;
      for (let n = 1; refused < 100; n += 1) {
        if (keys.has(keyOf(journal, n))) continue;
        if ((await bucket.put(keyOf(journal, n), "", { absent: true })) === undefined) refused += 1;
        // With nothing before the seal, what this run writes must not stand behind it.
        else return (await segments.read()) === undefined ? remove() : undefined;
      }
      throw new EngineError(
        "locked",
        `The run that held the stack before goes on writing to ${bucket.place}/${base}: end it, or wait until it ends, and run this again.`,
      );
    },
  };
  return segments;
}
