/** What holds for every test file: in CI, property tests draw the same values each time, so that a red run can be repeated. */

import fc from "fast-check";

if (process.env["CI"]) fc.configureGlobal({ seed: 20_261_121 });
