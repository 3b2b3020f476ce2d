/**
 * How long the plugin takes from its start to its first answer, against `node -e 0`. Prints one JSON object:
 * `{"ratio", "startMs", "nodeMs", "runs"}` (medians of runs that take turns). Argument: the number of runs, default 15.
 */

import { spawn, spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { callPlugin } from "./plugin-client.mjs";

const root = resolve(import.meta.dirname, "..");

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

function timeNode() {
  const start = performance.now();
  const { status } = spawnSync("node", ["-e", "0"], { stdio: "ignore" });
  if (status !== 0) throw new Error("`node -e 0` failed: is node on the PATH?");
  return performance.now() - start;
}

async function timePlugin() {
  const start = performance.now();
  const child = spawn(join(root, "bin", "pulumi-resource-plumbline"), ["127.0.0.1:1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((settle) => child.once("exit", settle));
  try {
    const port = await new Promise((settle, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the plugin ended with ${code} before its port line`)));
      child.stdout.once("data", (data) => settle(Number(data)));
    });
    await callPlugin(port, ["handshake"]);
    return performance.now() - start;
  } finally {
    child.kill("SIGINT");
    await ended;
  }
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
