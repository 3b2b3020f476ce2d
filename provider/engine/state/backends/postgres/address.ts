/** The address of a database, as PostgreSQL's own tools read it: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?…`. Opens nothing. */

import { usualLease } from "../lease.ts";
import { numberOf, type Parameters, type Rest, refuse, usualKeep } from "../parameters.ts";

export interface PostgresAddress {
  readonly kind: "postgres";
  /** What the address itself says; the environment has the rest. A host that begins with `/` is the folder of a socket. */
  readonly given: Given;
  /** Without a password, for messages. */
  readonly place: string;
  /** Absent: the environment has it, a password file, or nobody. */
  readonly password?: string;
  /** Those of PostgreSQL's own tools (`sslmode`, `connect_timeout`, …). */
  readonly parameters: Parameters;
  readonly schema: string;
  /** Where Pulumi keeps its states in the same database. */
  readonly pulumisTable: string;
  /** Seconds. */
  readonly lease: number;
  /** How many versions of a state are kept. */
  readonly keep: number;
}

export interface Given {
  readonly host?: string;
  readonly port?: string;
  readonly user?: string;
  readonly database?: string;
}

const ours = ["schema", "lease", "keep"];

/** The parameters that it knows. */
export const postgresKnows = [
  ...["sslmode", "sslrootcert", "sslcert", "sslkey", "host", "port", "user", "password", "dbname"],
  ...["passfile", "application_name", "options", "connect_timeout", ...ours],
];

/** Those of Pulumi alone; the last is how its client is told to read an address as PostgreSQL's own tools do, as it is read here anyway. */
export const postgresPulumis = ["table", "uselibpqcompat"];

const known = new Set([...postgresKnows, ...postgresPulumis]);

const form = "an address of PostgreSQL reads postgres://USER@HOST:PORT/DATABASE";

/** Refuses what may have a piece of a password where none is looked for. `whole` is what stands behind `://`. */
export function refusePieces(whole: string): void {
  const [, authority = "", rest = ""] = /^([^/?#]*)(.*)$/s.exec(whole) ?? [];
  const isUser = !/[@:]/.test(authority) && !rest.includes("#");
  if ((!rest.includes("@") || isUser) && !rest.includes("#") && !isCutByAmpersand(rest)) return;
  refuse(
    `${form}, and in its user and password "/", "?", "#", "@", "&" and "%" are written %2F, %3F, %23, %40, %26 and %25; or leave the password to PGPASSWORD or a password file`,
  );
}

/** True: behind the parameter `password` stands what is no parameter, and may be its end. */
function isCutByAmpersand(rest: string): boolean {
  const [, query = ""] = rest.split(/\?(.*)/s, 2);
  const names = query.split("&").map((each) => each.split("=", 1)[0]!);
  const at = names.indexOf("password");
  return at >= 0 && names.slice(at + 1).some((name) => name !== "" && !known.has(name));
}

/** Needs an address that `refusePieces` lets pass. */
export function postgresOf({ place: whole, parameters }: Rest): PostgresAddress {
  const [, authority = "", path = ""] = /^([^/]*)\/?(.*)$/s.exec(whole) ?? [];
  const cut = authority.lastIndexOf("@");
  const [, user = "", , word = ""] = /^([^:]*)(:(.*))?$/s.exec(authority.slice(0, Math.max(cut, 0))) ?? [];
  const where = /^(\[[0-9A-Fa-f:.]+\]|[^:\s[\]]*)(?::(\d*))?$/.exec(authority.slice(cut + 1));
  if (where === null) refuse(form);
  const found = {
    host: parameters.get("host") || decoded(where[1]!.replace(/^\[|\]$/g, "")),
    port: parameters.get("port") || where[2],
    user: parameters.get("user") || decoded(user),
    database: parameters.get("dbname") || decoded(path),
  };
  if (found.host.includes(",")) refuse("an address of PostgreSQL names one host");
  const given = Object.fromEntries(Object.entries(found).filter(([, text]) => text)) as Given;
  const password = parameters.get("password") || decoded(word);
  const schema = parameters.get("schema") ?? "plumbline";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    refuse('the schema may have small letters, digits and "_", and begins with no digit');
  return {
    kind: "postgres",
    ...{ given, schema, parameters },
    place: placeOf(given),
    pulumisTable: parameters.get("table") || "pulumi_state",
    lease: numberOf(parameters, "lease", usualLease),
    keep: numberOf(parameters, "keep", usualKeep),
    ...(password ? { password } : {}),
  };
}

function placeOf({ host = "", port, user, database = "" }: Given): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `postgres://${user === undefined ? "" : `${user}@`}${name}${port === undefined ? "" : `:${port}`}/${database}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse(
      'an address of PostgreSQL has a "%" that begins no character: "%" itself is written %25, in a password, too',
    );
  }
}
