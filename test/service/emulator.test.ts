import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, type FaultRule, startEmulator } from "../../emulator/index.ts";
import { createService, type Service, type ServiceOptions } from "../../provider/service/client.ts";
import { createFakeClock } from "./fake-clock.ts";

let emulator: Emulator;
const services: Service[] = [];

beforeAll(async () => {
  emulator = await startEmulator({ speed: "instant" });
});
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
  emulator.reset();
});
afterAll(() => emulator.close());

function connect(options: Partial<ServiceOptions> = {}, target = emulator): Service {
  const service = createService({
    baseUrl: target.baseUrl,
    token: target.token,
    clock: createFakeClock({ skipUpTo: 120_000, start: Date.now() }),
    random: () => 0.5,
    ...options,
  });
  services.push(service);
  return service;
}

const domain = { domain: "example.com", type: "master", soa_email: "a@example.com" };
const host = (at: number) => ({ type: "A", name: `h${at}`, target: "192.0.2.1" });

async function withRecords(service: Service, count: number): Promise<{ zone: string; ids: unknown[] }> {
  const { id } = await service.post("/domains", domain);
  const zone = `/domains/${id}`;
  const made = await Promise.all(
    Array.from({ length: count }, (_, at) => service.post(`${zone}/records`, host(at))),
  );
  return { zone, ids: made.map((record) => record["id"]) };
}

describe("a thousand records", () => {
  it("are made by a thousand requests and read by three, sixteen at a time", async () => {
    const first = connect();
    const { zone, ids } = await withRecords(first, 1000);
    expect(first.requests()).toEqual({ POST: 1001 });
    const second = connect();
    await second.get(zone);
    for (let at = 0; at < ids.length; at += 16) {
      await Promise.all(ids.slice(at, at + 16).map((id) => second.get(`${zone}/records/${id}`)));
    }
    expect(second.requests()).toEqual({ GET: 3 });
    expect(await second.list(`${zone}/records`)).toHaveLength(1000);
    expect(second.requests()).toEqual({ GET: 3 });
  });
});

describe("faults", () => {
  const passing: FaultRule[] = [
    { method: "*", path: "*", nth: 2, do: "status", status: 429, headers: { "Retry-After": "1" } },
    { method: "*", path: "*", nth: 2, do: "status", status: 503, headers: { "Retry-After": "1" } },
    { method: "GET", path: "*", do: "status", status: 502 },
    { method: "GET", path: "*", do: "truncate" },
    { method: "GET", path: "*", do: "garbage" },
    { method: "GET", path: "*", do: "reset-after" },
    { method: "PUT", path: "*", do: "reset-after" },
    { method: "PUT", path: "*", do: "truncate" },
    { method: "DELETE", path: "*", do: "reset-after" },
    { method: "DELETE", path: "*", do: "garbage" },
    { method: "DELETE", path: "*", do: "reset-before" },
  ];

  it.each(passing)("$method $do $status is survived", async (rule) => {
    const service = connect();
    await service.getFresh("/account");
    emulator.setFaults([rule]);
    const { id } = await service.post("/domains", domain);
    const path = `/domains/${id}`;
    await service.put(path, { soa_email: "b@example.com" });
    expect(await service.getFresh(path)).toMatchObject({ soa_email: "b@example.com" });
    await service.delete(path);
    expect(await service.list("/domains", { fresh: true })).toEqual([]);
    const sent = Object.values(service.requests()).reduce((sum, count) => sum + count);
    expect(sent).toBe(7);
  });

  it.each(["reset-after", "truncate", "garbage"] as const)(
    "POST %s loses the answer, not the object, and sends it once",
    async (fault) => {
      const service = connect();
      emulator.setFaults([{ method: "POST", path: "/domains", do: fault }]);
      await expect(service.post("/domains", domain)).rejects.toMatchObject({ name: "AnswerLostError" });
      expect(service.requests()).toEqual({ POST: 1 });
      expect(await service.list("/domains", { fresh: true })).toHaveLength(1);
    },
  );

  it("at one request in ten, a hundred records are read whole", async () => {
    const service = connect();
    const { zone, ids } = await withRecords(service, 100);
    emulator.setFaults([{ method: "GET", path: "*", probability: 0.1, seed: 3, do: "status", status: 502 }]);
    const seen = await Promise.all(ids.map((id) => service.getFresh(`${zone}/records/${id}`)));
    expect(seen.map((record) => record["id"])).toEqual(ids);
    expect(service.requests()["GET"]).toBeGreaterThan(100);
  });
});

