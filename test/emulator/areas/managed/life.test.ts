import { createPublicKey } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEmulator } from "../../../../emulator/index.ts";
import { type Answer, eventsOf, makeInstance, openSession, type Session } from "../../session.ts";
import { openCalendar } from "../databases/session.ts";

let on: Session;
beforeEach(async () => {
  on = await openCalendar();
});
afterEach(() => on.close());

const address = (at: string, more: object = {}) => ({
  label: `service-${at}`,
  service_type: "tcp",
  address: `${at}.example.org:443`,
  timeout: 10,
  ...more,
});
const make = (at: string, more?: object) => on.post("/managed/services", address(at, more));
const status = async (id: number) => (await on.get(`/managed/services/${id}`)).status;

/** Tells services to fail or to be well, as no request could. */
function failing(ids: readonly number[], _failing: boolean): void {
  const managedServices = Object.fromEntries(ids.map((id) => [id, { _failing }]));
  on.emulator.change({ collections: { managedServices } });
}

describe("a service (contract section 3; notes, section 8)", () => {
  test("is pending until its first check, and told of when made and deleted", async () => {
    const made = await make("web");
    expect(made).toEqual({
      ...address("web"),
      id: made.id,
      status: "pending",
      body: "",
      consultation_group: "",
      notes: "",
      region: null,
      credentials: [],
      created: made.created,
      updated: made.created,
    });
    on.wait(15);
    expect(await status(made.id)).toBe("pending");
    on.wait(10);
    expect(await on.get(`/managed/services/${made.id}`)).toEqual({ ...made, status: "ok" });
    expect(await on.list("/managed/services")).toHaveLength(1);
    expect(await on.remove(`/managed/services/${made.id}`)).toEqual({});
    await on.refused(404, "GET", `/managed/services/${made.id}`);
    expect(await eventsOf(on, "managed_service", made.id)).toMatchObject([
      { action: "managed_service_create", status: "notification", entity: { label: made.label } },
      { action: "managed_service_delete", status: "notification" },
    ]);
    on.wait(3600);
    expect((on.emulator.data() as { jobs: unknown[] }).jobs).toEqual([]);
  });

  test("is disabled and enabled, each twice like once", async () => {
    const { id } = await make("web");
    const path = `/managed/services/${id}`;
    const disabled = await on.post(`${path}/disable`, {});
    expect(disabled.status).toBe("disabled");
    on.wait(30);
    expect(await on.post(`${path}/disable`)).toEqual(disabled);
    expect((await on.put(path, { timeout: 20 })).status).toBe("disabled");
    expect((await on.post(`${path}/enable`)).status).toBe("pending");
    on.wait(25);
    const enabled = await on.post(`${path}/enable`);
    expect(enabled).toMatchObject({ status: "ok", timeout: 20 });
    expect(await on.get(path)).toEqual(enabled);
    for (const verb of ["enable", "disable"]) await on.refused(404, "POST", `/managed/services/1/${verb}`);
  });

  test.each([
    ["address", { address: "other.example.org:443" }, "pending"],
    ["timeout", { timeout: 11 }, "pending"],
    ["body", { body: "welcome" }, "pending"],
    ["type", { service_type: "url", address: "https://example.org" }, "pending"],
    ["address, but to what it was", { address: "web.example.org:443" }, "ok"],
    ["label", { label: "renamed" }, "ok"],
    ["notes", { notes: "call", consultation_group: "night" }, "ok"],
  ])("whose %s changes, by %j, is %s", async (_, change, next) => {
    const { id } = await make("web");
    on.wait(25);
    expect((await on.put(`/managed/services/${id}`, change)).status).toBe(next);
    on.wait(25);
    expect(await status(id)).toBe("ok");
  });

  test("that fails has the problem from its next check on, with an issue and its ticket, until it is well", async () => {
    const { id } = await make("web");
    on.wait(25);
    failing([id], true);
    expect(await status(id)).toBe("ok");
    on.wait(301);
    expect(await status(id)).toBe("problem");
    const issues = await on.list("/managed/issues");
    const ticket = issues[0].entity.id;
    expect(issues).toEqual([
      {
        id: expect.any(Number),
        created: expect.any(String),
        services: [id],
        entity: {
          id: ticket,
          type: "ticket",
          label: "Managed Issue opened!",
          url: `/support/tickets/${ticket}`,
        },
      },
    ]);
    expect(await on.get(`/managed/issues/${issues[0].id}`)).toEqual(issues[0]);
    on.wait(3600);
    expect(await on.list("/managed/issues")).toHaveLength(1);
    failing([id], false);
    on.wait(301);
    expect(await status(id)).toBe("ok");
    expect(await on.list("/managed/issues")).toEqual(issues);
    on.wait(31 * 86_400);
    expect(await on.list("/managed/issues")).toEqual([]);
    await on.refused(404, "GET", `/managed/issues/${issues[0].id}`);
  });

  test("that goes on failing keeps its issue, however long", async () => {
    const { id } = await make("web");
    failing([id], true);
    on.wait(25);
    expect(await status(id)).toBe("problem");
    on.wait(32 * 86_400);
    expect(await on.list("/managed/issues")).toHaveLength(1);
    // Looked at again within the same issue.
    await on.put(`/managed/services/${id}`, { timeout: 20 });
    expect(await status(id)).toBe("pending");
    on.wait(301);
    expect(await status(id)).toBe("problem");
    expect(await on.list("/managed/issues")).toHaveLength(1);
  });

  test("that fails together with others is in one issue with them, and the newest issue comes first", async () => {
    const ids = [(await make("a")).id, (await make("b")).id, (await make("c")).id];
    on.wait(25);
    failing([ids[0], ids[1]], true);
    on.wait(301);
    failing([ids[2]], true);
    on.wait(301);
    const issues = await on.list("/managed/issues");
    expect(issues.map(({ services }) => services)).toEqual([[ids[2]], [ids[0], ids[1]]]);
    failing([ids[0]], false);
    on.wait(301);
    failing([ids[0]], true);
    on.wait(301);
    // The issue still goes on for the other one.
    expect(await on.list("/managed/issues")).toHaveLength(2);
  });

  test("that is disabled while it fails is no problem any more; enabled again, it is a new one", async () => {
    const { id } = await make("web");
    failing([id], true);
    on.wait(25);
    await on.post(`/managed/services/${id}/disable`);
    on.wait(3600);
    expect(await status(id)).toBe("disabled");
    await on.post(`/managed/services/${id}/enable`);
    on.wait(25);
    expect(await status(id)).toBe("problem");
    expect((await on.list("/managed/issues")).map(({ services }) => services)).toEqual([[id], [id]]);
  });

  test("is checked by the next read at the highest speed", async () => {
    const fast = await openSession({ speed: "instant" });
    const { id } = await fast.post("/managed/services", address("fast"));
    expect((await fast.get(`/managed/services/${id}`)).status).toBe("ok");
    await fast.close();
  });
});

