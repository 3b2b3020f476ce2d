/** What holds for every test file: in CI, property tests draw the same values each time, so that a red run can be repeated; calls are recorded when asked for. */

import fc from "fast-check";
import { recordCalls } from "./recorder.ts";

if (process.env["CI"]) fc.configureGlobal({ seed: 20_261_121 });

const folder = process.env["PLUMBLINE_RECORD_CALLS"];
if (folder) recordCalls(folder);
