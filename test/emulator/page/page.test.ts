/** The emulator's page in a real browser, where there is one: what it shows, what its buttons do, and that no other page may do the same. */

import { readFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { beginning } from "../../beginning.ts";
import { barriers, browserProgram, fits, listenTo } from "../../browser.ts";
import { ask } from "../client.ts";

let browser: Browser;
let context: BrowserContext;
let page: Page;
let emulator: Emulator;
/** What the browser complained of. */
let complaints: string[];

const json = { "content-type": "application/json" };
const to = (method: string, path: string, body?: unknown) =>
  ask(emulator.port, method, `/v4${path}`, { ...(body !== undefined && { body }), headers: json });
const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
const button = (name: string) => page.getByRole("button", { name, exact: true });
const rows = (list: string) => page.locator(`${list} tr`);
const zone = { domain: "shop.example", type: "master", soa_email: "dns@shop.example" };

async function open(options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
  await context?.close();
  context = await browser.newContext(options);
  context.setDefaultTimeout(20_000);
  page = await context.newPage();
  listenTo(page, complaints);
  await page.goto(`http://127.0.0.1:${emulator.port}/_emulator/`);
  await page.locator("#clock[datetime]").waitFor();
}

describe.skipIf(browserProgram === undefined)("the page", () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserProgram!, timeout: 60_000 });
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    emulator = await startEmulator({ speed: 0.01, startTime: beginning });
    complaints = [];
    await open();
  });
  afterEach(async () => {
    await context.close();
    await emulator.close();
  });

  it("shows by area what the account holds, and one object in full", async () => {
    await to("POST", "/domains", zone);
    await button("Domains 1").click();
    await page.locator("summary", { hasText: "shop.example" }).click();
    await shows('"soa_email": "dns@shop.example"');
    await page.getByLabel("Objects that hold").fill("nothing of this");
    await shows("Page 1 of 1, 0 objects");
    expect(complaints).toEqual([]);
  });

  it("shows requests with status and sizes, and events, as they come", async () => {
    await rows("#request-list").first().waitFor({ state: "detached" });
    const answer = await to("POST", "/domains", zone);
    await to("GET", "/domains/13?page=2");
    await rows("#request-list").nth(1).waitFor();
    const [last, first] = await rows("#request-list").allInnerTexts();
    expect(last).toMatch(/^2\s.*GET \/v4\/domains\/13\?page=2\s+404\s+0 B/s);
    expect(first).toMatch(
      new RegExp(
        `POST /v4/domains\\s+200\\s+${JSON.stringify(zone).length} B\\s+${answer.text.length} B$`,
        "s",
      ),
    );
    expect(await rows("#event-list").first().innerText()).toMatch(
      /dns_zone_create\s+domain \d+ shop\.example/,
    );
    expect(complaints).toEqual([]);
  });

  it("advances the clock to the end of a transition", async () => {
    const { id } = (await to("POST", "/volumes", { label: "data", size: 20, region: "us-east" })).json;
    const status = async () => (await to("GET", `/volumes/${id}`)).json.status;
    expect(await status()).toBe("creating");
    await page.getByRole("button", { name: /^Advance until volume\.active/ }).click();
    await shows("Nothing is under way.");
    expect(await status()).toBe("active");

    await page.getByLabel("Advance the clock by").fill("2");
    await page.getByLabel("Unit of time").selectOption("days");
    const before = Date.parse((await page.locator("#clock").getAttribute("datetime"))!);
    await button("Advance").click();
    await shows("The clock went on by 2 d.");
    const passed = Date.parse((await page.locator("#clock").getAttribute("datetime"))!) - before;
    expect(passed / 86_400_000).toBeCloseTo(2, 1);
    expect(complaints).toEqual([]);
  });

  it("turns faults on and off, and leaves the others counting", async () => {
    emulator.setFaults([{ method: "GET", path: "/volumes", do: "status", status: 418, nth: 1 }]);
    expect((await to("GET", "/volumes")).status).toBe(418);
    const busy = page.getByRole("switch", { name: "Too many requests: 429" });
    await busy.focus();
    await page.keyboard.press("Space");
    await shows("On: Too many requests: 429");
    expect((await to("GET", "/domains")).status).toBe(429);
    await shows(/^1 hit$/);
    await busy.uncheck();
    await shows("Off: Too many requests: 429");
    expect((await to("GET", "/volumes")).status).toBe(200);

    await page.getByText("Another fault").click();
    await page.getByLabel("Path, as the contract writes it").fill("/nowhere");
    await button("Add the fault").click();
    await shows("/nowhere is no path of the contract");
    await page.getByLabel("Path, as the contract writes it").fill("/domains");
    await page.getByLabel("Status", { exact: true }).fill("500");
    await button("Add the fault").click();
    await page.getByRole("switch", { name: "* /domains: probability 1, do status, status 500" }).waitFor();
    expect((await to("GET", "/domains")).status).toBe(500);
    expect(complaints.filter((text) => !/the server responded with a status of 400/.test(text))).toEqual([]);
  });

  it("resets the emulator once its user is sure", async () => {
    await to("POST", "/domains", zone);
    await button("Domains 1").waitFor();
    await button("Reset…").click();
    await button("Keep it").click();
    expect((await to("GET", "/domains")).json.results).toBe(1);
    await button("Reset…").click();
    await button("Reset").click();
    await shows("The emulator is reset.");
    await button("Domains 0").waitFor();
    expect((await to("GET", "/domains")).json.results).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("exports the account as a file that the emulator takes back", async () => {
    await to("POST", "/domains", zone);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      button("Export the account").click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^account-.*\.json$/);
    const account = JSON.parse(readFileSync(await download.path(), "utf8"));
    expect(account).toEqual(emulator.data());
    emulator.reset();
    emulator.setData(account);
    expect((await to("GET", "/domains")).json.data[0].domain).toBe("shop.example");
    expect(complaints).toEqual([]);
  });

  it("shows markup of the account as text", async () => {
    const label = "<img src=x onerror=document.title='taken'>";
    await to("POST", "/profile/tokens", { label });
    await button("Tokens 1").click();
    await shows(label);
    await page.locator("summary", { hasText: label }).click();
    await shows(`"label": "${label}"`);
    expect([await page.title(), await page.locator("main img").count()]).toEqual(["Emulator", 0]);
    expect(complaints).toEqual([]);
  });

  it.each([
    ["in light", { colorScheme: "light" as const }],
    ["in dark", { colorScheme: "dark" as const }],
    ["on a narrow screen", { viewport: { width: 320, height: 640 } }],
  ])("is open to everybody %s", async (_, options) => {
    await to("POST", "/domains", zone);
    await to("POST", "/volumes", { label: "data", size: 20, region: "us-east" });
    await to("GET", "/nothing");
    await open(options);
    await button("Domains 1").click();
    await page.locator("summary", { hasText: "shop.example" }).click();
    await shows('"soa_email"');
    await page.getByText("Another fault").click();
    expect(await barriers(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    await button("Reset…").click();
    expect(await barriers(page)).toEqual([]);
  });

  it("is used by the keyboard alone", async () => {
    await to("POST", "/domains", zone);
    await button("Domains 1").waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the account");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("#collection-title:focus").waitFor();
    expect(await page.locator("#collection-title").innerText()).toBe("Domains");
    await page.keyboard.press("Tab");
    await page.keyboard.type("shop");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await shows('"soa_email": "dns@shop.example"');
    expect(complaints).toEqual([]);
  });

  it("stands still when it is told to, and goes on", async () => {
    await button("Pause").click();
    await shows("The page stands still.");
    await to("POST", "/domains", zone);
    await page.waitForTimeout(2_500);
    expect(await button("Domains 0").count()).toBe(1);
    await button("Pause").click();
    await button("Domains 1").waitFor();
    expect(complaints).toEqual([]);
  });

  it("says that its emulator was started anew", async () => {
    const { port } = emulator;
    await emulator.close();
    emulator = await startEmulator({ port });
    await button("Load the page again").click();
    await page.locator("#clock[datetime]").waitFor();
    await to("POST", "/domains", zone);
    await button("Domains 1").waitFor();
  });

  it("lets no other page do what it does", async () => {
    await to("POST", "/domains", zone);
    const other = http.createServer((_request, response) =>
      response.end("<!doctype html><title>other</title>"),
    );
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    try {
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      const tried = await page.evaluate(`(async () => {
        const site = "http://127.0.0.1:${emulator.port}/_emulator/";
        const told = async (path, how) => fetch(site + path, how).then((answer) => answer.type + answer.status, () => "refused");
        const script = document.createElement("script");
        const ran = new Promise((done) => { script.onload = () => done("ran"); script.onerror = () => done("refused"); });
        script.src = site + "page/page.js";
        document.head.append(script);
        const frame = document.createElement("iframe");
        frame.src = site;
        document.body.append(frame);
        await new Promise((done) => { frame.onload = done; });
        let framed = "refused";
        try { framed = frame.contentDocument?.title ?? "refused"; } catch {}
        return [
          await told("", {}),
          await told("data", {}),
          await told("reset", { method: "POST", headers: { "Content-Type": "application/json" } }),
          await told("reset", { method: "POST", mode: "no-cors", body: "{}" }),
          await ran,
          framed,
        ];
      })()`);
      expect(tried).toEqual(Array(6).fill("refused"));
      expect((await to("GET", "/domains")).json.results).toBe(1);
    } finally {
      await new Promise((done) => other.close(done));
    }
  });
});
