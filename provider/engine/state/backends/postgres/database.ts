/** The database that states are kept in: connections, a schema of our own, statements that are tried again while it cannot be reached. Knows no state. */

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { EngineError, messageOf } from "../../../failure.ts";
import type { PostgresAddress } from "./address.ts";
import { type Connection, connectionOf, type Way } from "./libpq.ts";
import { format, migrations } from "./schema.ts";

export type Row = { readonly [column: string]: unknown };

export interface Database {
  /** As messages call it: without a password. */
  readonly place: string;
  /** Its own, within the server. */
  readonly name: () => string;
  /** The schema's name as statements write it. */
  readonly schema: string;
  /** Rows of a statement that may be done twice. Undefined: nothing is kept here yet, and `makes` does not say to begin. */
  readonly ask: (
    statement: string,
    values: readonly unknown[],
    how?: Effort,
  ) => Promise<readonly Row[] | undefined>;
  /** Rows of a statement about what others keep in the same database; none where there is no such table, or no right to read it. */
  readonly outside: (statement: string, values: readonly unknown[]) => Promise<readonly Row[]>;
  readonly close: () => Promise<void>;
}

type Ask = (statement: string, values: readonly unknown[]) => Promise<readonly Row[]>;

export interface Effort {
  readonly signal?: AbortSignal | undefined;
  /** True: one attempt alone. */
  readonly once?: true;
  /** True: makes the schema where there is none. */
  readonly makes?: true;
}

/** Seconds of attempts, the same before the first one that went well, and of one of them. */
const [patience, firstPatience, onePatience] = [60, 5, 20];

/** Opens no connection yet; after `close` the next statement opens them anew. */
export function openDatabase(address: PostgresAddress): Database {
  const { place } = address;
  const schema = pg.escapeIdentifier(address.schema);
  let connection: Connection | undefined;
  /** The first of the connection's ways that led to it, kept for good: whatever fails later has nothing to do with the way. */
  let way: Way | undefined;
  let pool: Promise<pg.Pool> | undefined;
  let isMade = false;
  let hasAnswered = false;

  function reach(): Connection {
    connection ??= connectionOf(address, process.env);
    return connection;
  }

  function poolBy(ssl: Way): pg.Pool {
    const made = new pg.Pool({
      ...reach().settings,
      ssl,
      max: 6,
      query_timeout: onePatience * 1000,
      keepAlive: true,
      allowExitOnIdle: true,
    });
    // A connection that breaks while nobody uses it is replaced by the next statement.
    made.on("error", () => {});
    return made;
  }

  async function poolByFirstWay(): Promise<pg.Pool> {
    let fault: unknown;
    for (const each of reach().ways) {
      const made = poolBy(each);
      try {
        (await made.connect()).release();
        way = each;
        return made;
      } catch (cause) {
        await made.end();
        // Where no way leads to it, the first refusal tells more, unless it only was about the way.
        if (!codeOf(fault).startsWith("28")) fault = cause;
        if (cause instanceof EngineError || isUnreachable(cause)) break;
      }
    }
    throw fault;
  }

  /** All that is asked at the same time waits for one to find the way. */
  function connections(): Promise<pg.Pool> {
    pool ??= way === undefined ? poolByFirstWay() : Promise.resolve(poolBy(way));
    const asked = pool;
    asked.catch(() => {
      if (pool === asked) pool = undefined;
    });
    return asked;
  }

  /** Does the work until it is done or cannot be. */
  async function tried<T>(work: () => Promise<T>, { signal, once }: Effort): Promise<T> {
    const until = performance.now() + (hasAnswered ? patience : firstPatience) * 1000;
    for (let tries = 0; ; tries += 1) {
      signal?.throwIfAborted();
      try {
        const result = await (signal ? unlessAborted(work(), signal) : work());
        hasAnswered = true;
        return result;
      } catch (cause) {
        signal?.throwIfAborted();
        if (cause instanceof EngineError) throw cause;
        const wait = Math.min(5000, 100 * 2 ** tries) * (0.5 + Math.random() / 2);
        if (isForbidden(cause))
          throw stateError(place, cause, toShare(schema, String(reach().settings.user)));
        if (!passes(cause) || once || performance.now() + wait > until) throw stateError(place, cause);
        await sleep(wait, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
      }
    }
  }

  async function inTransaction<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    const client = await (await connections()).connect();
    let broken: Error | undefined;
    // Its next statement fails with it, too.
    const onBreak = (error: Error): void => {
      broken = error;
    };
    client.on("error", onBreak);
    try {
      // A client that is cut off must not keep others out.
      await client.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 10000");
      const result = await work(async (text, values) => (await client.query<Row>(text, [...values])).rows);
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch((cause: Error) => {
        broken = cause;
      });
      throw error;
    } finally {
      client.off("error", onBreak);
      client.release(broken);
    }
  }

  /** The schema is made, or brought to the present form, by one run at a time. */
  async function prepare(makes: boolean): Promise<boolean> {
    if (isMade) return true;
    const present = await (await connections())
      .query<{ number: number }>(`SELECT number FROM ${schema}.format`)
      .then(
        ({ rows }) => rows[0]?.number,
        (error: unknown) => {
          if (!isMissing(error)) throw error;
          return undefined;
        },
      );
    if ((present ?? 0) > format) throw newer(place);
    if (present === undefined && !makes) return false;
    if (present !== format)
      await inTransaction((ask) => migrate(ask, schema, address.schema)).catch((error: unknown) => {
        throw isForbidden(error) ? stateError(place, error, toMake) : error;
      });
    isMade = true;
    return true;
  }

  return {
    place,
    name: () => String(reach().settings.database),
    schema,
    ask: (statement, values, how = {}) =>
      tried(async () => {
        if (!(await prepare(how.makes ?? false))) return undefined;
        return (await (await connections()).query<Row>(statement, [...values])).rows;
      }, how),
    outside: (statement, values) =>
      tried(
        async () =>
          (await connections()).query<Row>(statement, [...values]).then(
            ({ rows }) => rows,
            (error: unknown) => {
              if (isMissing(error) || isForbidden(error)) return [];
              throw error;
            },
          ),
        {},
      ),
    async close() {
      const opened = pool;
      pool = undefined;
      // One that did not come about has ended itself.
      await (await opened?.catch(() => undefined))?.end();
    },
  };
}

