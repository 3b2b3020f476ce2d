import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readDataFile } from "../../../emulator/account/account-file.ts";
import { openKeeper } from "../../../emulator/account/keeper.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../emulator/index.ts";
import { type Ask, ask } from "../client.ts";

const folder = mkdtempSync(join(tmpdir(), "emulator-data-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = (content?: unknown) => {
  const path = join(folder, `${++files}.json`);
  if (content !== undefined) writeFileSync(path, JSON.stringify(content));
  return path;
};

async function withEmulator<T>(
  options: EmulatorOptions,
  use: (
    to: (method: string, path: string, options?: Ask) => ReturnType<typeof ask>,
    emulator: Emulator,
  ) => Promise<T>,
): Promise<T> {
  const emulator = await startEmulator({ checkAnswers: true, ...options });
  try {
    return await use((method, path, more) => ask(emulator.port, method, path, more), emulator);
  } finally {
    await emulator.close();
  }
}

describe("--data", () => {
  test("an account survives with ids, events, time and what is still to happen", async () => {
    const data = fresh();
    const made = await withEmulator({ data }, async (to, emulator) => {
      const volume = await to("POST", "/v4/volumes", { body: { label: "keep", region: "us-east" } });
      emulator.advance(1_000_000);
      const second = await to("POST", "/v4/volumes", { body: { label: "later", region: "us-east" } });
      expect([volume.status, second.json.status]).toEqual([200, "creating"]);
      return {
        first: volume.json.id,
        second: second.json,
        date: (await to("GET", "/v4/profile")).headers.date!,
      };
    });
    await withEmulator({ data }, async (to, emulator) => {
      const { headers } = await to("GET", "/v4/profile");
      expect(Date.parse(headers.date!)).toBeGreaterThanOrEqual(Date.parse(made.date));
      emulator.advance(60);
      const list = await to("GET", "/v4/volumes");
      expect(list.json.data.map(({ id, status }: { id: number; status: string }) => [id, status])).toEqual([
        [made.first, "active"],
        [made.second.id, "active"],
      ]);
      const third = await to("POST", "/v4/volumes", { body: { label: "third", region: "us-east" } });
      expect(third.json.id).toBe(made.second.id + 1);
      const events = await to("GET", "/v4/account/events", { filter: { action: "volume_create" } });
      expect(events.json.results).toBe(3);
    });
  });

  test("an id is not given again after its object went", async () => {
    const data = fresh();
    const id = await withEmulator({ data }, async (to) => {
      const made = await to("POST", "/v4/profile/tokens", { body: { label: "a" } });
      await to("DELETE", `/v4/profile/tokens/${made.json.id}`);
      return made.json.id as number;
    });
    await withEmulator({ data }, async (to) => {
      expect((await to("POST", "/v4/profile/tokens", { body: { label: "b" } })).json.id).toBe(id + 1);
    });
  });

  test("the file is whole at every moment, and nothing else is left beside it", async () => {
    const own = mkdtempSync(join(folder, "whole-"));
    const data = join(own, "account.json");
    await withEmulator({ data }, async (to) => {
      const seen = new Set<number>();
      for (let at = 0; at < 200; at++) {
        await to("POST", "/v4/profile/tokens", { body: { label: `t${at}` } });
        seen.add(readDataFile(data)!.collections["tokens"]!.length);
      }
      expect(seen.size).toBe(200);
    });
    expect(JSON.parse(readFileSync(data, "utf8")).collections.tokens).toHaveLength(200);
    expect(readdirSync(own)).toEqual(["account.json"]);
  });

  test("a change is in the file before it is answered, so that a killed emulator forgets nothing", async () => {
    const data = fresh();
    const inFile = () => readDataFile(data)!.collections["tokens"];
    await withEmulator({ data }, async (to, emulator) => {
      await to("POST", "/v4/profile/tokens", { body: { label: "one" } });
      expect(inFile()).toMatchObject([{ label: "one" }]);
      await Promise.all(
        ["two", "three"].map((label) => to("POST", "/v4/profile/tokens", { body: { label } })),
      );
      expect(inFile()).toHaveLength(3);
      emulator.setFaults([{ method: "POST", path: "/profile/tokens", do: "reset-after" }]);
      await expect(to("POST", "/v4/profile/tokens", { body: { label: "four" } })).rejects.toThrow();
      expect(inFile()).toHaveLength(4);
    });
  });

  test("a change that time makes is written without waiting for the end", async () => {
    const data = fresh();
    await withEmulator({ data }, async (to, emulator) => {
      await to("POST", "/v4/volumes", { body: { label: "disk", region: "us-east" } });
      const status = () => readDataFile(data)!.collections["volumes"]!.map((volume) => volume["status"]);
      expect(status()).toEqual(["creating"]);
      emulator.advance(60);
      await expect.poll(status).toEqual(["active"]);
    });
  });

  test.each([
    ["{", "is not an account"],
    ['{"format":2}', "format: must be 1"],
    ['{"format":1,"collections":{"x":[{}]}}', "every item needs an integer id"],
    ['{"format":1,"collections":{"x":[{"id":1},{"id":1}]}}', "every item needs an integer id of its own"],
    ['{"format":1,"jobs":[5]}', "must be a list of jobs"],
  ])("a file with %s is refused, not overwritten", async (text, message) => {
    const data = fresh();
    writeFileSync(data, text);
    await expect(startEmulator({ data })).rejects.toThrow(message);
    expect(readFileSync(data, "utf8")).toBe(text);
  });

  test("a line that is no change, and more after it, is refused, not overwritten", async () => {
    const data = fresh();
    await withEmulator({ data }, (to) => to("POST", "/v4/profile/tokens", { body: { label: "kept" } }));
    appendFileSync(data, 'nonsense\n{"items":[]}\n');
    const text = readFileSync(data, "utf8");
    await expect(startEmulator({ data })).rejects.toThrow(
      `${data} is not an account: line 2 is no set of changes`,
    );
    expect(readFileSync(data, "utf8")).toBe(text);
  });

  test("a change that a kill cut off is left out, and said, and what was answered stays", async () => {
    const data = fresh();
    let whole = "";
    await withEmulator({ data }, async (to) => {
      await to("POST", "/v4/profile/tokens", { body: { label: "one" } });
      whole = readFileSync(data, "utf8");
      await to("POST", "/v4/profile/tokens", { body: { label: "two" } });
      writeFileSync(`${data}.copy`, readFileSync(data, "utf8").slice(0, whole.length + 25));
    });
    const lines: string[] = [];
    await withEmulator({ data: `${data}.copy`, log: (line) => lines.push(line) }, async (to) => {
      expect(lines).toEqual([expect.stringContaining("was cut off by a kill")]);
      const labels = async () =>
        (await to("GET", "/v4/profile/tokens")).json.data.map(({ label }: { label: string }) => label);
      expect(await labels()).toEqual(["one"]);
      expect((await to("POST", "/v4/profile/tokens", { body: { label: "three" } })).status).toBe(200);
      expect(readDataFile(`${data}.copy`)!.collections["tokens"]).toHaveLength(2);
    });
  });

  test.each([
    ["one line", 0],
    ["many lines", 2],
  ])("a file of an earlier version, one JSON document in %s, opens and goes on", async (_what, indent) => {
    const data = fresh();
    await withEmulator({ data }, (to) => to("POST", "/v4/profile/tokens", { body: { label: "old" } }));
    writeFileSync(data, JSON.stringify(JSON.parse(readFileSync(data, "utf8")), null, indent));
    await withEmulator({ data }, async (to) => {
      await to("POST", "/v4/profile/tokens", { body: { label: "new" } });
      const labels = () => readDataFile(data)!.collections["tokens"]!.map((token) => token["label"]);
      expect(labels()).toEqual(["old", "new"]);
    });
  });

  test("an empty file is an account that begins", async () => {
    const data = fresh();
    writeFileSync(data, "");
    await withEmulator({ data }, (to) => to("POST", "/v4/profile/tokens", { body: { label: "first" } }));
    expect(readDataFile(data)!.collections["tokens"]).toHaveLength(1);
  });

  test("the file is its owner's alone, also one that was open to others", async () => {
    const [data, old] = [fresh(), fresh()];
    await withEmulator({ data }, async () => expect(statSync(data).mode & 0o777).toBe(0o600));
    expect(statSync(data).mode & 0o777).toBe(0o600);
    writeFileSync(old, readFileSync(data));
    chmodSync(old, 0o664);
    await withEmulator({ data: old }, async () => expect(statSync(old).mode & 0o777).toBe(0o600));
  });

  test("a link is written through, and what a kill left beside the file is removed", async () => {
    const own = mkdtempSync(join(folder, "link-"));
    const [data, link] = [join(own, "account.json"), join(own, "link.json")];
    writeFileSync(data, "");
    writeFileSync(join(own, ".account.json.new"), "half a wri");
    symlinkSync(data, link);
    await withEmulator({ data: link }, (to) => to("POST", "/v4/profile/tokens", { body: { label: "a" } }));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readDataFile(data)!.collections["tokens"]).toHaveLength(1);
    expect(readdirSync(own).sort()).toEqual(["account.json", "link.json"]);
  });

  test("a change costs what changed, however large the account is", async () => {
    const data = fresh();
    await withEmulator({ data }, async (to) => {
      const domain = { domain: "example.com", type: "master", soa_email: "a@example.com" };
      const { id } = (await to("POST", "/v4/domains", { body: domain })).json;
      const add = (name: string) =>
        to("POST", `/v4/domains/${id}/records`, { body: { type: "A", name, target: "192.0.2.1" } });
      for (let at = 0; at < 200; at++) await add(`h${at}`);
      const { size, ino } = statSync(data);
      for (let at = 0; at < 10; at++) await add(`n${at}`);
      expect(statSync(data).size - size).toBeLessThan(10 * 2_500);
      expect(statSync(data).ino).toBe(ino);
      expect(readDataFile(data)!.collections["domain_records"]).toHaveLength(210);
    });
  });

  test("the changes become one whole again when they outgrow it", async () => {
    const data = fresh();
    let changes: object | undefined;
    const account = {
      data: () => ({
        format: 1,
        clockOffset: 0,
        random: 1,
        account: {},
        counters: {},
        jobs: [],
        collections: {},
      }),
      changes: () => changes,
    } as Parameters<typeof openKeeper>[1];
    const keeper = await openKeeper(data, account, () => expect.unreachable());
    changes = { items: [["put", "things", { id: 1, text: "x".repeat(1_500_000) }]] };
    const lines = [];
    for (let at = 0; at < 4; at++) {
      await keeper.saved();
      lines.push(readFileSync(data, "utf8").split("\n").length - 1);
    }
    expect(lines).toEqual([2, 3, 1, 2]);
    changes = undefined;
    await keeper.close();
    expect(readFileSync(data, "utf8").split("\n")).toHaveLength(2);
  });

  test("a change that cannot be written is a 500 that says why, and the emulator stops", async () => {
    const data = fresh();
    const lines: string[] = [];
    const emulator = await startEmulator({ data, log: (line) => lines.push(line) });
    expect((await ask(emulator.port, "POST", "/v4/profile/tokens", { body: { label: "a" } })).status).toBe(
      200,
    );
    rmSync(data);
    const told = await ask(emulator.port, "POST", "/v4/profile/tokens", { body: { label: "b" } });
    expect(told.status).toBe(500);
    expect(told.json).toEqual({
      errors: [{ reason: expect.stringContaining(`cannot write the data file ${data}: another program`) }],
    });
    expect((await emulator.stopped).message).toContain(`cannot write the data file ${data}`);
    expect(lines).toEqual([expect.stringContaining("the emulator stops: cannot write")]);
    await expect(ask(emulator.port, "GET", "/v4/profile")).rejects.toThrow("ECONNREFUSED");
    await expect(emulator.close()).rejects.toThrow("cannot write the data file");
    expect(existsSync(data)).toBe(false);
  });

  test("a place that cannot be written, or is no file, is told at the start", async () => {
    const data = join(folder, "no-such-folder", "account.json");
    await expect(startEmulator({ data })).rejects.toThrow(`cannot write the data file ${data}`);
    await expect(startEmulator({ data: folder })).rejects.toThrow("it is not a regular file");
    await expect(startEmulator({ data: "/dev/full" })).rejects.toThrow("it is not a regular file");
  });

  test("a start that fails by a port that is taken writes nothing", async () => {
    const data = fresh();
    await withEmulator({}, async (_to, { port }) => {
      await expect(startEmulator({ data, port })).rejects.toThrow("EADDRINUSE");
    });
    expect(existsSync(data)).toBe(false);
  });
});

