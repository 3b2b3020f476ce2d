/** The pages of the documentation's site, before the generator makes them HTML: nothing is missing, and no link or example is made up. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { pathOf, sidebarOf, sitePages } from "../../scripts/site/pages.mjs";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const schema = JSON.parse(read("schemas/pulumi.json"));
const pages = sitePages();
const names = (properties: object | undefined) => Object.keys(properties ?? {});

describe("a page", () => {
  it.each(Object.keys(schema.resources))(
    "of %s tells every property, how it is imported, and what it calls",
    (token) => {
      const page = pages.get(pathOf(token))!;
      const { inputProperties, properties } = schema.resources[token];
      for (const name of [...names(inputProperties), ...names(properties)])
        expect(page).toContain(`| \`${name}\` |`);
      expect(page).toContain(`pulumi import ${token} NAME ID`);
      expect(page).toMatch(/## Operations of the service\n\n- `(GET|POST|PUT|DELETE) \//);
    },
  );

  it.each(Object.keys(schema.functions))(
    "of %s tells every argument and result, and what it calls",
    (token) => {
      const page = pages.get(pathOf(token))!;
      const { inputs, outputs } = schema.functions[token];
      for (const name of [...names(inputs?.properties), ...names(outputs.properties)])
        expect(page).toContain(`| \`${name}\` |`);
      expect(page).toMatch(/## Operations of the service\n\n- `(GET|POST) \//);
    },
  );

  it("tells objects within properties, however deep, once each", () => {
    const page = pages.get("types/kubernetes/Cluster.md")!;
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(new Set(headings).size).toBe(headings.length);
    for (const [, anchor] of page.matchAll(/\]\(#(\w+)\)/g))
      expect(headings.map((heading) => heading!.toLowerCase())).toContain(anchor);
    expect(headings.length).toBeGreaterThan(6);
  });
});

it("each type and function has examples in YAML, TypeScript and Go, nearly all in Python, which are those that the tests run, word for word", () => {
  const lacking: string[] = [];
  const seen = new Map<string, number>();
  const plain = (text: string) => text.replace(/^[ \t]+/gm, "");
  for (const token of [...Object.keys(schema.resources), ...Object.keys(schema.functions)]) {
    const page = pages.get(pathOf(token))!;
    const blocks = [...page.matchAll(/in `(examples\/[^`]+)`:\n\n```(\w+)\n([\s\S]*?)\n```/g)];
    const languages = blocks.map(([, , language]) => language!);
    for (const language of ["yaml", "ts", "go"])
      if (!languages.includes(language)) lacking.push(`${token} in ${language}`);
    for (const language of languages) seen.set(language, (seen.get(language) ?? 0) + 1);
    for (const [, file, language, text] of blocks) {
      const source = read(file!);
      if (language === "yaml") expect(source).toContain(text!.slice(text!.indexOf("\n")));
      else expect(plain(source)).toContain(plain(text!));
    }
  }
  expect(lacking).toEqual([]);
  expect([...seen.keys()].sort()).toEqual(["go", "python", "ts", "yaml"]);
  expect(seen.get("python")).toBeGreaterThan(75);
});

it("every guide is in the navigation, in the order of their list", () => {
  const [guides] = sidebarOf(pages);
  const names = guides!.items!.map(({ link }) => `${link.slice("/guides/".length)}.md`);
  const files = readdirSync(join(root, "docs/guides")).filter((name) => name !== "index.md");
  expect([...names].sort()).toEqual(files.sort());
  expect(names[0]).toBe("first-zone.md");
});

it("each link leads to a page", () => {
  const broken: string[] = [];
  let count = 0;
  for (const [path, text] of pages)
    for (const [, link = ""] of text
      .replace(/```[\s\S]*?```|`[^`\n]*`/g, "")
      .matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^https?:/.test(link)) continue;
      count++;
      const target = link === "/types/" ? "types/index.md" : posix.join(posix.dirname(path), link);
      if (!pages.has(target)) broken.push(`${path}: ${link}`);
    }
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(80);
});

/** How the site's generator names the place of a heading. */
const placeOf = (heading: string) =>
  heading
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();

it("each link to a place within a page leads to a heading", () => {
  const broken: string[] = [];
  let count = 0;
  for (const [path, text] of pages)
    for (const [, link = "", place = ""] of text.matchAll(/\]\(([\w./-]*\.md)?#([^)\s]+)\)/g)) {
      count++;
      const page = pages.get(link === "" ? path : posix.join(posix.dirname(path), link)) ?? "";
      const places = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => placeOf(heading!));
      if (!places.includes(place)) broken.push(`${path}: ${link}#${place}`);
    }
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(30);
});

it("the list of types and functions names all of them", () => {
  const list = pages.get("types/index.md")!;
  const tokens = [...Object.keys(schema.resources), ...Object.keys(schema.functions)];
  for (const token of tokens) expect(list).toContain(`](./${pathOf(token).slice("types/".length)})`);
  expect(existsSync(join(root, "docs/index.md"))).toBe(true);
});
