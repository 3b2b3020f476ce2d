/** What tells the two kinds of managed databases apart, as data (contract section 2.5; notes, section 5). */

export type KindName = "mysql" | "postgresql";

interface Replication {
  readonly choices: readonly string[];
  readonly default: string;
}

export interface Kind {
  readonly name: KindName;
  readonly port: number;
  /** The root user. */
  readonly username: string;
  /** The kind within host names. */
  readonly host: string;
  /** By cluster size: which replication is allowed, and which one is meant when none is given. */
  readonly replication: { readonly single: Replication; readonly available: Replication };
  /** The commit types that a replication type allows, where it does not allow all; absent: the kind has no commit types. */
  readonly commit?: {
    readonly default: string;
    readonly allowed: { readonly [replication: string]: readonly string[] };
  };
}

const single: Replication = { choices: ["none"], default: "none" };

export const kinds: readonly Kind[] = [
  {
    name: "mysql",
    port: 3306,
    username: "linroot",
    host: "mysql",
    replication: { single, available: { choices: ["asynch", "semi_synch"], default: "semi_synch" } },
  },
  {
    name: "postgresql",
    port: 5432,
    username: "linpostgres",
    host: "pgsql",
    replication: { single, available: { choices: ["asynch"], default: "asynch" } },
    commit: { default: "local", allowed: { asynch: ["local", "off"] } },
  },
];

/** The kind of that name; throws when there is none, which only a damaged account has. */
export function kindNamed(name: string): Kind {
  const found = kinds.find((kind) => kind.name === name);
  if (!found) throw new Error(`there is no kind of database called ${name}`);
  return found;
}
