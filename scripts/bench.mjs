/**
 * `npm run bench`: what each operation costs in requests, under both engines, and how times relate. Writes the table in README.md.
 * With `--check` it writes nothing, leaves out what takes long, and exits 1 naming each figure that is over its bound. With `--fleet` it measures
 * the controller alone, and writes the tables of the guide to capacity.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { exampleStack, hasTerminals, openDesk, wholeZoneStack, zoneStack } from "./bench-desk.mjs";
import { writeFleet } from "./bench-fleet.mjs";
import { hasKubernetes, measureController } from "./bench-kubernetes.mjs";
import { projectText } from "./bench-program.mjs";
import { hasStore, openStore } from "./bench-store.mjs";
import { measureStart } from "./measure-start.mjs";
import { ensurePulumi } from "./pulumi.mjs";

if (process.argv.includes("--fleet")) {
  await writeFleet();
  process.exit();
}

const isCheck = process.argv.includes("--check");
const readme = join(resolve(import.meta.dirname, ".."), "README.md");

const preview = [["preview"], ["preview"]];
const up = [
  ["up", "-y"],
  ["up", "--yes"],
];
const refresh = [["refresh"], ["refresh", "--yes", "--skip-preview"]];
const drift = [["drift"], ["refresh", "--preview-only"]];
const destroy = [
  ["destroy", "-y"],
  ["destroy", "--yes", "--skip-preview"],
];

/** For what takes Pulumi too long. */
const embeddedOnly = (run) => run.slice(0, 1);

/**
 * Requests by operation, in the order in which they run: the command under either engine, and the most requests that it may make
 * (embedded, under Pulumi). A row's `file` is written before it; one with an `example` begins in an account and a stack of its own. `slow` rows are left out of a check under Pulumi. Where lists are read
 * the bounds have room for one that a busy machine asks for twice. A run that read nothing asks whose account it is before its first write,
 * and a plugin, which Pulumi starts anew for the preview and for the update, asks when it is configured and before it creates.
 */
const operations = {
  "examples/web (21 resources)": [
    { what: "preview", run: preview, most: [4, 5], file: () => exampleStack("web") },
    { what: "up, with its preview", run: up, most: [27, 30] },
    { what: "up again: nothing to do", run: up, most: [0, 0] },
    { what: "refresh", run: refresh, most: [7, 9] },
    { what: "drift", run: drift, most: [7, 9] },
    { what: "destroy", run: destroy, most: [9, 27] },
  ],
  "one zone, 1,000 records": [
    { what: "preview", run: preview, most: [2, 2], slow: true, file: () => zoneStack(1000) },
    { what: "up, with its preview", run: up, most: [1005, 1007] },
    { what: "preview again: nothing to do", run: preview, most: [0, 0], slow: true },
    { what: "refresh", run: refresh, most: [6, 12] },
    {
      what: "preview of 1,000 records more",
      run: preview,
      most: [6, 6],
      slow: true,
      file: () => zoneStack(1000, { extra: 1000 }),
    },
    {
      what: "up, one record changed",
      run: up,
      most: [6, 6],
      slow: true,
      file: () => zoneStack(1000, { shift: 5000 }),
    },
    { what: "destroy: the records go with their domain", run: destroy, most: [3, 1003], slow: true },
  ],
  "one zone, 12,000 records (embedded only)": [
    {
      what: "up, with its preview",
      run: embeddedOnly(up),
      most: [12_005, 12_005],
      slow: true,
      file: () => zoneStack(12_000),
    },
    { what: "refresh", run: embeddedOnly(refresh), most: [27, 27], slow: true },
    { what: "destroy", run: embeddedOnly(destroy), most: [3, 3], slow: true },
  ],
  "one Zone of 5,000 records": [
    {
      what: "up, with its preview",
      run: up,
      most: [5015, 5015],
      slow: true,
      file: () => wholeZoneStack(5000),
    },
    { what: "up again: nothing to do", run: up, most: [0, 0], slow: true },
    { what: "refresh", run: refresh, most: [13, 13], slow: true },
    {
      what: "up, 40 records changed",
      run: up,
      most: [70, 70],
      slow: true,
      file: () => wholeZoneStack(5000, { moved: 40 }),
    },
  ],
  "the other examples": [
    ...life("database", { up: [21, 23], refresh: 9, destroy: [8, 7] }),
    ...life("kubernetes", { up: [17, 18], refresh: 8, destroy: [7, 6] }),
    ...life("object-storage", { up: [30, 31], refresh: 9, destroy: [13, 14] }),
    ...life("monitoring", { up: [14, 16], again: 2, refresh: 6, destroy: [8, 8] }),
    ...life("stackscript", { up: [5, 7], again: 2, refresh: 3, destroy: [3, 3] }),
  ],
};

