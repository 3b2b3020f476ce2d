import { describe, expect, test } from "vitest";
import { createAccount } from "../../../emulator/account/account.ts";
import type { Area, Handler } from "../../../emulator/area.ts";
import { accountArea } from "../../../emulator/areas/account/index.ts";
import { operations } from "../../../emulator/contract/contract.ts";
import { answerMismatch } from "../../../emulator/http/answer-check.ts";
import { createBrand } from "../../../emulator/http/brand.ts";
import { createRateLimit } from "../../../emulator/http/rate-limit.ts";
import { createRouter } from "../../../emulator/http/router.ts";
import { createService } from "../../../emulator/http/service.ts";

function judge(handlers: { [operation: string]: Handler }) {
  const area: Area = { name: "test", handlers };
  const seeded: Area = { name: "users", handlers: {}, seed: accountArea.seed! };
  const mismatches: string[] = [];
  const logged: string[] = [];
  const areas = [seeded, area];
  const log = (line: string) => void logged.push(line);
  const common = { areas, log, changed: () => {} };
  const account = createAccount({
    ...common,
    brand: "compute",
    speed: 1,
    startTime: undefined,
    seed: undefined,
    tokens: undefined,
  });
  const route = createRouter(operations, (segment) => segment);
  const serve = createService({
    ...common,
    account,
    brand: createBrand("compute"),
    rateLimit: createRateLimit("standard", account.clock.millis),
    open: true,
    cors: false,
    checkAnswers: true,
    mismatch: (text) => mismatches.push(text),
  });
  const ask = async (method: string, path: string) => {
    const { status, headers, body } = await serve({
      method,
      route: route(path),
      query: "",
      headers: { authorization: "Bearer x" },
      body: undefined,
      remoteAddress: "127.0.0.1",
    });
    return { status, headers, json: JSON.parse(body || "null") };
  };
  return { ask, mismatches, logged, account };
}

const event = {
  id: 1,
  created: "2024-04-01T10:00:00",
  seen: false,
  read: false,
  percent_complete: null,
  time_remaining: null,
  rate: null,
  duration: null,
  action: "vpc_create",
  username: null,
  entity: null,
  secondary_entity: null,
  status: "notification",
  message: "",
};

describe("an answer that differs from the contract is 500 and remembered", () => {
  const { created: _created, ...incomplete } = event;
  test.each([
    ["a missing property", incomplete, "must have required property 'created'"],
    ["one too many", { ...event, more: 1 }, "must NOT have additional properties (more)"],
    ["a wrong type", { ...event, id: "1" }, "/id must be integer"],
    ["a null that is not allowed", { ...event, message: null }, "/message must be string"],
    ["a value outside its list", { ...event, status: "done" }, "/status must be equal to one of"],
    ["a date with a zone", { ...event, created: "2024-04-01T10:00:00Z" }, "/created must match format"],
    ["an incomplete part", { ...event, entity: { id: 1 } }, "/entity must have required property 'type'"],
    ["an empty object", {}, "must have required property"],
  ])("%s", async (_what, answer, difference) => {
    const { ask, mismatches } = judge({ "GET /account/events/{eventId}": () => answer });
    const told = await ask("GET", "/account/events/1");
    expect(told.status).toBe(500);
    expect(told.json.errors[0].reason).toContain(difference);
    expect(mismatches).toHaveLength(1);
    expect(mismatches[0]).toContain("GET /account/events/{eventId}");
  });

  test("a list is judged item by item", async () => {
    const { ask, mismatches } = judge({ "GET /account/events": () => [event, { ...event, id: null }] });
    expect((await ask("GET", "/account/events")).status).toBe(500);
    expect(mismatches[0]).toContain("/data/1/id must be integer");
  });

  test("one that agrees is told, without the emulator's own fields", async () => {
    const { ask, mismatches } = judge({
      "GET /account/events": () => [{ ...event, _at: 5, entity: null }],
      "POST /account/events/{eventId}/seen": () => undefined,
    });
    expect((await ask("GET", "/account/events")).json.data).toEqual([event]);
    expect((await ask("POST", "/account/events/1/seen")).json).toEqual({});
    expect(mismatches).toEqual([]);
  });
});

test("every response schema of the contract can judge", () => {
  for (const operation of operations)
    expect(() => answerMismatch(operation, {}), operation.key).not.toThrow();
});

test("an area that answers what the contract lacks, or what another answers, is refused", () => {
  expect(() => judge({ "GET /nothing": () => ({}) })).toThrow("which the contract does not have");
});

test("an operation without a handler is 501 and says which", async () => {
  const { ask } = judge({});
  const told = await ask("GET", "/vpcs");
  expect(told.status).toBe(501);
  expect(told.json.errors[0].reason).toMatch(/is not emulated yet: GET \/vpcs$/);
});

test("a handler that throws is 500, and told to the operator", async () => {
  const { ask, logged } = judge({
    "GET /profile": () => {
      throw new Error("a mistake of ours");
    },
  });
  const told = await ask("GET", "/profile");
  expect(told.status).toBe(500);
  expect(told.json.errors[0].reason).toContain("a mistake of ours");
  expect(logged[0]).toContain("GET /profile failed");
});

test("a list that is no array is a mistake of the area", async () => {
  const { ask, logged } = judge({ "GET /account/events": () => ({ data: [] }) });
  expect((await ask("GET", "/account/events")).status).toBe(500);
  expect(logged[0]).toContain("must return an array");
});

test("too many requests are 429 with when to come back", async () => {
  const { ask, account } = judge({ "GET /account/events": () => [] });
  for (let count = 0; count < 200; count++) expect((await ask("GET", "/account/events")).status).toBe(200);
  const told = await ask("GET", "/account/events");
  expect(told.status).toBe(429);
  expect(told.json).toEqual({ errors: [{ reason: "Too many requests" }] });
  const wait = Number(told.headers["Retry-After"]);
  expect(wait).toBeGreaterThan(50);
  expect(wait).toBeLessThanOrEqual(60);
  expect(told.headers).toMatchObject({ "X-RateLimit-Limit": "200", "X-RateLimit-Remaining": "0" });
  account.clock.advance(wait);
  expect((await ask("GET", "/account/events")).status).toBe(200);
});

test("a job that fails is told, and the others go on", () => {
  const { account, logged } = judge({});
  account.jobs.schedule("nobody.knows", 0, { id: 1 });
  account.jobs.runDue();
  expect(logged[0]).toContain("nobody.knows");
  expect(account.jobs.data()).toEqual([]);
});
