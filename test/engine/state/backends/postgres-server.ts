/** A PostgreSQL server of its own, in a folder, on the loopback interface: for tests of states. It refuses to run as root, so that root lends it a user. */

import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../../../../scripts/stores.mjs";
import { freePort } from "./s3-server.ts";

const programs = findPostgres();
if (programs === undefined && process.env["PLUMBLINE_REQUIRE_STORES"] === "1")
  throw new Error("no PostgreSQL for the tests of states: node scripts/stores.mjs says why");

/** False: there is no PostgreSQL on this machine, and its tests are left out. */
export const hasPostgres = programs !== undefined;

export interface PostgresServer {
  readonly port: number;
  /** Where its socket is. */
  readonly folder: string;
  /** Of its programs, `psql` among them. */
  readonly programs: string;
  /** The address of an empty place in it; `port` is another door to the same server. */
  readonly address: (parameters?: string, port?: number) => string;
  /** Of its own certificate, which the address 127.0.0.1 has; undefined: no openssl is here, and it speaks plainly alone. */
  readonly certificate: string | undefined;
  readonly environment: { readonly PGPASSWORD: string };
  readonly close: () => void;
}

const password = "states-secret-word";

/** The numbers of a user that is not root; undefined where this is none. */
function lentUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const number = (flag: string) =>
    Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout.trim());
  return { uid: number("-u"), gid: number("-g") };
}

/** Puts a certificate and its key where the server looks for them. */
function certified(data: string, user: { uid: number; gid: number } | undefined): string | undefined {
  const [key, certificate] = [join(data, "server.key"), join(data, "server.crt")];
  const what = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
  const made = spawnSync("openssl", [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    ...what,
    "-keyout",
    key,
    "-out",
    certificate,
  ]);
  if (made.status !== 0) return undefined;
  chmodSync(key, 0o600);
  if (user) for (const path of [key, certificate]) chownSync(path, user.uid, user.gid);
  return certificate;
}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-pg-"));
  const user = lentUser();
  chmodSync(folder, 0o755);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (user) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const run = (program: string, args: readonly string[], input?: string): void => {
    const ran = spawnSync(join(programs!, program), args, {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], LC_ALL: "C" },
      ...(input === undefined ? {} : { input }),
      ...user,
    });
    if (ran.status !== 0)
      throw new Error(`${program} ${args.join(" ")}: ${ran.error?.message ?? ran.stderr}`);
  };
  const secret = join(folder, "password");
  spawnSync("sh", ["-c", `printf %s '${password}' > '${secret}' && chmod 644 '${secret}'`]);
  run("initdb", [
    "-D",
    data,
    "-U",
    "team",
    "-A",
    "scram-sha-256",
    "--pwfile",
    secret,
    "-E",
    "UTF8",
    "--no-sync",
  ]);
  const certificate = certified(data, user);
  // In its file and not as an argument, so that a test can turn it off.
  if (certificate !== undefined) appendFileSync(join(data, "postgresql.conf"), "ssl = on\n");
  const port = await freePort();
  const settings = `-h 127.0.0.1 -p ${port} -k ${folder} -c max_connections=200`;
  run("pg_ctl", ["-D", data, "-w", "-l", join(folder, "log"), "-o", settings, "start"]);
  let places = 0;
  return {
    ...{ port, folder, programs: programs! },
    certificate,
    environment: { PGPASSWORD: password },
    address: (parameters = "", at = port) => {
      places += 1;
      return `postgres://team@127.0.0.1:${at}/postgres?schema=place_${places}${parameters}`;
    },
    close() {
      run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
