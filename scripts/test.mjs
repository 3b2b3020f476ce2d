/**
 * `npm test`: builds, gets Pulumi, and Python and Go for its SDKs, ready where they can be had, runs every test, holds the record of reached operations against what the
 * tests really called, and ends with a plain count.
 * Arguments are handed to vitest (`npm test -- test/core`). PLUMBLINE_REQUIRE_PULUMI=1 makes a missing one of these a failure, and
 * PLUMBLINE_REQUIRE_BROWSER=1 a missing browser, PLUMBLINE_REQUIRE_SHELLS=1 a missing zsh, fish, script or curl, PLUMBLINE_REQUIRE_STORES=1 a missing server for states, PLUMBLINE_REQUIRE_KUBERNETES=1 a missing API server. `--quick` leaves
 * out Pulumi's tests, and those that are long (`npm run test:quick`).
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { judge, readCalls, readRecord } from "./coverage.mjs";
import { ensureKubernetes } from "./kubernetes.mjs";
import { ensureGo, ensurePython } from "./languages.mjs";
import { findBrowser, findProgram } from "./programs.mjs";
import { ensurePulumi } from "./pulumi.mjs";
import { ensureStores } from "./stores.mjs";

const root = resolve(import.meta.dirname, "..");
const reportFile = join(root, "test-results", "report.json");
const callsFolder = join(root, "test-results", "calls");

const isQuick = process.argv.includes("--quick");
const given = process.argv.slice(2).filter((argument) => argument !== "--quick");
const pulumi = isQuick ? { reason: "this is the quick run" } : await ensurePulumi();
if (isQuick) {
  delete process.env.PLUMBLINE_TEST_PULUMI;
  process.env.PLUMBLINE_WITHOUT_PULUMI = "1";
}
if (pulumi.bin === undefined) {
  console.log(`Pulumi tests are left out: ${pulumi.reason}`);
  if (process.env.PLUMBLINE_REQUIRE_PULUMI === "1") process.exit(1);
} else {
  console.log(`Pulumi tests run with ${join(pulumi.bin, "pulumi")}`);
}

if (findBrowser() === undefined) {
  console.log(
    "Tests of pages in a browser are left out (the emulator's, the site's, plans): no chromium is on the PATH",
  );
  if (process.env.PLUMBLINE_REQUIRE_BROWSER === "1") process.exit(1);
}

const shells = ["zsh", "fish"].filter((name) => findProgram(name) === undefined);
if (shells.length > 0) {
  console.log(`Tests of what shells complete are left out for ${shells.join(" and ")}: not on the PATH`);
  if (process.env.PLUMBLINE_REQUIRE_SHELLS === "1") process.exit(1);
}

const walking = ["script", "curl"].filter((name) => findProgram(name) === undefined);
if (walking.length > 0) {
  console.log(`Tests of the guides are left out: no ${walking.join(" and no ")} on the PATH`);
  if (process.env.PLUMBLINE_REQUIRE_SHELLS === "1") process.exit(1);
}

const { reasons: storeless } = isQuick ? { reasons: [] } : ensureStores();
for (const reason of storeless) console.log(`Tests of states on a real server are left out: ${reason}`);
if (storeless.length > 0 && process.env.PLUMBLINE_REQUIRE_STORES === "1") process.exit(1);

const { reason: clusterless } = isQuick ? {} : ensureKubernetes();
if (clusterless !== undefined) {
  console.log(`Tests of the kinds for Kubernetes on a real API server are left out: ${clusterless}`);
  if (process.env.PLUMBLINE_REQUIRE_KUBERNETES === "1") process.exit(1);
}

const pythonless = isQuick ? undefined : ensurePython();
if (pythonless !== undefined) {
  console.log(`Tests of programs in Python and of its SDK are left out: ${pythonless}`);
  if (process.env.PLUMBLINE_REQUIRE_PULUMI === "1") process.exit(1);
}

const goless = pulumi.bin === undefined ? undefined : ensureGo();
if (goless !== undefined) {
  console.log(`Tests of the SDK for Go are left out: ${goless}`);
  if (process.env.PLUMBLINE_REQUIRE_PULUMI === "1") process.exit(1);
}

const built = spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], {
  cwd: root,
  stdio: "inherit",
});
if (built.status !== 0) process.exit(built.status ?? 1);

mkdirSync(join(root, "test-results"), { recursive: true });
rmSync(reportFile, { force: true });
rmSync(callsFolder, { recursive: true, force: true });
mkdirSync(callsFolder);
const before = untracked();
const run = spawnSync(
  process.execPath,
  [
    join(root, "node_modules", "vitest", "vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportFile}`,
    ...given,
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      PLUMBLINE_RECORD_CALLS: callsFolder,
      ...(isQuick ? { PLUMBLINE_QUICK_TESTS: "1" } : {}),
      ...(pulumi.bin === undefined ? {} : { PLUMBLINE_TEST_PULUMI: pulumi.bin }),
    },
  },
);

let report;
try {
  report = JSON.parse(readFileSync(reportFile, "utf8"));
} catch (error) {
  console.error(`the test runner left no report: ${error.message}`);
  process.exit(run.status || 1);
}
// A file that cannot be loaded has no test of its own in the report, yet it has failed.
const brokenFiles = report.testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
).length;
const failed = report.numFailedTests + brokenFiles;
const skipped = report.numPendingTests + (report.numTodoTests ?? 0);
// A part of the tests cannot tell what all of them reach.
const isWhole = !isQuick && given.length === 0;
const untrue = isWhole ? tellCoverage() : [];
const litter = untracked().filter((file) => !before.includes(file));
for (const file of litter) console.error(`${file}: a test left this in the clone`);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${report.numPassedTests} passed, ${failed} failed`);
const isGreen =
  run.status === 0 && failed === 0 && report.numPassedTests > 0 && untrue.length + litter.length === 0;
process.exit(isGreen ? 0 : run.status || 1);

/** What lies among the sources and is not of them; nothing where this is no clone. */
function untracked() {
  const folders = ["deploy", "docs", "emulator", "examples", "provider", "schemas", "scripts", "sdk", "test"];
  const { status, stdout } = spawnSync("git", ["ls-files", "--others", "--directory", "--", ...folders], {
    cwd: root,
    encoding: "utf8",
  });
  return status === 0 ? stdout.split("\n").filter((file) => file !== "") : [];
}

/** Says where the record of reached operations differs from this run; returns what it claims wrongly. */
function tellCoverage() {
  const { untrue, untold } = judge(readRecord(), readCalls(callsFolder));
  for (const claim of untrue)
    console.error(`${claim}: is in schemas/coverage.json, but no test reached it so`);
  for (const operation of untold) console.log(`${operation}: is reached, but not in schemas/coverage.json`);
  if (untrue.length + untold.length > 0) console.log("`npm run coverage:record` writes down what is reached");
  return untrue;
}
