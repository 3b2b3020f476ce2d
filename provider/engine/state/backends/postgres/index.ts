/** States in a PostgreSQL database, in a schema of their own. */

import pg from "pg";
import type { StateBackend } from "../../backend.ts";
import { keepable } from "../../names.ts";
import type { Machine } from "../../owner.ts";
import type { PostgresAddress } from "../address.ts";
import { noKeyStore } from "../no-key.ts";
import { pulumisPaths } from "../pulumis.ts";
import { openDatabase } from "./database.ts";
import { createStackStore } from "./stack.ts";

export interface PostgresOptions {
  readonly address: PostgresAddress;
  readonly machine: Machine;
  readonly now: () => Date;
}

/** Opens no connection yet. */
export function createPostgresBackend({ address, machine, now }: PostgresOptions): StateBackend {
  const database = openDatabase(address);
  const { schema } = database;
  const { lease, keep } = address;
  /** Of stacks that have a state, or a run's beginning of one. */
  const isKept = `(snapshot IS NOT NULL OR EXISTS (
    SELECT 1 FROM ${schema}.journal AS begun WHERE begun.project = stacks.project AND begun.stack = stacks.stack AND begun.journal = stacks.journal))`;
  const names = async (
    column: "project" | "stack",
    which: string,
    values: readonly unknown[],
  ): Promise<string[]> => {
    const rows = await database.ask(
      `SELECT DISTINCT ${column} AS name FROM ${schema}.stacks AS stacks WHERE ${isKept} ${which}`,
      values,
    );
    return (rows ?? []).map(({ name }) => String(name)).sort();
  };
  return {
    place: database.place,
    key: noKeyStore,
    stack: (project, stack) =>
      createStackStore(keepable("project", project), keepable("stack", stack), {
        ...{ database, machine, now, lease, keep },
      }),
    stacks: (project) => names("stack", "AND project = $1", [keepable("project", project)]),
    projects: () => names("project", "", []),
    async pulumis(project, stack) {
      const table = pg.escapeIdentifier(address.pulumisTable);
      // Pulumi takes the path of the address, which is the database's name, for a folder as well.
      const above = database.name();
      const paths = pulumisPaths(keepable("project", project), keepable("stack", stack)).map(
        (path) => `${above}/${path}`,
      );
      const found = await database.outside(`SELECT key FROM ${table} WHERE key = ANY($1)`, [paths]);
      return found.length === 0 ? undefined : `${database.place}, ${String(found[0]!["key"])}`;
    },
    close: database.close,
  };
}