describe("--seed", () => {
  test("requests are answered in order and may use earlier answers", async () => {
    const seed = fresh({
      requests: [
        { method: "POST", path: "/vpcs", body: { label: "net", region: "us-east" } },
        {
          method: "post",
          path: "/vpcs/${0.id}/subnets",
          body: { label: "sub-${0.id}", ipv4: "10.0.0.0/24" },
        },
      ],
    });
    await withEmulator({ seed }, async (to, emulator) => {
      const list = await to("GET", "/v4/vpcs");
      expect(list.json.data[0].subnets[0].label).toBe(`sub-${list.json.data[0].id}`);
      await to("DELETE", `/v4/vpcs/${list.json.data[0].id}`);
      expect((await to("GET", "/v4/vpcs")).json.results).toBe(0);
      emulator.reset();
      expect((await to("GET", "/v4/vpcs")).json.data).toEqual(list.json.data);
      expect(emulator.stats().total).toBe(1);
    });
  });

  test("objects are planted as they are, with an id where none is given", async () => {
    const token = {
      created: "2024-01-01T00:00:00",
      label: "x",
      expiry: null,
      scopes: "*",
      _username: "owner",
    };
    for (const form of ["top", "collections"]) {
      const tokens = [
        { ...token, id: 5, _token: "five" },
        { ...token, _token: "next" },
      ];
      const seed = fresh(
        form === "top"
          ? { tokens, account: { city: "Here" } }
          : { collections: { tokens }, account: { city: "Here" } },
      );
      await withEmulator({ seed }, async (to) => {
        const ids = (await to("GET", "/v4/profile/tokens")).json.data.map(({ id }: { id: number }) => id);
        expect(ids[0]).toBe(5);
        expect(ids).toHaveLength(2);
        expect((await to("GET", "/v4/account")).json).toMatchObject({ city: "Here", country: "US" });
      });
    }
  });

  test("a data file is a seed", async () => {
    const data = fresh();
    await withEmulator({ data }, (to) =>
      to("POST", "/v4/vpcs", { body: { label: "kept", region: "us-east" } }),
    );
    await withEmulator({ seed: data }, async (to) => {
      expect((await to("GET", "/v4/vpcs")).json.data[0].label).toBe("kept");
      expect((await to("POST", "/v4/vpcs", { body: { label: "more", region: "us-east" } })).status).toBe(200);
    });
  });

  test.each([
    [[], "must hold a JSON object"],
    [{ domains: {} }, '"domains" must be a list'],
    [{ requests: [{ path: "/domains" }] }, '"requests" must be a list'],
    [
      { requests: [{ method: "POST", path: "/vpcs", body: {} }] },
      "requests[0], POST /vpcs, was refused: 400",
    ],
    [{ requests: [{ method: "GET", path: "/vpcs/${3.id}" }] }, "refers to 3.id"],
  ])("%j is refused: %s", async (content, message) => {
    await expect(startEmulator({ seed: fresh(content) })).rejects.toThrow(message);
  });
});

