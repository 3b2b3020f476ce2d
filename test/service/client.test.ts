import { describe, expect, it, onTestFinished } from "vitest";
import type { ServicePort } from "../../provider/core/service-port.ts";
import { isAnswerLost, isApiError, isGone } from "../../provider/core/service-port.ts";
import { createService, type Service, type ServiceOptions } from "../../provider/service/client.ts";
import { createFakeClock, type FakeClock, settle } from "./fake-clock.ts";
import {
  type BadServer,
  garbage,
  html,
  json,
  type Play,
  refusal,
  reset,
  silence,
  startBadServer,
  truncated,
} from "./http/bad-server.ts";

const token = "very-secret-token";

async function connect(
  plays: Play[],
  options: Partial<ServiceOptions> = {},
): Promise<{ server: BadServer; service: Service; clock: FakeClock }> {
  const server = await startBadServer(...plays);
  const clock = createFakeClock({ skipUpTo: 60_000 });
  const service = createService({
    baseUrl: server.baseUrl,
    token,
    clock,
    random: () => 0.5,
    timeoutSeconds: { read: 0.2, write: 0.2 },
    ...options,
  });
  onTestFinished(() => server.close());
  onTestFinished(() => service.close());
  return { server, service, clock };
}

async function failed(asked: Promise<unknown>): Promise<Error> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  expect(JSON.stringify([(error as Error).message, (error as Error).stack])).not.toContain(token);
  return error as Error;
}

it("is what the core's port asks for", async () => {
  const { service } = await connect([json({})]);
  const port: ServicePort = service;
  expect(Object.keys(port)).toEqual(
    expect.arrayContaining(["get", "getFresh", "list", "post", "put", "delete", "waitFor"]),
  );
});

describe("a read", () => {
  it.each<[string, Play]>([
    ["502 in HTML", html],
    ["a reset connection", reset],
    ["a truncated answer", truncated],
    ["an answer that is no JSON", garbage],
    ["no answer in time", silence],
    ["503", refusal(503, "later")],
    ["429", refusal(429, "Too many requests", { "retry-after": "2" })],
  ])("survives %s", async (_what, play) => {
    const { service, server } = await connect([json({ id: 6 }), play, json({ id: 7 })]);
    await service.getFresh("/volumes/6");
    expect(await service.get("/volumes/7")).toEqual({ id: 7 });
    expect(server.seen).toHaveLength(3);
    expect(service.requests()).toEqual({ GET: 3 });
  });

  it("of nothing is gone, in the port's own words", async () => {
    const { service } = await connect([refusal(404, "Not found")]);
    const error = await failed(service.get("/volumes/7"));
    expect(isGone(error)).toBe(true);
    expect(error.message).toBe("GET /volumes/7: 404 Not found");
  });

  it("with a bad token says where the token comes from, once", async () => {
    const { service, server } = await connect([refusal(401, "Invalid Token")]);
    const error = await failed(service.get("/volumes/7"));
    expect(error.message).toContain("PLUMBLINE_TOKEN or plumbline:token");
    expect(server.seen).toHaveLength(1);
  });
});

describe("a create", () => {
  it.each<[string, Play]>([
    ["502 in HTML", html],
    ["a reset connection", reset],
    ["a truncated answer", truncated],
    ["an answer that is no JSON", garbage],
    ["no answer in time", silence],
    ["500", refusal(500, "oops")],
    ["503 without Retry-After", refusal(503, "later")],
  ])("is lost and never sent twice after %s", async (_what, play) => {
    const { service, server } = await connect([play, json({ id: 7 })]);
    const error = await failed(service.post("/volumes", { label: "secret-label" }));
    expect(isAnswerLost(error)).toBe(true);
    expect(error.message).not.toContain("secret-label");
    expect(server.seen).toHaveLength(1);
  });

  it("is sent again after 429 and after 503 with Retry-After", async () => {
    const { service, server, clock } = await connect([
      refusal(429, "Too many requests", { "retry-after": "5" }),
      refusal(503, "later", { "retry-after": "5" }),
      json({ id: 7 }),
    ]);
    const before = clock.now();
    expect(await service.post("/volumes", {})).toEqual({ id: 7 });
    expect(server.seen).toHaveLength(3);
    expect(clock.now() - before).toBeGreaterThanOrEqual(10_000);
  });

  it("that is refused tells every reason", async () => {
    const errors = [{ reason: "is required", field: "label" }, { reason: "Bad" }];
    const { service } = await connect([json({ errors }, 400)]);
    const error = await failed(service.post("/volumes", {}));
    expect(error.message).toBe("POST /volumes: 400 label: is required; Bad");
    expect(isApiError(error, 400)).toBe(true);
  });
});

describe("a write that may be repeated", () => {
  it("is repeated after its answer was truncated", async () => {
    const { service, server } = await connect([json({ id: 1 }), truncated, json({ id: 7, size: 20 })]);
    await service.getFresh("/volumes/1");
    expect(await service.put("/volumes/7", { size: 20 })).toEqual({ id: 7, size: 20 });
    expect(server.seen.map(({ body }) => body)).toEqual(["", '{"size":20}', '{"size":20}']);
  });

  it("and deletes has deleted when the repeat finds nothing", async () => {
    const { service } = await connect([json({ id: 1 }), reset, refusal(404, "Not found")]);
    await service.getFresh("/volumes/1");
    await service.delete("/volumes/7");
    expect(service.requests()).toEqual({ GET: 1, DELETE: 2 });
  });

  it("is lost, in the end, when no answer ever comes", async () => {
    const { service } = await connect([reset]);
    expect(isAnswerLost(await failed(service.put("/volumes/7", {})))).toBe(true);
  });
});

