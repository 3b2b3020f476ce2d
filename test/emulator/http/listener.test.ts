/** What never becomes a request of the service is refused in the service's form of an error all the same. */

import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createListener } from "../../../emulator/http/listener.ts";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { ask } from "../client.ts";

let emulator: Emulator;
const logged: string[] = [];
beforeAll(async () => {
  emulator = await startEmulator({ log: (line) => logged.push(line) });
});
afterAll(() => emulator.close());

/** Sends the text and resolves with the whole answer when the emulator ends the connection. */
function sent(text: string, port = emulator.port): Promise<{ status: number; type: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(text));
    let told = "";
    socket.on("data", (chunk) => {
      told += chunk.toString("utf8");
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const [head = "", body = ""] = told.split("\r\n\r\n");
      const type = /^content-type: (.*)$/im.exec(head)?.[1] ?? "";
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), type, body });
    });
  });
}

const end = "Host: localhost\r\nConnection: close\r\n\r\n";

describe("an error is in the service's envelope", () => {
  test.each<[what: string, status: number, text: string]>([
    [
      "headers that are too long",
      431,
      `GET /v4/domains HTTP/1.1\r\nX-Filter: ${"x".repeat(20_000)}\r\n${end}`,
    ],
    ["an address that is too long", 431, `GET /v4/${"x".repeat(20_000)} HTTP/1.1\r\n${end}`],
    ["a method that nobody knows", 405, `FETCH /v4/domains HTTP/1.1\r\n${end}`],
    ["a method that only other services know", 405, `PROPFIND /v4/domains HTTP/1.1\r\n${end}`],
    ["TRACE", 405, `TRACE /v4/domains HTTP/1.1\r\n${end}`],
    ["CONNECT", 405, `CONNECT example.com:443 HTTP/1.1\r\n${end}`],
    ["what is no HTTP", 400, "\x16\x03\x01\x02\x00\r\n\r\n"],
    ["a header without a colon", 400, `GET /v4/domains HTTP/1.1\r\nnonsense\r\n${end}`],
    ["two lengths", 400, `POST /v4/domains HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${end}xx`],
    [
      "a length and chunks",
      400,
      `POST /v4/domains HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${end}`,
    ],
    [
      "a chunk without a length",
      400,
      `POST /v4/domains HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${end}zz\r\n`,
    ],
    ["no host", 400, "GET /v4/domains HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["an expectation that nobody meets", 417, `POST /v4/domains HTTP/1.1\r\nExpect: tea\r\n${end}`],
    ["an unknown version of HTTP", 400, `GET /v4/domains HTTP/9.9\r\n${end}`],
    ["an address in a form for proxies", 404, `GET http://localhost/v4/domains HTTP/1.1\r\n${end}`],
    ["a star", 404, `OPTIONS * HTTP/1.1\r\n${end}`],
  ])("%s: %i", async (_what, status, text) => {
    const told = await sent(text);
    expect(told).toMatchObject({ status, type: "application/json" });
    expect(JSON.parse(told.body)).toEqual({ errors: [{ reason: expect.stringMatching(/\S/) }] });
  });

  test("a body that says that it is too large is refused before it comes", async () => {
    const headers = { "content-length": String(16 * 1024 * 1024 + 1), expect: "100-continue" };
    const told = await ask(emulator.port, "POST", "/v4/domains", { headers });
    expect([told.status, told.json]).toEqual([
      413,
      { errors: [{ reason: expect.stringContaining("16777216") }] },
    ]);
  });

  test("one that grows too large is refused while the client still sends, which reads the answer", async () => {
    const small = createListener({
      handle: neverAsked,
      largestBody: () => 1_000,
      log: (line) => logged.push(line),
    });
    const port = await small.listen(0, "127.0.0.1");
    try {
      const body = new Blob(["x".repeat(3_000_000)]).stream();
      const told = await fetch(`http://127.0.0.1:${port}`, {
        method: "POST",
        body,
        duplex: "half",
      } as RequestInit);
      expect([told.status, await told.json()]).toEqual([
        413,
        { errors: [{ reason: expect.stringContaining("1000") }] },
      ]);
    } finally {
      await small.close();
    }
  });

  test("a failure of whoever answers is a 500 that says why", async () => {
    const lines: string[] = [];
    const broken = createListener({
      handle: () => Promise.reject(new Error("no such day")),
      largestBody: () => 1_000,
      log: (line) => lines.push(line),
    });
    const port = await broken.listen(0, "127.0.0.1");
    try {
      const told = await ask(port, "GET", "/v4/domains");
      expect([told.status, told.json]).toEqual([
        500,
        { errors: [{ reason: "The emulator failed: no such day" }] },
      ]);
      expect(lines).toEqual([expect.stringContaining("GET /v4/domains could not be answered")]);
    } finally {
      await broken.close();
    }
  });

  test("and none of them is a failure of the emulator", () => {
    expect(logged).toEqual([]);
  });
});

const neverAsked = () => Promise.reject(new Error("a refused body was handed over"));
