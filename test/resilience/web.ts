/** The story of the web example, step by step, as tests of trouble tell it again and again; and what a run leaves that nothing disturbs. */

import type { Engine, Result } from "../../provider/engine/engine.ts";
import { comparable, kept } from "../e2e/account.ts";
import { changed, edited, text } from "../e2e/web.ts";
import { openWorkbench, type Workbench } from "./workbench.ts";

export interface Step {
  readonly name: string;
  /** What happens before the step, behind the engine's back. */
  readonly before?: (bench: Workbench) => Promise<void> | void;
  readonly run: (engine: Engine) => Promise<Result>;
}

/** Somebody changes the wildcard record by hand. */
async function meddle({ emulator }: Workbench): Promise<void> {
  const record = kept(emulator, "domain_records").find(({ name }) => name === "*.sites");
  if (record === undefined) throw new Error("the example has no record *.sites");
  const answer = await fetch(`${emulator.baseUrl}/domains/${record["_domainId"]}/records/${record.id}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" },
    body: JSON.stringify({ target: "198.51.100.66" }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

export const story: readonly Step[] = [
  { name: "preview", run: (engine) => engine.preview() },
  { name: "up", run: (engine) => engine.up() },
  { name: "up, changed", before: ({ write }) => write(edited(...changed)), run: (engine) => engine.up() },
  { name: "drift", before: meddle, run: (engine) => engine.drift() },
  { name: "refresh", run: (engine) => engine.refresh() },
  { name: "up, repaired", run: (engine) => engine.up() },
  { name: "destroy", run: (engine) => engine.destroy() },
];

export interface Undisturbed {
  /** The account after each step. */
  readonly account: ReadonlyMap<string, unknown>;
  /** The operations that each step made (`POST /vpcs`). */
  readonly operations: ReadonlyMap<string, readonly string[]>;
}

/** Runs the story with nothing in its way. */
export async function undisturbed(): Promise<Undisturbed> {
  const account = new Map<string, unknown>();
  const operations = new Map<string, readonly string[]>();
  const bench = await openWorkbench(text);
  try {
    for (const { name, before, run } of story) {
      await before?.(bench);
      const made = { ...bench.emulator.stats().requests };
      const { result } = await bench.run(run);
      if (result !== "succeeded") throw new Error(`${name}: ${result}`);
      account.set(name, comparable(bench.emulator));
      const now = Object.entries(bench.emulator.stats().requests);
      operations.set(
        name,
        now.filter(([operation, count]) => count > (made[operation] ?? 0)).map(([operation]) => operation),
      );
    }
  } finally {
    await bench.close();
  }
  return { account, operations };
}
