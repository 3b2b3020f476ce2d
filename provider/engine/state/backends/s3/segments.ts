/**
 * A journal in a bucket: numbered segments, each made if it is absent. Several may be under way at once; the journal ends before the first number
 * that is missing. A segment without text seals it: whoever wrote there before finds the number taken, and has lost the stack. A seal stays for good,
 * for nobody knows when the writer will wake up.
 */

import pLimit from "p-limit";
import { EngineError } from "../../../failure.ts";
import { perLease } from "../holding.ts";
import { type Lease, leaseLost } from "../lease.ts";
import type { Bucket, ListedObject } from "./client.ts";
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
  /** True: what would be written there counts for nothing. */
  readonly isSealed: boolean;
}

const atOnce = 48;

/** Without what tools put beside them, such as an empty object for the folder. */
export const segmentsIn = (objects: readonly ListedObject[]): readonly ListedObject[] =>
  objects.filter(({ key }) => /\/\d{8,}$/.test(key) && !key.endsWith("/00000000"));

/** An entry is never empty. */
export const isSeal = ({ size }: ListedObject): boolean => size === 0;

export function createSegments({ bucket, base, present, refuseHeld, lease, change }: SegmentsOptions) {
  const folderOf = (journal: number): string => `${base}/${journal}/`;
  const keyOf = (journal: number, n: number): string => `${folderOf(journal)}${String(n).padStart(8, "0")}`;
  /** Keys of seals that were seen. */
  const seals = new Set<string>();

  async function keysOf(journal: number): Promise<ReadonlySet<string>> {
    const found = segmentsIn(await bucket.list(folderOf(journal)));
    for (const each of found) if (isSeal(each)) seals.add(each.key);
    return new Set(found.map(({ key }) => key));
  }

  async function locate(): Promise<Position> {
    const head = await present();
    refuseHeld(head);
    const keys = await keysOf(head.journal);
    let next = 1;
    while (keys.has(keyOf(head.journal, next))) next += 1;
    // Of segments that were under way together, none counts where the first is missing; they must not follow on one of this run.
    if (next > 1 || keys.size === 0) {
      const isSealed = [...keys].some((key) => seals.has(key));
      return { journal: head.journal, next, isSealed };
    }
    await change(head.journal + 1);
    return { journal: head.journal + 1, next, isSealed: false };
  }

  const position = perLease(lease, locate);

  async function remove(): Promise<void> {
    const { journal, next } = await position.get();
    if (next === 1) return;
    await change(journal + 1);
    position.set({ journal: journal + 1, next: 1, isSealed: false });
    const limit = pLimit(atOnce);
    const gone = Array.from({ length: next - 1 }, (_, at) => keyOf(journal, at + 1));
    const written = gone.filter((key) => !seals.has(key));
    // What cannot be removed counts no more, and is left to whoever tidies.
    await Promise.allSettled(written.map((key) => limit(() => bucket.remove(key))));
  }

  const segments = {
    folderOf,
    together: 4,
    async read(): Promise<string | undefined> {
      const { journal } = await present();
      const limit = pLimit(atOnce);
      const all = await keysOf(journal);
      const keys: string[] = [];
      while (all.has(keyOf(journal, keys.length + 1))) keys.push(keyOf(journal, keys.length + 1));
      const found = await Promise.all(keys.map((key) => limit(() => bucket.get(key))));
      const texts = found.map((each) => each?.text ?? "");
      const end = texts.indexOf("");
      const text = texts.slice(0, end < 0 ? texts.length : end).join("");
      return text === "" ? undefined : text;
    },
    async add(text: string): Promise<void> {
      const held = lease();
      const at = await position.get();
      const n = at.next;
      at.next += 1;
      const put = () => bucket.put(keyOf(at.journal, n), text, { absent: true }, { signal: held?.lost });
      if (!at.isSealed && (await (held ? held.under(put) : put())) !== undefined) return;
      const cause = leaseLost("another run has taken it over, and goes on with its journal");
      held?.lose(cause);
      throw cause;
    },
    remove,
    /** Ends the journal for whoever wrote it before. */
    async seal(journal: number): Promise<void> {
      const keys = await keysOf(journal);
      let refused = 0;
      for (let n = 1; refused < 100; n += 1) {
        const key = keyOf(journal, n);
        if (keys.has(key)) continue;
        if ((await bucket.put(key, "", { absent: true })) === undefined) {
          refused += 1;
          continue;
        }
        seals.add(key);
        // With nothing before the seal, what this run writes must not stand behind it.
        return (await segments.read()) === undefined ? remove() : undefined;
      }
      throw new EngineError(
        "locked",
        `The run that held the stack before goes on writing to ${bucket.place}/${base}: end it, or wait until it ends, and run this again.`,
      );
    },
  };
  return segments;
}