describe("the account's SSH key (contract section 2.8)", () => {
  const modulus = (key: string) => {
    const blob = Buffer.from(key.split(" ")[1] ?? "", "base64");
    expect(blob.subarray(4, 11).toString()).toBe("ssh-rsa");
    return blob.subarray(-256);
  };

  test("is a public key, the same at each look, also after a reset", async () => {
    const { ssh_key } = await on.get("/managed/credentials/sshkey");
    expect(ssh_key).toMatch(/^ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB[A-Za-z0-9+/]+=* managedservices@compute$/);
    const jwk = { kty: "RSA", e: "AQAB", n: modulus(ssh_key).toString("base64url") };
    const details = createPublicKey({ key: jwk, format: "jwk" }).asymmetricKeyDetails;
    expect(details?.modulusLength).toBe(2048);
    on.emulator.reset();
    expect((await on.get("/managed/credentials/sshkey")).ssh_key).toBe(ssh_key);
  });

  test("ends with the brand's word", async () => {
    const emulator = await startEmulator({ brand: "acme", checkAnswers: true });
    const answer = await fetch(`${emulator.baseUrl}/managed/credentials/sshkey`, {
      headers: { authorization: `Bearer ${emulator.token}` },
    });
    expect(((await answer.json()) as Answer).ssh_key).toMatch(/ managedservices@acme$/);
    await emulator.close();
  });
});

