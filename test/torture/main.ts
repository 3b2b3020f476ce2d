/** The parts of `npm run torture` that the arguments choose, tried in this process, and their counts as a file. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { judgeAgain } from "./again.ts";
import { killOverBackend } from "./backends.ts";
import { strikeController } from "./controller.ts";
import { damageEmbedded } from "./damage.ts";
import { faultsEmbedded, stormEmbedded } from "./faults.ts";
import { filesEmbedded } from "./files.ts";
import { requestsPlugin } from "./grpc.ts";
import { killEmbedded } from "./kill.ts";
import { root } from "./place.ts";
import { programsEmbedded, programsPlugin } from "./programs.ts";
import { killPlugin, killPulumi } from "./pulumi.ts";
import type { Family } from "./stack.ts";
import type { Choice, Tally } from "./verdict.ts";

type Part = (choice: Choice) => Promise<Tally>;

/** Parts by name and engine. */
const parts: { readonly [name: string]: { readonly [engine: string]: Part } } = {
  kill: { embedded: (choice) => killEmbedded(choice), pulumi: killPulumi, plugin: killPlugin },
  faults: { embedded: faultsEmbedded },
  storm: { embedded: (choice) => stormEmbedded(choice) },
  programs: { embedded: (choice) => programsEmbedded(choice), plugin: (choice) => programsPlugin(choice) },
  damage: { embedded: (choice) => damageEmbedded(choice) },
  files: { embedded: (choice) => filesEmbedded(choice) },
  requests: { plugin: (choice) => requestsPlugin(choice) },
  backend: {
    s3: (choice) => killOverBackend("s3", choice),
    postgres: (choice) => killOverBackend("postgres", choice),
  },
  controller: {
    one: (choice) => strikeController("one", choice),
    two: (choice) => strikeController("two", choice),
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: "string" },
    /** Short for the part `backend` with this engine. */
    backend: { type: "string" },
    family: { type: "string" },
    seed: { type: "string", default: "1" },
    point: { type: "string" },
    every: { type: "string", default: "1" },
    again: { type: "string" },
    tallies: { type: "string", default: join("test-results", "torture", "tallies.json") },
  },
});

const choice: Choice = {
  seed: Number(values.seed),
  point: values.point === undefined ? undefined : Number(values.point),
  every: Number(values.every),
  say: (line) => console.log(line),
  ...(values.family !== undefined && { families: values.family.split(",") as Family[] }),
};
if (values.again !== undefined) process.exit((await judgeAgain(values.again, choice)) ? 0 : 1);

const wanted = values.backend === undefined ? positionals : ["backend"];
const wantedEngine = values.backend ?? values.engine;
const tallies: Tally[] = [];
for (const [name, engines] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const [engine, part] of Object.entries(engines)) {
    if (wantedEngine !== undefined && wantedEngine !== engine) continue;
    const tally = await part(choice);
    tallies.push(tally);
    const counts = Object.entries(tally.counts).map(([kind, times]) => `${kind} ${times}`);
    const family = values.family === undefined ? "" : ` ${values.family}`;
    console.log(
      `${name} ${engine}${family}: ${tally.points} points, ${counts.join(", ")} (${tally.seconds.toFixed(0)} s)`,
    );
  }
}
if (tallies.length === 0) console.error(`there is no such part: ${wanted.join(" ")} ${wantedEngine ?? ""}`);
const file = join(root, values.tallies);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(tallies, null, 2)}\n`);
process.exitCode = tallies.length === 0 || tallies.some(({ failures }) => failures.length > 0) ? 1 : 0;
