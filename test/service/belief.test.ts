/** Answers that are not the service's, or not about what was asked for: a read of them fails, and after a write nobody knows whether it ran. */

import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAnswerLost, isGone } from "../../provider/core/service-port.ts";
import { createService, type Service } from "../../provider/service/client.ts";
import { createBrand } from "../../provider/service/http/brand.ts";
import { createWays } from "../../provider/service/http/proxy.ts";
import { createTransport } from "../../provider/service/http/transport.ts";
import { createFakeClock } from "./fake-clock.ts";
import { type BadServer, json, type Play, refusal, startBadServer } from "./http/bad-server.ts";
import { specialLists } from "./lists.ts";

async function connect(...plays: Play[]): Promise<{ server: BadServer; service: Service }> {
  const server = await startBadServer(...plays);
  const clock = createFakeClock({ skipUpTo: 1e9 });
  const timeoutSeconds = { read: 5, write: 5 };
  const options = { baseUrl: server.baseUrl, token: "s3cret-token", clock, timeoutSeconds };
  const service = createService({ ...options, lists: specialLists });
  onTestFinished(() => server.close());
  onTestFinished(() => service.close());
  return { server, service };
}

const failed = (asked: Promise<unknown>): Promise<Error> =>
  asked.then(
    (value) => new Error(`it was believed: ${JSON.stringify(value)}`),
    (error: Error) => error,
  );

const page =
  (status: number, body = "<html>Not found</html>", type = "text/html"): Play =>
  (_seen, response) =>
    void response.writeHead(status, { "content-type": type }).end(body);
const empty =
  (status: number): Play =>
  (_seen, response) =>
    void response.writeHead(status).end();

const foreign: [string, Play][] = [
  ["a 404 in HTML", page(404)],
  ["a 410 in HTML", page(410)],
  ["a 404 without a body", empty(404)],
  ["a 404 in other JSON", json({ message: "no route" }, 404)],
  ["a 404 with an empty list of errors", json({ errors: [] }, 404)],
  ["a 403 of a firewall", page(403)],
  ["a 200 in HTML", page(200)],
  ["a 200 without a body", empty(200)],
  ["a 204", empty(204)],
  ["a 200 with errors", json({ errors: [{ reason: "Not found" }] })],
  ["a 200 with other JSON", json({ status: "ok" })],
  ["a 200 with a list", json([])],
];

describe.each(foreign)("%s", (_what, play) => {
  it("is not what a read is told, and nothing is gone by it", async () => {
    const { service } = await connect(play);
    const error = await failed(service.get("/volumes/7"));
    expect(error.name).toBe("UnreachableError");
    expect(error.message).toMatch(/this does not look like the service.*PLUMBLINE_BASE_URL/);
    expect(isGone(error)).toBe(false);
    expect(await failed(service.list("/volumes"))).toMatchObject({ name: "UnreachableError" });
  });

  it("leaves open whether a write ran", async () => {
    for (const write of [
      (service: Service) => service.post("/volumes", { label: "a" }),
      (service: Service) => service.put("/volumes/7", { label: "a" }),
      (service: Service) => service.delete("/volumes/7"),
    ]) {
      const { service } = await connect(play);
      const error = await failed(write(service));
      expect(error.message).toContain("nobody knows whether it ran");
      expect(isAnswerLost(error)).toBe(true);
    }
  });
});

