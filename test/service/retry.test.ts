import { describe, expect, it } from "vitest";
import { CancelledError } from "../../provider/core/protocol.ts";
import { AnswerLostError, ApiError } from "../../provider/core/service-port.ts";
import { UnreachableError } from "../../provider/service/errors.ts";
import { createBrand } from "../../provider/service/http/brand.ts";
import { type Method, NoAnswer, type Request } from "../../provider/service/http/transport.ts";
import { type RetryNotice, retried, type SendOptions } from "../../provider/service/retry.ts";
import { createFakeClock } from "./fake-clock.ts";

type Step = object | Error;

const refused = new NoAnswer(false, "connection refused", false, undefined);
const cut = new NoAnswer(true, "connection reset", false, undefined);
const certificate = new NoAnswer(false, "CERT_HAS_EXPIRED", true, undefined);

function api(
  status: number,
  more: { retryAfterSeconds?: number; retryable?: boolean; reason?: string } = {},
): ApiError {
  return new ApiError({
    method: "X",
    path: "/x",
    status,
    reasons: [{ reason: more.reason ?? "because" }],
    retryable: more.retryable ?? [408, 429, 500, 502, 503, 504].includes(status),
    retryAfterSeconds: more.retryAfterSeconds,
  });
}

/** Plays the steps, the last one for ever; tells how the call ended, and what it took. */
async function play(method: Method, steps: Step[], options: SendOptions & { answered?: boolean } = {}) {
  const clock = createFakeClock({ skipUpTo: 1e9 });
  const notices: RetryNotice[] = [];
  let sent = options.answered === false ? 0 : -1;
  const started = clock.now();
  const call = retried(
    (_request: Request) => {
      const step = sent < 0 ? {} : steps[Math.min(sent, steps.length - 1)];
      sent++;
      return step instanceof Error
        ? Promise.reject(step)
        : Promise.resolve(step as { [name: string]: unknown });
    },
    {
      clock,
      random: () => 0.5,
      brand: createBrand(),
      address: "http://x/v4",
      onRetry: (notice) => notices.push(notice),
    },
  );
  if (sent < 0) await call({ method: "GET", path: "/first" });
  const outcome = await call({ method, path: "/volumes/7?q=1" }, options).then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  );
  return { ...outcome, sent, notices, seconds: (clock.now() - started) / 1000 };
}

const passing: [string, Error][] = [
  ["a refused connection", refused],
  ["a reset connection", cut],
  ["408", api(408)],
  ["429", api(429)],
  ["500", api(500)],
  ["502", api(502)],
  ["503", api(503)],
  ["504", api(504)],
  ["busy", api(400, { reason: "Compute busy.", retryable: true })],
];

describe.each(["GET", "PUT", "DELETE"] as const)("%s", (method) => {
  it.each(passing)("is repeated after %s", async (_what, error) => {
    expect(await play(method, [error, { id: 7 }])).toMatchObject({ value: { id: 7 }, sent: 2 });
  });

  it.each([400, 401, 403, 501])("is not repeated after %i", async (status) => {
    const error = api(status);
    expect(await play(method, [error])).toMatchObject({ error, sent: 1 });
  });

  it("is not repeated in maintenance, nor after a bad certificate", async () => {
    expect(await play(method, [api(503, { retryable: false })])).toMatchObject({ sent: 1 });
    const { error, sent } = (await play(method, [certificate])) as { error: Error; sent: number };
    expect(sent).toBe(1);
    expect(error).toBeInstanceOf(UnreachableError);
  });

  it("ends after eight tries of what stays broken", async () => {
    const { sent, error } = (await play(method, [api(502)])) as { sent: number; error: Error };
    expect(sent).toBe(8);
    expect(error).toMatchObject({ name: "ApiError", status: 502 });
  });

  it("ends after three tries of an internal error", async () => {
    expect(await play(method, [api(500)])).toMatchObject({ sent: 3 });
  });

  it("is left to the caller when it asked for one try", async () => {
    expect(await play(method, [api(502)], { once: true })).toMatchObject({ sent: 1 });
  });
});

