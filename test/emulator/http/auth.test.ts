import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../emulator/contract/contract.ts";
import { hasScope } from "../../../emulator/http/auth.ts";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { type Ask, ask } from "../client.ts";

const folder = mkdtempSync(join(tmpdir(), "emulator-auth-"));
const tokensFile = join(folder, "tokens.json");
afterAll(() => rmSync(folder, { recursive: true }));

describe("without a tokens file", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ checkAnswers: true });
  });
  afterAll(() => emulator.close());
  const get = (headers: { [name: string]: string }) =>
    ask(emulator.port, "GET", "/v4/profile", { token: null, headers });

  test("any bearer token is the unrestricted owner", async () => {
    const told = await get({ authorization: "Bearer whatever-it-is" });
    expect(told.status).toBe(200);
    expect(told.json).toMatchObject({ username: "owner", restricted: false });
    expect(told.headers["x-oauth-scopes"]).toBe("*");
  });

  test("the emulator's own token is good", async () => {
    expect((await get({ authorization: `Bearer ${emulator.token}` })).status).toBe(200);
  });

  test.each([
    [{}],
    [{ authorization: "" }],
    [{ authorization: "Bearer" }],
    [{ authorization: "Bearer " }],
    [{ authorization: "Basic abc" }],
    [{ authorization: "Bearer a b" }],
    [{ authorization: "Bearer invalid" }],
    [{ authorization: "Bearer invalid-for-a-test" }],
  ])("%j is refused with 401", async (headers: { [name: string]: string }) => {
    const told = await get(headers);
    expect(told.status).toBe(401);
    expect(told.json).toEqual({ errors: [{ reason: "Invalid Token" }] });
    expect(told.headers["x-oauth-scopes"]).toBe("unknown");
    expect(told.headers["x-accepted-oauth-scopes"]).toBe("account:read_only");
  });

  test("a token that was made with scopes has only those", async () => {
    const made = await ask(emulator.port, "POST", "/v4/profile/tokens", {
      body: { label: "narrow", scopes: "account:read_only vpc:read_write" },
    });
    expect(made.json.token).toHaveLength(64);
    const token = made.json.token as string;
    expect((await ask(emulator.port, "GET", "/v4/profile", { token })).headers["x-oauth-scopes"]).toBe(
      "account:read_only vpc:read_write",
    );
    expect((await ask(emulator.port, "GET", "/v4/volumes", { token })).status).toBe(401);
    const listed = await ask(emulator.port, "GET", `/v4/profile/tokens/${made.json.id}`);
    expect(listed.json.token).toBe(token.slice(0, 16));
  });

  test("a token ends at its expiry, and when it is deleted", async () => {
    const expiry = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19);
    const make = (body: object) => ask(emulator.port, "POST", "/v4/profile/tokens", { body });
    const [short, long] = [await make({ expiry }), await make({})];
    expect([short.status, long.status]).toEqual([200, 200]);
    const works = async (token: string) => (await ask(emulator.port, "GET", "/v4/profile", { token })).status;
    expect(await works(short.json.token)).toBe(200);
    emulator.advance(3_601);
    expect(await works(short.json.token)).toBe(401);
    expect(await works(long.json.token)).toBe(200);
    await ask(emulator.port, "DELETE", `/v4/profile/tokens/${long.json.id}`);
    // An unknown token is the owner's here: the deleted one is as unknown as any other.
    expect((await ask(emulator.port, "GET", `/v4/profile/tokens/${long.json.id}`)).status).toBe(404);
    expect((await make({ expiry })).json.errors).toEqual([
      { reason: "Must be in the future", field: "expiry" },
    ]);
  });

  test("public operations need no token, and the public list of scripts neither", () => {
    const access = (key: string) => operations.find((operation) => operation.key === key)?.access;
    expect(access("GET /databases/engines")).toBe("anyone");
    expect(access("GET /object-storage/clusters/{clusterId}")).toBe("anyone");
    expect(access("GET /compute/stackscripts")).toBe("maybe");
    expect(access("GET /compute/stackscripts/{stackscriptId}")).toBe("token");
    expect(access("GET /vpcs")).toBe("token");
  });
});

