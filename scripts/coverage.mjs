/**
 * The record of what the tests really called (`schemas/coverage.json`), and all that is generated from it. `npm run coverage:record` runs the
 * tests in `test/provider`, which drive every type, function and verb in process, and writes it anew; with `-- TEST…` it runs only those and
 * adds what they call. `npm test` holds the record against its own run by the functions below.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");
const recordFile = join(root, "schemas", "coverage.json");

/** What the test files that were recorded into `folder` called: operation → reachers, in the contract's order, its own operations only. */
export function readCalls(folder) {
  const called = new Map();
  for (const name of readdirSync(folder)) {
    for (const [operation, reachers] of Object.entries(
      JSON.parse(readFileSync(join(folder, name), "utf8")),
    )) {
      called.set(operation, [...(called.get(operation) ?? []), ...reachers]);
    }
  }
  return inOrder(called);
}

/** Reachers sorted, operations in the contract's order, its own only. */
function inOrder(called) {
  const { paths } = JSON.parse(readFileSync(join(root, "schemas", "service.openapi.json"), "utf8"));
  const calls = {};
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, described] of Object.entries(item)) {
      const operation = `${method.toUpperCase()} ${path}`;
      if (described["x-supporting"] || !called.has(operation)) continue;
      calls[operation] = [...new Set(called.get(operation))].sort();
    }
  }
  return calls;
}

/** Both records as one. */
export function joined(record, calls) {
  const called = new Map(Object.entries(record));
  for (const [operation, by] of Object.entries(calls))
    called.set(operation, [...(called.get(operation) ?? []), ...by]);
  return inOrder(called);
}

export const readRecord = () => JSON.parse(readFileSync(recordFile, "utf8"));

/**
 * Holds a record against the calls of a whole run. `untrue`: what the record claims and the run does not bear out, as `GET /domains` or
 * `POST /domains by plumbline:dns:Domain create`. `untold`: operations that were called and are not in the record at all. Each write is its
 * caller's own, so every recorded one must be heard again; a read is often shared, and who sends it is a matter of moments, so there one
 * of its reachers is enough.
 */
export function judge(record, calls) {
  const untrue = Object.entries(record).flatMap(([operation, reachers]) => {
    const unheard = reachers.filter((by) => !calls[operation]?.includes(by));
    if (unheard.length === reachers.length) return [operation];
    return operation.startsWith("GET ") ? [] : unheard.map((by) => `${operation} by ${by}`);
  });
  const untold = Object.keys(calls).filter((operation) => !Object.hasOwn(record, operation));
  return { untrue, untold };
}

/** Runs tests with their calls recorded. Returns vitest's status and the calls. */
function record(tests) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-calls-"));
  try {
    const { status } = spawnSync(
      process.execPath,
      [join(root, "node_modules", "vitest", "vitest.mjs"), "run", ...tests],
      { cwd: root, stdio: "inherit", env: { ...process.env, PLUMBLINE_RECORD_CALLS: folder } },
    );
    return { status: status ?? 1, calls: readCalls(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const tests = process.argv.slice(2);
  const { status, calls } = record(tests.length > 0 ? tests : ["test/provider"]);
  if (status !== 0) {
    console.error("tests failed: the record is left as it was");
    process.exit(status);
  }
  const reached = tests.length > 0 ? joined(readRecord(), calls) : calls;
  writeFileSync(recordFile, `${JSON.stringify(reached, null, 2)}\n`);
  console.log(`schemas/coverage.json: ${Object.keys(reached).length} operations`);
  const generated = spawnSync(process.execPath, [join(root, "scripts", "generate.mjs")], {
    cwd: root,
    stdio: "inherit",
  });
  process.exitCode = generated.status ?? 1;
}