describe("POST", () => {
  it.each([
    ["a refused connection", refused],
    ["429", api(429, { retryAfterSeconds: 1 })],
    ["503 with Retry-After", api(503, { retryAfterSeconds: 1 })],
    ["busy", api(400, { reason: "Compute busy.", retryable: true })],
  ])("is repeated after %s: it surely did not run", async (_what, error) => {
    expect(await play("POST", [error, { id: 7 }])).toMatchObject({ value: { id: 7 }, sent: 2 });
  });

  it.each([
    ["a reset connection", cut],
    ["408", api(408)],
    ["500", api(500)],
    ["502", api(502)],
    ["503 without Retry-After", api(503)],
    ["504", api(504)],
  ])("is lost, and sent once only, after %s", async (_what, cause) => {
    const { error, sent } = (await play("POST", [cause, { id: 7 }])) as { error: Error; sent: number };
    expect(sent).toBe(1);
    expect(error).toBeInstanceOf(AnswerLostError);
    expect(error).toMatchObject({ method: "POST", path: "/volumes/7", cause });
    expect(error.message).toContain("nobody knows whether it ran");
  });

  it.each([400, 403, 501])("is simply refused by %i", async (status) => {
    const error = api(status);
    expect(await play("POST", [error])).toMatchObject({ error, sent: 1 });
  });

  it("is refused, not lost, in maintenance", async () => {
    expect(await play("POST", [api(503, { retryable: false })])).toMatchObject({
      error: { name: "ApiError" },
    });
  });
});

describe("a write whose answer was lost", () => {
  it("is still lost when the service is not to be reached afterwards", async () => {
    expect(await play("PUT", [cut, refused])).toMatchObject({ error: { name: "AnswerLostError" } });
  });

  it.each([
    ["a cut connection", cut, true],
    ["a bad gateway", api(502), true],
    ["a refused connection", refused, false],
    ["too many requests", api(429), false],
  ])(
    "is refused on its repeat after %s, which tells whether it may have run",
    async (_what, first, mayHaveRun) => {
      const refusal = { name: "ApiError", status: 400, mayHaveRun };
      expect(await play("PUT", [first, api(400)])).toMatchObject({ error: refusal });
    },
  );

  it("is still lost when the client is cancelled before the repeat", async () => {
    expect(await play("PUT", [cut, new CancelledError()])).toMatchObject({
      error: { name: "AnswerLostError" },
    });
  });
});

describe("DELETE", () => {
  it("that finds nothing on a repeat has succeeded", async () => {
    expect(await play("DELETE", [cut, api(404)])).toMatchObject({ value: {}, sent: 2 });
  });

  it("that finds nothing at first says so", async () => {
    expect(await play("DELETE", [api(404)])).toMatchObject({ error: { status: 404 } });
  });
});

describe("waiting", () => {
  it("grows from half a second to fifteen, with jitter", async () => {
    const { notices } = await play("GET", [api(502)]);
    expect(notices.map(({ waitSeconds }) => waitSeconds)).toEqual([0.375, 0.75, 1.5, 3, 6, 11.25, 11.25]);
    expect(notices[0]).toMatchObject({ method: "GET", path: "/volumes/7", attempt: 1, reason: "502" });
  });

  it("honours Retry-After", async () => {
    const { seconds } = await play("GET", [api(503, { retryAfterSeconds: 20 }), {}]);
    expect(seconds).toBeGreaterThanOrEqual(20);
    expect(seconds).toBeLessThan(21);
  });

  it("is over at once when the service asks for an hour", async () => {
    const { sent, seconds } = await play("GET", [api(429, { retryAfterSeconds: 3600 }), {}]);
    expect({ sent, seconds }).toEqual({ sent: 1, seconds: 0 });
  });

  it("for a rate limit does not count as broken", async () => {
    const limited = Array.from({ length: 30 }, () => api(429, { retryAfterSeconds: 1 }));
    expect(await play("GET", [...limited, { id: 1 }])).toMatchObject({ value: { id: 1 }, sent: 31 });
  });

  it("is short while the service was never reached, and the error says what to check", async () => {
    const { error, sent, seconds } = (await play("GET", [refused], { answered: false })) as unknown as {
      error: Error;
      sent: number;
      seconds: number;
    };
    expect(sent).toBe(3);
    expect(seconds).toBeLessThan(2);
    expect(error.message).toBe(
      "GET /volumes/7: no usable answer from http://x/v4 (connection refused), tried 3 times: check PLUMBLINE_BASE_URL or plumbline:baseUrl, and the network",
    );
  });

  it("ends with CancelledError when the call is cancelled meanwhile", async () => {
    const clock = createFakeClock();
    const stop = new AbortController();
    const call = retried(() => Promise.reject(api(502)), {
      clock,
      random: () => 0.5,
      brand: createBrand(),
      address: "x",
    });
    const asked = call({ method: "GET", path: "/x" }, { signal: stop.signal });
    await clock.advance(0);
    expect(clock.sleepers()).toBe(1);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ name: "CancelledError" });
    expect(clock.sleepers()).toBe(0);
  });
});
