/** What a controller of 1,200 objects in two Accounts costs; `npm run bench` has 10,000. */

import { expect, it } from "vitest";
import { hasKubernetes } from "../cluster.ts";
import { measureEstate } from "../estate.ts";

it.skipIf(!hasKubernetes)(
  "sweeps by pages, writes no status where nothing moved, brings a change about at once, and adopts what is there without a write",
  { timeout: 400_000 },
  async () => {
    const { cold, sweep, change, mebibytes } = await measureEstate({ domains: 1, records: 600 });
    expect(cold.writes).toBe(0);
    // Of each Account: who it is; its domain and two pages of records, which are believed for 30 s.
    expect(cold.requests).toBeLessThanOrEqual(2 * (1 + 3 * (1 + Math.ceil(cold.seconds / 30))));
    // One of them may be asked for by itself.
    expect(sweep.requests).toBeLessThanOrEqual(2 * 4);
    expect(sweep.statusWrites).toBe(0);
    // A machine that does other things, too, takes longer; the benchmark has a second.
    expect(change).toBeLessThan(3_000);
    expect(mebibytes).toBeLessThan(500);
  },
);
