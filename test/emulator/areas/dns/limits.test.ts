/** What a domain takes no more of, what a caller may not do, and how refusals are told. */

import { expect, test } from "vitest";
import { call, jsonFile, made, master, startChecked } from "./client.ts";

test("a restricted user needs a grant to add, to see and to change (5.3)", async () => {
  const grants = {
    global: {},
    domain: [
      { id: 71, label: "seen.example.com", permissions: "read_only" },
      { id: 72, label: "own.example.com", permissions: "read_write" },
    ],
  };
  const stamp = "2024-04-01T10:00:00";
  const domains = [70, 71, 72].map((id) => ({
    id,
    domain: `d${id}.example.com`,
    type: "master",
    status: "active",
    soa_email: "a@example.com",
    description: "",
    group: "",
    errors: "",
    tags: [],
    master_ips: [],
    axfr_ips: [],
    ttl_sec: 0,
    refresh_sec: 0,
    retry_sec: 0,
    expire_sec: 0,
    created: stamp,
    updated: stamp,
  }));
  const emulator = await startChecked({
    seed: jsonFile("seed.json", { domains }),
    tokens: jsonFile("tokens.json", {
      users: [
        { username: "eve", restricted: true, grants },
        { username: "ann", restricted: true, grants: { global: { add_domains: true } } },
      ],
      tokens: [
        { token: "eve", username: "eve" },
        { token: "ann", username: "ann" },
        { token: "reader", username: "root", scopes: "domains:read_only" },
      ],
    }),
  });
  const as = (token: string, method: string, path: string, body?: unknown) =>
    call(emulator, method, path, body, { Authorization: `Bearer ${token}` });
  const record = { type: "A", target: "192.0.2.1" };
  expect((await as("eve", "GET", "/domains")).body.data.map(({ id }: { id: number }) => id)).toEqual([
    71, 72,
  ]);
  expect((await as("eve", "GET", "/domains/70")).status).toBe(403);
  expect((await as("eve", "GET", "/domains/71/records")).status).toBe(200);
  expect((await as("eve", "GET", "/domains/71/zone-file")).status).toBe(200);
  expect((await as("eve", "POST", "/domains/71/records", record)).status).toBe(403);
  expect((await as("eve", "PUT", "/domains/71", { group: "g" })).status).toBe(403);
  expect((await as("eve", "DELETE", "/domains/71")).status).toBe(403);
  expect((await as("eve", "POST", "/domains/72/records", record)).status).toBe(200);
  expect((await as("eve", "POST", "/domains", master)).status).toBe(403);
  expect((await as("eve", "POST", "/domains/72/clone", { domain: "x.example.com" })).status).toBe(403);
  expect(
    (
      await as("eve", "POST", "/domains/import", {
        domain: "x.example.com",
        remote_nameserver: "127.0.0.1:1",
      })
    ).status,
  ).toBe(403);
  const made = await as("ann", "POST", "/domains", master);
  expect(made.status).toBe(200);
  expect((await as("ann", "GET", "/domains")).body.data).toHaveLength(1);
  expect((await as("ann", "PUT", `/domains/${made.body.id}`, { group: "g" })).status).toBe(200);
  expect((await as("ann", "POST", "/domains/72/clone", { domain: "x.example.com" })).status).toBe(403);
  expect((await as("reader", "GET", "/domains")).body.results).toBe(4);
  expect((await as("reader", "POST", "/domains", { ...master, domain: "y.example.com" })).status).toBe(401);
});

test("the 12,001st record is refused, and a domain takes one again after a delete (8)", async () => {
  const emulator = await startChecked({ speed: "instant" });
  const { id } = await made(emulator, "POST", "/domains", master);
  const data = emulator.data() as { collections: { [name: string]: object[] } };
  const stamp = "2024-04-01T10:00:00";
  data.collections["domain_records"] = Array.from({ length: 12_000 }, (_, at) => ({
    id: at + 1,
    type: "A",
    name: `h${at}`,
    target: "192.0.2.1",
    priority: 0,
    weight: 0,
    port: 0,
    service: null,
    protocol: null,
    ttl_sec: 0,
    tag: null,
    created: stamp,
    updated: stamp,
    _domainId: id,
  }));
  emulator.setData(data);
  const path = `/domains/${id}/records`;
  const record = { type: "A", name: "more", target: "192.0.2.1" };
  const refused = await call(emulator, "POST", path, record);
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ reason: expect.stringContaining("12000") }] },
  });
  await made(emulator, "PUT", `${path}/7`, { target: "192.0.2.2" });
  await made(emulator, "DELETE", `${path}/8`);
  await made(emulator, "POST", path, record);
  expect((await call(emulator, "POST", path, { ...record, name: "again" })).status).toBe(400);
});

test("problems of the schema and of the rules are told together (notes, section 1.1)", async () => {
  const emulator = await startChecked();
  const { id } = await made(emulator, "POST", "/domains", master);
  const fields = async (method: string, path: string, body: object) => {
    const reply = await call(emulator, method, path, body);
    expect(reply.status).toBe(400);
    return reply.body.errors.map(({ field }: { field: string }) => field).sort();
  };
  const sent = {
    domain: "example.com",
    type: "slave",
    group: 7,
    soa_email: "x",
    axfr_ips: ["x"],
    status: "on",
  };
  expect(await fields("POST", "/domains", sent)).toEqual([
    "axfr_ips[0]",
    "domain",
    "group",
    "master_ips",
    "soa_email",
    "status",
  ]);
  const path = `/domains/${id}/records`;
  expect(
    await fields("POST", path, { type: "SRV", priority: 256, port: "1", tag: "issue", target: "-" }),
  ).toEqual(["port", "priority", "service", "tag", "target", "weight"]);
  expect(await fields("POST", path, { type: "X", ttl_sec: "1" })).toEqual(["ttl_sec", "type"]);
  const { id: recordId } = await made(emulator, "POST", path, { type: "A", target: "192.0.2.1" });
  expect(await fields("PUT", `${path}/${recordId}`, { ttl_sec: 1.5, target: "x", tag: "issue" })).toEqual([
    "tag",
    "target",
    "ttl_sec",
  ]);
  expect(await fields("PUT", `/domains/${id}`, { ttl_sec: [], soa_email: "" })).toEqual([
    "soa_email",
    "ttl_sec",
  ]);
  expect((await call(emulator, "PUT", `${path}/999`, { ttl_sec: "1" })).status).toBe(404);
});
