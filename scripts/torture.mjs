/**
 * `npm run torture`: kills, breaks and damages runs of every kind at every point, and judges what they leave. Bundles the harness of test/torture.
 * Without arguments all of it, two processes at a time; `--bounded` the part of it that continuous integration has time for; `--write` puts the
 * counts of the last runs into docs/reference/features.md. `--backend s3` or `postgres`: kills over that store of states alone. A part alone: `npm run torture -- kill --engine embedded --seed 7 --every 10`.
 */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { hasKubernetes, outsideScripts } from "./bench-kubernetes.mjs";
import { ensurePulumi } from "./pulumi.mjs";
import { ensureStores } from "./stores.mjs";

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "test-results", "torture");
const outfile = join(folder, "main.mjs");
/** What is bundled from test/torture: the parts, and the process of a controller. */
const entries = ["main", "controller-process"];
/** The counts of every part as it ran last. */
const countsFile = join(root, "test-results", "torture.json");
const page = join(root, "docs", "reference", "features.md");

const families = ["dns", "networks", "machines", "databases", "monitoring", "objects", "kubernetes"];
/** Each part with its engine, and every so many-th of its points that the bounded run tries. The real engine's parts are tried family by family, as jobs of their own. */
const parts = [
  { part: "kill", engine: "pulumi", every: 45, byFamily: true },
  { part: "kill", engine: "plugin", every: 10, byFamily: true },
  { part: "kill", engine: "embedded", every: 9 },
  { part: "storm", engine: "embedded", every: 20 },
  { part: "faults", engine: "embedded", every: 25 },
  { part: "programs", engine: "embedded", every: 10 },
  { part: "programs", engine: "plugin", every: 40 },
  { part: "damage", engine: "embedded", every: 11 },
  { part: "files", engine: "embedded", every: 20 },
  { part: "requests", engine: "plugin", every: 10 },
  { part: "backend", engine: "s3", every: 60 },
  { part: "backend", engine: "postgres", every: 60 },
  { part: "controller", engine: "one", every: 61 },
  { part: "controller", engine: "two", every: 61 },
];
const kinds = ["lost", "doubled", "orphaned", "stuck", "silent", "unshown"];

const given = process.argv.slice(2);
const flags = new Set(["--bounded", "--write"]);
const wanted = given.filter((argument) => !flags.has(argument));
const isPart = given.some(
  (argument) =>
    argument === "--backend" || (!argument.startsWith("-") && parts.some(({ part }) => part === argument)),
);
const isAgain = given.includes("--again");

if (isPart || isAgain) {
  await prepare();
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(outfile).href);
} else if (given.length === 1 && given[0] === "--write") {
  write();
} else {
  process.exitCode = await whole();
}

/** The bundle, the plugin that the engine starts, and where the engine is. */
async function prepare() {
  if (process.env.PLUMBLINE_TORTURE_READY === "1") return;
  const pulumi = process.env.PLUMBLINE_TEST_PULUMI ?? (await ensurePulumi()).bin;
  if (pulumi !== undefined) process.env.PLUMBLINE_TEST_PULUMI = pulumi;
  const { s3 } = ensureStores();
  if (s3 !== undefined) process.env.PLUMBLINE_TEST_S3 = s3;
  const built = spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], {
    cwd: root,
    stdio: "inherit",
  });
  if (built.status !== 0) process.exit(built.status ?? 1);
  await build({
    absWorkingDir: root,
    entryPoints: entries.map((name) => join(root, "test", "torture", `${name}.ts`)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    plugins: [outsideScripts],
    platform: "node",
    target: "node20.18",
    format: "esm",
    sourcemap: "linked",
    logLevel: "warning",
  });
}

/** Every part, two processes at a time; the exit code. */
async function whole() {
  await prepare();
  if (process.env.PLUMBLINE_TEST_PULUMI === undefined)
    console.log("the real engine's parts are left out: there is no pulumi");
  if (!hasKubernetes) console.log("the controller's parts are left out: there is no API server");
  const isBounded = given.includes("--bounded");
  const jobs = parts
    .filter(({ part }) => part !== "controller" || hasKubernetes)
    .filter(({ byFamily }) => !byFamily || process.env.PLUMBLINE_TEST_PULUMI !== undefined)
    .flatMap((job) => (job.byFamily && !isBounded ? families.map((family) => ({ ...job, family })) : [job]));
  const began = Date.now();
  const results = [];
  const worker = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift())
      results.push(await run(job, isBounded));
  };
  await Promise.all([worker(), worker()]);
  const tallies = merged(results.flatMap(({ tallies }) => tallies));
  mkdirSync(folder, { recursive: true });
  writeFileSync(countsFile, `${JSON.stringify(tallies, null, 2)}\n`);
  console.log(`\n${table(tallies)}\n`);
  const failures = tallies.flatMap((tally) => tally.failures);
  for (const { kind, at, detail, repeat } of failures.slice(0, 50))
    console.log(`${kind}: ${at}: ${detail}\n  ${repeat}`);
  console.log(`${failures.length} failures in ${((Date.now() - began) / 60_000).toFixed(1)} minutes`);
  if (given.includes("--write")) write();
  return failures.length === 0 && results.every(({ code }) => code === 0) ? 0 : 1;
}

async function run({ part, engine, every, family }, isBounded) {
  const name = [part, engine, family].filter(Boolean).join("-");
  const file = join("test-results", "torture", `tallies-${name}.json`);
  const chosen = [part, "--engine", engine, ...(family ? ["--family", family] : [])];
  const args = [...chosen, ...(isBounded ? ["--every", String(every)] : []), ...wanted, "--tallies", file];
  const child = spawn(process.execPath, [join(root, "scripts", "torture.mjs"), ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PLUMBLINE_TORTURE_READY: "1" },
  });
  const code = await new Promise((settle) => child.once("exit", (status) => settle(status ?? 1)));
  const tallies = existsSync(join(root, file)) ? JSON.parse(readFileSync(join(root, file), "utf8")) : [];
  if (tallies.length === 0) console.error(`${name} ended with ${code} and left no counts`);
  return { code, tallies };
}

/** The families' counts of one part and engine as one. */
function merged(tallies) {
  const byName = new Map();
  for (const tally of tallies) {
    const name = `${tally.part} ${tally.engine}`;
    const known = byName.get(name);
    if (known === undefined) {
      byName.set(name, structuredClone(tally));
      continue;
    }
    known.points += tally.points;
    known.seconds += tally.seconds;
    known.failures.push(...tally.failures);
    for (const kind of kinds) known.counts[kind] += tally.counts[kind];
  }
  return [...byName.values()];
}

function table(tallies) {
  const of = ({ part, engine }) => parts.findIndex((one) => one.part === part && one.engine === engine);
  const rows = [...tallies]
    .sort((a, b) => of(a) - of(b))
    .map(
      ({ part, engine, points, counts }) =>
        `| ${[part, engine, points.toLocaleString("en"), ...kinds.map((kind) => counts[kind])].join(" | ")} |`,
    );
  return [
    `| part | engine | points | ${kinds.join(" | ")} |`,
    `| --- | --- | ---: | ${kinds.map(() => "---:").join(" | ")} |`,
    ...rows,
  ].join("\n");
}

/** Puts the table into the page. */
function write() {
  const text = readFileSync(page, "utf8");
  const tallies = JSON.parse(readFileSync(countsFile, "utf8"));
  const [begin, end] = ["<!-- torture:begin -->", "<!-- torture:end -->"];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the counts`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n${table(tallies)}\n${text.slice(to)}`);
}