describe("statistics (contract section 2.8; notes, section 8)", () => {
  test("are not there without an instance", async () => {
    expect(await on.get("/managed/stats")).toEqual({ data: ["Graphs are not yet available."] });
  });

  test("cover the last 24 hours in steps of five minutes, the same at each look", async () => {
    await makeInstance(on);
    on.wait(12 * 3600);
    const { data } = await on.get("/managed/stats");
    expect(Object.keys(data)).toEqual(["cpu", "disk", "swap", "net_in", "net_out"]);
    for (const line of Object.values<{ x: number; y: number }[]>(data)) {
      expect(line).toHaveLength(288);
      expect(line.every(({ x }, index) => x % 300_000 === 0 && x === line[0]!.x + index * 300_000)).toBe(
        true,
      );
      expect(line[0]!.y).toBe(0);
      expect(line.at(-1)!.y).toBeGreaterThan(0);
    }
    on.wait(3600);
    const later = (await on.get("/managed/stats")).data;
    expect(later.cpu.slice(0, 270)).toEqual(data.cpu.slice(12, 282));
  });

  test("are the sum over the instances", async () => {
    await makeInstance(on);
    await makeInstance(on);
    on.wait(3600);
    const both = (await on.get("/managed/stats")).data.cpu.at(-1);
    const [, second] = await on.list("/compute/instances");
    await on.remove(`/compute/instances/${second.id}`);
    const one = (await on.get("/managed/stats")).data.cpu.at(-1);
    expect(both.y).toBeGreaterThan(one.y);
  });
});

describe("who may (contract sections 4.6 and 5.4)", () => {
  const users = {
    users: [
      { username: "boss" },
      { username: "clerk", restricted: true, grants: { global: { account_access: "read_write" } } },
    ],
    tokens: [
      { token: "boss-token", username: "boss", scopes: "volumes:read_only" },
      { token: "clerk-token", username: "clerk", scopes: "*" },
    ],
  };
  const operations: readonly [string, string, object?][] = [
    ["GET", "contacts"],
    ["POST", "contacts", {}],
    ["GET", "contacts/1"],
    ["PUT", "contacts/1", {}],
    ["DELETE", "contacts/1"],
    ["GET", "credentials"],
    ["POST", "credentials", { label: "x1", password: "p" }],
    ["GET", "credentials/sshkey"],
    ["GET", "credentials/1"],
    ["PUT", "credentials/1", {}],
    ["POST", "credentials/1/update", { password: "p" }],
    ["POST", "credentials/1/revoke"],
    ["GET", "issues"],
    ["GET", "issues/1"],
    ["GET", "compute-settings"],
    ["GET", "compute-settings/1"],
    ["PUT", "compute-settings/1", {}],
    ["GET", "services"],
    ["POST", "services", address("web")],
    ["GET", "services/1"],
    ["PUT", "services/1", {}],
    ["DELETE", "services/1"],
    ["POST", "services/1/disable"],
    ["POST", "services/1/enable"],
    ["GET", "stats"],
  ];

  test("is an unrestricted user, whatever the token's scopes, and nobody else", async () => {
    const own = await openSession({ users });
    const [boss, clerk] = [own.as("boss-token"), own.as("clerk-token")];
    for (const [method, path, body] of operations) {
      expect(await clerk.refused(403, method, `/managed/${path}`, body)).toEqual([
        { reason: "Unauthorized" },
      ]);
      if (path.includes("/1")) await boss.refused(404, method, `/managed/${path}`, body);
      else if (method === "GET") await boss.get(`/managed/${path}`);
      else await boss.post(`/managed/${path}`, body);
    }
    expect(operations).toHaveLength(25);
    await own.close();
  });
});
