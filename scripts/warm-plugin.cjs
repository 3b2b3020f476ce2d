/** Runs the plugin exactly as its launcher does, until it is told to write the code cache into the file it was given. */
"use strict";

const { renameSync, writeFileSync } = require("node:fs");
const { compile, run } = require("../bin/pulumi-resource-plumbline");

const file = process.argv[2];
const compiled = compile();
run(compiled);

process.on("message", () => {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, compiled.script.createCachedData());
  renameSync(fresh, file);
  process.exit(0);
});

// A build that failed elsewhere is gone without a word, and nobody else would ever end this process.
process.on("disconnect", () => process.exit(1));
