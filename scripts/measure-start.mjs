/**
 * How long the plugin takes from its start to its first answer, against `node -e 0`. Prints one JSON object:
 * `{"ratio", "startMs", "nodeMs", "runs"}` (medians of runs that take turns). Argument: the number of runs, default 15.
 */

import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { askPlugin } from "./plugin-client.mjs";

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

function timeNode() {
  const start = performance.now();
  const { status } = spawnSync("node", ["-e", "0"], { stdio: "ignore" });
  if (status !== 0) throw new Error("`node -e 0` failed: is node on the PATH?");
  return performance.now() - start;
}

function timePlugin() {
  const start = performance.now();
  return askPlugin(["handshake"], { use: () => performance.now() - start });
}

/** Medians in milliseconds, and their ratio. */
export async function measureStart(runs = 15) {
  await timePlugin();
  const nodes = [];
  const starts = [];
  for (let run = 0; run < runs; run += 1) {
    nodes.push(timeNode());
    starts.push(await timePlugin());
  }
  const round = (number) => Math.round(number * 100) / 100;
  const nodeMs = median(nodes);
  const startMs = median(starts);
  return { ratio: round(startMs / nodeMs), startMs: round(startMs), nodeMs: round(nodeMs), runs };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  console.log(JSON.stringify(await measureStart(Number(process.argv[2] ?? 15))));
}
