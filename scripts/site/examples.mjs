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

/** By language: the endings of its programs, and how a declaration of the type begins in them. */
const languages = {
  TypeScript: {
    fence: "ts",
    ending: ".ts",
    begins: (area, name) => `new (?:plumbline\\.)?${area}\\.${name}\\(`,
  },
  Python: { fence: "python", ending: ".py", begins: (area, name) => `(?<![\\w.])${area}\\.${name}\\(` },
  Go: { fence: "go", ending: "main.go", begins: (area, name) => `(?<![\\w.])${area}\\.New${name}\\(` },
};
const programs = new Map(Object.entries(languages).map(([language, { ending }]) => [language, read(ending)]));

/** The lines of a declaration: to the end of its brackets, and of the block that begins there. */
function statementAt(text, at) {
  const start = text.lastIndexOf("\n", at) + 1;
  let depth = 0;
  for (let end = text.indexOf("(", at); end < text.length; end++) {
    if (text[end] === "(" || text[end] === "{") depth++;
    else if (text[end] === ")" || text[end] === "}") depth--;
    if (depth === 0 && text[end] === "\n") return withoutIndent(text.slice(start, end));
  }
  return undefined;
}

function withoutIndent(text) {
  const indent = /^[ \t]*/.exec(text)[0];
  return text
    .split("\n")
    .map((line) => line.slice(line.startsWith(indent) ? indent.length : 0))
    .join("\n");
}

/** The first declaration of the type in the programs of each language that has one: `{ language, fence, name, text }`. */
export function programExamples(type) {
  const [, area, kind] = type.split(":");
  return Object.entries(languages).flatMap(([language, { fence, begins }]) => {
    for (const { name, text } of programs.get(language)) {
      const at = text.search(new RegExp(begins(area, classes[kind] ?? kind)));
      const statement = at < 0 ? undefined : statementAt(text, at);
      if (statement) return [{ language, fence, name, text: statement }];
    }
    return [];
  });
}