/** An example's life, and the most requests that each part of it may make, in either engine or one figure for each; `again` where functions are asked each time. */
function life(example, most) {
  const rows = [
    { what: "up, with its preview", run: up, bound: most.up, example, file: () => exampleStack(example) },
    { what: "up again: nothing to do", run: up, bound: most.again ?? 0 },
    { what: "refresh", run: refresh, bound: most.refresh },
    { what: "destroy", run: destroy, bound: most.destroy },
  ];
  return rows.map(({ what, bound, ...row }) => ({
    ...row,
    what: `${example}: ${what}`,
    most: [bound].flat().length === 2 ? bound : [bound, bound],
  }));
}

/** The service's own limits under which an `up` of 1,000 records and their domain ends at best after that many seconds (notes, section 1.7). */
const underLimits = { records: 1000, seconds: 120 };

/** Times, as ratios, and other costs; and the most that each may be. */
const ratios = [
  { what: "start of the plugin to its first answer, to `node -e 0`", most: 2.5, measure: startRatio },
  { what: "`up` of 200 records, embedded to Pulumi", most: 0.8, measure: engineRatio, needsPulumi: true },
  {
    what: "`up` of a program of 1,000 records, with its preview, embedded to Pulumi by its Automation API",
    most: 0.033,
    measure: (bin) => programRatio(bin, 0),
    needsPulumi: true,
    slow: true,
  },
  {
    what: "the same program again: nothing to do",
    most: 0.25,
    measure: (bin) => programRatio(bin, 1),
    needsPulumi: true,
    slow: true,
  },
  { what: "time per record of an embedded `up`, 2,000 records to 200", most: 1.5, measure: growth },
  { what: "CPU of an empty preview, 10,000 records to 1,000", most: 6, measure: growthOfPreview },
  {
    what: "CPU of an `up` of 1,000 records in a terminal, to a pipe",
    most: 1.3,
    measure: () => terminalRatio(1000, 3),
    needsTerminal: true,
  },
  {
    what: "CPU of an `up` of 10,000 records in a terminal, to a pipe",
    most: 1.3,
    measure: () => terminalRatio(10_000, 1),
    needsTerminal: true,
  },
  { what: "memory of an empty preview of 10,000 records, in MiB", most: 400, measure: memoryOfPreview },
  {
    what: "`up` of 1,000 records under the standard limits, to their own time",
    most: 1.2,
    measure: timeUnderLimits,
  },
  { what: "requests of it that were refused (429)", most: 2, measure: refusedUnderLimits },
  {
    what: "`up` of 1,000 records, its state in S3 with 20 ms to each answer, to one in a folder",
    most: 2,
    measure: storeRatio,
    needsStore: true,
  },
  ...[
    { what: "requests of a sweep", most: 35, measure: ({ sweep }) => sweep.requests },
    {
      what: "writes of statuses in it, where nothing moved",
      most: 0,
      measure: ({ sweep }) => sweep.statusWrites,
    },
    {
      what: "requests until all are Ready, where they are there already",
      most: 120,
      measure: ({ cold }) => cold.requests,
    },
    { what: "writes to the service until then", most: 0, measure: ({ cold }) => cold.writes },
    {
      what: "a change reaches the service while a sweep runs, in seconds",
      most: 1,
      measure: ({ change }) => change / 1000,
    },
    { what: "memory, in MiB", most: 500, measure: ({ mebibytes }) => mebibytes },
  ].map(({ what, most, measure }) => ({
    ...{ what: `controller of 10,000 Records of 10 domains in 2 Accounts: ${what}`, most },
    ...{ measure: async () => measure(await measureController()), needsKubernetes: true, slow: true },
  })),
];

const engines = ["embedded", "under Pulumi"];

