/** `npm run site [-- FOLDER]`: builds the documentation's site, into `dist/site` if no folder is given. The generator fails on a link that leads nowhere. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vitepress";
import { sidebarOf, sitePages } from "./pages.mjs";

const root = resolve(import.meta.dirname, "../..");

const settings = (pages) => ({
  title: "Plumbline",
  description: "Keeps a cloud account true to its declared state.",
  lang: "en",
  lastUpdated: false,
  // The generator's own colours of code are too faint for many readers.
  markdown: { theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
  head: [["style", {}, ":root { --vp-code-lang-color: var(--vp-c-text-2); }"]],
  themeConfig: {
    search: { provider: "local" },
    sidebar: sidebarOf(pages),
    outline: "deep",
    nav: [
      { text: "Guides", link: "/guides/" },
      { text: "Reference", link: "/reference/stack-files" },
      { text: "Types and functions", link: "/types/" },
    ],
  },
});

/** How much a found page counts: who looks for a property means the type's own page before its kind's. Runs in the reader's browser. */
const weightOf = (id) => (id.includes("/types/") ? 3 : 1);

/** Builds the site into that folder. */
async function buildSite(target) {
  // Within the clone, so that what the pages are made of is found.
  mkdirSync(join(root, "dist"), { recursive: true });
  const source = mkdtempSync(join(root, "dist", "site-source-"));
  try {
    const pages = sitePages();
    for (const [path, text] of pages) {
      mkdirSync(join(source, dirname(path)), { recursive: true });
      writeFileSync(join(source, path), text);
    }
    mkdirSync(join(source, ".vitepress"));
    const config = `const settings = ${JSON.stringify(settings(pages))};
settings.themeConfig.search.options = { miniSearch: { searchOptions: { boostDocument: ${weightOf} } } };
export default settings;
`;
    writeFileSync(join(source, ".vitepress", "config.mjs"), config);
    await build(source, { outDir: target });
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await buildSite(resolve(process.argv[2] ?? join(root, "dist", "site")));
