import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFaults } from "../../../emulator/http/faults.ts";
import { type Emulator, type FaultRule, startEmulator } from "../../../emulator/index.ts";
import { type Ask, ask } from "../client.ts";

let emulator: Emulator;
const logged: string[] = [];
beforeAll(async () => {
  emulator = await startEmulator({ log: (line) => logged.push(line) });
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

const to = (method: string, path: string, options?: Ask) => ask(emulator.port, method, path, options);
const create = (label: string) => to("POST", "/v4/profile/tokens", { body: { label } });
const labels = async () =>
  (await to("GET", "/v4/profile/tokens")).json.data.map(({ label }: { label: string }) => label);
const broken = async (label: string): Promise<string> =>
  create(label).then(
    ({ status }) => `answered ${status}`,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
const rule = (fields: Partial<FaultRule>): FaultRule => ({
  method: "POST",
  path: "/profile/tokens",
  do: "status",
  ...fields,
});
const log = async () => (await to("GET", "/_emulator/requests")).json;

describe("what each fault does", () => {
  test("a status answers in the service's place, which does not act", async () => {
    emulator.setFaults([rule({ status: 503, headers: { "Retry-After": "1", "X-Maintenance-Mode": "on" } })]);
    const told = await create("one");
    expect(told.status).toBe(503);
    expect(told.json).toEqual({ errors: [{ reason: "Service Unavailable" }] });
    expect(told.headers).toMatchObject({
      "content-type": "application/json",
      "retry-after": "1",
      "x-maintenance-mode": "on",
    });
    expect(await labels()).toEqual([]);
  });

  test("a 429 has the service's own words, and a 502 is a web page", async () => {
    emulator.setFaults([rule({ status: 429, nth: 1 }), rule({ status: 502, nth: 2 })]);
    expect((await create("one")).json.errors).toEqual([{ reason: "Too many requests" }]);
    const page = await create("two");
    expect(page.status).toBe(502);
    expect(page.headers["content-type"]).toBe("text/html");
    expect(page.text).toContain("<html>");
  });

  test("reset-before cuts the connection before the service acts", async () => {
    emulator.setFaults([rule({ do: "reset-before" })]);
    expect(await broken("one")).toBe("ECONNRESET");
    expect(await labels()).toEqual([]);
  });

  test("reset-after cuts it after the service acted", async () => {
    emulator.setFaults([rule({ do: "reset-after" })]);
    expect(await broken("one")).toBe("ECONNRESET");
    expect(await labels()).toEqual(["one"]);
  });

  test("drop-after acts, never answers, and closes after its seconds", async () => {
    emulator.setFaults([rule({ do: "drop-after", seconds: 0.05 })]);
    expect(await broken("one")).toBe("ECONNRESET");
    expect(await labels()).toEqual(["one"]);
  });

  test("delay acts at once and answers late", async () => {
    emulator.setFaults([rule({ do: "delay", seconds: 0.2 })]);
    const from = performance.now();
    let answered = false;
    const late = create("one").finally(() => {
      answered = true;
    });
    while ((await labels()).length === 0);
    expect(answered).toBe(false);
    expect((await late).status).toBe(200);
    expect(performance.now() - from).toBeGreaterThanOrEqual(199);
  });

  test("truncate tells the whole length and sends half", async () => {
    emulator.setFaults([rule({ do: "truncate" })]);
    expect(await broken("one")).toBe("ECONNRESET");
    expect(await labels()).toEqual(["one"]);
  });

  test("garbage is 200 with a body that is no JSON", async () => {
    emulator.setFaults([rule({ do: "garbage" })]);
    const told = await create("one");
    expect(told.status).toBe(200);
    expect(told.headers["content-type"]).toBe("application/json");
    expect(told.text).not.toBe("");
    expect(told.json).toBeUndefined();
    expect(await labels()).toEqual(["one"]);
  });

  test("each is in the log with its word, its status, and in the counts", async () => {
    const all: FaultRule["do"][] = [
      "status",
      "reset-before",
      "reset-after",
      "drop-after",
      "truncate",
      "garbage",
    ];
    emulator.setFaults(all.map((word, at) => rule({ do: word, nth: at + 1, status: 503, seconds: 0.01 })));
    for (const word of all) await broken(word);
    await create("last");
    expect(
      (await log()).map(({ fault, status }: { fault: string; status: number }) => [fault, status]),
    ).toEqual([
      ["status", 503],
      ["reset-before", null],
      ["reset-after", null],
      ["drop-after", null],
      ["truncate", 200],
      ["garbage", 200],
      [null, 200],
    ]);
    expect(emulator.stats()).toEqual({ requests: { "POST /profile/tokens": 7 }, total: 7 });
  });
});

describe("which requests a rule hits", () => {
  const templates = new Set(["/volumes", "/volumes/{volumeId}"]);
  const hits = (rules: unknown, count: number, method = "GET", template: string | undefined = "/volumes") => {
    const faults = createFaults(templates);
    faults.setRules(rules);
    return Array.from({ length: count }, () => faults.hit(method, template) !== undefined);
  };
  const status = { method: "GET", path: "/volumes", do: "status", status: 500 };

  test("the first match, once, when nothing else is said", () => {
    expect(hits([status], 3)).toEqual([true, false, false]);
  });

  test("from the nth match on, so many times", () => {
    expect(hits([{ ...status, nth: 2, times: 2 }], 5)).toEqual([false, true, true, false, false]);
  });

  test("only its method and template, unless they are stars", () => {
    expect(hits([status], 1, "POST")).toEqual([false]);
    expect(hits([status], 1, "GET", "/volumes/{volumeId}")).toEqual([false]);
    expect(hits([{ ...status, method: "*", path: "*" }], 1, "DELETE", "/volumes/{volumeId}")).toEqual([true]);
    expect(hits([{ ...status, method: "get" }], 1)).toEqual([true]);
  });

  test("by chance, the same under the same seed, without limit unless one is given", () => {
    const some = { ...status, probability: 0.2, seed: 7 };
    const first = hits([some], 1_000);
    expect(hits([some], 1_000)).toEqual(first);
    expect(hits([{ ...some, seed: 8 }], 1_000)).not.toEqual(first);
    const share = first.filter(Boolean).length;
    expect(share).toBeGreaterThan(150);
    expect(share).toBeLessThan(250);
    expect(hits([{ ...some, times: 3 }], 1_000).filter(Boolean)).toHaveLength(3);
    expect(hits([{ ...some, probability: 1 }], 5)).toEqual([true, true, true, true, true]);
    expect(hits([{ ...some, probability: 0 }], 50)).not.toContain(true);
  });

  test("the first rule that hits wins, and every rule counts every match", async () => {
    emulator.setFaults([rule({ status: 500, nth: 1 }), rule({ status: 503, nth: 2 })]);
    expect([(await create("a")).status, (await create("b")).status, (await create("c")).status]).toEqual([
      500, 503, 200,
    ]);
    const shown = await to("GET", "/_emulator/faults");
    expect(shown.json.map(({ fired }: { fired: number }) => fired)).toEqual([1, 1]);
  });

  test("rules read back can be set again, and an empty list clears them", async () => {
    emulator.setFaults([rule({ status: 500 })]);
    const shown = await to("GET", "/_emulator/faults");
    expect((await to("POST", "/_emulator/faults", { body: shown.json })).status).toBe(200);
    expect((await create("a")).status).toBe(500);
    expect((await to("POST", "/_emulator/faults", { body: [] })).json).toEqual([]);
    expect((await create("b")).status).toBe(200);
  });
});

describe("rules that are wrong", () => {
  test.each([
    [{}, "must be array"],
    [[{}], "must have required property 'method'"],
    [[rule({ do: "explode" as "status" })], "must be equal to one of the allowed values"],
    [[rule({})], "status is required when a rule says status"],
    [[rule({ do: "delay" })], "seconds is required when a rule says delay"],
    [[rule({ status: 500, nth: 1, probability: 0.5 })], "give nth or probability, not both"],
    [[rule({ status: 500, nth: 0 })], "must be >= 1"],
    [[rule({ status: 500, path: "/volume" })], "/volume is no path of the contract"],
    [[{ ...rule({ status: 500 }), often: true }], "must NOT have additional properties: often"],
  ])("%j: %s", async (body, reason) => {
    const told = await to("POST", "/_emulator/faults", { body });
    expect(told.status).toBe(400);
    expect(told.json.errors.map((error: { reason: string }) => error.reason).join("\n")).toContain(reason);
  });

  test("they leave the present rules alone", async () => {
    emulator.setFaults([rule({ status: 500 })]);
    await to("POST", "/_emulator/faults", { body: [{}] });
    expect((await create("a")).status).toBe(500);
  });

  test("they stop an emulator from starting", async () => {
    await expect(startEmulator({ faults: [rule({})] })).rejects.toThrow("status is required");
  });
});

test("closing ends a request that waits in a fault", async () => {
  const other = await startEmulator({ faults: [rule({ do: "drop-after", seconds: 3_600 })] });
  const waiting = ask(other.port, "POST", "/v4/profile/tokens", { body: {} }).catch((error: Error) => error);
  while (other.stats().total === 0) await ask(other.port, "GET", "/_emulator/stats");
  await other.close();
  expect(await waiting).toBeInstanceOf(Error);
});

test("no fault made the emulator itself fail", () => expect(logged).toEqual([]));