it("a service that is not there is named at once, with what to check", async () => {
  const { server, clock } = await connect([json({})]);
  await server.close();
  const service = createService({ baseUrl: server.baseUrl, token, clock, random: () => 0.5 });
  onTestFinished(() => service.close());
  const error = await failed(service.get("/volumes/7"));
  expect(error.name).toBe("UnreachableError");
  expect(error.message).toContain(`${server.baseUrl} (connection refused), tried 3 times`);
  expect(error.message).toContain("PLUMBLINE_BASE_URL");
});

it("a path with a missing id is refused before any request", async () => {
  const { service, server } = await connect([json({})]);
  await expect(service.get("/domains//records")).rejects.toThrow("an id is missing");
  await expect(service.delete("/domains/undefined")).rejects.toThrow("an id is missing");
  expect(server.seen).toHaveLength(0);
});

it("tells its repeats", async () => {
  const told: unknown[] = [];
  const { service } = await connect([refusal(503, "x"), json({ id: 7 })], {
    onRetry: (notice) => told.push(notice),
  });
  await service.get("/volumes/7");
  expect(told).toEqual([
    { method: "GET", path: "/volumes/7", attempt: 1, waitSeconds: 0.375, reason: "503" },
  ]);
});

it("tells the time by the service's clock, and by ours before any answer", async () => {
  const date = "Sat, 01 Jan 2028 00:00:00 GMT";
  const { service, clock } = await connect([json({ email: "a@b.example" }, 200, { date })]);
  expect(service.serviceTime()).toBe(new Date(clock.now()).toISOString());
  await service.getFresh("/account");
  await clock.advance(90_000);
  expect(service.serviceTime()).toBe("2028-01-01T00:01:30.000Z");
});

it("sends no more than it may at once", async () => {
  const held: (() => void)[] = [];
  const { service, server } = await connect(
    [(seen, response) => held.push(() => json({ id: 1 })(seen, response))],
    { parallel: 3, timeoutSeconds: { read: 10, write: 10 } },
  );
  const sent = Promise.all(
    Array.from({ length: 7 }, (_, at) => service.post("/volumes", { label: `v${at}` })),
  );
  for (const expected of [3, 6, 7]) {
    while (server.seen.length < expected) await settle();
    // One more that must not come would be here by then.
    for (let turn = 0; turn < 50; turn++) await settle();
    expect(server.seen).toHaveLength(expected);
    for (const answer of held.splice(0)) answer();
  }
  await sent;
});

describe("a cancel", () => {
  it("lets what was sent end, and starts nothing more", async () => {
    let answer: (() => void) | undefined;
    const { service, server } = await connect(
      [
        (seen, response) => {
          answer = () => json({ id: 7 })(seen, response);
        },
      ],
      { parallel: 1, timeoutSeconds: { read: 10, write: 10 } },
    );
    const sent = service.post("/volumes", {});
    const queued = service.post("/volumes", {});
    const read = service.get("/domains/1");
    const waiting = service.waitFor("/volumes/9", () => true, { timeoutSeconds: 600 });
    while (answer === undefined) await settle();
    service.cancel();
    for (const one of [queued, read, waiting, service.put("/volumes/7", {})]) {
      expect((await failed(one)).name).toBe("CancelledError");
    }
    answer();
    expect(await sent).toEqual({ id: 7 });
    expect(server.seen).toHaveLength(1);
  });

  it("of one call ends that call only", async () => {
    const { service, server } = await connect([json({ id: 7 })], { parallel: 1 });
    const stop = new AbortController();
    const first = service.post("/volumes", {});
    const second = service.post("/volumes", {}, { signal: stop.signal });
    const third = service.post("/volumes", {});
    stop.abort();
    expect((await failed(second)).name).toBe("CancelledError");
    await Promise.all([first, third]);
    expect(server.seen).toHaveLength(2);
    expect((await failed(service.get("/volumes/7", { signal: stop.signal }))).name).toBe("CancelledError");
  });

  it("between two tries of a write that may have run says that it may have run", async () => {
    const { service, clock } = await connect([json({ id: 1 }), reset], {
      clock: createFakeClock(),
      onRetry: () => setImmediate(() => service.cancel()),
    });
    expect(clock).toBeDefined();
    await service.getFresh("/volumes/1");
    expect(isAnswerLost(await failed(service.put("/volumes/7", {})))).toBe(true);
  });
});

describe("close", () => {
  it("ends a create that is under way as one whose answer is lost", async () => {
    const { service, server } = await connect([silence], { timeoutSeconds: { read: 30, write: 30 } });
    const sent = service.post("/volumes", {});
    const outcome = failed(sent);
    while (server.seen.length === 0) await settle();
    await service.close();
    expect(isAnswerLost(await outcome)).toBe(true);
  });

  it("may be called twice", async () => {
    const { service } = await connect([json({})]);
    await service.close();
    await service.close();
  });
});