describe("control", () => {
  test("stats count by operation in the contract's word, unknown paths apart", () =>
    withEmulator({}, async (to, emulator) => {
      await to("GET", "/v4/domains/12");
      await to("GET", "/v4beta/domains/13", { token: null });
      await to("POST", "/v4/nothing");
      const told = await to("GET", "/_emulator/stats");
      expect(told.json).toEqual({
        requests: { "GET /domains/{domainId}": 2, "POST (no such path)": 1 },
        total: 3,
      });
      expect(emulator.stats()).toEqual(told.json);
    }));

  test("requests tell the last ones, oldest first", () =>
    withEmulator({}, async (to) => {
      await to("GET", "/v4/profile");
      const page = await to("GET", "/v4/domains?page=0");
      await to("PUT", "/v4/nothing");
      expect((await to("GET", "/_emulator/requests?last=2")).json).toEqual([
        {
          n: 2,
          at: expect.stringMatching(/^\d{4}-.*Z$/),
          method: "GET",
          path: "/v4/domains",
          query: "page=0",
          template: "/domains",
          status: 400,
          fault: null,
          received: 0,
          sent: page.text.length,
        },
        expect.objectContaining({
          ...{ n: 3, method: "PUT", path: "/v4/nothing", template: null, status: 404, fault: null },
        }),
      ]);
      expect((await to("GET", "/_emulator/requests")).json).toHaveLength(3);
      expect((await to("GET", "/_emulator/requests?last=0")).json).toEqual([]);
      expect((await to("GET", "/_emulator/requests?last=x")).status).toBe(400);
    }));

  test("reset empties account, statistics and faults, and keeps the clock", () =>
    withEmulator({}, async (to, emulator) => {
      await to("POST", "/_emulator/advance", { body: { seconds: 86_400 } });
      await to("POST", "/v4/vpcs", { body: { label: "gone", region: "us-east" } });
      emulator.setFaults([{ method: "*", path: "*", nth: 5, do: "status", status: 500 }]);
      expect((await to("POST", "/_emulator/reset")).json).toEqual({});
      expect((await to("GET", "/_emulator/stats")).json).toEqual({ requests: {}, total: 0 });
      expect((await to("GET", "/_emulator/faults")).json).toEqual([]);
      const list = await to("GET", "/v4/vpcs");
      expect(list.json.results).toBe(0);
      expect(Date.parse(list.headers.date!)).toBeGreaterThan(Date.now() + 80_000_000);
    }));

  test("data goes out and comes in whole", () =>
    withEmulator({}, async (to, emulator) => {
      const made = await to("POST", "/v4/vpcs", { body: { label: "one", region: "us-east" } });
      const data = (await to("GET", "/_emulator/data")).json;
      expect(data).toEqual(JSON.parse(JSON.stringify(emulator.data())));
      emulator.reset();
      expect((await to("PUT", "/_emulator/data", { body: data })).json).toEqual({});
      expect((await to("GET", `/v4/vpcs/${made.json.id}`)).json).toEqual(made.json);
      const bad = await to("PUT", "/_emulator/data", { body: { format: 1, collections: [] } });
      expect(bad.json.errors).toEqual([{ reason: "must be an object", field: "collections" }]);
      expect((await to("GET", "/v4/vpcs")).json.results).toBe(1);
    }));

  test("single objects and values are changed in place, all of what is sent or nothing", () =>
    withEmulator({}, async (to, emulator) => {
      const made = await to("POST", "/v4/volumes", { body: { label: "data", region: "us-east" } });
      const { id } = made.json;
      const changes = {
        account: { balance: -5 },
        collections: { volumes: { [id]: { status: "migrating" } } },
      };
      expect(await to("PATCH", "/_emulator/data", { body: changes })).toMatchObject({
        status: 200,
        json: {},
      });
      expect((await to("GET", `/v4/volumes/${id}`)).json).toMatchObject({
        label: "data",
        status: "migrating",
      });
      expect((await to("GET", "/v4/account")).json).toMatchObject({ balance: -5 });

      const volumes = { [id]: { status: "active" } };
      const cases: [number, unknown, string | undefined][] = [
        [404, { collections: { volumes, planets: {} } }, "collections.planets"],
        [404, { collections: { volumes: { ...volumes, 7: {} } } }, "collections.volumes.7"],
        [400, { collections: { volumes: { ...volumes, [id]: { id: 9 } } } }, `collections.volumes.${id}.id`],
        [400, { collections: { volumes: { ...volumes, [id]: 9 } } }, `collections.volumes.${id}`],
        [400, { collections: { volumes: [] } }, "collections.volumes"],
        [400, { account: 5, collections: { volumes } }, "account"],
        [400, { volumes }, "volumes"],
        [400, [], undefined],
      ];
      for (const [status, body, field] of cases) {
        const refused = await to("PATCH", "/_emulator/data", { body });
        expect(refused.status).toBe(status);
        expect(refused.json.errors.map((reason: { field?: string }) => reason.field)).toEqual([field]);
      }
      expect((await to("GET", `/v4/volumes/${id}`)).json.status).toBe("migrating");
      emulator.change({ collections: { volumes } });
      expect((await to("GET", `/v4/volumes/${id}`)).json.status).toBe("active");
    }));

  test("what is given to setData stays the giver's", () =>
    withEmulator({}, async (to, emulator) => {
      const data = emulator.data();
      const before = JSON.stringify(data);
      emulator.setData(data);
      await to("PUT", "/v4/account", { body: { city: "Elsewhere" } });
      await to("PUT", "/v4/account/settings", { body: { network_helper: false } });
      expect(JSON.stringify(data)).toBe(before);
    }));

  test("advance takes seconds and nothing else", () =>
    withEmulator({}, async (to) => {
      for (const body of [{}, { seconds: "5" }, { seconds: -1 }, undefined])
        expect((await to("POST", "/_emulator/advance", { body })).status).toBe(400);
      expect((await to("POST", "/_emulator/advance", { raw: "{" })).status).toBe(400);
    }));

  test("it is never under the service's path and knows its own operations", () =>
    withEmulator({}, async (to, emulator) => {
      expect((await to("GET", "/v4/_emulator/stats")).status).toBe(404);
      expect((await to("GET", "/_emulator/nothing")).status).toBe(404);
      expect((await to("DELETE", "/_emulator/stats")).status).toBe(405);
      expect(emulator.stats().total).toBe(1);
    }));
});

