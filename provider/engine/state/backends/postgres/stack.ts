/**
 * What is kept of one stack in a database. Each write names the lock that it is done under and is done only while the stack's row has it, which the
 * same statement sees to: so nobody who has lost the stack changes anything, however late he wakes up.
 */

import { randomUUID } from "node:crypto";
import { EngineError } from "../../../failure.ts";
import type { Change, Lock, LockOwner, StackStore, Version } from "../../backend.ts";
import { hold, isDeadHere, letGo, lockedBy, type Machine, newOwner, parseOwner } from "../../owner.ts";
import { keepLease, type Lease, leaseLost } from "../lease.ts";
import type { Database, Effort, Row } from "./database.ts";

export interface StackOptions {
  readonly database: Database;
  readonly machine: Machine;
  readonly now: () => Date;
  /** Seconds. */
  readonly lease: number;
  /** Versions. */
  readonly keep: number;
}

/** What this run holds of the stack. */
interface Hold {
  readonly owner: LockOwner;
  readonly lease: Lease;
  /** Undefined: not looked up yet. */
  next?: Promise<Position>;
}

/** Where the next entry goes. */
interface Position {
  readonly journal: number;
  number: number;
}

export function createStackStore(project: string, stack: string, options: StackOptions): StackStore {
  const { database, machine, now } = options;
  const { schema } = database;
  const place = `${database.place}/${project}/${stack}`;
  const own = [project, stack] as const;
  const ofStack = "project = $1 AND stack = $2";
  /** True for the row while it has the lock $3, or none where that is null. */
  const isHeld = `${ofStack} AND (owner->>'nonce') IS NOT DISTINCT FROM $3`;
  let held: Hold | undefined;

  const rowsOf = async (
    statement: string,
    values: readonly unknown[],
    how?: Effort,
  ): Promise<readonly Row[]> => (await database.ask(statement, [...own, ...values], how)) ?? [];

  const makeRow = (how?: Effort) =>
    rowsOf(`INSERT INTO ${schema}.stacks (project, stack) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [], {
      ...how,
      makes: true,
    });

  async function present(): Promise<{ owner: LockOwner | undefined; age: number }> {
    const [row] = await rowsOf(`SELECT ${ownerAndAge} FROM ${schema}.stacks WHERE ${ofStack}`, []);
    return ownerIn(row);
  }

  /** What stops a write of a run whose lock the row has not: it was lost, or another's stands in the way of a run without one. */
  async function stopped(by: Hold | undefined): Promise<EngineError> {
    const { owner } = await present();
    if (by === undefined) {
      return owner === undefined
        ? new EngineError("locked", "The stack is changed by several runs at once; try again in a moment.")
        : lockedBy(owner, place, now());
    }
    const error = leaseLost(
      owner === undefined ? "it was unlocked" : `${owner.user} on ${owner.host} has it now`,
    );
    by.lease.lose(error);
    return error;
  }

  /** Does a write whose statement tells by a row that the lock was there. */
  async function write(statement: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const by = held;
    if (by === undefined) await makeRow();
    await by?.lease.ensure();
    const how = { makes: true, ...(by ? { signal: by.lease.lost } : {}) } as const;
    const rows = await rowsOf(statement, [by?.owner.nonce ?? null, ...values], how);
    if (rows.length === 0) throw await stopped(by);
    return rows;
  }

  async function replace(text: string, change?: Change): Promise<void> {
    await write(
      `WITH held AS (
         UPDATE ${schema}.stacks SET snapshot = $4, renewed = clock_timestamp() WHERE ${isHeld} RETURNING 1
       ), kept AS (
         INSERT INTO ${schema}.versions (project, stack, version, revision, change, snapshot)
         SELECT $1, $2, (SELECT coalesce(max(version), 0) + 1 FROM ${schema}.versions WHERE ${ofStack}), $5::uuid, $6::jsonb, $4
         FROM held WHERE $6::jsonb IS NOT NULL
         ON CONFLICT (project, stack, revision) DO NOTHING
       ) SELECT 1 FROM held`,
      [Buffer.from(text), randomUUID(), change === undefined ? null : JSON.stringify(change)],
    );
    await rowsOf(
      `DELETE FROM ${schema}.versions WHERE ${ofStack}
       AND version <= (SELECT max(version) FROM ${schema}.versions WHERE ${ofStack}) - $3::integer`,
      [options.keep],
    );
  }

  const textOf = (content: unknown): string | undefined =>
    Buffer.isBuffer(content) ? content.toString("utf8") : undefined;

  async function readSnapshot(): Promise<string | undefined> {
    const [row] = await rowsOf(`SELECT snapshot FROM ${schema}.stacks WHERE ${ofStack}`, []);
    return textOf(row?.snapshot);
  }

  /** The entries of the journal that counts. */
  const ofJournal = `FROM ${schema}.journal AS entries JOIN ${schema}.stacks AS stacks USING (project, stack)
    WHERE ${ofStack} AND entries.journal = stacks.journal ORDER BY number`;

  /** Those up to the first number that is missing. */
  async function readJournal(): Promise<string | undefined> {
    const rows = await rowsOf(`SELECT number, entry ${ofJournal}`, []);
    const whole = rows.slice(0, firstMissing(rows) - 1);
    return whole.length === 0 ? undefined : whole.map(({ entry }) => textOf(entry)).join("");
  }

  async function locate(): Promise<Position> {
    const [row] = await rowsOf(`SELECT journal FROM ${schema}.stacks WHERE ${ofStack}`, []);
    return {
      journal: Number(row?.journal ?? 1),
      number: firstMissing(await rowsOf(`SELECT number ${ofJournal}`, [])),
    };
  }

  async function add(text: string): Promise<void> {
    if (held) held.next ??= locate();
    const next = await (held?.next ?? locate());
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
  async function removeJournal(): Promise<void> {
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
    if (held) held.next = Promise.resolve({ journal: journal + 1, number: 1 });
  }

  async function putAside(kind: "json" | "journal", mark: string, text: string | undefined) {
    if (text === undefined) return undefined;
    const name = `${project}/${stack}.${kind}${mark}`;
    await database.ask(
      `INSERT INTO ${schema}.aside (name, content) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET content = excluded.content`,
      [name, Buffer.from(text)],
      { makes: true },
    );
    if (kind === "journal") await removeJournal();
    else await write(`UPDATE ${schema}.stacks SET snapshot = NULL WHERE ${isHeld} RETURNING 1`, []);
    return `${database.place}/aside/${name}`;
  }

  async function take(operation: string): Promise<Lock> {
    const owner: LockOwner = { ...newOwner(operation, machine, now()), lease: options.lease };
    await makeRow();
    let since = performance.now();
    const last = await database.together(async (ask) => {
      since = performance.now();
      const [row] = await ask(`SELECT ${ownerAndAge} FROM ${schema}.stacks WHERE ${ofStack} FOR UPDATE`, own);
      const found = ownerIn(row);
      // An attempt before this one may have been done, and its answer lost.
      if (found.owner?.nonce === owner.nonce) return undefined;
      if (found.owner !== undefined && !hasEnded(found.owner, found.age) && !isDeadHere(found.owner, machine))
        throw lockedBy(found.owner, place, now());
      await ask(
        `UPDATE ${schema}.stacks SET owner = $3::jsonb, renewed = clock_timestamp() WHERE ${ofStack}`,
        [...own, JSON.stringify(owner)],
      );
      // Of entries that were under way together, none counts where the first is missing; they must not follow on one of this run.
      const numbers = await ask(`SELECT number ${ofJournal}`, own);
      if (numbers.length > 0 && firstMissing(numbers) === 1)
        await ask(`UPDATE ${schema}.stacks SET journal = journal + 1 WHERE ${ofStack}`, own);
      return found.owner;
    });
    const renewing = `UPDATE ${schema}.stacks SET renewed = clock_timestamp() WHERE ${isHeld} RETURNING 1`;
    const lease = keepLease({
      seconds: options.lease,
      since,
      renew: async (signal) => {
        const rows = await rowsOf(renewing, [owner.nonce], { signal, once: true });
        if (rows.length === 0) throw await stopped(mine);
      },
    });
    const mine: Hold = { owner, lease };
    hold(owner);
    held = mine;
    const release = async (): Promise<void> => {
      lease.stop();
      if (held === mine) held = undefined;
      letGo(owner);
      if (lease.lost.aborted) return;
      // A database that cannot be reached lets go of it when the lease ends.
      await rowsOf(`UPDATE ${schema}.stacks SET owner = NULL WHERE ${isHeld}`, [owner.nonce]).catch(() => {});
    };
    return { owner, lost: lease.lost, release, ...(last ? { takenOverFrom: last } : {}) };
  }

  return {
    snapshot: {
      place: `${place}/snapshot`,
      read: readSnapshot,
      replace,
      putAside: async (mark) => putAside("json", mark, await readSnapshot()),
    },
    journal: {
      place: `${place}/journal`,
      together: 4,
      read: readJournal,
      add,
      remove: removeJournal,
      putAside: async (mark) => putAside("journal", mark, await readJournal()),
    },
    history: {
      async list() {
        const rows = await rowsOf(
          `SELECT version, change FROM ${schema}.versions WHERE ${ofStack} ORDER BY version`,
          [],
        );
        return rows.map(
          ({ version, change }) => ({ ...(change as Change), version: Number(version) }) satisfies Version,
        );
      },
      async read(version) {
        const [row] = await rowsOf(
          `SELECT snapshot FROM ${schema}.versions WHERE ${ofStack} AND version = $3`,
          [version],
        );
        return textOf(row?.snapshot);
      },
    },
    lock: {
      take,
      owner: async () => (await present()).owner,
      isSeenAlive: (owner) =>
        owner.host === machine.host && owner.system === machine.system && !isDeadHere(owner, machine),
      clear: async () => void (await rowsOf(`UPDATE ${schema}.stacks SET owner = NULL WHERE ${ofStack}`, [])),
    },
    tidy: async () => {},
  };
}

/** By the database's own clock. */
const ownerAndAge = "owner, extract(epoch FROM clock_timestamp() - renewed)::float8 AS age";

function ownerIn(row: Row | undefined): { readonly owner: LockOwner | undefined; readonly age: number } {
  const { owner, age } = row ?? {};
  return { owner: owner == null ? undefined : parseOwner(JSON.stringify(owner)), age: Number(age) };
}

/** Of rows with ascending numbers from 1. */
function firstMissing(rows: readonly Row[]): number {
  const gap = rows.findIndex(({ number }, at) => number !== at + 1);
  return 1 + (gap < 0 ? rows.length : gap);
}

const hasEnded = ({ lease }: LockOwner, age: number): boolean => lease !== undefined && age > lease;
