/** A day of a team of three, over each backend that a team shares: the account and every exit code are as the guide says. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Kind } from "../deploy/forge.ts";
import { hasPostgres, startPostgres } from "../engine/state/backends/postgres-server.ts";
import { hasS3, startS3 } from "../engine/state/backends/s3-server.ts";
import { playDay, type Step } from "./day.ts";

const guide = readFileSync(resolve(import.meta.dirname, "../../docs/guides/team.md"), "utf8");

/** Rows `| what | code | … |`, in their order. */
const told: Step[] = [...guide.matchAll(/^\| `(.+?)` \| (\d+|killed) \|/gm)].map(([, what, code]) => ({
  what: what!,
  code: code === "killed" ? null : Number(code),
}));

/** A folder of the test's. */
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "plumbline-day-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

interface Backend {
  readonly kind: Kind;
  readonly open: () => Promise<{ readonly [name: string]: string }>;
}

const backends: { readonly [name: string]: Backend } = {
  "a folder that all machines share, on GitHub": {
    kind: "github",
    open: async () => ({ PLUMBLINE_STATE: folder() }),
  },
  ...(hasS3 && {
    "S3, on GitLab": {
      kind: "gitlab",
      async open() {
        const server = await startS3();
        onTestFinished(server.close);
        return { ...server.environment, PLUMBLINE_STATE: server.address() };
      },
    },
  }),
  ...(hasPostgres && {
    "PostgreSQL, on GitHub": {
      kind: "github",
      async open() {
        const server = await startPostgres();
        onTestFinished(server.close);
        return { ...server.environment, PLUMBLINE_STATE: server.address() };
      },
    },
  }),
};

it.each(Object.entries(backends))(
  "is as the guide tells it, over %s",
  { timeout: 900_000 },
  async (_, { kind, open }) => {
    const policies = join(folder(), "rules.yaml");
    writeFileSync(policies, "rules:\n  public-bucket: mandatory\n");
    const steps = await playDay({ kind, backend: await open(), policies });
    expect(steps).toEqual(told);
  },
);