describe("a success", () => {
  it("with nothing in it says neither what was read nor that a change was made", async () => {
    const { service } = await connect(json({}));
    for (const path of ["/volumes/7", "/domains/1/zone-file", "/account"])
      expect(await failed(service.getFresh(path))).toMatchObject({ name: "UnreachableError" });
    expect(isAnswerLost(await failed(service.put("/volumes/7", { size: 1 })))).toBe(true);
    expect(isAnswerLost(await failed(service.post("/volumes/7/resize", { size: 1 })))).toBe(true);
    await service.delete("/volumes/7");
    expect(await service.post("/volumes/7/detach")).toEqual({});
    expect(await service.post("/databases/mysql/instances/7/backups", { label: "b" })).toEqual({});
  });

  it("about another object is not taken for the one that was asked for", async () => {
    const { service } = await connect(json({ id: 8, label: "other", size: 20 }));
    expect((await failed(service.get("/volumes/7"))).message).toContain("its id is another");
    expect((await failed(service.put("/volumes/7", { size: 20 }))).message).toContain("its id is another");
    expect((await failed(service.post("/volumes/7/resize", {}))).message).toContain("its id is another");
    const wait = failed(service.waitFor("/volumes/7", () => true, { timeoutSeconds: 60 }));
    expect(["TimeoutError", "UnreachableError"]).toContain((await wait).name);
    const bucket = "/object-storage/buckets/us-east-1/mine";
    expect((await failed(service.getFresh(bucket))).message).toContain("its label is another");
  });

  it("of an id that changed between POST and GET is an error of the GET", async () => {
    const { service } = await connect(json({ id: 7 }), json({ id: 8 }));
    expect(await service.post("/volumes", {})).toEqual({ id: 7 });
    expect((await failed(service.getFresh("/volumes/7"))).message).toContain("its id is another");
  });

  it.each([
    {},
    { id: null },
    { id: 0 },
    { id: -1 },
    { id: 1.5 },
    { id: "" },
    { id: "a\nb" },
    { id: { a: 1 } },
  ])("that made %j leaves open what it made", async (made) => {
    const { service, server } = await connect(json({ label: "v", ...made }));
    expect(isAnswerLost(await failed(service.post("/volumes", { label: "v" })))).toBe(true);
    expect(server.seen).toHaveLength(1);
  });

  it.each<[string, object]>([
    ["no data", { page: 1, pages: 1, results: 0 }],
    ["no page", { data: [], pages: 1, results: 0 }],
    ["no pages", { data: [], page: 1, results: 0 }],
    ["no results", { data: [], page: 1, pages: 1 }],
    ["another page", { data: [], page: 2, pages: 1, results: 0 }],
    ["items that are none", { data: [null, 5], page: 1, pages: 1, results: 2 }],
    ["pages of half items", { data: [], page: 1, pages: 1.5, results: 0 }],
    ["items missing", { data: [], page: 1, pages: 1, results: 7 }],
    ["pages missing", { data: [{ id: 7 }], page: 1, pages: 1, results: 700 }],
    ["more items than it counts", { data: [{ id: 7 }, { id: 8 }], page: 1, pages: 1, results: 1 }],
  ])("of a list with %s is not believed", async (_what, answer) => {
    const { service } = await connect(json(answer));
    const error = await failed(service.list("/volumes"));
    expect(error.name).toBe("UnreachableError");
    expect(error.message).toContain("this does not look like the service");
  });
});

it("a redirect is told, and the token is not sent after it", async () => {
  const other = await startBadServer(json({ id: 7 }));
  onTestFinished(() => other.close());
  const { service } = await connect((_seen, response) => {
    response.writeHead(302, { location: `${other.baseUrl}/volumes/7` }).end();
  });
  expect((await failed(service.get("/volumes/7"))).message).toContain("The base URL redirects");
  expect(isAnswerLost(await failed(service.post("/volumes", {})))).toBe(false);
  expect(other.seen).toEqual([]);
});

describe("an answer without end", () => {
  const open = (server: BadServer, timeout = 5) => {
    const transport = createTransport({
      ...{ baseUrl: server.baseUrl, token: "t", brand: createBrand("acme"), userAgent: "x" },
      ...{ timeoutSeconds: { read: timeout, write: timeout }, now: () => 0, mostBytes: 100_000 },
      ways: createWays({}, { connections: 1 }),
    });
    onTestFinished(() => transport.close());
    return transport;
  };
  const read = { method: "GET", path: "/volumes/7" } as const;

  it("is given up at the bound of its bytes", async () => {
    let sent = 0;
    const server = await startBadServer((_seen, response) => {
      const flood = () => {
        while (!response.destroyed && response.write("x".repeat(10_000))) sent += 10_000;
      };
      response.on("drain", flood);
      flood();
    });
    onTestFinished(() => server.close());
    await expect(open(server).send(read)).rejects.toMatchObject({
      name: "NoAnswer",
      sent: true,
      message: "the answer has more than 100000 bytes",
    });
    expect(sent).toBeLessThan(50_000_000);
  });

  it("is given up when it only drips, though no pause is long", async () => {
    const server = await startBadServer((_seen, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    });
    onTestFinished(() => server.close());
    await expect(open(server, 0.1).send(read)).rejects.toMatchObject({
      sent: true,
      message: "the answer took too long",
    });
  });

  it("does not swell: what nobody asked to be compressed is not unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000, " "));
    const server = await startBadServer((_seen, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb);
    });
    onTestFinished(() => server.close());
    expect(await open(server).send(read)).toMatchObject({ json: undefined, empty: false });
    expect(server.seen[0]?.headers["accept-encoding"]).toBeUndefined();
  });

  it("in depth is no JSON", async () => {
    const server = await startBadServer((_seen, response) => {
      response.writeHead(200).end(`${"[".repeat(40_000)}${"]".repeat(40_000)}`);
    });
    onTestFinished(() => server.close());
    expect(await open(server).send(read)).toMatchObject({ json: undefined });
  });
});

it("what the service itself says is believed as ever", async () => {
  const { service } = await connect(
    refusal(404, "Not found"),
    json({ data: [{ id: 7 }], page: 1, pages: 1, results: 1 }),
    json({ id: 7 }),
    json({}),
    json({ label: "mine", cluster: "us-east-1" }),
  );
  expect(isGone(await failed(service.get("/volumes/7")))).toBe(true);
  expect(await service.list("/volumes", { fresh: true })).toEqual([{ id: 7 }]);
  expect(await service.post("/volumes", {})).toEqual({ id: 7 });
  await service.delete("/volumes/7");
  expect(await service.post("/object-storage/buckets", {})).toMatchObject({ label: "mine" });
});
