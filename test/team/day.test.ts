/** A day of a team of three, over each backend that a team shares: the account and every exit code are as the guide says. */

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import type { Kind } from "../deploy/forge.ts";
import { folder, type StoreName, stores } from "../stores.ts";
import { playDay, type Step } from "./day.ts";

const guide = readFileSync(resolve(import.meta.dirname, "../../docs/guides/team.md"), "utf8");

/** Rows `| what | code | … |`, in their order. */
const told: Step[] = [...guide.matchAll(/^\| `(.+?)` \| (\d+|killed) \|/gm)].map(([, what, code]) => ({
  what: what!,
  code: code === "killed" ? null : Number(code),
}));

const places: Readonly<Record<StoreName, [title: string, kind: Kind]>> = {
  "a folder": ["a folder that all machines share, on GitHub", "github"],
  S3: ["S3, on GitLab", "gitlab"],
  PostgreSQL: ["PostgreSQL, on GitHub", "github"],
};

/** The day is long: a folder stands in only where a server is missing. */
const played = Object.entries(stores).filter(
  ([name]) => name !== "a folder" || !stores.S3 || !stores.PostgreSQL,
);

it.each(played.map(([name, open]) => [...places[name as StoreName], open] as const))(
  "is as the guide tells it, over %s",
  { timeout: 900_000 },
  async (_, kind, open) => {
    const policies = join(folder(), "rules.yaml");
    writeFileSync(policies, "rules:\n  public-bucket: mandatory\n");
    const steps = await playDay({ kind, backend: await open(), policies });
    expect(steps).toEqual(told);
  },
);
