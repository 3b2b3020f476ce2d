import http from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../emulator/contract/contract.ts";
import { createRouter } from "../../../emulator/http/router.ts";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { type Ask, ask } from "../client.ts";

let emulator: Emulator;
const logged: string[] = [];
beforeAll(async () => {
  emulator = await startEmulator({ checkAnswers: true, log: (line) => logged.push(line) });
});
afterAll(() => emulator.close());

const to = (method: string, path: string, options?: Ask) => ask(emulator.port, method, path, options);

describe("routing", () => {
  const route = createRouter(operations, (segment) => segment);

  test("every operation is found by its own template and no other", () => {
    for (const operation of operations) {
      const path = operation.template.replace(/\{[^}]+\}/g, "7");
      expect(route(path)?.template, path).toBe(operation.template);
      expect(route(path)?.operations.get(operation.method)).toBe(operation);
    }
  });

  test("an encoded slash stays within its segment", () => {
    expect(route("/databases/engines/mysql%2F8.0.30")?.values).toEqual(["mysql/8.0.30"]);
    expect(route("/domains/1%2Frecords")?.template).toBe("/domains/{domainId}");
  });

  test("a plain slash in an id at the end of a path is accepted", () => {
    expect(route("/databases/engines/mysql/8.0.30")?.values).toEqual(["mysql/8.0.30"]);
  });

  test("a fixed segment wins over a parameter", () => {
    expect(route("/domains/import")?.template).toBe("/domains/import");
    expect(route("/vpcs/ips")?.template).toBe("/vpcs/ips");
    expect(route("/vpcs/12/ips")?.template).toBe("/vpcs/{vpcId}/ips");
  });

  test("what is in no template is not found", () => {
    for (const path of [
      "",
      "/",
      "/domain",
      "/domains/",
      "/domains//records",
      "/domains/1/records/2/3",
      "/%zz",
    ])
      expect(route(path), path).toBeUndefined();
  });
});