describe("a wait", () => {
  it("ends by the first look when the service is quick, and survives a 502 meanwhile", async () => {
    const service = connect();
    const { id } = await service.post("/volumes", { label: "data", region: "us-east", size: 20 });
    emulator.setFaults([{ method: "GET", path: "/volumes/{volumeId}", do: "status", status: 502 }]);
    const told: string[] = [];
    const ready = await service.waitFor(`/volumes/${id}`, (volume) => volume?.["status"] === "active", {
      timeoutSeconds: 900,
      onProgress: (message) => told.push(message),
    });
    expect(ready).toMatchObject({ status: "active" });
    expect(service.requests()).toEqual({ POST: 1, GET: 2 });
    expect(told).toEqual([expect.stringMatching(/^waiting for 0\.\d s; the service answered 502$/)]);
  });

  it("for many volumes polls their list, not each of them", async () => {
    const service = connect();
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        service.post("/volumes", { label: `data-${at}`, region: "us-east" }),
      ),
    );
    const ready = await Promise.all(
      made.map(({ id }) =>
        service.waitFor(`/volumes/${id}`, (volume) => volume?.["status"] === "active", {
          timeoutSeconds: 900,
        }),
      ),
    );
    expect(ready.map((volume) => volume?.["id"])).toEqual(made.map(({ id }) => id));
    expect(service.requests()["GET"]).toBe(1);
  });

  it("for a deleted object ends when it is gone", async () => {
    const service = connect();
    const { id } = await service.post("/domains", domain);
    await service.delete(`/domains/${id}`);
    const gone = await service.waitFor(`/domains/${id}`, (seen) => seen === undefined, {
      timeoutSeconds: 900,
    });
    expect(gone).toBeUndefined();
  });
});

it("another brand's service is spoken to in its own word", async () => {
  const branded = await startEmulator({ brand: "acme" });
  try {
    const service = connect({ brand: "acme" }, branded);
    const types = await service.list("/compute/types");
    expect(types.length).toBeGreaterThan(0);
    const { id } = await service.post("/compute/instances", {
      region: "us-east",
      type: types[0]?.["id"],
      label: "web",
    });
    const volume = await service.post("/volumes", { label: "data", region: "us-east" });
    expect(volume).toHaveProperty("compute_id", null);
    expect(await service.getFresh(`/compute/instances/${id}`)).toMatchObject({ label: "web" });
    const refused = await service
      .post("/volumes", { label: "more", compute_id: 999_999 })
      .catch((error) => error);
    expect(refused.reasons[0].field).toBe("compute_id");
  } finally {
    await branded.close();
  }
});

it.each([
  // A window may end a second off, as dates in headers are whole seconds; then one wave is refused.
  [300, 16],
  ["standard", 2],
] as const)(
  "the limits of the service (%s) are never hit blindly: 1,000 creates wait for its windows",
  async (rateLimit, most) => {
    const limited = await startEmulator({ rateLimit });
    const clock = createFakeClock({ skipUpTo: 1_000_000, start: Date.now() });
    // The emulator's clock follows ours, so that its windows end when we have waited for them.
    const follow = {
      ...clock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        await clock.sleep(ms, signal);
        limited.advance(ms / 1000);
      },
    };
    try {
      const service = connect({ clock: follow }, limited);
      const { ids } = await withRecords(service, 1000);
      expect(new Set(ids).size).toBe(1000);
      const { POST = 0 } = service.requests();
      expect(POST - 1001).toBeLessThanOrEqual(most);
    } finally {
      await limited.close();
    }
  },
);
