/** Compares the account with the file that keeps it: what an area changes behind the back of its collection is missing there. */

import { expect } from "vitest";
import { readDataFile } from "../../emulator/account/account-file.ts";
import type { Emulator } from "../../emulator/index.ts";

/** Fails unless the data file, appended change by change, is the account as it is. */
export async function expectKept(emulator: Emulator, data: string): Promise<void> {
  // A control request is answered when everything before it is kept, what time changed too.
  const answer = await fetch(new URL("/_emulator/advance", emulator.baseUrl), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"seconds": 0}',
  });
  expect(answer.status).toBe(200);
  expect(comparable(readDataFile(data))).toEqual(comparable(emulator.data()));
}

/** An account without what a file need not tell: collections that are empty, and where they begin to count. */
function comparable(account: unknown): object {
  const {
    counters: _counters,
    collections,
    jobs,
    ...others
  } = JSON.parse(JSON.stringify(account)) as {
    [name: string]: object;
  };
  const byId = (list: { id: number }[]) => list.toSorted((a, b) => a.id - b.id);
  const full = Object.entries(collections as { [name: string]: { id: number }[] }).filter(
    ([, items]) => items.length > 0,
  );
  return {
    ...others,
    jobs: byId(jobs as { id: number }[]),
    collections: Object.fromEntries(full.map(([name, items]) => [name, byId(items)])),
  };
}
