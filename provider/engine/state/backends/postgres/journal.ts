/**
 * A journal as rows with numbers. Several may be under way at once; the journal ends before the first number that is missing. Which journal counts
 * stands in the stack's row, so that one ends as a whole.
 */

import { perLease } from "../holding.ts";
import type { Lease } from "../lease.ts";
import type { Row } from "./database.ts";

export interface EntriesOptions {
  readonly schema: string;
  /** Rows of a statement about the stack, which is `$1` and `$2` of it. */
  readonly rowsOf: (statement: string, values: readonly unknown[]) => Promise<readonly Row[]>;
  /** The same for a write that tells by a row that the lock `$3` was there. */
  readonly write: (statement: string, values: readonly unknown[]) => Promise<readonly Row[]>;
  /** Conditions of statements: the stack's row; the same while it has the lock. */
  readonly ofStack: string;
  readonly isHeld: string;
  /** Absent: this run does not hold the stack. */
  readonly lease: () => Lease | undefined;
}

/** Where the next entry goes. */
interface Position {
  readonly journal: number;
  number: number;
}

export function createEntries({ schema, rowsOf, write, ofStack, isHeld, lease }: EntriesOptions) {
  /** The entries of the journal that counts. */
  const ofJournal = `FROM ${schema}.journal AS entries JOIN ${schema}.stacks AS stacks USING (project, stack)
    WHERE ${ofStack} AND entries.journal = stacks.journal ORDER BY number`;

  /** Those up to the first number that is missing. */
  async function read(): Promise<string | undefined> {
    const rows = await rowsOf(`SELECT number, entry ${ofJournal}`, []);
    const whole = rows.slice(0, firstMissing(rows) - 1);
    return whole.length === 0
      ? undefined
      : whole.map(({ entry }) => (entry as Buffer).toString("utf8")).join("");
  }

  async function locate(): Promise<Position> {
    const [row] = await rowsOf(`SELECT journal FROM ${schema}.stacks WHERE ${ofStack}`, []);
    return {
      journal: Number(row?.journal ?? 1),
      number: firstMissing(await rowsOf(`SELECT number ${ofJournal}`, [])),
    };
  }

  const position = perLease(lease, locate);

  async function add(text: string): Promise<void> {
    const next = await position.get();
    const { journal, number } = next;
    next.number += 1;
    // The same entry may be there from an attempt whose answer was lost; whoever holds the stack is alone with its numbers.
    await write(
      `WITH held AS (SELECT 1 FROM ${schema}.stacks WHERE ${isHeld} AND journal = $4 FOR SHARE), added AS (
         INSERT INTO ${schema}.journal (project, stack, journal, number, entry) SELECT $1, $2, $4, $5, $6 FROM held
         ON CONFLICT (project, stack, journal, number) DO UPDATE SET entry = excluded.entry
       ) SELECT 1 FROM held`,
      [journal, number, Buffer.from(text)],
    );
  }

  /** Makes the next journal count. The statement names the one that ends, so that done late it ends no other. */
  async function remove(): Promise<void> {
    const { journal, number } = await locate();
    if (number === 1) return;
    await write(
      `WITH held AS (SELECT journal FROM ${schema}.stacks WHERE ${isHeld} FOR UPDATE), ended AS (
         UPDATE ${schema}.stacks SET journal = $4 + 1 WHERE ${isHeld} AND journal = $4
       ), gone AS (
         DELETE FROM ${schema}.journal WHERE ${ofStack} AND journal <= $4 AND EXISTS (SELECT 1 FROM held)
       ) SELECT 1 FROM held`,
      [journal],
    );
    position.set({ journal: journal + 1, number: 1 });
  }

  return {
    read,
    add,
    remove,
    /** Of entries that were under way together none counts where the first is missing: they must not follow on one of this run. */
    async dropLoose(): Promise<void> {
      const numbers = await rowsOf(`SELECT number ${ofJournal}`, []);
      if (numbers.length > 0 && firstMissing(numbers) === 1)
        await write(`UPDATE ${schema}.stacks SET journal = journal + 1 WHERE ${isHeld} RETURNING 1`, []);
    },
  };
}

/** Of rows with ascending numbers from 1. */
function firstMissing(rows: readonly Row[]): number {
  const gap = rows.findIndex(({ number }, at) => number !== at + 1);
  return 1 + (gap < 0 ? rows.length : gap);
}
