/**
 * How a database is reached: an address and the environment, read as PostgreSQL's own library reads them ("Database Connection Control Functions", "Environment
 * Variables", "SSL Support" of its manual), so that what `psql` reaches is reached here, and as closed.
 */

import { existsSync, readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import type { ClientConfig } from "pg";
import { fileFault } from "../../../../core/wording.ts";
import { EngineError } from "../../../failure.ts";
import { type Environment, refuse } from "../parameters.ts";
import type { PostgresAddress } from "./address.ts";
import { passwordFrom } from "./password-file.ts";

/** Encrypted, with these options; false: plainly. */
export type Way = ConnectionOptions | false;

export interface Connection {
  readonly settings: ClientConfig;
  /** To be tried in this order; those after the first are for servers that the one before does not suit. */
  readonly ways: readonly [Way, ...Way[]];
}

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

/** Seconds. */
const usualTimeout = 10;

/** Throws EngineError for what cannot be meant, and for a file that is named and cannot be read. */
export function connectionOf(
  { given, password, parameters }: PostgresAddress,
  environment: Environment,
): Connection {
  const said = (name: string, variable: string) => parameters.get(name) || environment[variable] || undefined;
  // As there, an empty one is none that it knows: whoever meant to set it gets no way that is less closed.
  const mode = parameters.get("sslmode") ?? environment.PGSSLMODE ?? "prefer";
  const user = given.user ?? (environment.PGUSER || userInfo().username);
  const subject = {
    user,
    host: given.host ?? (environment.PGHOST || "localhost"),
    port: Number(given.port ?? (environment.PGPORT || "5432")),
    database: given.database ?? (environment.PGDATABASE || user),
  };
  if (!Number.isInteger(subject.port) || subject.port < 1 || subject.port > 65535)
    refuse("the port of PostgreSQL must be a whole number from 1 to 65535");
  const file =
    parameters.get("passfile") ||
    environment.PGPASSFILE ||
    (process.platform === "win32"
      ? join(environment.APPDATA ?? homedir(), "postgresql", "pgpass.conf")
      : join(homedir(), ".pgpass"));
  const options = said("options", "PGOPTIONS");
  return {
    settings: {
      ...subject,
      // Asked for only where the server wants one.
      password: async () => {
        const found = password || environment.PGPASSWORD || (await passwordFrom(file, subject));
        if (found) return found;
        throw Object.assign(new Error(`it asks for the password of ${user}, and there is none`), {
          code: "28P01",
        });
      },
      application_name: said("application_name", "PGAPPNAME") ?? "plumbline",
      connectionTimeoutMillis: timeoutOf(said("connect_timeout", "PGCONNECT_TIMEOUT")) * 1000,
      ...(options === undefined ? {} : { options }),
    },
    // What passes through a socket leaves no machine.
    ways: subject.host.startsWith("/") ? [false] : waysOf(mode, said),
  };
}

type Said = (name: string, variable: string) => string | undefined;

function timeoutOf(text: string | undefined): number {
  if (text === undefined) return usualTimeout;
  const seconds = Number(text);
  if (!Number.isInteger(seconds)) refuse('"connect_timeout" must be a whole number of seconds');
  // Zero, as any number below it, means for ever there; and one is too short for anything.
  return seconds <= 0 ? 0 : Math.max(seconds, 2);
}

function waysOf(written: string, said: Said): Connection["ways"] {
  const mode = modes.find((one) => one === written);
  if (mode === undefined) refuse(`"sslmode" (PGSSLMODE) must be one of ${modes.join(", ")}`);
  if (mode === "disable") return [false];
  const closed = { ...identityOf(said), ...verificationOf(mode, said) };
  if (mode === "allow") return [false, closed];
  return mode === "prefer" ? [closed, false] : [closed];
}

/** How the server proves who it is. */
function verificationOf(mode: (typeof modes)[number], said: Said): ConnectionOptions {
  const named = said("sslrootcert", "PGSSLROOTCERT");
  if (named === "system") {
    if (mode !== "verify-full") refuse('"sslrootcert=system" goes with sslmode=verify-full');
    return {};
  }
  const root = named ?? usual("root.crt");
  if (root === undefined && !mode.startsWith("verify")) return { rejectUnauthorized: false };
  // Whom the system trusts is not the same as whom one knows: without a name to hold it to, anybody's certificate would do.
  if (mode === "verify-ca" && root === undefined)
    refuse('"sslmode=verify-ca" needs the certificate of who signed the server\'s: "sslrootcert"');
  const trusted = root === undefined ? {} : { ca: contentOf("sslrootcert", root) };
  return mode === "verify-full" ? trusted : { ...trusted, checkServerIdentity: () => undefined };
}

/** How the user proves who they are, where that is by a certificate. */
function identityOf(said: Said): ConnectionOptions {
  const certificate = said("sslcert", "PGSSLCERT") ?? usual("postgresql.crt");
  if (certificate === undefined) return {};
  const key = said("sslkey", "PGSSLKEY") ?? usual("postgresql.key");
  if (key === undefined) refuse('"sslcert" needs its key: "sslkey"');
  return { cert: contentOf("sslcert", certificate), key: contentOf("sslkey", key) };
}

/** Where those tools look for what nobody names; undefined: there is none. */
function usual(name: string): string | undefined {
  const path =
    process.platform === "win32"
      ? join(process.env.APPDATA ?? homedir(), "postgresql", name)
      : join(homedir(), ".postgresql", name);
  return existsSync(path) ? path : undefined;
}

function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new EngineError("usage", `"${name}": cannot read ${path}: ${fileFault(cause)}`, { cause });
  }
}