describe("with a tokens file", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    writeFileSync(
      tokensFile,
      JSON.stringify({
        users: [
          { username: "alice" },
          {
            username: "bob",
            restricted: true,
            grants: { global: { add_vpc: true, account_access: "read_only" }, vpc: [] },
          },
          { username: "carol", restricted: true },
        ],
        tokens: [
          { token: "all", username: "alice" },
          { token: "bob", username: "bob", scopes: "*" },
          { token: "carol", username: "carol", scopes: "*" },
          {
            token: "reader",
            username: "alice",
            scopes: "volumes:read_only account:read_only domains:read_write",
          },
          { token: "attacher", username: "alice", scopes: "volumes:read_write" },
          { token: "scopeless", username: "alice", scopes: "events:read_only" },
          { token: "old", username: "alice", expiry: "2001-01-01T00:00:00" },
        ],
      }),
    );
    emulator = await startEmulator({ checkAnswers: true, tokens: tokensFile });
  });
  afterAll(() => emulator.close());
  const as = (token: string, method: string, path: string, options: Ask = {}) =>
    ask(emulator.port, method, `/v4${path}`, { token, ...options });

  test("a token that the file does not have is refused, and so is an expired one", async () => {
    expect((await as("unknown", "GET", "/profile")).status).toBe(401);
    expect((await as("old", "GET", "/profile")).status).toBe(401);
    expect(emulator.token).toBe("all");
  });

  test("a missing scope is 401 with its own reason", async () => {
    const told = await as("reader", "POST", "/volumes", { body: { label: "vol", region: "us-east" } });
    expect(told.status).toBe(401);
    expect(told.json.errors).toEqual([{ reason: "The OAuth token is not authorized to use this endpoint" }]);
    expect(told.headers["x-accepted-oauth-scopes"]).toBe("volumes:read_write");
    expect(told.headers["x-oauth-scopes"]).toBe("volumes:read_only account:read_only domains:read_write");
  });

  test("read_write includes read_only", async () => {
    expect((await as("reader", "GET", "/volumes")).status).toBe(200);
    expect((await as("reader", "GET", "/domains")).status).toBe(200);
    expect((await as("reader", "GET", "/account/events")).status).toBe(401);
  });

  test("two listed scopes are both required", async () => {
    expect((await as("attacher", "POST", "/volumes/1/attach", { body: { compute_id: 1 } })).status).toBe(401);
    expect((await as("all", "POST", "/volumes/1/attach", { body: { compute_id: 1 } })).status).not.toBe(401);
  });

  test("VPC reads take any token", async () => {
    expect((await as("scopeless", "GET", "/vpcs")).status).toBe(200);
    expect((await as("scopeless", "POST", "/vpcs")).status).toBe(401);
  });

  test("unrestricted-only operations ask no scope, but refuse restricted users with 403", async () => {
    // 501 or 200: let in, whether the area is there yet or not.
    expect([200, 501]).toContain((await as("scopeless", "GET", "/managed/contacts")).status);
    const told = await as("bob", "GET", "/managed/contacts");
    expect(told.status).toBe(403);
    expect(told.json).toEqual({ errors: [{ reason: "Unauthorized" }] });
  });

  test("a restricted user needs the grant, and gets read_write on what it makes", async () => {
    const body = { label: "bobs", region: "us-east" };
    expect((await as("carol", "POST", "/vpcs", { body })).status).toBe(403);
    const made = await as("bob", "POST", "/vpcs", { body });
    expect(made.status).toBe(200);
    expect((await as("bob", "PUT", `/vpcs/${made.json.id}`, { body: { label: "renamed" } })).status).toBe(
      200,
    );
    expect([403, 404]).toContain((await as("carol", "PUT", `/vpcs/${made.json.id}`, { body: {} })).status);
    const grants = await as("bob", "GET", "/profile/grants");
    expect(grants.json.vpc).toEqual([{ id: made.json.id, label: "bobs", permissions: "read_write" }]);
    expect(grants.json.global).toMatchObject({ add_vpc: true, add_vpcs: true, add_volumes: false });
  });

  test("the owner gives grants, of which either spelling counts", async () => {
    const path = "/account/users/carol/grants";
    const before = await as("all", "GET", path);
    expect(before.json.global.add_vpcs).toBe(false);
    const sent = { ...before.json, global: { ...before.json.global, add_vpcs: true } };
    expect((await as("all", "PUT", path, { body: sent })).json.global).toMatchObject({
      add_vpc: true,
      add_vpcs: true,
    });
    const back = { global: { add_vpc: false, add_vpcs: true, account_access: "read_write" } };
    expect((await as("all", "PUT", path, { body: back })).json.global).toMatchObject({
      add_vpc: false,
      account_access: "read_write",
    });
  });

  test("the account is for those with the account grant", async () => {
    expect((await as("bob", "GET", "/account")).status).toBe(200);
    expect((await as("bob", "PUT", "/account", { body: { city: "Here" } })).status).toBe(403);
    emulator.reset();
    expect((await as("carol", "GET", "/account")).status).toBe(403);
    expect((await as("all", "PUT", "/account", { body: { city: "Here", balance: -5 } })).json).toMatchObject({
      city: "Here",
      balance: 0,
    });
  });

  test("users come, change and go with their tokens", async () => {
    const made = await as("all", "POST", "/account/users", {
      body: { username: "dave", email: "dave@example.com" },
    });
    expect(made.json).toMatchObject({ username: "dave", restricted: true });
    expect(
      (await as("all", "POST", "/account/users", { body: { username: "dave", email: "d@example.com" } }))
        .status,
    ).toBe(400);
    expect((await as("all", "GET", "/account/users/dave/grants")).status).toBe(200);
    expect(
      (await as("all", "PUT", "/account/users/dave", { body: { restricted: false } })).json.restricted,
    ).toBe(false);
    expect((await as("all", "GET", "/account/users/dave/grants")).status).toBe(204);
    expect((await as("all", "DELETE", "/account/users/dave")).status).toBe(200);
    expect((await as("all", "GET", "/account/users/dave")).status).toBe(404);
    expect((await as("all", "DELETE", "/account/users/alice")).status).toBe(400);
    await as("all", "PUT", "/account/users/carol", { body: { username: "caroline" } });
    expect((await as("carol", "GET", "/profile")).json.username).toBe("caroline");
    await as("all", "DELETE", "/account/users/caroline");
    expect((await as("carol", "GET", "/profile")).status).toBe(401);
  });

  test("all answers were as the contract says", () => expect(emulator.mismatches).toEqual([]));
});

