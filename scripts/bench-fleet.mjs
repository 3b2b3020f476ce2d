/** `npm run bench -- --fleet`: the scheduler of many replicas on a virtual time, with what an object costs as it is measured first. Writes the tables of the guide to capacity. */

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { hasKubernetes, measureController, measureFleet } from "./bench-kubernetes.mjs";

const page = join(resolve(import.meta.dirname, ".."), "docs", "guides", "kubernetes-capacity.md");

/** What of an Account's 10,000 objects lists show, and what has to be asked for by itself. */
const shapes = [
  {
    title: "1,000 Accounts of 10,000 objects, 20 of which have no list",
    accounts: 1000,
    listed: 9980,
    single: 20,
    on: [1, 2, 4, 8],
  },
  {
    title: "10 Accounts of 10,000 objects, none of which has a list",
    accounts: 10,
    listed: 0,
    single: 10_000,
    on: [1, 2],
  },
];

const head = [
  "replicas",
  "minutes until a drift is seen: median",
  "worst",
  "limit left for changes, at the least",
  "processor of a replica",
  "memory of a replica",
  "writes of Leases a second",
  "seconds until a killed replica's Accounts are kept again",
];

/** `measured`: of one controller; default: as it is measured now. */
export async function writeFleet(measured) {
  if (!measured && !hasKubernetes)
    throw new Error("there is no API server to measure objects with: node scripts/kubernetes.mjs says why");
  const { perObject, mebibytes } = measured ?? (await measureController());
  console.error(
    `an object: ${perObject.milliseconds.toFixed(3)} ms a look, ${perObject.kibibytes.toFixed(1)} KiB`,
  );
  const parts = [
    `Measured with 10,010 objects in 2 Accounts on one replica: a look takes ${perObject.milliseconds.toFixed(2)} ms of a processor, an object ${perObject.kibibytes.toFixed(1)} KiB of memory; ${mebibytes} MiB at the most.`,
  ];
  for (const { title, on, ...shape } of shapes) {
    const rows = [];
    for (const replicas of on) {
      const figures = await measureFleet({ ...shape, replicas, perObject: perObject.milliseconds });
      const gibibytes = (shape.accounts * (shape.listed + shape.single) * perObject.kibibytes) / 2 ** 20;
      rows.push([
        replicas,
        figures.seen.median.toFixed(1),
        figures.seen.worst === Number.POSITIVE_INFINITY ? "over 60" : figures.seen.worst.toFixed(1),
        `${figures.left.toFixed(0)} %`,
        `${(figures.busy * 100).toFixed(0)} %`,
        `${gibibytes.toFixed(1)} GiB`,
        figures.writes.toFixed(1),
        figures.takeover.toFixed(0),
      ]);
      console.error(`${title}: ${rows.at(-1).join(", ")}`);
    }
    const line = (cells) => `| ${cells.join(" | ")} |`;
    parts.push(`**${title}**`, [line(head), line(head.map(() => "---:")), ...rows.map(line)].join("\n"));
  }
  const text = readFileSync(page, "utf8");
  const [begin, end] = ["<!-- fleet:begin -->", "<!-- fleet:end -->"];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no ${begin} … ${end}`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n${parts.join("\n\n")}\n${text.slice(to)}`);
}
