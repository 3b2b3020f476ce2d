#!/usr/bin/env node
/**
 * Turns a zone file into a stack file: `node zone-to-stack.mjs ZONE-FILE [PLUGIN-FOLDER] > Pulumi.yaml`.
 * The old host's own NS records at the apex are left out (the service answers with its own name servers).
 */

import { readFileSync } from "node:fs";
import { parseZoneFile } from "@plumbline/cli/zone-file";
import { stringify } from "yaml";

const [file, plugin = "../../bin"] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node zone-to-stack.mjs ZONE-FILE [PLUGIN-FOLDER] > Pulumi.yaml");
  process.exit(2);
}
const zone = parseZoneFile(readFileSync(file, "utf8"));
for (const { line, message } of zone.problems) console.error(`${file}:${line}: ${message}`);
if (zone.problems.length > 0) process.exit(1);

// A name for each record: what it is called and its type, with a number when several are alike.
const taken = new Map();
const resourceName = (record) => {
  const name = record.service ? `${record.service}-${record.protocol}` : record.name || "apex";
  const base = `${name.replace(/^\*/, "wildcard").replace(/[^\w-]+/g, "-")}-${record.type.toLowerCase()}`;
  const count = (taken.get(base) ?? 0) + 1;
  taken.set(base, count);
  return count === 1 ? base : `${base}-${count}`;
};

const dollars = (value) => (typeof value === "string" ? value.replaceAll("$", "$$$$") : value);
const resources = {
  zone: {
    type: "plumbline:dns:Domain",
    properties: {
      domain: zone.origin,
      type: "master",
      ...zone.authority,
      ...(zone.ttlSec === undefined ? {} : { ttlSec: zone.ttlSec }),
    },
  },
};
for (const record of zone.records) {
  if (record.type === "NS" && record.name === "") continue;
  const properties = Object.fromEntries(
    Object.entries(record)
      .filter(([name, value]) => !(name === "name" && value === ""))
      .map(([name, value]) => [name, dollars(value)]),
  );
  resources[resourceName(record)] = {
    type: "plumbline:dns:Record",
    properties: { domainId: "${zone.id}", ...properties },
  };
}
const stack = {
  name: zone.origin.replace(/[^\w-]+/g, "-"),
  runtime: "yaml",
  description: `The zone ${zone.origin}, made from a zone file.`,
  plugins: { providers: [{ name: "plumbline", path: plugin }] },
  resources,
  outputs: { domainId: "${zone.id}" },
};
process.stdout.write(stringify(stack, { lineWidth: 0 }));
