/** The tables of our schema, and how each form of them becomes the next. Pure. */

/** What this version writes. */
export const format = 1;

/** The statements that lead from each form to the one after it, the first from an empty schema. */
export function migrations(schema: string): readonly (readonly string[])[] {
  const stack = "project text NOT NULL, stack text NOT NULL";
  return [
    [
      `CREATE TABLE ${schema}.format (number integer NOT NULL)`,
      // One row a stack: who holds it, renewed when by this server's clock, its snapshot, and which journal counts.
      `CREATE TABLE ${schema}.stacks (${stack}, owner jsonb, renewed timestamptz, snapshot bytea, journal integer NOT NULL DEFAULT 1, PRIMARY KEY (project, stack))`,
      `CREATE TABLE ${schema}.versions (${stack}, version integer NOT NULL, revision uuid NOT NULL, change jsonb NOT NULL, snapshot bytea NOT NULL, PRIMARY KEY (project, stack, version), UNIQUE (project, stack, revision))`,
      `CREATE TABLE ${schema}.journal (${stack}, journal integer NOT NULL, number integer NOT NULL, entry bytea NOT NULL, PRIMARY KEY (project, stack, journal, number))`,
      `CREATE TABLE ${schema}.aside (name text PRIMARY KEY, content bytea NOT NULL)`,
      `INSERT INTO ${schema}.format VALUES (1)`,
    ],
  ];
}
