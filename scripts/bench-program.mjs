/** What the benchmark needs for a program of Node: the same one under the embedded engine and, by the Automation API, under Pulumi's. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Declares a zone and `count` address records in it, by Pulumi's package alone. */
export const programText = (count) => `
const { CustomResource } = require("@pulumi/pulumi");
const zone = new CustomResource("plumbline:dns/domain:Domain", "zone", {
  domain: "bench.example", type: "master", soaEmail: "hostmaster@bench.example",
});
for (let n = 0; n < ${count}; n += 1)
  new CustomResource("plumbline:dns/record:Record", \`record-\${n}\`, {
    domainId: zone.id, type: "A", name: \`host-\${n}\`, target: \`198.51.\${n >> 8}.\${n & 255}\`,
  });
`;

/** The project file of the program. */
export const projectText = () =>
  [
    "name: bench",
    "runtime: nodejs",
    "plugins:",
    `  providers: [{ name: plumbline, path: ${JSON.stringify(join(root, "bin"))} }]`,
    "",
  ].join("\n");

/** Puts the program and its packages into the project's folder. */
export function writeProgram(folder, count) {
  writeFileSync(join(folder, "index.js"), programText(count));
  writeFileSync(join(folder, "package.json"), "{}");
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(root, "node_modules", "@pulumi"), join(folder, "node_modules", "@pulumi"));
}

/** The arguments of Node that bring the program up under Pulumi: twice, each time with its preview. It tells the seconds of each. */
export const automation = (folder) => [
  join(root, "test", "e2e", "automation.mjs"),
  JSON.stringify({
    ...{ verbs: ["preview", "up", "preview", "up"], folder, stack: "dev", project: "bench" },
    entry: join(folder, "index.js"),
  }),
];
