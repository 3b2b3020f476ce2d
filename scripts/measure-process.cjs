/** Preloaded into a process that is measured: at its end it writes into a file what it took. */
"use strict";

const { writeFileSync } = require("node:fs");

const file = process.env.PLUMBLINE_BENCH_COSTS;
if (file) {
  process.once("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    writeFileSync(
      file,
      JSON.stringify({ seconds: (userCPUTime + systemCPUTime) / 1e6, mebibytes: maxRSS / 1024 }),
    );
  });
}
