/** The places that a team shares its states in, each on a real server; those whose server is not on this machine are left out. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { hasPostgres, startPostgres } from "./engine/state/backends/postgres-server.ts";
import { hasS3, startS3 } from "./engine/state/backends/s3-server.ts";

/** What everybody who shares the place has in the environment; it is there as long as the test. */
export type Environment = Readonly<Record<string, string>> & { readonly PLUMBLINE_STATE: string };

export type StoreName = "a folder" | "S3" | "PostgreSQL";

/** A folder of the test's. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "plumbline-team-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function of(start: typeof startS3 | typeof startPostgres): Promise<Environment> {
  const server = await start();
  onTestFinished(server.close);
  return { ...server.environment, PLUMBLINE_STATE: server.address() };
}

export const stores: Readonly<Partial<Record<StoreName, () => Promise<Environment>>>> = {
  "a folder": async () => ({ PLUMBLINE_STATE: folder() }),
  ...(hasS3 && { S3: () => of(startS3) }),
  ...(hasPostgres && { PostgreSQL: () => of(startPostgres) }),
};