describe("status codes", () => {
  test("an unknown path is 404 under both versions and outside them", async () => {
    for (const path of ["/v4/nothing", "/v4beta/nothing", "/v4", "/v5/domains", "/", "/v4x/domains"]) {
      const told = await to("GET", path);
      expect(told.status, path).toBe(404);
      expect(told.json).toEqual({ errors: [{ reason: "Not found" }] });
      expect(told.headers["content-type"]).toBe("application/json");
    }
  });

  test("both version prefixes reach the same account", async () => {
    const made = await to("POST", "/v4beta/profile/tokens", { body: { label: "both" } });
    const read = await to("GET", `/v4/profile/tokens/${made.json.id}`);
    expect(read.json.label).toBe("both");
  });

  test("a known path with a wrong method is 405 and says what it takes", async () => {
    const told = await to("DELETE", "/v4/profile");
    expect(told.status).toBe(405);
    expect(told.headers.allow).toBe("GET, PUT, OPTIONS");
    expect(told.json.errors[0].reason).toContain("GET, PUT");
    expect((await to("PATCH", "/v4/domains")).status).toBe(405);
  });

  test("an id that is no number is 404", async () => {
    for (const id of ["abc", "-1", "1.5", "1e3", "99999999999999999999", "%20"]) {
      const told = await to("GET", `/v4/account/events/${id}`);
      expect(told.status, id).toBe(404);
      expect(told.json.errors).toEqual([{ reason: "Not found" }]);
    }
  });

  test("HEAD answers like GET without a body", async () => {
    const told = await to("HEAD", "/v4/profile");
    expect(told.status).toBe(200);
    expect(told.text).toBe("");
    expect(Number(told.headers["content-length"])).toBeGreaterThan(0);
  });

  test("OPTIONS needs no token and tells the methods", async () => {
    const told = await to("OPTIONS", "/v4/domains", { token: null });
    expect(told.status).toBe(200);
    expect(told.headers.allow).toBe("GET, POST, OPTIONS");
    expect(Object.keys(told.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("an answer without content is 204 without body and type", async () => {
    const told = await to("GET", "/v4/profile/grants");
    expect(told.status).toBe(204);
    expect(told.text).toBe("");
    expect(told.headers["content-type"]).toBeUndefined();
  });
});

describe("headers", () => {
  test("an answer carries what clients compare", async () => {
    const { headers } = await to("GET", "/v4/domains");
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["x-spec-version"]).toBe("4.174.0");
    expect(headers["x-oauth-scopes"]).toBe("*");
    expect(headers["x-accepted-oauth-scopes"]).toBe("domains:read_only");
    expect(headers["x-ratelimit-limit"]).toBe("800");
    expect(headers["x-ratelimit-remaining"]).toBe("800");
    expect(Number(headers["x-ratelimit-reset"])).toBeGreaterThan(Date.now() / 1000);
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(headers["cache-control"]).toBe("private, max-age=60, s-maxage=60");
    expect(headers.vary).toBe("Authorization, X-Filter");
    expect(headers["x-customer-uuid"]).toMatch(/^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
    expect(headers.etag).toBeUndefined();
  });

  test("an error's type has no charset either, and a write is not cached", async () => {
    const told = await to("POST", "/v4/profile/tokens", { body: { scopes: "nonsense" } });
    expect(told.status).toBe(400);
    expect(told.headers["content-type"]).toBe("application/json");
    expect(told.headers["cache-control"]).toBe("no-store");
  });

  test("two scopes are told joined by a comma, and none as a star", async () => {
    const attach = await to("POST", "/v4/volumes/1/attach");
    expect(attach.headers["x-accepted-oauth-scopes"]).toBe("volumes:read_write,computes:read_write");
    const list = await to("GET", "/v4/vpcs");
    expect(list.headers["x-accepted-oauth-scopes"]).toBe("*");
  });

  test("the date is the emulator's own", async () => {
    const before = Date.now();
    emulator.advance(86_400);
    const { headers } = await to("GET", "/v4/profile");
    expect(Date.parse(headers.date!) - before).toBeGreaterThanOrEqual(86_399_000);
  });
});

describe("bodies", () => {
  test("a body on a GET is ignored", async () => {
    const told = await to("GET", "/v4/profile", { raw: "{broken" });
    expect(told.status).toBe(200);
    expect(
      (await to("GET", "/v4/profile", { raw: "{}", headers: { "content-type": "application/json" } })).status,
    ).toBe(200);
  });

  test("a connection goes on after a GET with a body", async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<number | undefined>();
    const get = (body: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: "Bearer x", "content-length": Buffer.byteLength(body) };
        const request = http.request(
          { port: emulator.port, path: "/v4/profile", agent, headers },
          (response) => {
            sockets.add(request.socket?.localPort);
            response.resume().on("end", () => resolve(response.statusCode));
          },
        );
        request.on("error", reject).end(body);
      });
    expect([await get("x".repeat(70_000)), await get(""), await get("{}")]).toEqual([200, 200, 200]);
    expect(sockets.size).toBe(1);
    agent.destroy();
  });

  test.each(["nonsense", "", "application/json; charset=utf-8", "multipart/form-data", ";;"])(
    "a body is read as JSON whatever its type says: %j",
    async (type) => {
      const told = await to("POST", "/v4/profile/tokens", {
        body: { label: type },
        headers: { "content-type": type },
      });
      expect(told.status, told.text).toBe(200);
      expect(told.json.label).toBe(type);
    },
  );

  test("an action takes no body, an empty one, an empty object and any type", async () => {
    const id = 1;
    for (const options of [
      {},
      { raw: "" },
      { raw: "{}" },
      { raw: "null" },
      { raw: "{}", headers: { "content-type": "text/plain" } },
      { raw: "", headers: { "content-type": "application/json" } },
    ]) {
      const told = await to("POST", `/v4/account/events/${id}/seen`, options);
      expect(told.status, JSON.stringify(options)).toBe(404);
    }
    expect((await to("DELETE", "/v4/profile/tokens/1", { raw: "{}" })).status).toBe(404);
  });

  test("a body that is not JSON is refused", async () => {
    const told = await to("POST", "/v4/profile/tokens", { raw: "{not json" });
    expect(told.status).toBe(400);
    expect(told.json.errors).toEqual([{ reason: "The request body is not valid JSON" }]);
  });

  test("a body that is no object is refused", async () => {
    for (const raw of ["[]", '"text"', "5", "true"]) {
      const told = await to("POST", "/v4/profile/tokens", { raw });
      expect(told.status, raw).toBe(400);
      expect(told.json.errors[0].reason).toBe("The request body must be a JSON object");
    }
  });
});

test("with cors, the service's own headers let every web page in", async () => {
  const open = await startEmulator({ cors: true });
  try {
    for (const method of ["GET", "OPTIONS"]) {
      const told = await ask(open.port, method, "/v4/domains", {
        headers: { origin: "https://page.example" },
      });
      expect(told.headers).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "HEAD, GET, OPTIONS, POST, PUT, DELETE",
        "access-control-allow-headers": expect.stringContaining("Authorization"),
      });
    }
    const control = await ask(open.port, "GET", "/_emulator/stats");
    expect(Object.keys(control.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  } finally {
    await open.close();
  }
});

test("nothing of all this made the emulator itself fail or answer outside the contract", () => {
  expect(emulator.mismatches).toEqual([]);
  expect(logged).toEqual([]);
});
