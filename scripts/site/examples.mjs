/** How a resource type is declared and a function is called in the examples that the tests run, taken out of them word for word. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "examples");

/** What is made there is only made to be asked about: types have better examples in their areas. */
const isOfFunctions = (name) => Number(name.startsWith("functions"));

function read(ending) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !name.includes("node_modules"))
    .sort((a, b) => isOfFunctions(a) - isOfFunctions(b) || (a < b ? -1 : 1))
    .map((name) => ({
      name: `examples/${name.replaceAll("\\", "/")}`,
      text: readFileSync(join(folder, name), "utf8"),
    }));
}

const stacks = read(".yaml").filter(({ name }) => !name.includes("/typescript/"));

/** The lines of one entry of `resources` or `variables`, with its indentation. */
function entryOf(text, section, name) {
  const lines = text.split("\n");
  const start = lines.indexOf(`  ${name}:`, lines.indexOf(`${section}:`));
  let end = start + 1;
  while (end < lines.length && /^ {3}|^$/.test(lines[end])) end++;
  return lines.slice(start, end).join("\n").trimEnd();
}

/** The first declaration of the type, or call of the function, in a stack file: `{ name, text }`, or undefined. */
export function yamlExample(token) {
  const sections = {
    resources: (resource) => resource.type === token,
    variables: (variable) => variable["fn::invoke"]?.function === token,
  };
  for (const { name, text } of stacks)
    for (const [section, isOne] of Object.entries(sections)) {
      const found = Object.entries(parse(text)[section] ?? {}).find(([, entry]) => isOne(entry));
      if (found) return { name, text: `${section}:\n${entryOf(text, section, found[0])}` };
    }
  return undefined;
}

/** The classes that have another name in TypeScript than their type (see `renamed` in ../generate.mjs). */
const classes = { Object: "BucketObject" };

const isFunction = (name) => /^[a-z]/.test(name);
const snakeCase = (name) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** By language: the endings of its programs, and how a declaration of the type, or a call of the function, begins in them. */
const languages = {
  TypeScript: {
    fence: "ts",
    ending: ".ts",
    begins: (area, name) =>
      isFunction(name)
        ? `(?<![\\w.])(?:plumbline\\.)?${area}\\.${name}(?:Output)?\\(`
        : `new (?:plumbline\\.)?${area}\\.${classes[name] ?? name}\\(`,
  },
  Python: {
    fence: "python",
    ending: ".py",
    begins: (area, name) =>
      isFunction(name)
        ? `(?<![\\w.])${area}\\.${snakeCase(name)}(?:_output)?\\(`
        : `(?<![\\w.])${area}\\.${name}\\(`,
  },
  Go: {
    fence: "go",
    ending: "main.go",
    begins: (area, name) =>
      isFunction(name)
        ? `(?<![\\w.])${area}\\.(?:Get|Lookup)${name.slice("get".length)}(?:Output)?\\(`
        : `(?<![\\w.])${area}\\.New${name}\\(`,
  },
};
const programs = new Map(Object.entries(languages).map(([language, { ending }]) => [language, read(ending)]));

/** The lines of a declaration: to the end of its brackets, and of the block that begins there. */
function statementAt(text, at) {
  const start = text.lastIndexOf("\n", at) + 1;
  let depth = 0;
  for (let end = start; end < text.length; end++) {
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

/** The first declaration of the type, or call of the function, in the programs of each language that has one: `{ language, fence, name, text }`. */
export function programExamples(type) {
  const [, area, kind] = type.split(":");
  return Object.entries(languages).flatMap(([language, { fence, begins }]) => {
    for (const { name, text } of programs.get(language)) {
      const at = text.search(new RegExp(begins(area, kind)));
      const statement = at < 0 ? undefined : statementAt(text, at);
      if (statement) return [{ language, fence, name, text: statement }];
    }
    return [];
  });
}
