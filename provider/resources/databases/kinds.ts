/** What tells the two kinds of managed databases apart, as data (contract section 2.5). Knows no service. */

import { choice, optional } from "../../core/type/field.ts";

export interface Kind {
  /** In paths and in ids of engines. */
  readonly name: "mysql" | "postgresql";
  /** Name of the resource type. */
  readonly type: "MySqlInstance" | "PostgreSqlInstance";
  /** For people. */
  readonly title: string;
  /** An engine, for descriptions. */
  readonly example: string;
  /** Replication types that one node and three nodes may have; the service's choice when left out comes last. */
  readonly replication: { readonly single: readonly string[]; readonly available: readonly string[] };
  /** Replication types with which only some commit types go, the default among them. */
  readonly commit?: { readonly [replicationType: string]: readonly string[] };
}

export const mysql: Kind = {
  name: "mysql",
  type: "MySqlInstance",
  title: "MySQL",
  example: "mysql/8.0.30",
  replication: { single: ["none"], available: ["asynch", "semi_synch"] },
};

export const postgresql: Kind = {
  name: "postgresql",
  type: "PostgreSqlInstance",
  title: "PostgreSQL",
  example: "postgresql/14.6",
  replication: { single: ["none"], available: ["asynch"] },
  commit: { asynch: ["local", "off"] },
};

export const kindNames = ["mysql", "postgresql"] as const;

/** The input that only PostgreSQL has. */
export const commitType = {
  replicationCommitType: optional(
    choice(["on", "local", "remote_write", "remote_apply", "off"], {
      description: "When a commit counts as done. With replication only `local` or `off`. Default: `local`.",
      immutable: true,
      default: "local",
    }),
  ),
};
