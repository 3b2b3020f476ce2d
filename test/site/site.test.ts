/** The documentation's site as it is built, in a real browser, where there is one. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sitePages } from "../../scripts/site/pages.mjs";
import { barriers, browserProgram, fits, listenTo } from "../browser.ts";

const root = resolve(import.meta.dirname, "../..");
const types: { [ending: string]: string } = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

let folder: string;
let server: http.Server;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the browser complained of. */
let complaints: string[];

const site = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Answers as any host of static files does. */
function serve(request: http.IncomingMessage, response: http.ServerResponse): void {
  const path = decodeURIComponent(new URL(request.url!, "http://site").pathname).replace(
    /\/$/,
    "/index.html",
  );
  const file = join(folder, path);
  if (path === "/favicon.ico") response.writeHead(204).end();
  else if (path.includes("..") || !existsSync(file)) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": types[extname(file)] }).end(readFileSync(file));
}

async function open(path: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
  await context?.close();
  context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], ...options });
  context.setDefaultTimeout(30_000);
  page = await context.newPage();
  listenTo(page, complaints);
  await page.goto(`${site()}${path}`);
}

describe.skipIf(browserProgram === undefined)("the site", { timeout: 240_000 }, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plumbline-site-"));
    const built = spawnSync(process.execPath, [join(root, "scripts/site/index.mjs"), folder], {
      env: { ...process.env, NODE_ENV: "production" },
      encoding: "utf8",
    });
    expect(built.status, built.stderr).toBe(0);
    server = http.createServer(serve);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    browser = await chromium.launch({ executablePath: browserProgram!, timeout: 60_000 });
  }, 400_000);
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    complaints = [];
  });
  afterEach(() => context?.close());

  it("has every page", () => {
    const paths = [...sitePages().keys()].map((path) => path.replace(/\.md$/, ".html"));
    expect(paths.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it("leads from its first page to a type, whose examples are copied by a button", async () => {
    await open("/");
    await page.getByRole("link", { name: "Every type and function" }).click();
    await page.locator("main").getByRole("link", { name: "MySqlInstance", exact: true }).click();
    await page.getByRole("heading", { name: "MySqlInstance", level: 1 }).waitFor();
    const block = page.locator(".language-yaml").first();
    await block.hover();
    await block.getByRole("button").click();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toBe((await block.locator("code").innerText()).replace(/\n$/, ""));
    expect(copied).toContain("type: plumbline:databases:MySqlInstance");
    expect(complaints).toEqual([]);
  });

  it.each([
    ["replicationType", "/types/databases/"],
    ["Choose what seals", "/guides/secrets"],
  ])("finds words of its pages: %s", async (words, where) => {
    await open("/");
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.locator("#localsearch-input").fill(words);
    await page.locator("#localsearch-list a").first().click();
    await page.waitForURL((url) => url.pathname.startsWith(where));
    // The address is there before the page.
    await page.locator("main", { hasText: words }).waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)("is %s as its reader wants", async (colorScheme) => {
    await open("/reference/emulator.html", { colorScheme });
    await page.getByRole("heading", { name: "The page" }).waitFor();
    expect(await page.evaluate("document.documentElement.classList.contains('dark')")).toBe(
      colorScheme === "dark",
    );
    expect(complaints).toEqual([]);
  });

  it.each([
    ["/", "in light", {}],
    ["/", "in dark", { colorScheme: "dark" }],
    ["/guides/first-zone.html", "in light", {}],
    ["/guides/first-zone.html", "in dark", { colorScheme: "dark" }],
    ["/guides/first-zone.html", "on a narrow screen", { viewport: { width: 320, height: 640 } }],
    ["/types/databases/MySqlInstance.html", "in light", {}],
    ["/types/databases/MySqlInstance.html", "on a narrow screen", { viewport: { width: 320, height: 640 } }],
  ] as const)("is open to everybody: %s %s", async (path, _, options) => {
    await open(path, { reducedMotion: "reduce", ...options });
    await page.locator("h1").waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  it.each(["/", "/guides/first-zone.html", "/types/databases/MySqlInstance.html", "/reference/cli.html"])(
    "fits a narrow screen: %s",
    async (path) => {
      await open(path, { viewport: { width: 320, height: 640 } });
      await page.locator("h1").waitFor();
      expect(await fits(page)).toBe(true);
      expect(complaints).toEqual([]);
    },
  );
});
