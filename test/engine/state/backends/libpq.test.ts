/** A database is reached as PostgreSQL's own tools reach it, and as closed: held against `psql`, on a real server. */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type PostgresAddress, parseAddress } from "../../../../provider/engine/state/backends/address.ts";
import { openDatabase } from "../../../../provider/engine/state/backends/postgres/database.ts";
import { createPostgresBackend } from "../../../../provider/engine/state/backends/postgres/index.ts";
import { passwordIn } from "../../../../provider/engine/state/backends/postgres/password-file.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "./postgres-server.ts";

test.each([
  ["db:5432:states:anna:word", "word"],
  ["# db:5432:states:anna:no\n*:*:*:*:any\ndb:5432:states:anna:late", "any"],
  ["db:5432:states:berta:no\n\ndb:*:states:anna:w\\:o\\\\rd\r\n", "w:o\\rd"],
  ["db:6543:*:*:no", undefined],
  ["db:5432:states", undefined],
  ["db:5432:states:anna:", ""],
])("a password file of %j has %j", (text, password) => {
  const subject = { host: "db", port: 5432, database: "states", user: "anna" };
  expect(passwordIn(text, subject)).toBe(password);
});

const statement = "SELECT ssl::text AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
type Environment = { readonly [name: string]: string };

describe.runIf(hasPostgres)("a database", { timeout: 60_000 }, () => {
  let server: PostgresServer;
  let admin: pg.Client;
  let home: string;
  beforeAll(async () => {
    server = await startPostgres();
    const password = server.environment.PGPASSWORD;
    admin = new pg.Client({
      host: "127.0.0.1",
      port: server.port,
      user: "team",
      database: "postgres",
      password,
    });
    await admin.connect();
    home = mkdtempSync(join(tmpdir(), "plumbline-home-"));
  });
  afterAll(async () => {
    await admin.end();
    server.close();
    rmSync(home, { recursive: true });
  });
  beforeEach(() => () => vi.unstubAllEnvs());

  /** How the connection is, by PostgreSQL's own tool; undefined: there is none. */
  function theirs(address: string, environment: Environment): string | undefined {
    const { PATH = "" } = process.env;
    const beside = join(server.programs, "psql");
    const ran = spawnSync(existsSync(beside) ? beside : "psql", ["-XAtwc", statement, address], {
      encoding: "utf8",
      env: { PATH, HOME: home, ...environment },
    });
    if (ran.error) throw ran.error;
    return ran.status === 0 ? ran.stdout.trim() : undefined;
  }

  async function ours(address: string, environment: Environment): Promise<string | undefined> {
    for (const name of Object.keys(process.env)) if (/^PG[A-Z]+$/.test(name)) vi.stubEnv(name, undefined);
    for (const [name, value] of Object.entries({ HOME: home, ...environment })) vi.stubEnv(name, value);
    const database = openDatabase(parseAddress(address, "/") as PostgresAddress);
    try {
      const [row] = await database.outside(statement, []);
      return String(row?.["ssl"]);
    } catch (error) {
      expect(String((error as Error).message)).not.toContain(server.environment.PGPASSWORD);
      return undefined;
    } finally {
      await database.close();
      vi.unstubAllEnvs();
    }
  }

  async function setEncryption(ssl: string): Promise<void> {
    await admin.query(`ALTER SYSTEM SET ssl = ${ssl}`);
    await admin.query("SELECT pg_reload_conf()");
    await vi.waitFor(() => expect(theirs(plain(), server.environment)).toBe(ssl === "on" ? "true" : "false"));
  }

  const plain = () => `postgres://team@127.0.0.1:${server.port}/postgres`;

  describe.each(["on", "off"])("that has encryption %s", (ssl) => {
    beforeAll(() => setEncryption(ssl));

    test("is not reached where PGSSLMODE is there and empty, by psql neither", async () => {
      const variables = { ...server.environment, PGSSLMODE: "" };
      expect(theirs(plain(), variables)).toBeUndefined();
      expect(await ours(plain(), variables)).toBeUndefined();
    });

    test("is reached as psql reaches it, by whatever the address and the environment say of encryption", async (context) => {
      if (server.certificate === undefined) return context.skip();
      const stranger = join(home, "stranger.crt");
      const what = [
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=stranger",
        "-keyout",
        "/dev/null",
        "-out",
        stranger,
      ];
      spawnSync("openssl", ["req", "-x509", ...what]);
      const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "bogus"];
      const roots = [undefined, server.certificate, stranger];
      for (const mode of [undefined, ...modes]) {
        for (const root of roots) {
          const said = { ...(mode && { sslmode: mode }), ...(root && { sslrootcert: root }) };
          const query = new URLSearchParams(said).toString();
          const variables = {
            ...server.environment,
            ...(mode && { PGSSLMODE: mode }),
            ...(root && { PGSSLROOTCERT: root }),
          };
          const wanted = theirs(plain(), variables);
          expect(await ours(plain(), variables), JSON.stringify(variables)).toBe(wanted);
          expect(await ours(`${plain()}?${query}`, server.environment), query).toBe(wanted);
        }
      }
    });
  });

  test("keeps the way that led to it, whatever fails there", async (context) => {
    if (server.certificate === undefined) return context.skip();
    await setEncryption("on");
    vi.stubEnv("PGPASSWORD", server.environment.PGPASSWORD);
    const database = openDatabase(parseAddress(plain(), "/") as PostgresAddress);
    await expect(database.outside("SELECT nonsense", [])).rejects.toMatchObject({ code: "state" });
    expect(await database.outside(statement, [])).toEqual([{ ssl: "true" }]);
    await database.close();
  });

  test("is reached by all that is begun at once, though the first way leads nowhere", async () => {
    await setEncryption("off");
    vi.stubEnv("PGPASSWORD", server.environment.PGPASSWORD);
    for (let round = 0; round < 20; round += 1) {
      const database = openDatabase(parseAddress(plain(), "/") as PostgresAddress);
      const all = await Promise.all(Array.from({ length: 12 }, () => database.outside(statement, [])));
      expect(new Set(all.map(([row]) => row?.["ssl"]))).toEqual(new Set(["false"]));
      await database.close();
    }
  });

  test("is not reached where a file that is named for its proof cannot be read, however little is asked of it", async () => {
    const none = join(home, "none.crt");
    for (const mode of ["prefer", "require", "verify-full"]) {
      const database = openDatabase(
        parseAddress(`${plain()}?sslmode=${mode}&sslrootcert=${none}`, "/") as PostgresAddress,
      );
      await expect(database.outside("SELECT 1", [])).rejects.toMatchObject({
        code: "usage",
        message: `"sslrootcert": cannot read ${none}: there is no such file`,
      });
    }
  });

  test("is reached by a socket, in either spelling", async () => {
    const folder = encodeURIComponent(server.folder);
    for (const address of [
      `postgres://team@/postgres?host=${server.folder}&port=${server.port}`,
      `postgres:///postgres?host=${folder}&port=${server.port}&user=team`,
      `postgres://team@${folder}:${server.port}/postgres`,
    ]) {
      expect(theirs(address, server.environment), address).toBe("false");
      expect(await ours(address, server.environment), address).toBe("false");
    }
    const variables = {
      PGHOST: server.folder,
      PGPORT: String(server.port),
      PGUSER: "team",
      PGDATABASE: "postgres",
    };
    expect(await ours("postgres://", { ...server.environment, ...variables })).toBe("false");
  });

  test("has its password in a file that nobody else can read, which is silent", async () => {
    const file = join(home, "passwords");
    writeFileSync(file, `127.0.0.1:${server.port}:*:team:${server.environment.PGPASSWORD}\n`, {
      mode: 0o600,
    });
    const warned = vi.spyOn(process, "emitWarning");
    const usual = join(home, ".pgpass");
    const both: Environment[] = [{ PGPASSFILE: file }, { PGPASSFILE: file, PGPASSWORD: "" }];
    for (const environment of both) {
      expect(theirs(plain(), environment)).toBeDefined();
      expect(await ours(plain(), environment)).toBeDefined();
    }
    expect(await ours(`${plain()}?passfile=${file}`, {})).toBeDefined();
    writeFileSync(usual, `*:*:*:*:${server.environment.PGPASSWORD}\n`, { mode: 0o600 });
    expect(await ours(plain(), {})).toBeDefined();
    chmodSync(usual, 0o644);
    expect(theirs(plain(), {})).toBeUndefined();
    expect(await ours(plain(), {})).toBeUndefined();
    rmSync(usual);
    expect(warned).not.toHaveBeenCalled();
  });

  test("takes a password in the address letter by letter", async () => {
    const word = "a+b c%&=é";
    await admin.query(`CREATE ROLE letters LOGIN PASSWORD '${word}'`);
    const at = (user: string, query = "") => `${plain().replace("team@", `${user}@`)}${query}`;
    for (const written of [encodeURIComponent(word), encodeURIComponent(word).replaceAll("%2B", "+")])
      for (const address of [at(`letters:${written}`), at("letters", `?password=${written}`)]) {
        expect(theirs(address, {}), address).toBeDefined();
        expect(await ours(address, {}), address).toBeDefined();
      }
  });

  test("that wants a password which nobody gave says so at once, and keeps nothing waiting", async () => {
    vi.stubEnv("HOME", home);
    vi.stubEnv("PGPASSWORD", "");
    const database = openDatabase(parseAddress(plain(), "/") as PostgresAddress);
    const begun = performance.now();
    await expect(database.outside("SELECT 1", [])).rejects.toMatchObject({
      code: "state",
      message: expect.stringMatching(/asks for the password of team, and there is none\. .*PGPASSWORD/),
    });
    await database.close();
    expect(performance.now() - begun).toBeLessThan(3000);
    await expect
      .poll(
        async () =>
          (await admin.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'plumbline'")).rowCount,
      )
      .toBe(0);
  });

  test("that answers nothing is given up after the time that was asked for", async () => {
    const begun = performance.now();
    expect(
      await ours(`postgres://team@192.0.2.1:5432/postgres?connect_timeout=2`, server.environment),
    ).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(8000);
  });

  test("whose schema an administrator has made needs no right to make one", async () => {
    await admin.query("CREATE ROLE plain LOGIN PASSWORD 'plain-word'");
    await admin.query("REVOKE CREATE ON DATABASE postgres FROM PUBLIC");
    await admin.query("CREATE SCHEMA given AUTHORIZATION plain");
    const open = (schema: string) =>
      createPostgresBackend({
        address: parseAddress(
          `${plain().replace("team@", "plain:plain-word@")}?schema=${schema}`,
          "/",
        ) as PostgresAddress,
        machine: { user: "anna", host: "here", pid: 1, isAlive: () => true },
        now: () => new Date(),
      });
    const [given, missing] = [open("given"), open("missing")];
    await given.stack("shop", "dev").snapshot.replace("text");
    expect(await given.stack("shop", "dev").snapshot.read()).toBe("text");
    await expect(missing.stack("shop", "dev").snapshot.replace("text")).rejects.toMatchObject({
      code: "state",
      message: expect.stringContaining("make the schema and give it to this user"),
    });
    await Promise.all([given.close(), missing.close()]);
  });

  test("that another user has made says which rights are missing; with them it is shared, with those to read it is read", async () => {
    const { PGPASSWORD } = server.environment;
    const open = (user: string) =>
      createPostgresBackend({
        address: parseAddress(
          `${plain().replace("team@", `${user}@`)}?schema=shared`,
          "/",
        ) as PostgresAddress,
        machine: { user: "anna", host: "here", pid: 1, isAlive: () => true },
        now: () => new Date(),
      });
    const [maker, other] = [open(`team:${PGPASSWORD}`), open("other:other-word")];
    await maker.stack("shop", "dev").snapshot.replace("text");
    await admin.query("CREATE ROLE other LOGIN PASSWORD 'other-word'");
    const { snapshot, lock } = other.stack("shop", "dev");
    const rights = 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "shared" TO "other"';
    const refused = {
      code: "state",
      message: expect.stringMatching(/rights: GRANT USAGE ON SCHEMA "shared" TO "other"; GRANT SELECT/),
    };
    await expect(snapshot.read()).rejects.toMatchObject(refused);
    await admin.query('GRANT USAGE ON SCHEMA "shared" TO "other"');
    await admin.query(rights.replace(", INSERT, UPDATE, DELETE", ""));
    expect(await snapshot.read()).toBe("text");
    expect(await other.stacks("shop")).toEqual(["dev"]);
    expect(await lock.owner()).toBeUndefined();
    await expect(lock.take("up")).rejects.toMatchObject(refused);
    await expect(lock.take("up")).rejects.toThrow(rights);
    await admin.query(rights);
    const held = await lock.take("up");
    await snapshot.replace("theirs");
    await held.release();
    expect(await maker.stack("shop", "dev").snapshot.read()).toBe("theirs");
    await Promise.all([maker.close(), other.close()]);
  });
});
