/** Plans and graphs as pages of their own: whole, escaped, without secrets, and without anything from elsewhere. */

import { cpSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { barriers, browserProgram, fits, listenTo } from "../../browser.ts";
import { type Desk, openDesk } from "../plumbline.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  desk.write(
    "Pulumi.yaml",
    `name: shop
runtime: yaml
resources:
  zone: { type: "plumbline:dns:Domain", properties: { domain: html.example, type: master, soaEmail: a@html.example } }
  note: { type: "plumbline:dns:Record", name: "<script>alert(1)</script>", properties: { domainId: "\${zone.id}", type: TXT, name: note, target: "\\"><img src=x>" } }
  login: { type: "plumbline:managed:Credential", properties: { label: login, password: { "fn::secret": open sesame } } }
`,
  );
});
afterAll(() => desk.close());
const page = (name: string) => readFileSync(join(desk.folder, name), "utf8");
const isWhole = (text: string) => {
  expect(text).toMatch(/^<!doctype html>[\s\S]*name="viewport"[\s\S]*<\/html>\n$/);
  expect(text).not.toMatch(/<script|<img|<link|\bsrc=[^&]*>|https?:\/\//);
  expect(text).not.toContain("sesame");
};

it("a plan is one page, with its details folded", async () => {
  const ran = await desk.run(["preview", "--html", "plan.html"]);
  expect(ran.code, ran.text).toBe(0);
  expect(ran.stdout).toContain("3 to create");
  const text = page("plan.html");
  isWhole(text);
  expect(text).toContain("&#60;script&#62;alert(1)");
  expect(text.match(/<details class="create">/g)).toHaveLength(3);
  expect(text).toContain("password: &#34;[secret]&#34;");
  expect(statSync(join(desk.folder, "plan.html")).mode & 0o077).toBe(0);
});

it("a graph is one page, with a drawing and links between the resources", async () => {
  expect((await desk.run(["up", "-y", "--skip-preview"])).code).toBe(0);
  const ran = await desk.run(["stack", "graph", "--html", "graph.html"]);
  expect([ran.code, ran.stdout]).toEqual([0, ""]);
  const text = page("graph.html");
  isWhole(text);
  expect(text.match(/<rect /g)).toHaveLength(3);
  expect(text.match(/<line /g)).toHaveLength(1);
  expect(text).toMatch(/needs <a href="#r\d">zone<\/a>/);
  expect(text).toMatch(/needed by <a href="#r\d">&#60;script/);
});

const phone = { width: 320, height: 640 };

describe.skipIf(browserProgram === undefined)("in a browser", { timeout: 240_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserProgram!, timeout: 60_000 });
    cpSync(resolve(import.meta.dirname, "../../../examples/web/Pulumi.yaml"), join(desk.folder, "web.yaml"));
    const web = ["-f", "web.yaml", "-s", "web"];
    for (const args of [
      ["preview", "--html", "made.html"],
      ["up", "-y", "--skip-preview"],
      ["stack", "graph", "--html", "web.html"],
    ])
      expect((await desk.run([...args, ...web])).code).toBe(0);
    const text = readFileSync(join(desk.folder, "web.yaml"), "utf8");
    desk.write("web.yaml", text.replace("p=quarantine", "p=reject").replace("10.10.3.0/26", "10.10.4.0/24"));
    expect((await desk.run(["preview", "--html", "changed.html", ...web])).code).toBe(0);
  });
  afterAll(() => browser?.close());

  it.each(
    ["made.html", "changed.html", "web.html"].flatMap((name) =>
      (["light", "dark"] as const).map((colorScheme) => ({ name, colorScheme })),
    ),
  )(
    "$name is open to everybody on a phone, and asks for nothing: $colorScheme",
    async ({ name, colorScheme }) => {
      const context = await browser.newContext({ colorScheme, viewport: phone });
      onTestFinished(() => context.close());
      const complaints: string[] = [];
      const requests: string[] = [];
      const opened = await context.newPage();
      listenTo(opened, complaints);
      opened.on("request", (request) => requests.push(request.url()));
      const address = pathToFileURL(join(desk.folder, name)).href;
      await opened.goto(address);
      const folded = await opened.locator("summary").all();
      for (const summary of folded) await summary.click();
      expect(await opened.locator("details:not([open])").count()).toBe(0);
      expect(await barriers(opened)).toEqual([]);
      expect(await fits(opened)).toBe(true);
      const [link] = await opened.getByRole("link").all();
      await link?.click();
      expect([complaints, requests]).toEqual([[], [address]]);
    },
  );
});
