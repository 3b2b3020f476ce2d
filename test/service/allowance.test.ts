/** What a client knows of the service's limit, from answers in any order; and writes that are not admitted. */

import { describe, expect, it, onTestFinished } from "vitest";
import { createAllowanceMeter } from "../../provider/service/allowance.ts";
import { createService } from "../../provider/service/client.ts";
import type { Answer } from "../../provider/service/http/transport.ts";
import { createFakeClock } from "./fake-clock.ts";
import { json, reset, startBadServer } from "./http/bad-server.ts";

const start = Date.UTC(2024, 3, 1, 10, 0, 0);

/** An answer whose window ends so many seconds after the start. */
const answer = (remaining: number, ends: number, { limit = 800, status = 200 } = {}): Answer => ({
  ...{ status, json: {}, empty: false },
  headers: {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(start / 1000 + ends),
    ...(status === 429 && { "retry-after": "20" }),
  },
});

function opened() {
  const clock = createFakeClock({ start });
  const meter = createAllowanceMeter(clock);
  const hear = (told: Answer) => meter.watched(async () => told)({ method: "GET", path: "/domains" });
  return { clock, meter, hear };
}

describe("what is left of the limit", () => {
  it("is the least that was told of the window, whatever order the answers came in, and whole in the next", async () => {
    const { clock, meter, hear } = opened();
    expect(meter.now()).toBeUndefined();
    await hear(answer(700, 60));
    await hear(answer(690, 61));
    await hear(answer(695, 60));
    expect(meter.now()).toEqual({ limit: 800, remaining: 690, resetSeconds: 60 });
    await clock.advance(59_000);
    await hear(answer(799, 179));
    await hear(answer(100, 60));
    expect(meter.now()).toMatchObject({ remaining: 799 });
    await clock.advance(200_000);
    expect(meter.now()).toEqual({ limit: 800, remaining: 800, resetSeconds: 0 });
  });

  it("is less by what is under way, and nothing while a refusal has everybody wait", async () => {
    const { clock, meter, hear } = opened();
    await hear(answer(700, 60));
    let settle = (_: Answer) => {};
    const asked = meter.watched(() => new Promise((done) => (settle = done)))({ method: "GET", path: "/" });
    expect(meter.now()?.remaining).toBe(699);
    settle(answer(699, 60));
    await asked;
    // The limit of lists: it says nothing of the general one.
    await hear(answer(0, 30, { limit: 200, status: 429 }));
    expect(meter.now()).toMatchObject({ limit: 800, remaining: 0 });
    await clock.advance(20_000);
    expect(meter.now()).toMatchObject({ limit: 800, remaining: 699 });
  });
});

describe("a write that is not admitted", () => {
  it("is not sent, nor repeated; reads go on", async () => {
    const server = await startBadServer(reset, json({ id: 1 }), json({ id: 1 }));
    let admissions = 0;
    const refusal = new Error("not this process's any more");
    const service = createService({
      ...{ baseUrl: server.baseUrl, token: "token", clock: createFakeClock({ skipUpTo: 60_000 }) },
      admit() {
        admissions += 1;
        if (admissions > 1) throw refusal;
      },
    });
    onTestFinished(async () => {
      await service.close();
      await server.close();
    });
    const failure = (await service.put("/domains/1", {}).catch((error: unknown) => error)) as Error;
    expect([failure, failure.cause]).toContain(refusal);
    expect(server.seen.map(({ method }) => method)).toEqual(["PUT"]);
    await expect(service.post("/domains", {})).rejects.toBe(refusal);
    await expect(service.delete("/domains/1")).rejects.toBe(refusal);
    await service.getFresh("/domains/1");
    expect(server.seen.map(({ method }) => method)).toEqual(["PUT", "GET"]);
  });
});