/** Runs one stack's operations under one engine; the requests of each, undefined for those left out. */
async function count(rows, engine, bin) {
  const open = ({ file, example }) =>
    openDesk(file(), { ...(engine === 1 && { bin }), ...(example && { example }) });
  let desk = await open(rows[0]);
  try {
    const counts = [];
    for (const [at, row] of rows.entries()) {
      const { what, run, slow, file } = row;
      if (at > 0 && row.example) {
        await desk.close();
        desk = await open(row);
      }
      if (file) desk.write(file());
      const isLeftOut = run[engine] === undefined || (isCheck && slow && engine === 1);
      counts.push(isLeftOut ? undefined : await desk.requests(...run[engine]));
      if (!isLeftOut) console.error(`  ${engines[engine]}, ${what}: ${counts.at(-1)}`);
    }
    return counts;
  } finally {
    await desk.close();
  }
}

async function startRatio() {
  return (await measureStart(isCheck ? 9 : 15)).ratio;
}

const upAtOnce = [
  ["up", "-y", "--skip-preview"],
  ["up", "--yes", "--skip-preview"],
];

async function engineRatio(bin) {
  const seconds = [];
  for (const engine of [0, 1]) {
    const desk = await openDesk(zoneStack(200), engine === 0 ? {} : { bin, withCheckpoints: true });
    try {
      seconds.push(await desk.seconds(...upAtOnce[engine]));
    } finally {
      await desk.close();
    }
  }
  return seconds[0] / seconds[1];
}

/** What a program's first `up` and its second take in seconds, with their previews. */
async function programSeconds(engine = {}) {
  const desk = await openDesk(projectText(), { ...engine, program: 1000 });
  try {
    return await desk.programSeconds();
  } finally {
    await desk.close();
  }
}

/** The best of each so far, and under Pulumi, which takes minutes and spares itself the start of Node. */
const ofProgram = { least: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] };

/** The seconds of a program's first `up` (0) or its second (1) to those under Pulumi: the best of three, for others use the machine too. */
async function programRatio(bin, which) {
  for (let time = 0; time < 3; time += 1) {
    const seconds = await programSeconds();
    ofProgram.least = ofProgram.least.map((least, at) => Math.min(least, seconds[at]));
  }
  ofProgram.slow ??= await programSeconds({ bin, withCheckpoints: true });
  const shown = (all) => all.map((each) => each.toFixed(2)).join(" and ");
  console.error(`  seconds: ${shown(ofProgram.least)}, under Pulumi ${shown(ofProgram.slow)}`);
  return ofProgram.least[which] / ofProgram.slow[which];
}

/** The embedded engine's own seconds for an `up` of that many records: the best of some, for others use the machine too. */
async function secondsFor(records, times, environment = {}) {
  const desk = await openDesk(zoneStack(records), { environment });
  try {
    let best = Number.POSITIVE_INFINITY;
    for (let time = 0; time < times; time += 1) {
      const lines = (await desk.command(...upAtOnce[0], "--json")).trim().split("\n");
      best = Math.min(best, JSON.parse(lines.at(-1)).seconds);
      if (time + 1 < times) await desk.command("destroy", "-y");
    }
    return best;
  } finally {
    await desk.close();
  }
}

async function storeRatio() {
  const store = await openStore(20);
  try {
    const far = await secondsFor(1000, 3, store.environment);
    return far / (await secondsFor(1000, 3));
  } finally {
    await store.close();
  }
}

async function growth() {
  const [few, many] = [200, 2000];
  return (await secondsFor(many, 2)) / many / ((await secondsFor(few, 4)) / few);
}

/** The CPU, in seconds, and the memory, in mebibytes, of a preview of that many records that finds nothing to do; the least of some. */
async function emptyPreview(records, times) {
  const desk = await openDesk(zoneStack(records - 1));
  try {
    await desk.command(...upAtOnce[0]);
    const costs = [];
    for (let time = 0; time < times; time += 1) costs.push(await desk.costs("preview"));
    return {
      seconds: Math.min(...costs.map(({ seconds }) => seconds)),
      mebibytes: Math.min(...costs.map(({ mebibytes }) => mebibytes)),
    };
  } finally {
    await desk.close();
  }
}

/** The CPU of an `up` of that many resources in a terminal to the same in a pipe; the least of some of each. */
async function terminalRatio(records, times) {
  const desk = await openDesk(zoneStack(records - 1));
  try {
    const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let time = 0; time < times; time += 1) {
      for (const [at, costs] of [desk.costsInTerminal, desk.costs].entries()) {
        least[at] = Math.min(least[at], (await costs(...upAtOnce[0])).seconds);
        await desk.command("destroy", "-y");
      }
    }
    return least[0] / least[1];
  } finally {
    await desk.close();
  }
}

