/**
 * What is kept of one stack in a database. Each write names the lock that it is done under and is done only while the stack's row has it, which the
 * same statement sees to: so nobody who has lost the stack changes anything, however late he wakes up.
 */

import { randomUUID } from "node:crypto";
import type { EngineError } from "../../../failure.ts";
import type { Change, Lock, LockOwner, StackStore, Version } from "../../backend.ts";
import { lockedBy, parseOwner } from "../../owner.ts";
import {
  changedAtOnce,
  type Hold,
  type HoldingOptions,
  isSeenAlive,
  type Seen,
  takeStack,
} from "../holding.ts";
import { leaseTaken } from "../lease.ts";
import type { Database, Effort, Row } from "./database.ts";
import { createEntries } from "./journal.ts";

export interface StackOptions extends HoldingOptions {
  readonly database: Database;
}

/** The stack's row; `seen` changes with each renewal. */
interface Found extends Seen {
  readonly seen: unknown;
}

export function createStackStore(project: string, stack: string, options: StackOptions): StackStore {
  const { database, machine, now } = options;
  const { schema } = database;
  const place = `${database.place}/${project}/${stack}`;
  const own = [project, stack] as const;
  const ofStack = "project = $1 AND stack = $2";
  /** True for the row while it has the lock $3, or none where that is null. */
  const isHeld = `${ofStack} AND (owner->>'nonce') IS NOT DISTINCT FROM $3`;
  let held: Hold<true> | undefined;

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
  async function stopped(by: Hold<true> | undefined): Promise<EngineError> {
    const { owner } = await present();
    if (by === undefined) {
      return owner === undefined ? changedAtOnce() : lockedBy(owner, place, now());
    }
    const error = leaseTaken(owner);
    by.lease.lose(error);
    return error;
  }

  /** Does a write whose statement tells by a row that the lock was there. */
  async function write(statement: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const by = held;
    if (by === undefined) await makeRow();
    const how = { makes: true, ...(by ? { signal: by.lease.lost } : {}) } as const;
    const ask = () => rowsOf(statement, [by?.owner.nonce ?? null, ...values], how);
    const rows = await (by ? by.lease.under(ask) : ask());
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

  const entries = createEntries({ schema, rowsOf, write, isHeld, ofStack, lease: () => held?.lease });

  async function putAside(kind: "json" | "journal", mark: string, text: string | undefined) {
    if (text === undefined) return undefined;
    const name = `${project}/${stack}.${kind}${mark}`;
    await database.ask(
      `INSERT INTO ${schema}.aside (name, content) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET content = excluded.content`,
      [name, Buffer.from(text)],
      { makes: true },
    );
    if (kind === "journal") await entries.remove();
    else await write(`UPDATE ${schema}.stacks SET snapshot = NULL WHERE ${isHeld} RETURNING 1`, []);
    return `${database.place}/aside/${name}`;
  }

  const claiming = `UPDATE ${schema}.stacks SET owner = $4::jsonb, renewed = clock_timestamp()
    WHERE ${isHeld} AND renewed IS NOT DISTINCT FROM $5::timestamptz RETURNING 1`;
  const renewing = `UPDATE ${schema}.stacks SET renewed = clock_timestamp() WHERE ${isHeld} RETURNING 1`;
  const freeing = `UPDATE ${schema}.stacks SET owner = NULL WHERE ${isHeld}`;

  async function take(operation: string): Promise<Lock> {
    await makeRow();
    return takeStack<Found, true>(operation, {
      ...{ machine, now, place, lease: options.lease },
      async look() {
        const [row] = await rowsOf(
          `SELECT ${ownerAndAge}, renewed::text AS seen FROM ${schema}.stacks WHERE ${ofStack}`,
          [],
        );
        const { owner, age } = ownerIn(row);
        return { seen: row?.seen, owner, hasEnded: owner !== undefined && hasEnded(owner, age) };
      },
      // No transaction is open meanwhile: one whose client was cut off would keep the row locked.
      async claim(owner, { owner: last, seen }): Promise<true | undefined> {
        const taken = await rowsOf(claiming, [last?.nonce ?? null, JSON.stringify(owner), seen ?? null]);
        return taken.length > 0 ? true : undefined;
      },
      recall: () => true,
      async renew(mine, signal) {
        const rows = await rowsOf(renewing, [mine.owner.nonce], { signal, once: true });
        if (rows.length === 0) throw await stopped(mine);
      },
      free: async (mine) => void (await rowsOf(freeing, [mine.owner.nonce])),
      held: (mine) => {
        held = mine;
      },
      left: (mine) => {
        if (held === mine) held = undefined;
      },
      begin: () => entries.dropLoose(),
    });
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
      read: entries.read,
      add: entries.add,
      remove: entries.remove,
      putAside: async (mark) => putAside("journal", mark, await entries.read()),
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
      isSeenAlive: isSeenAlive(machine),
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

const hasEnded = ({ lease }: LockOwner, age: number): boolean => lease !== undefined && age > lease;
