/** States in PostgreSQL, before the judges of all stores and of those of many machines, and what only a database does; on a real server. */

import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresAddress, parseAddress } from "../../../../provider/engine/state/backends/address.ts";
import { createPostgresBackend } from "../../../../provider/engine/state/backends/postgres/index.ts";
import { judgesBackend } from "./judge.ts";
import { judgesLeases } from "./lease-judge.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "./postgres-server.ts";

describe.runIf(hasPostgres)("on a real server", () => {
  let server: PostgresServer;
  let client: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    Object.assign(process.env, server.environment);
    client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "team", database: "postgres" });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    server.close();
  });

  const parsed = (text: string): PostgresAddress => parseAddress(text, "/") as PostgresAddress;
  const now = () => new Date();
  const machine = { user: "anna", host: "here", pid: 1, isAlive: () => true };

  judgesBackend("a database", () => {
    const address = parsed(server.address());
    return {
      open: (each) => createPostgresBackend({ address, machine: each, now }),
      async textAt(place) {
        const name = place.slice(`${address.place}/aside/`.length);
        const { rows } = await client.query(`SELECT content FROM ${address.schema}.aside WHERE name = $1`, [
          name,
        ]);
        return (rows[0] as { content: Buffer } | undefined)?.content.toString();
      },
      keepsKey: false,
    };
  });

  judgesLeases("a database of many machines", () => {
    const own = server.address();
    const { schema } = parsed(own);
    return {
      port: server.port,
      open: ({ port, parameters, ...how }) =>
        createPostgresBackend({
          ...how,
          address: parsed(own.replace(`:${server.port}/`, `:${port}/`) + parameters),
        }),
      async age(project, stack, seconds) {
        await client.query(
          `UPDATE ${schema}.stacks SET renewed = renewed - make_interval(secs => $3) WHERE project = $1 AND stack = $2`,
          [project, stack, seconds],
        );
      },
    };
  });

  test("its tables are made once, by many that come at the same time, and by nobody who only looks", async () => {
    const address = parsed(server.address());
    const open = () => createPostgresBackend({ address, machine, now });
    const isMade = async () =>
      (await client.query("SELECT to_regclass($1) AS made", [`${address.schema}.format`])).rows[0].made !==
      null;
    const looking = open();
    expect(await looking.stack("shop", "dev").snapshot.read()).toBeUndefined();
    expect(await looking.projects()).toEqual([]);
    expect(await isMade()).toBe(false);
    const all = Array.from({ length: 8 }, open);
    await Promise.all(all.map((each, at) => each.stack("shop", `s${at}`).snapshot.replace(`${at}`)));
    expect(await looking.stacks("shop")).toHaveLength(8);
    await Promise.all([looking, ...all].map((each) => each.close()));
  });

  test("tables of a newer version are left alone", async () => {
    const address = parsed(server.address());
    const backend = createPostgresBackend({ address, machine, now });
    await backend.stack("shop", "dev").snapshot.replace("text");
    await client.query(`UPDATE ${address.schema}.format SET number = 2`);
    const later = createPostgresBackend({ address, machine, now });
    await expect(later.stack("shop", "dev").snapshot.read()).rejects.toMatchObject({
      errorCode: "PLB-NEWER",
    });
    await Promise.all([backend.close(), later.close()]);
  });

  test("a server that starts again in the middle costs nothing but time", async () => {
    const address = parsed(server.address());
    const backend = createPostgresBackend({ address, machine, now });
    const mine = backend.stack("shop", "dev");
    const lock = await mine.lock.take("up");
    await mine.journal.add("one\n");
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plumbline'",
    );
    await mine.journal.add("two\n");
    expect(await mine.journal.read()).toBe("one\ntwo\n");
    await lock.release();
    await backend.close();
  });

  test("the way to it is as closed as its address asks for, in the words of PostgreSQL's own tools", async (context) => {
    if (server.certificate === undefined) return context.skip();
    const isEncrypted = async (parameters: string) => {
      const address = parsed(server.address(`&application_name=closed${parameters}`));
      const backend = createPostgresBackend({ address, machine, now });
      try {
        await backend.stack("shop", "dev").snapshot.replace("text");
        const { rows } = await client.query(
          "SELECT bool_and(ssl) AS closed FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'closed'",
        );
        return (rows[0] as { closed: boolean }).closed;
      } finally {
        await backend.close();
      }
    };
    expect(await isEncrypted("")).toBe(true);
    expect(await isEncrypted("&sslmode=disable")).toBe(false);
    expect(await isEncrypted("&sslmode=require")).toBe(true);
    expect(await isEncrypted(`&sslmode=verify-full&sslrootcert=${server.certificate}`)).toBe(true);
    await expect(isEncrypted("&sslmode=verify-full")).rejects.toMatchObject({ code: "state" });
  });

  test.each([
    ["wrong", /password authentication failed.*PGPASSWORD/],
    ["", /.*/],
  ])("a refusal does not tell the password %j", async (word, said) => {
    const address = parsed(server.address().replace("team@", `team:${word || "other"}@`));
    const backend = createPostgresBackend({ address, machine, now });
    const failed = backend.stack("shop", "dev").snapshot.read();
    await expect(failed).rejects.toMatchObject({ code: "state", message: expect.stringMatching(said) });
    await expect(failed).rejects.not.toMatchObject({
      message: expect.stringContaining(`${word || "other"}@`),
    });
    expect([backend.place, address.place].join()).not.toContain(":other@");
    await backend.close();
  });
});
