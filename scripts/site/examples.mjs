/** How a resource type is declared in the examples that the tests run, taken out of them word for word. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "examples");

function read(ending) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !name.includes("node_modules"))
    .sort()
    .map((name) => ({
      name: `examples/${name.replaceAll("\\", "/")}`,
      text: readFileSync(join(folder, name), "utf8"),
    }));
}

const stacks = read("Pulumi.yaml");
const programs = read(".ts");

/** The lines of one entry of `resources`, with its indentation and the comment above it. */
function entryOf(text, name) {
  const lines = text.split("\n");
  const start = lines.indexOf(`  ${name}:`, lines.indexOf("resources:"));
  let end = start + 1;
  while (end < lines.length && /^ {3}|^$/.test(lines[end])) end++;
  return lines.slice(start, end).join("\n").trimEnd();
}

/** The first declaration of the type in a stack file: `{ name, text }`, or undefined. */
export function yamlExample(type) {
  for (const { name, text } of stacks) {
    const resources = Object.entries(parse(text).resources ?? {});
    const found = resources.find(([, resource]) => resource.type === type);
    if (found) return { name, text: entryOf(text, found[0]) };
  }
  return undefined;
}

/** The classes that have another name than their type (see `renamed` in ../generate.mjs). */
const classes = { Object: "BucketObject" };

/** The first `new` of the type in a program: `{ name, text }`, or undefined. */
export function programExample(type) {
  const [, area, kind] = type.split(":");
  for (const { name, text } of programs) {
    const at = text.search(new RegExp(`new (?:plumbline\\.)?${area}\\.${classes[kind] ?? kind}\\(`));
    if (at < 0) continue;
    const start = text.lastIndexOf("\n", at) + 1;
    let depth = 0;
    for (let end = text.indexOf("(", at); end < text.length; end++) {
      if (text[end] === "(") depth++;
      else if (text[end] === ")" && --depth === 0)
        return { name, text: `${text.slice(start, end + 1).trim()};` };
    }
  }
  return undefined;
}
