import { expect, it, onTestFinished } from "vitest";
import { type Bounds, exchange } from "../../../provider/service/http/exchange.ts";
import { createWays } from "../../../provider/service/http/proxy.ts";
import { type Play, silence, startBadServer } from "./bad-server.ts";

/** A server that plays, and what asks it over one connection. */
async function connect(...plays: Play[]) {
  const server = await startBadServer(...plays);
  const ways = createWays({}, { connections: 1 });
  onTestFinished(async () => {
    await ways.close();
    await server.close();
  });
  const { origin } = new URL(server.baseUrl);
  const way = ways.to(origin);
  const ask = (path: string, bounds: Partial<Bounds> = {}) =>
    exchange(
      way,
      { origin, method: "GET", path, headers: {} },
      { silence: 1000, whole: 2000, bytes: 1000, ...bounds },
    );
  return { server, ask };
}

it("passes over what is only told on the way", async () => {
  const { ask } = await connect((_, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.writeHead(201, { "x-page": "1" });
    response.end("made");
  });
  const answer = await ask("/");
  expect(answer).toMatchObject({ status: 201, text: "made" });
  expect(answer.headers).not.toHaveProperty("link");
});

it("puts together letters that come in parts, and headers that come twice", async () => {
  const { ask } = await connect((_, response) => {
    response.writeHead(200, { "x-scope": ["one", "two"] });
    const bytes = Buffer.from("grün");
    response.write(bytes.subarray(0, 3));
    setTimeout(() => response.end(bytes.subarray(3)), 50);
  });
  expect(await ask("/")).toMatchObject({ headers: { "x-scope": "one, two" }, text: "grün" });
});

it("has an empty text for an answer without a body", async () => {
  const { ask } = await connect((_, response) => {
    response.writeHead(204);
    response.end();
  });
  expect(await ask("/")).toMatchObject({ status: 204, text: "" });
});

it("ends with an answer that never ends, and tells the status that it had", async () => {
  const { server, ask } = await connect(
    (_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(drip));
    },
    (_, response) => response.end("next"),
  );
  const answer = await ask("/", { silence: 500, whole: 200 });
  expect(answer).toMatchObject({ status: 200, text: undefined });
  expect(answer.failure).toMatchObject({ message: "the answer took too long" });
  // On a connection of its own.
  expect(await ask("/")).toMatchObject({ text: "next" });
  expect(server.seen).toHaveLength(2);
});

it("does not read more than is allowed", async () => {
  const { ask } = await connect((_, response) => response.end("x".repeat(1001)));
  const answer = await ask("/");
  expect(answer).toMatchObject({ status: 200, text: undefined });
  expect(answer.failure).toMatchObject({ message: "the answer has more than 1000 bytes" });
  expect(await ask("/", { bytes: 1001 })).toMatchObject({ text: "x".repeat(1001) });
});

it("never sends what waited for a connection until its time was over", async () => {
  const { server, ask } = await connect(silence);
  const first = ask("/first", { silence: 400 });
  const second = ask("/second", { whole: 100 });
  await expect(first).rejects.toMatchObject({ code: "UND_ERR_HEADERS_TIMEOUT" });
  await expect(second).rejects.toThrow("no answer in time");
  expect(server.seen.map(({ path }) => path)).toEqual(["/first"]);
});

it("refuses what cannot be sent", async () => {
  const { server, ask } = await connect(silence);
  await expect(ask("no path")).rejects.toThrow("path");
  expect(server.seen).toEqual([]);
});
