/** The pages of the documentation's site: `docs/` as it stands, and one for each resource type and function. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { areaOf, functionPage, short, typePage } from "../reference.mjs";
import { programExamples, yamlExample } from "./examples.mjs";

const root = resolve(import.meta.dirname, "../..");
const read = (path) => readFileSync(join(root, path), "utf8");
const nameOf = (token) => token.split(":").at(-1);

/** Where a type or a function has its page, as its token leads there. */
export const pathOf = (token) => `types/${areaOf(token)}/${nameOf(token)}.md`;

/** The page that has everything at once is replaced by the pages of each. */
const onePage = "reference/resources.md";
const toOnePage = /\]\((?:\.\.\/)?(?:reference\/)?resources\.md[^)]*\)/g;

/** By token, what the tests heard it call. */
function callsByToken() {
  const calls = new Map();
  for (const [operation, callers] of Object.entries(JSON.parse(read("schemas/coverage.json"))))
    for (const caller of callers) {
      const token = caller.split(" ")[0];
      calls.set(token, new Set([...(calls.get(token) ?? []), operation]));
    }
  return (token) => [...(calls.get(short(token)) ?? [])];
}

function examplesOf(token) {
  const [yaml, programs] = [yamlExample(short(token)), programExamples(short(token))];
  const block = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;
  return [
    ...(yaml || programs.length > 0 ? ["## Example"] : []),
    ...(yaml ? [`YAML, in \`${yaml.name}\`:`, block("yaml", yaml.text)] : []),
    ...programs.flatMap(({ language, fence, name, text }) => [
      `${language}, in \`${name}\`:`,
      block(fence, text),
    ]),
  ];
}

function listOf(tokens) {
  const areas = [...new Set(tokens.map(areaOf))];
  const link = (token) => `[${nameOf(token)}](./${pathOf(token).slice("types/".length)})`;
  return areas.flatMap((area) => [
    `## ${area}`,
    tokens
      .filter((token) => areaOf(token) === area)
      .map((token) => `- ${link(token)}`)
      .join("\n"),
  ]);
}

/** Every page by its path, as Markdown. */
export function sitePages() {
  const schema = JSON.parse(read("schemas/pulumi.json"));
  const [types, functions] = [Object.keys(schema.resources), Object.keys(schema.functions)];
  const operations = callsByToken();
  const pages = new Map();
  for (const name of readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })) {
    const path = name.replaceAll("\\", "/");
    if (!path.endsWith(".md") || path === onePage) continue;
    pages.set(path, read(`docs/${path}`).replaceAll(toOnePage, "](/types/)"));
  }
  for (const token of types)
    pages.set(pathOf(token), typePage(schema, token, examplesOf(token), operations(token)));
  for (const token of functions)
    pages.set(pathOf(token), functionPage(schema, token, examplesOf(token), operations(token)));
  const list = ["# Types and functions", ...listOf([...types, ...functions])];
  pages.set("types/index.md", `${list.join("\n\n")}\n`);
  return pages;
}

/** What stands beside each page, in the generator's form. */
export function sidebarOf(pages) {
  const titleOf = (path) => /^# (.+)$/m.exec(pages.get(path))?.[1] ?? path;
  const entry = (path) => ({ text: titleOf(path), link: `/${path.replace(/\.md$/, "")}` });
  const items = (prefix) =>
    [...pages.keys()].filter((path) => path.startsWith(prefix) && !path.endsWith("index.md")).map(entry);
  // In the order of the list, which is that of a reader.
  const guides = [...pages.get("guides/index.md").matchAll(/\]\(([\w-]+\.md)\)/g)].map(
    ([, name]) => `guides/${name}`,
  );
  const areas = [...new Set([...pages.keys()].flatMap((path) => /^types\/(\w+)\//.exec(path)?.[1] ?? []))];
  const decisions = items("decisions/");
  return [
    { text: "Guides", link: "/guides/", items: guides.map(entry) },
    { text: "Reference", items: items("reference/") },
    { text: "Types and functions", link: "/types/" },
    // What folds is a link, too: the generator would put one button into another.
    ...areas.map((area) => ({
      text: area,
      link: `/types/#${area}`,
      collapsed: true,
      items: items(`types/${area}/`),
    })),
    { text: "Decisions", link: decisions[0].link, collapsed: true, items: decisions },
  ];
}
