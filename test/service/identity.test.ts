import { describe, expect, it, onTestFinished } from "vitest";
import { createService, type Service } from "../../provider/service/client.ts";
import { createFakeClock } from "./fake-clock.ts";
import {
  type BadServer,
  html,
  json,
  type Play,
  refusal,
  reset,
  silence,
  startBadServer,
} from "./http/bad-server.ts";

async function connect(...plays: Play[]): Promise<{ server: BadServer; service: Service }> {
  const server = await startBadServer(...plays);
  const clock = createFakeClock({ skipUpTo: 60_000 });
  const timeoutSeconds = { read: 0.2, write: 0.2 };
  const service = createService({ baseUrl: server.baseUrl, token: "t", clock, timeoutSeconds });
  onTestFinished(() => server.close());
  onTestFinished(() => service.close());
  return { server, service };
}

const of = (customer: string, more: object = {}) => ({ "x-customer-uuid": customer, ...more });
const page = { data: [], page: 1, pages: 1, results: 0 };

describe("the account", () => {
  it("is what any answer named, without a request for it", async () => {
    const { server, service } = await connect(json({ id: 7 }, 200, of("A")));
    await service.getFresh("/volumes/7");
    expect(await service.identify()).toBe("A");
    expect(server.seen).toHaveLength(1);
  });

  it("is asked for once, with one small GET, where no answer came yet", async () => {
    const { server, service } = await connect(json(page, 200, of("A")));
    expect(await service.identify()).toBe("A");
    expect(await service.identify()).toBe("A");
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v4/object-storage/clusters?page=1&page_size=25",
    ]);
  });

  it("is asked for once by all who ask at the same time, and a caller who gives up stops only itself", async () => {
    const { server, service } = await connect(json(page, 200, of("A")));
    const stop = new AbortController();
    const asked = [service.identify({ signal: stop.signal }), service.identify(), service.identify()];
    stop.abort();
    const [first, ...others] = await Promise.allSettled(asked);
    expect(first).toMatchObject({ status: "rejected", reason: { name: "CancelledError" } });
    expect(others).toEqual([1, 2].map(() => ({ status: "fulfilled", value: "A" })));
    expect(server.seen).toHaveLength(1);
  });

  it("tells the service's time, too", async () => {
    const date = new Date(Date.now() + 7_200_000).toUTCString();
    const { service } = await connect(json(page, 200, of("A", { date })));
    await service.identify();
    expect(Math.abs(Date.parse(service.serviceTime()) - Date.parse(date))).toBeLessThan(10_000);
  });

  it("is absent, and not asked for again, where answers name none", async () => {
    const { server, service } = await connect(json(page));
    expect(await service.identify()).toBeUndefined();
    expect(await service.identify()).toBeUndefined();
    expect(server.seen).toHaveLength(1);
  });

  it("is named by a refusal of a token that may not see the list", async () => {
    const narrow = of("A", { "x-oauth-scopes": "domains:read_only" });
    for (const status of [401, 403]) {
      const { service } = await connect(refusal(status, "not authorized", narrow));
      expect(await service.identify()).toBe("A");
    }
  });

  it("is not named by a refusal of a token that nobody knows", async () => {
    const { service } = await connect(
      refusal(401, "Invalid Token", of("A", { "x-oauth-scopes": "unknown" })),
    );
    await expect(service.identify()).rejects.toThrow("PLUMBLINE_TOKEN or plumbline:token");
  });

  it("is not believed of a proxy's page: the service is asked", async () => {
    const { server, service } = await connect(html, html, html, json(page, 200, of("A")));
    await expect(service.getFresh("/volumes/7")).rejects.toThrow();
    expect(await service.identify()).toBe("A");
    expect(server.seen.at(-1)?.path).toContain("/object-storage/clusters");
  });

  it("cannot be told by a service that never answers", async () => {
    const { service } = await connect(silence);
    await expect(service.identify()).rejects.toMatchObject({ name: "UnreachableError" });
  });
});

describe("an account that changes between two answers", () => {
  it("makes a read fail, and nothing is sent after it", async () => {
    const { server, service } = await connect(json({ id: 7 }, 200, of("A")), json({ id: 7 }, 200, of("B")));
    await service.getFresh("/volumes/7");
    await expect(service.getFresh("/volumes/7")).rejects.toMatchObject({
      name: "AccountChangedError",
      message: expect.stringMatching(/two accounts, first A and now B.*PLUMBLINE_TOKEN/),
    });
    await expect(service.post("/volumes", { label: "v" })).rejects.toThrow("two accounts");
    const signed = { method: "PUT", url: `${server.baseUrl}/x`, what: "an object" } as const;
    await expect(service.sendSigned(signed)).rejects.toThrow("two accounts");
    expect(server.seen).toHaveLength(2);
  });

  it("leaves open where the write ran that showed it, and repeats it not once", async () => {
    for (const method of ["post", "put", "delete"] as const) {
      const { server, service } = await connect(json({ id: 7 }, 200, of("A")), json({ id: 8 }, 200, of("B")));
      await service.getFresh("/volumes/7");
      const write = method === "delete" ? service.delete("/volumes/7") : service[method]("/volumes", {});
      await expect(write).rejects.toMatchObject({
        name: "AnswerLostError",
        message: expect.stringContaining("two accounts"),
      });
      expect(server.seen).toHaveLength(2);
    }
  });

  it("is not what a lost answer or a page of a proxy is", async () => {
    const { service } = await connect(
      json({ id: 7 }, 200, of("A")),
      reset,
      html,
      json({ id: 7 }, 200, of("A")),
    );
    await service.getFresh("/volumes/7");
    expect(await service.getFresh("/volumes/7")).toEqual({ id: 7 });
  });
});
