/** Preloaded into a process that is measured: at its end it writes the CPU that it took, in seconds, into a file. */
"use strict";

const { writeFileSync } = require("node:fs");

const file = process.env.PLUMBLINE_BENCH_CPU;
if (file) {
  process.once("exit", () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(file, String((user + system) / 1e6));
  });
}
