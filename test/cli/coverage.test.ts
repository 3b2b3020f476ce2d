/** What `plumbline coverage` counts, and what it must not count. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pc from "picocolors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator, starterAccount } from "../../emulator/index.ts";
import { tellCoverage } from "../../provider/cli/commands/coverage.ts";
import { type Contract, callersOf, coverage, coverageOf } from "../../provider/cli/coverage.ts";
import { CommandError } from "../../provider/cli/exit.ts";
import { catalogue, createProvider } from "../../provider/provider.ts";
import { joined, judge, readRecord } from "../../scripts/coverage.mjs";
import { listen } from "../recorder.ts";
import { type Desk, openDesk } from "./plumbline.ts";

const contract: Contract = {
  paths: {
    "/domains": {
      parameters: [],
      get: { tags: ["dns"], summary: "List domains" },
      post: { tags: ["dns"], summary: "Create a domain" },
    },
    "/databases/mysql/instances/{instanceId}/patch": { post: { tags: ["databases"], summary: "Patch" } },
    "/regions": { get: { tags: ["supporting"], "x-supporting": true } },
  },
};
const patch = "POST /databases/mysql/instances/{instanceId}/patch";
const complete = {
  "GET /domains": ["plumbline:dns:getDomains", "plumbline:dns:Domain list"],
  "POST /domains": ["plumbline:dns:Domain create"],
  [patch]: ["plumbline:databases:MySqlInstance run patch"],
};

/** What the command writes and how it ends. */
function told(record: { readonly [operation: string]: readonly string[] }, json = false) {
  const lines: string[] = [];
  const telling = {
    json,
    colors: pc.createColors(false),
    callersOf,
    write: (line: string) => void lines.push(line),
  };
  try {
    tellCoverage(coverageOf(contract, record, catalogue), telling);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { lines, code: error.code, message: error.message };
  }
  return { lines, code: 0, message: "" };
}

describe("the table", () => {
  it("has what reaches each operation of the contract's own, and ends with the count", () => {
    expect(told(complete)).toEqual({
      code: 0,
      message: "",
      lines: [
        "dns  2 of 2",
        "  GET    /domains  dns:Domain list; dns:getDomains",
        "  POST   /domains  dns:Domain create",
        "",
        "databases  1 of 1",
        "  POST   /databases/mysql/instances/{instanceId}/patch  databases:MySqlInstance run patch",
        "",
        "3 of 3 operations",
      ],
    });
  });

  it("names an operation that nothing reaches, and exits with 1", () => {
    const { code, lines, message } = told({ ...complete, "POST /domains": [] });
    expect(code).toBe(1);
    expect(message).toBe("1 operation is reached by no type, function or verb");
    expect(lines).toContain("  POST   /domains  not reached");
    expect(lines.at(-1)).toBe("2 of 3 operations");
    expect(told({}).lines.at(-1)).toBe("0 of 3 operations");
  });

  it.each([
    ["plumbline:dns:getNothing", "there is no function plumbline:dns:getNothing"],
    ["plumbline:dns:Nothing create", "there is no type plumbline:dns:Nothing"],
    ["plumbline:dns:Domain destroy", "a type has no verb destroy"],
    ["plumbline:dns:Domain create twice", "a type has no verb create twice"],
    ["plumbline:dns:Domain run away", "plumbline:dns:Domain has no verb away"],
    ["plumbline:dns:getDomains run", "there is no verb plumbline:dns:getDomains"],
    ["", "there is no function "],
  ])("does not count %j, which is not there", (by, reason) => {
    const { code, lines } = told({ ...complete, "POST /domains": [by] });
    expect(code).toBe(1);
    expect(lines).toContain("  POST   /domains  not reached");
    expect(lines).toContain(`not counted: POST /domains${by && ` by ${by}`}: ${reason}`);
  });

  it("does not count an operation that the contract does not have, nor one that only supports others", () => {
    const by = ["plumbline:dns:getDomains"];
    const found = coverageOf(contract, { ...complete, "PUT /domains": by, "GET /regions": by }, catalogue);
    expect([found.reached, found.operations.length]).toEqual([3, 3]);
    expect(found.ignored.map(({ operation }) => operation)).toEqual(["PUT /domains", "GET /regions"]);
  });

  it("is one JSON object with --json, with the same exit code", () => {
    const { code, lines, message } = told({ "GET /domains": ["plumbline:dns:getDomains"] }, true);
    expect([code, message, lines.length]).toEqual([1, "", 1]);
    expect(JSON.parse(lines[0]!)).toEqual({
      operations: [
        {
          method: "GET",
          path: "/domains",
          area: "dns",
          summary: "List domains",
          reachedBy: ["plumbline:dns:getDomains"],
        },
        { method: "POST", path: "/domains", area: "dns", summary: "Create a domain", reachedBy: [] },
        {
          method: "POST",
          path: "/databases/mysql/instances/{instanceId}/patch",
          area: "databases",
          summary: "Patch",
          reachedBy: [],
        },
      ],
      areas: [
        { area: "dns", operations: 2, reached: 1 },
        { area: "databases", operations: 1, reached: 0 },
      ],
      total: 3,
      reached: 1,
      missing: ["POST /domains", patch],
      ignored: [],
    });
  });
});