describe("the start time", () => {
  const startTime = new Date("2026-03-04T09:00:00Z");

  test("is what the clock says first, and an account that is kept goes on with its own", async () => {
    const data = join(folder, "started.json");
    const timeOf = async (options: EmulatorOptions) => {
      const emulator = await startEmulator({ data, ...options });
      const { headers } = await fetch(`${emulator.baseUrl}/regions`);
      emulator.advance(86_400);
      await emulator.close();
      return Date.parse(headers.get("date")!) - startTime.getTime();
    };
    expect(Math.abs(await timeOf({ startTime }))).toBeLessThan(3_600_000);
    expect(Math.abs((await timeOf({ startTime: new Date() })) - 86_400_000)).toBeLessThan(3_600_000);
  });

  test("is a moment that the service can write", async () => {
    for (const moment of ["", "9999-01-01", "1969-12-31"])
      await expect(startEmulator({ startTime: new Date(moment) })).rejects.toThrow("start time");
  });
});

test("closing ends at once although a client keeps its connection", async () => {
  const emulator = await startEmulator();
  const answer = await fetch(`${emulator.baseUrl}/profile`, {
    headers: { authorization: `Bearer ${emulator.token}` },
  });
  await answer.json();
  const from = performance.now();
  await emulator.close();
  // Left alone it would end after 72 seconds.
  expect(performance.now() - from).toBeLessThan(20_000);
  await expect(fetch(`${emulator.baseUrl}/profile`)).rejects.toThrow();
});

test("a port that is taken is told", async () => {
  await withEmulator({}, async (_to, emulator) => {
    await expect(startEmulator({ port: emulator.port })).rejects.toThrow("EADDRINUSE");
  });
});
