/** The control operations against web pages, and against requests that make them fail. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Controlled, control } from "../../../emulator/http/control.ts";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { type Ask, ask } from "../client.ts";

let emulator: Emulator;
const logged: string[] = [];
beforeAll(async () => {
  emulator = await startEmulator({ log: (line) => logged.push(line) });
});
afterAll(() => emulator.close());

const to = (method: string, path: string, options?: Ask) => ask(emulator.port, method, path, options);
const fieldsOf = (json: { errors: { field?: string }[] }) => json.errors.map(({ field }) => field);
const operations = [
  ["GET", "/_emulator/data"],
  ["GET", "/_emulator/requests"],
  ["POST", "/_emulator/reset"],
  ["POST", "/_emulator/faults"],
  ["PUT", "/_emulator/data"],
  ["PATCH", "/_emulator/data"],
] as const;

describe("control operations", () => {
  test.each(operations)("%s %s refuses what a browser sends for a page", async (method, path) => {
    await to("POST", "/v4/profile/tokens", { body: { label: "stays" } });
    const sent: { [name: string]: string }[] = [
      { origin: "https://page.example" },
      { origin: "null" },
      { origin: `http://127.0.0.1:${emulator.port}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-origin" },
    ];
    for (const headers of sent) {
      const told = await to(method, path, { headers, ...(method !== "GET" && { body: {} }) });
      expect([told.status, fieldsOf(told.json)], JSON.stringify(headers)).toEqual([403, ["Origin"]]);
    }
    expect((await to("GET", "/v4/profile/tokens")).json.results).toBeGreaterThan(0);
  });

  test.each(operations)(
    "%s %s refuses a name that any DNS server may have pointed here",
    async (method, path) => {
      for (const host of [
        "page.example",
        "localhost.page.example:80",
        "127.0.0.1.page.example",
        "10.0.0.1",
      ]) {
        const told = await to(method, path, { headers: { host }, ...(method !== "GET" && { body: {} }) });
        expect([told.status, fieldsOf(told.json)], host).toEqual([403, ["Host"]]);
      }
    },
  );

  test("loopback names and addresses are its own", async () => {
    for (const host of [
      "localhost",
      "LOCALHOST:1",
      "127.0.0.1",
      `127.0.0.1:${emulator.port}`,
      "127.1.2.3:5",
      "[::1]:80",
    ])
      expect((await to("GET", "/_emulator/stats", { headers: { host } })).status, host).toBe(200);
  });

  test("so is the host that it was started on", async () => {
    const all = await startEmulator({ host: "0.0.0.0" });
    try {
      const status = async (host: string) =>
        (await ask(all.port, "GET", "/_emulator/stats", { headers: { host } })).status;
      expect([await status("0.0.0.0:9"), await status("127.0.0.1"), await status("page.example")]).toEqual([
        200, 200, 403,
      ]);
    } finally {
      await all.close();
    }
  });

  test("what changes something must not be a request that a page sends without asking first", async () => {
    await to("POST", "/v4/profile/tokens", { body: { label: "stays" } });
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=application/json",
      "text/plain; application/json",
      "",
    ]) {
      const told = await to("POST", "/_emulator/reset", { headers: { "content-type": type } });
      expect([told.status, fieldsOf(told.json)], type).toEqual([403, ["Content-Type"]]);
    }
    expect((await to("GET", "/v4/profile/tokens")).json.results).toBeGreaterThan(0);
    const json = { "content-type": "application/json; charset=utf-8" };
    expect((await to("POST", "/_emulator/reset", { headers: json })).status).toBe(200);
  });

  test("answers cannot be read as a script or from another site", async () => {
    expect((await to("GET", "/_emulator/data")).headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
  });
});

describe("a control request that goes wrong", () => {
  test("is answered with what is wrong, and the account stays", async () => {
    await to("POST", "/v4/profile/tokens", { body: { label: "stays" } });
    const data = (await to("GET", "/_emulator/data")).json;
    for (const [fields, field] of [
      [{ clockOffset: 1e300 }, "clockOffset"],
      [{ clockOffset: -1e18 }, "clockOffset"],
      [{ collections: { tokens: [null] } }, "collections.tokens"],
    ] as const) {
      const told = await to("PUT", "/_emulator/data", { body: { ...data, ...fields } });
      expect([told.status, fieldsOf(told.json)]).toEqual([400, [field]]);
    }
    expect((await to("GET", "/v4/profile/tokens")).json.data).toHaveLength(1);
  });

  test("that makes the emulator throw is answered with 500 and why", () => {
    const told: string[] = [];
    const controlled = {
      reset: () => {
        throw new RangeError("the account is upside down");
      },
    } as unknown as Controlled;
    const headers = { host: "localhost", "content-type": "application/json" };
    const asked = { method: "POST", path: "/_emulator/reset", query: "", headers, body: Buffer.alloc(0) };
    const answer = control(
      controlled,
      { ...asked, remoteAddress: "127.0.0.1", localAddress: "127.0.0.1" },
      "127.0.0.1",
      (line) => told.push(line),
    );
    expect(answer).toEqual({
      status: 500,
      body: { errors: [{ reason: "The emulator failed: the account is upside down" }] },
    });
    expect(told).toEqual([expect.stringMatching(/^POST \/_emulator\/reset failed: RangeError: the account/)]);
  });

  test.each([
    {},
    { seconds: "5" },
    { seconds: -1 },
    { seconds: null },
    { seconds: 1e300 },
    { seconds: 315_705_601 },
  ])("the clock is not moved by %j", async (body) => {
    const before = Date.now();
    const told = await to("POST", "/_emulator/advance", { body });
    expect([told.status, fieldsOf(told.json)]).toEqual([400, ["seconds"]]);
    expect(Date.parse((await to("GET", "/v4/profile")).headers.date!)).toBeLessThan(before + 3_600_000);
  });
});
