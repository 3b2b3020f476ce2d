/** Who gets the emulator's page, and what its key opens: the doors as a browser finds them, without one. */

import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { startCommand } from "../../cli-process.ts";
import { type Ask, ask } from "../client.ts";

let emulator: Emulator;
let key: string;
beforeAll(async () => {
  emulator = await startEmulator({ log: () => {} });
  key = /name="page-key" content="([0-9a-f]{32})"/.exec((await to("GET", "/_emulator/")).text)![1]!;
});
afterAll(() => emulator.close());

const to = (method: string, path: string, options?: Ask) => ask(emulator.port, method, path, options);
const site = () => `http://127.0.0.1:${emulator.port}`;
const modules = ["account.js", "faults.js", "lists.js", "main.js", "page.js", "time.js"];
const files = ["/_emulator/", "/_emulator/page/style.css", "/_emulator/page/main.js"];

describe("the page's files", () => {
  it("are all that the page and its modules name, and nothing else", async () => {
    const seen = new Set<string>();
    const follow = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const { status, text, headers } = await to("GET", path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers["content-type"]).toMatch(/^text\/(html|css|javascript); charset=utf-8$/);
      const named = text.matchAll(/(?:href|src|from) ?=?"((?:\.\/|page\/)[\w./]+)"/g);
      for (const [, name] of named) await follow(new URL(name!, `${site()}${path}`).pathname);
    };
    await follow("/_emulator/");
    expect([...seen].map((path) => path.replace(/.*\//, "")).sort()).toEqual(
      ["", "style.css", ...modules].sort(),
    );
    for (const path of ["/_emulator/page/", "/_emulator/page/../index.html", "/_emulator/page/none.js"])
      expect((await to("GET", path)).status, path).toBe(404);
  });

  it("come with a policy that runs nothing but themselves", async () => {
    for (const path of files) {
      const { headers } = await to("GET", path);
      expect(headers["content-security-policy"]).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'",
      );
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers).toMatchObject({
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
      });
      expect(headers).not.toHaveProperty("access-control-allow-origin");
    }
  });

  it("are there without the last slash, for HEAD, and for nothing that changes", async () => {
    const told = await to("GET", "/_emulator");
    expect([told.status, told.headers.location]).toEqual([308, "/_emulator/"]);
    expect((await to("HEAD", "/_emulator/")).status).toBe(200);
    expect((await to("POST", "/_emulator/")).status).toBe(405);
  });

  it("are refused to other pages and under other names, but a link may lead there", async () => {
    const link = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    const status = async (path: string, headers: { [name: string]: string }) =>
      (await to("GET", path, { headers })).status;
    for (const path of files) {
      expect(await status(path, { host: "page.example" })).toBe(403);
      expect(await status(path, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })).toBe(403);
      expect(await status(path, { "sec-fetch-site": "same-site", "sec-fetch-dest": "script" })).toBe(403);
      expect(await status(path, { ...link, "sec-fetch-dest": "iframe" })).toBe(403);
      expect(await status(path, { "sec-fetch-site": "same-origin" })).toBe(200);
      expect(await status(path, { "sec-fetch-site": "none" })).toBe(200);
      expect(await status(path, link)).toBe(200);
    }
  });
});

describe("the page's key", () => {
  const own = () => ({ "x-emulator-page": key, origin: site(), "sec-fetch-site": "same-origin" });

  it("opens the control operations to the page itself", async () => {
    expect((await to("GET", "/_emulator/overview", { headers: own() })).status).toBe(200);
    expect((await to("POST", "/_emulator/reset", { headers: own(), body: {} })).status).toBe(200);
    expect(
      (await to("POST", "/_emulator/reset", { headers: { ...own(), "content-type": "text/plain" } })).status,
    ).toBe(403);
  });

  it.each([
    [{ "x-emulator-page": "0".repeat(32) }, "Origin"],
    [{ "x-emulator-page": "" }, "Origin"],
    [{ origin: "https://page.example" }, "Origin"],
    [{ origin: "null" }, "Origin"],
    [{ "sec-fetch-site": "same-site" }, "Origin"],
    [{ "sec-fetch-site": "cross-site" }, "Origin"],
    [{ host: "page.example", origin: "http://page.example" }, "Host"],
  ])("opens nothing to a request with %j", async (headers, field) => {
    const told = await to("GET", "/_emulator/overview", { headers: { ...own(), ...headers } as never });
    expect([told.status, told.json.errors[0].field]).toEqual([403, field]);
  });

  it("is another for each emulator", async () => {
    const other = await startEmulator();
    try {
      const told = await ask(other.port, "GET", "/_emulator/");
      expect(told.text).toMatch(/name="page-key" content="[0-9a-f]{32}"/);
      expect(told.text).not.toContain(key);
    } finally {
      await other.close();
    }
  });
});

it("no file of the page writes markup", () => {
  const folder = new URL("../../../emulator/page/public/", import.meta.url);
  for (const name of modules)
    expect(readFileSync(new URL(name, folder), "utf8")).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/,
    );
});

it("the built command line serves the same files, and says where", async () => {
  let port = "";
  const served = new Map<string, string>();
  const program = startCommand(
    ["emulator", "--port", "0"],
    { cwd: tmpdir(), env: process.env },
    "",
    async (text, kill) => {
      port = /to look at: http:\/\/127\.0\.0\.1:(\d+)\/_emulator\/$/m.exec(text)?.[1] ?? port;
      for (const path of ["/_emulator/", ...modules.map((name) => `/_emulator/page/${name}`)])
        served.set(path, (await ask(Number(port), "GET", path)).text);
      kill("SIGTERM");
    },
  );
  expect((await program).code).toBe(0);
  const source = async (path: string) => (await to("GET", path)).text;
  const plain = (text: string) => text.replace(/[0-9a-f]{32}/, "key");
  expect(served.size).toBe(1 + modules.length);
  for (const [path, text] of served) expect(plain(text), path).toBe(plain(await source(path)));
});
