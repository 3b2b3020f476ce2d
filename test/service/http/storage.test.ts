/** Requests to pre-signed URLs, against a server that misbehaves. */

import { afterEach, expect, test } from "vitest";
import { createWays } from "../../../provider/service/http/proxy.ts";
import { createStorage } from "../../../provider/service/http/storage.ts";
import { type BadServer, type Play, startBadServer } from "./bad-server.ts";

let server: BadServer | undefined;
afterEach(() => server?.close());

const answers =
  (status: number): Play =>
  (_, response) =>
    void response.writeHead(status).end();
const missing =
  (code: string): Play =>
  (_, response) =>
    void response
      .writeHead(404, { "content-type": "application/xml" })
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
const page =
  (status: number): Play =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "text/html" }).end("<html>hello</html>");
const breaks: Play = (_, response) => void response.destroy();

/** Sends one request to a server that plays as told; waits take no time. */
async function send(method: "PUT" | "DELETE", ...plays: Play[]) {
  return sendTo("/b/a%20b", method, ...plays);
}

async function sendTo(path: string, method: "PUT" | "DELETE", ...plays: Play[]) {
  server = await startBadServer(...plays);
  const waits: number[] = [];
  const clock = { now: () => 0, sleep: async (ms: number) => void waits.push(ms) };
  const storage = createStorage({ clock, random: () => 1, ways: createWays({}, { connections: 1 }) });
  const url = `${new URL(server.baseUrl).origin}${path}?Signature=s3cret%3D&Expires=1`;
  const put = method === "PUT" ? { contentType: "text/css", body: "x" } : {};
  try {
    await storage.send({ method, url, what: 'object "a b" of b', ...put }, new AbortController().signal);
  } finally {
    await storage.close();
  }
  return { seen: server.seen, waits };
}

test("bytes and type go to the URL as it was signed, without a token", async () => {
  const { seen } = await send("PUT", answers(200));
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ method: "PUT", path: "/b/a%20b?Signature=s3cret%3D&Expires=1", body: "x" });
  expect(seen[0]!.headers["content-type"]).toBe("text/css");
  expect(seen[0]!.headers.authorization).toBeUndefined();
});

test("a name with dots between slashes stays as it is", async () => {
  const { seen } = await sendTo("/b/a/../c/.", "DELETE", answers(204));
  expect(seen[0]).toMatchObject({ path: "/b/a/../c/.?Signature=s3cret%3D&Expires=1" });
});

test("a broken connection, 429 and 503 are waited out, longer each time", async () => {
  const { seen, waits } = await send("PUT", breaks, answers(503), answers(429), answers(200));
  expect(seen.map(({ body }) => body)).toEqual(["x", "x", "x", "x"]);
  expect(waits).toEqual([500, 1000, 2000]);
});

test("a DELETE that finds nothing has succeeded; a PUT that finds no bucket has not", async () => {
  await send("DELETE", missing("NoSuchKey"));
  await expect(send("PUT", missing("NoSuchBucket"))).rejects.toMatchObject({ name: "ApiError", status: 404 });
});

test("a page of something else is neither a success nor a proof that the object is gone", async () => {
  for (const play of [page(200), page(404), answers(404), page(403)]) {
    for (const method of ["PUT", "DELETE"] as const) {
      const error = await send(method, play).catch((error: unknown) => error as Error);
      expect(error).toMatchObject({ name: "AnswerLostError" });
      expect((error as Error).message).toContain("does not look like the storage");
    }
  }
  await send("DELETE", page(404), missing("NoSuchKey"));
  expect(server!.seen).toHaveLength(2);
});

test("a refusal is not repeated, and what stays broken is given up; neither tells the signature", async () => {
  const refused = await send("PUT", answers(403)).catch((error: unknown) => error as Error);
  expect(server!.seen).toHaveLength(1);
  const broken = await send("DELETE", breaks).catch((error: unknown) => error as Error);
  expect(server!.seen).toHaveLength(6);
  expect(broken).toMatchObject({ name: "AnswerLostError" });
  for (const error of [refused, broken]) {
    expect((error as Error).message).toContain('object "a b" of b');
    expect((error as Error).message).not.toContain("s3cret");
  }
});
