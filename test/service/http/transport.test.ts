import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBrand } from "../../../provider/service/http/brand.ts";
import { createWays } from "../../../provider/service/http/proxy.ts";
import {
  createTransport,
  NoAnswer,
  type Request,
  type Transport,
} from "../../../provider/service/http/transport.ts";
import {
  type BadServer,
  garbage,
  html,
  json,
  type Play,
  reset,
  silence,
  startBadServer,
  truncated,
} from "./bad-server.ts";

async function connect(...plays: Play[]): Promise<{ server: BadServer; transport: Transport }> {
  const server = await startBadServer(...plays);
  const transport = open(server.baseUrl);
  onTestFinished(() => server.close());
  return { server, transport };
}

function open(baseUrl: string, token = "very-secret", brand = "compute"): Transport {
  const transport = createTransport({
    baseUrl,
    token,
    brand: createBrand(brand),
    userAgent: "plumbline/test",
    ways: createWays({}, { connections: 4 }),
    timeoutSeconds: { read: 0.2, write: 0.2 },
    now: () => Date.now(),
  });
  onTestFinished(() => transport.close());
  return transport;
}

async function failure(transport: Transport, request: Request): Promise<NoAnswer> {
  const error = await transport.send(request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(NoAnswer);
  return error as NoAnswer;
}

const read: Request = { method: "GET", path: "/domains/1" };

describe("a request", () => {
  it("carries the token, the body as JSON, and nothing that is not asked for", async () => {
    const { server, transport } = await connect(json({ id: 1 }));
    const answer = await transport.send({ method: "POST", path: "/volumes", body: { label: "é", size: 20 } });
    expect(answer).toMatchObject({ status: 200, json: { id: 1 }, empty: false });
    expect(server.seen[0]).toMatchObject({
      method: "POST",
      path: "/v4/volumes",
      body: '{"label":"é","size":20}',
    });
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: "Bearer very-secret",
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": "plumbline/test",
    });
    await transport.send(read);
    expect(server.seen[1]?.headers["content-type"]).toBeUndefined();
    expect(transport.requests()).toEqual({ POST: 1, GET: 1 });
  });

  it("speaks the service's brand word at the door", async () => {
    const server = await startBadServer(json({ acme_id: 5 }));
    onTestFinished(() => server.close());
    const transport = open(server.baseUrl, "t", "acme");
    const answer = await transport.send({
      method: "PUT",
      path: "/managed/compute-settings/5",
      body: { compute_id: 5 },
      filter: { compute_id: 5 },
    });
    expect(answer.json).toEqual({ compute_id: 5 });
    expect(server.seen[0]).toMatchObject({ path: "/v4/managed/acme-settings/5", body: '{"acme_id":5}' });
    expect(server.seen[0]?.headers["x-filter"]).toBe('{"acme_id":5}');
  });

  it("spells a filter in ASCII, as a header must be", async () => {
    const { server, transport } = await connect(json({}));
    await transport.send({ ...read, filter: { label: "smörgås" } });
    const sent = server.seen[0]?.headers["x-filter"];
    expect(sent).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(String(sent))).toEqual({ label: "smörgås" });
  });
});

describe("an answer", () => {
  it("that is HTML has its status and no JSON", async () => {
    const { transport } = await connect(html);
    expect(await transport.send(read)).toMatchObject({ status: 502, json: undefined, empty: false });
  });

  it("that is garbage has its status and no JSON", async () => {
    const { transport } = await connect(garbage);
    expect(await transport.send(read)).toMatchObject({ status: 200, json: undefined });
  });

  it("that is cut off is no answer, though the request was sent", async () => {
    const { transport } = await connect(truncated);
    expect(await failure(transport, read)).toMatchObject({ sent: true, permanent: false });
  });

  it("of refusal keeps its status when its body is cut off", async () => {
    const { transport } = await connect((_seen, response) => {
      response.writeHead(429, { "content-length": "100", "retry-after": "3" });
      response.write("{");
      setImmediate(() => response.destroy());
    });
    const answer = await transport.send(read);
    expect(answer.status).toBe(429);
    expect(answer.headers["retry-after"]).toBe("3");
  });

  it("that never comes is lost after the time-out", async () => {
    const { transport } = await connect(silence);
    expect(await failure(transport, read)).toMatchObject({ sent: true, what: "no answer in time" });
  });

  it("that is a reset connection may belong to a request that ran", async () => {
    const { transport } = await connect(reset);
    expect(await failure(transport, { method: "POST", path: "/volumes" })).toMatchObject({ sent: true });
  });

  it("tells how far the service's clock is ahead", async () => {
    const ahead = new Date(Date.now() + 3_600_000).toUTCString();
    const { transport } = await connect(json({}, 200, { date: ahead }));
    expect(transport.skew()).toBeUndefined();
    await transport.send(read);
    expect(Math.abs((transport.skew() ?? 0) - 3_600_000)).toBeLessThan(5_000);
  });
});

describe("a service that cannot be reached", () => {
  it("surely did not get the request when the connection is refused", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const error = await failure(open(`http://127.0.0.1:${port}/v4`), { method: "POST", path: "/volumes" });
    expect(error).toMatchObject({ sent: false, permanent: false, what: "connection refused" });
  });

  it("is told apart when TLS is spoken to a plain port, which asking again cannot help", async () => {
    const { server } = await connect(json({}));
    const error = await failure(open(server.baseUrl.replace("http:", "https:")), read);
    expect(error).toMatchObject({ sent: false, permanent: true });
  });

  it("is not asked after the transport is closed", async () => {
    const { server, transport } = await connect(json({}));
    await transport.close();
    expect(await failure(transport, read)).toMatchObject({ sent: false, permanent: true });
    expect(server.seen).toHaveLength(0);
  });
});

describe("settings", () => {
  it.each(["", "nonsense", "ftp://x/v4", "https://x/v4?token=1"])("refuse the base URL %j", (baseUrl) => {
    expect(() => open(baseUrl)).toThrow("PLUMBLINE_BASE_URL");
  });

  it("refuse a base URL with a password, without showing it", () => {
    expect(() => open("https://user:hunter2@x/v4")).toThrow(/^(?!.*hunter2).*PLUMBLINE_TOKEN/);
  });

  it("refuse a token that no header can carry, without showing it", () => {
    expect(() => open("http://x/v4", "two words\n")).toThrow(/^(?!.*two words).*plumbline:token/s);
    expect(() => open("http://x/v4", "")).toThrow("no token");
  });

  it("take a base URL with a slash at its end", async () => {
    const { server } = await connect(json({}));
    await open(`${server.baseUrl}/`).send(read);
    expect(server.seen[0]?.path).toBe("/v4/domains/1");
  });
});