async function migrate(ask: Ask, schema: string, name: string): Promise<void> {
  await ask("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`plumbline ${name}`]);
  const [found] = await ask("SELECT to_regclass($1) IS NOT NULL AS made", [`${schema}.format`]);
  const [row] = found?.made ? await ask(`SELECT number FROM ${schema}.format`, []) : [];
  // A user may have the schema and no right to make one.
  const [own] = await ask("SELECT to_regnamespace($1) IS NULL AS missing", [schema]);
  if (own?.missing) await ask(`CREATE SCHEMA IF NOT EXISTS ${schema}`, []);
  for (const statement of migrations(schema)
    .slice(Number(row?.number ?? 0))
    .flat())
    await ask(statement, []);
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? "");

/** Nobody is there: no other way leads to them. */
const isUnreachable = (cause: unknown): boolean =>
  /^E(CONNREFUSED|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOENT|ACCES)$/.test(codeOf(cause)) ||
  /timeout/.test(messageOf(cause));

const isMissing = (error: unknown): boolean => ["42P01", "3F000"].includes(codeOf(error));

/** Connections that break or cannot be made now, and what loses to another at the same moment. */
const passing = /^(08|53|57P0[1-3]|25P03|40001|40P01|23505|55P03|E[A-Z]{3,})/;
const passes = (error: unknown): boolean =>
  passing.test(codeOf(error)) || /timeout|terminated|Connection/.test(messageOf(error));

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

const newer = (place: string): EngineError =>
  new EngineError(
    "state",
    `${place} was written by a newer version: nothing was done. Use that version, or a newer one.`,
    { errorCode: "PLB-NEWER" },
  );

/** By the beginning of what PostgreSQL, or the system, calls it. */
const wayOut: readonly (readonly [code: string, advice: string])[] = [
  ["28", "Give a user and a password of it: PGUSER and PGPASSWORD, or a password file (~/.pgpass)."],
  ["3D000", "Make the database, or name another one."],
  ["53100", "Make room on its disk, and run this again: it goes on from what is saved."],
  ["E", "See whether the address is right and can be reached from here, and run this again."],
];

/** Where the schema, or what is to be in it, is not there yet. */
const toMake =
  "Give this user the right to make a schema in the database, or make the schema and give it to this user.";

/** Where another user has made it. */
function toShare(schema: string, user: string): string {
  const whom = `TO ${pg.escapeIdentifier(user)}`;
  return `Have its owner give this user the rights: GRANT USAGE ON SCHEMA ${schema} ${whom}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} ${whom}`;
}

const isForbidden = (error: unknown): boolean => codeOf(error) === "42501";

function stateError(place: string, cause: unknown, special?: string): EngineError {
  const code = codeOf(cause);
  const advice =
    special ??
    wayOut.find(([beginning]) => code.startsWith(beginning))?.[1] ??
    "See to it, and run this again.";
  return new EngineError(
    "state",
    `The state cannot be kept: ${place}: ${messageOf(cause) || code}. ${advice}`,
    { cause },
  );
}