describe("a tokens file that is wrong", () => {
  test.each([
    ["{", "cannot read the tokens file"],
    ['{"users":{}}', '"users" must be a list'],
    ['{"tokens":[{"token":"a"}]}', 'tokens[0] needs "username"'],
    ['{"tokens":[{"token":"a","username":"b","expiry":"soon"}]}', '"expiry" must be a date'],
  ])("%s is told with its place", async (text, message) => {
    writeFileSync(tokensFile, text);
    await expect(startEmulator({ tokens: tokensFile })).rejects.toThrow(message);
  });

  test("that of the reference does what the reference says", async () => {
    const page = readFileSync(resolve(import.meta.dirname, "../../../docs/reference/emulator.md"), "utf8");
    writeFileSync(tokensFile, /## Tokens and users\n\n```json\n([\s\S]*?)```/.exec(page)![1]!);
    const seed = join(folder, "seed.json");
    const zone = (domain: string) => ({ domain, type: "master", soa_email: "a@a.example" });
    writeFileSync(
      seed,
      JSON.stringify({ requests: [{ method: "POST", path: "/domains", body: zone("one.example") }] }),
    );
    const emulator = await startEmulator({ tokens: tokensFile, seed });
    const status = async (token: string, method: string, path: string, body?: object) =>
      (await ask(emulator.port, method, `/v4${path}`, { token, ...(body && { body }) })).status;
    const own = "/domains/2630001";
    expect([
      await status("everything", "GET", "/volumes"),
      await status("looks-at-zones", "GET", own),
      await status("looks-at-zones", "PUT", own, { description: "mine" }),
      await status("looks-at-zones", "GET", "/volumes"),
      await status("for-the-job", "PUT", own, { description: "ours" }),
      await status("for-the-job", "POST", "/domains", zone("two.example")),
      await status("for-the-job", "POST", "/volumes", { label: "disk", region: "us-east" }),
      await status("another", "GET", "/domains"),
    ]).toEqual([200, 200, 401, 401, 200, 200, 403, 401]);
    await emulator.close();
  });

  test("one without a full token still gives the emulator a token of its own", async () => {
    writeFileSync(tokensFile, '{"users":[{"username":"eve","restricted":true}]}');
    const emulator = await startEmulator({ tokens: tokensFile });
    const told = await ask(emulator.port, "GET", "/v4/profile", { token: emulator.token });
    await emulator.close();
    expect(told.json).toMatchObject({ username: "owner", restricted: false });
  });
});

test.each([
  ["*", "volumes:read_write", true],
  ["volumes:read_write", "volumes:read_only", true],
  ["volumes:read_only", "volumes:read_write", false],
  ["volumes:*", "volumes:read_write", true],
  ["domains:read_write volumes:read_only", "volumes:read_only", true],
  ["domains:read_write,volumes:read_only", "volumes:read_only", true],
  ["volumes", "volumes:read_only", false],
  ["", "volumes:read_only", false],
])("a token with %j for %s: %s", (held, wanted, expected) => {
  expect(hasScope(held, wanted)).toBe(expected);
});