let ofMany;

async function growthOfPreview() {
  ofMany = await emptyPreview(10_000, 2);
  return ofMany.seconds / (await emptyPreview(1000, 3)).seconds;
}

async function memoryOfPreview() {
  const { mebibytes } = ofMany ?? (await emptyPreview(10_000, 1));
  ofMany = undefined;
  return Math.round(mebibytes);
}

/** The seconds of an `up` under the service's limits, and how many requests it had refused. It waits most of its time, so that it runs beside the rest. */
async function measureUnderLimits() {
  const desk = await openDesk(zoneStack(underLimits.records), { limits: "standard" });
  try {
    return { seconds: await desk.seconds(...upAtOnce[0]), refused: await desk.refused() };
  } finally {
    await desk.close();
  }
}

const limited = measureUnderLimits();
limited.catch(() => {});

async function timeUnderLimits() {
  return (await limited).seconds / underLimits.seconds;
}

async function refusedUnderLimits() {
  return (await limited).refused;
}

/** A ratio, measured again (twice at most) while it is over its bound: a busy machine only ever adds to it. */
async function ratioWithin(most, measure) {
  let least = Number.POSITIVE_INFINITY;
  const parts = most < 0.1 ? 1000 : 100;
  for (let time = 0; time < 3 && least > most; time += 1) {
    least = Math.min(least, Math.round((await measure()) * parts) / parts);
  }
  return least;
}

/** Says what is over its bound, and returns how many figures are. */
function judge(figures) {
  const over = figures.filter(({ value, most }) => value !== undefined && value > most);
  for (const { name, value, most } of over)
    console.error(`over its bound: ${name}: ${value}, at most ${most}`);
  return over.length;
}

function table(title, heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell ?? "").join(" | ")} |`;
  return [
    line([title, ...heads]),
    line([title, ...heads].map((_, at) => (at === 0 ? "---" : "---:"))),
    ...rows.map(line),
  ].join("\n");
}

function writeReadme(tables) {
  const text = readFileSync(readme, "utf8");
  const [begin, end] = ["<!-- bench:begin -->", "<!-- bench:end -->"];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${begin} … ${end}`);
  writeFileSync(readme, `${text.slice(0, from + begin.length)}\n${tables.join("\n\n")}\n${text.slice(to)}`);
}

const { bin, reason } = await ensurePulumi({ log: console.error });
if (bin === undefined) console.log(`Figures under Pulumi are left out: ${reason}`);

const shown = (number) => number?.toLocaleString("en-US");
const figures = [];
const tables = [];
for (const [stack, rows] of Object.entries(operations)) {
  console.error(stack);
  // Requests do not depend on the time that they take, so that the two engines may share the machine.
  const counts = await Promise.all([count(rows, 0), ...(bin ? [count(rows, 1, bin)] : [])]);
  const cells = rows.map(({ what, most }, at) => {
    const values = engines.map((_, engine) => counts[engine]?.[at]);
    values.forEach((value, engine) => {
      figures.push({ name: `${stack}, ${what}, ${engines[engine]}`, value, most: most[engine] });
    });
    return [what, ...values.map((value) => shown(value) ?? "-"), [...new Set(most)].map(shown).join(", ")];
  });
  tables.push(table(`${stack}: requests`, [...engines, "at most"], cells));
}

console.error("ratios of times");
const ratioCells = [];
for (const { what, most, measure, needsPulumi, needsTerminal, needsStore, needsKubernetes, slow } of ratios) {
  const value =
    (needsPulumi && !bin) ||
    (needsTerminal && !hasTerminals) ||
    (needsStore && !hasStore) ||
    (needsKubernetes && !hasKubernetes) ||
    (slow && isCheck)
      ? undefined
      : await ratioWithin(most, () => measure(bin));
  if (value !== undefined) console.error(`  ${what}: ${value}`);
  figures.push({ name: what, value, most });
  ratioCells.push([what, value ?? "-", most]);
}
tables.push(table("ratio of times, or cost", ["measured", "at most"], ratioCells));

console.log(tables.join("\n\n"));
const over = judge(figures);
if (isCheck) console.log(over === 0 ? "Every figure is within its bound." : `${over} over their bounds.`);
else writeReadme(tables);
process.exitCode = over === 0 ? 0 : 1;
