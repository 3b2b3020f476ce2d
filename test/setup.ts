/** What holds for every test file: property tests draw by a seed that a failure tells, in CI the same each time; calls are recorded when asked for. */

import fc from "fast-check";
import { afterAll, beforeEach } from "vitest";
import { removeFolders } from "./folders.ts";
import { recordCalls } from "./recorder.ts";

const given = process.env["PLUMBLINE_TEST_SEED"] ?? (process.env["CI"] && "20261121");
const seed = given ? Number(given) : Math.trunc(Math.random() * 2 ** 31);
fc.configureGlobal({ seed });

// Fast-check names the seed of a property that fails, but not of one that takes too long.
beforeEach(({ onTestFailed }) => {
  onTestFailed(({ task }) => {
    process.stderr.write(`${task.name}: PLUMBLINE_TEST_SEED=${seed} draws the same values again\n`);
  });
});

afterAll(removeFolders);

const folder = process.env["PLUMBLINE_RECORD_CALLS"];
if (folder) recordCalls(folder);