describe("the built command", () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk.close());

  it("needs no stack file and no target, and makes no request", async () => {
    const env = { PLUMBLINE_BASE_URL: undefined, PLUMBLINE_TOKEN: undefined };
    const [ran, asked] = await desk.counted(() => desk.run(["coverage"], { env }));
    expect(asked).toBe(0);
    const [, reached, total] = /^(\d+) of (\d+) operations$/.exec(ran.stdout.trimEnd().split("\n").at(-1)!)!;
    expect(total).toBe("143");
    expect(ran.code, ran.stderr).toBe(reached === total ? 0 : 1);
    const json = await desk.run(["coverage", "--json"], { env });
    expect(json.code).toBe(ran.code);
    const { missing, operations } = JSON.parse(json.stdout);
    expect([operations.length, operations.length - missing.length]).toEqual([143, Number(reached)]);
  });
});

describe("the record", () => {
  it("holds nothing that the code no longer has", () => {
    expect(coverage().ignored).toEqual([]);
  });

  it("is untrue where a run reached an operation by none of the reachers that it names", () => {
    const calls = {
      "GET /domains": ["plumbline:dns:getDomains"],
      "POST /domains": ["plumbline:dns:Zone create"],
    };
    expect(judge(complete, calls)).toEqual({ untrue: ["POST /domains", patch], untold: [] });
    expect(judge({}, calls)).toEqual({ untrue: [], untold: ["GET /domains", "POST /domains"] });
    expect(judge(complete, complete)).toEqual({ untrue: [], untold: [] });
    expect(judge(readRecord(), {}).untrue).toEqual(Object.keys(readRecord()));
  });

  it("is untrue where a run did not make a write by each of the reachers that it names", () => {
    const record = { "POST /domains": ["plumbline:dns:Domain create", "plumbline:dns:getDomains"] };
    const calls = { "POST /domains": ["plumbline:dns:Domain create"] };
    expect(judge(record, calls).untrue).toEqual(["POST /domains by plumbline:dns:getDomains"]);
  });
});

describe("a record that is added to", () => {
  it("keeps what it had, in the contract's order, and takes in only operations of the contract's own", () => {
    const calls = { "GET /regions": ["x"], "DELETE /vpcs/{vpcId}": ["c"], "POST /vpcs": ["b", "a", "b"] };
    const both = joined({ "POST /vpcs": ["b"], "GET /vpcs": ["a"] }, calls);
    expect(Object.entries(both)).toEqual([
      ["GET /vpcs", ["a"]],
      ["POST /vpcs", ["a", "b"]],
      ["DELETE /vpcs/{vpcId}", ["c"]],
    ]);
  });
});

describe("the recorder", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ seed: starterAccount, speed: "instant" });
  });
  afterAll(() => emulator.close());

  const providerAt = async (baseUrl: string) => {
    const provider = createProvider({ environment: {} });
    await provider.configure({ baseUrl, token: "token" });
    return provider;
  };
  const ask = (name: string) => ({ token: `plumbline:${name}`, args: {}, preview: false });

  it("tells each of several calls at once by what it asked itself", async () => {
    const calls = listen();
    const provider = await providerAt(emulator.baseUrl);
    await Promise.all(
      ["dns:getDomains", "vpc:getVpcs", "blockstorage:getVolumes", "managed:getContacts"].map((name) =>
        provider.invoke(ask(name)),
      ),
    );
    await provider.close();
    expect(await calls()).toEqual({
      "GET /domains": ["plumbline:dns:getDomains"],
      "GET /vpcs": ["plumbline:vpc:getVpcs"],
      "GET /volumes": ["plumbline:blockstorage:getVolumes"],
      "GET /managed/contacts": ["plumbline:managed:getContacts"],
    });
  });

  it("hears neither what a test asks by itself nor what was refused", async () => {
    const calls = listen();
    await fetch(`${emulator.baseUrl}/domains`, { headers: { authorization: `Bearer ${emulator.token}` } });
    const provider = await providerAt(emulator.baseUrl);
    const urn = "urn:pulumi:dev::test::plumbline:dns/domain:Domain::zone";
    const read = {
      urn,
      type: "plumbline:dns/domain:Domain",
      name: "zone",
      id: "4711",
      inputs: {},
      state: {},
    };
    expect(await provider.read(read)).toBeUndefined();
    await provider.close();
    const reached = await calls();
    expect(Object.keys(reached)).not.toContain("GET /domains/{domainId}");
    expect(Object.values(reached).flat()).not.toContain("plumbline:dns:getDomains");
  });

  it("believes no server but the emulator", async () => {
    const server = createServer((_, answer) =>
      answer.end(JSON.stringify({ data: [], page: 1, pages: 1, results: 0 })),
    );
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const calls = listen();
    const provider = await providerAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v4`);
    await provider.invoke(ask("dns:getDomains"));
    await provider.close();
    server.close();
    expect(await calls()).toEqual({});
  });
});
