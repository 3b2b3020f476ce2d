/** Domains and their records over HTTP: what is stored, answered, told and forgotten. */

import { expect, test } from "vitest";
import { call, jsonFile, made, master, startChecked } from "./client.ts";

test("a domain is made with defaults, read, listed, changed and deleted", async () => {
  const emulator = await startChecked();
  const domain = await made(emulator, "POST", "/domains", master);
  expect(domain).toEqual({
    id: expect.any(Number),
    ...master,
    status: "active",
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
    created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
    updated: domain.created,
  });
  expect(await made(emulator, "GET", `/domains/${domain.id}`)).toEqual(domain);
  expect((await made(emulator, "GET", "/domains")).data).toEqual([domain]);
  emulator.advance(5);
  const changed = await made(emulator, "PUT", `/domains/${domain.id}`, {
    group: "g",
    ttl_sec: 301,
    tags: null,
    id: 9,
  });
  expect(changed).toEqual({ ...domain, group: "g", ttl_sec: 3600, updated: changed.updated });
  expect(changed.updated > domain.updated).toBe(true);
  expect(await made(emulator, "PUT", `/domains/${domain.id}`, { group: "" })).toMatchObject({ group: "" });
  expect(await made(emulator, "DELETE", `/domains/${domain.id}`)).toEqual({});
  expect((await call(emulator, "GET", `/domains/${domain.id}`)).status).toBe(404);
});

test("a name is taken on the whole platform, whatever its case (2.3, 7)", async () => {
  const emulator = await startChecked({
    seed: jsonFile("seed.json", { foreign_domains: [{ domain: "Taken.example.net" }] }),
  });
  const { id } = await made(emulator, "POST", "/domains", master);
  const other = await made(emulator, "POST", "/domains", { ...master, domain: "other.example.com" });
  for (const reply of [
    await call(emulator, "POST", "/domains", { ...master, domain: "EXAMPLE.com" }),
    await call(emulator, "POST", "/domains", { ...master, domain: "taken.EXAMPLE.net" }),
    await call(emulator, "PUT", `/domains/${other.id}`, { domain: "Example.com" }),
    await call(emulator, "PUT", `/domains/${other.id}`, { domain: "taken.example.net" }),
    await call(emulator, "POST", `/domains/${id}/clone`, { domain: "other.example.com" }),
    await call(emulator, "POST", "/domains/import", {
      domain: "example.com",
      remote_nameserver: "127.0.0.1:1",
    }),
  ]) {
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field: "domain" }] } });
  }
  expect(await made(emulator, "PUT", `/domains/${id}`, { domain: "Example.COM" })).toMatchObject({
    domain: "Example.COM",
  });
});

test("a clone has all settings and records under new ids (2.3)", async () => {
  const emulator = await startChecked();
  const settings = {
    ...master,
    group: "g",
    tags: ["t"],
    ttl_sec: 300,
    axfr_ips: ["192.0.2.9"],
    status: "disabled",
  };
  const source = await made(emulator, "POST", "/domains", settings);
  for (const record of [
    { type: "A", name: "www", target: "192.0.2.1", ttl_sec: 300 },
    { type: "SRV", service: "sip", priority: 1, weight: 2, port: 3, target: "sip" },
    { type: "CAA", tag: "issue", target: "ca.example.net" },
  ])
    await made(emulator, "POST", `/domains/${source.id}/records`, record);
  const clone = await made(emulator, "POST", `/domains/${source.id}/clone`, { domain: "clone.example.net" });
  expect(clone).toMatchObject({ ...settings, domain: "clone.example.net" });
  expect(clone.id).not.toBe(source.id);
  const records = async (id: number) =>
    (await made(emulator, "GET", `/domains/${id}/records`)).data as { id: number }[];
  const [before, after] = [await records(source.id), await records(clone.id)];
  const bare = (list: { id: number }[]) =>
    list.map((record) => ({ ...record, id: 0, created: "", updated: "" }));
  expect(bare(after)).toEqual(bare(before));
  expect(after).toHaveLength(3);
  const ids = new Set([...before, ...after].map(({ id }) => id));
  expect(ids.size).toBe(6);
  await made(emulator, "PUT", `/domains/${clone.id}`, { tags: ["other"], axfr_ips: [] });
  expect(await made(emulator, "GET", `/domains/${source.id}`)).toMatchObject({
    tags: ["t"],
    axfr_ips: ["192.0.2.9"],
  });
  expect(await call(emulator, "POST", `/domains/${source.id}/clone`, {})).toMatchObject({
    status: 400,
    body: { errors: [{ field: "domain" }] },
  });
  expect((await call(emulator, "POST", "/domains/nonsense/clone", { domain: "a.example.net" })).status).toBe(
    404,
  );
});

test("a record lives in its domain, moves the domain's date and goes with it (3)", async () => {
  const emulator = await startChecked();
  const domain = await made(emulator, "POST", "/domains", master);
  const other = await made(emulator, "POST", "/domains", { ...master, domain: "example.net" });
  const path = `/domains/${domain.id}/records`;
  const record = await made(emulator, "POST", path, {
    type: "A",
    name: "www.example.com.",
    target: "[remote_addr]",
  });
  expect(record).toEqual({
    id: expect.any(Number),
    type: "A",
    name: "www",
    target: "127.0.0.1",
    priority: 0,
    weight: 0,
    port: 0,
    service: null,
    protocol: null,
    ttl_sec: 0,
    tag: null,
    created: expect.any(String),
    updated: expect.any(String),
  });
  expect((await call(emulator, "GET", `/domains/${other.id}/records/${record.id}`)).status).toBe(404);
  expect((await made(emulator, "GET", `/domains/${other.id}/records`)).data).toEqual([]);
  const dates: string[] = [domain.updated];
  const moved = async () => dates.push((await made(emulator, "GET", `/domains/${domain.id}`)).updated);
  emulator.advance(10);
  await made(emulator, "POST", path, { type: "TXT", target: "x" });
  await moved();
  emulator.advance(10);
  expect(
    await made(emulator, "PUT", `${path}/${record.id}`, { type: "A", target: "192.0.2.8", priority: null }),
  ).toMatchObject({ target: "192.0.2.8", name: "www" });
  await moved();
  expect(await call(emulator, "PUT", `${path}/${record.id}`, { type: "AAAA" })).toMatchObject({
    status: 400,
    body: { errors: [{ field: "type" }] },
  });
  emulator.advance(10);
  expect(await made(emulator, "DELETE", `${path}/${record.id}`)).toEqual({});
  await moved();
  expect([...new Set(dates)].sort()).toEqual(dates);
  expect((await call(emulator, "GET", `${path}/${record.id}`)).status).toBe(404);
  const { data } = await made(emulator, "GET", path);
  await made(emulator, "DELETE", `/domains/${domain.id}`);
  expect((await call(emulator, "GET", `${path}/${data[0].id}`)).status).toBe(404);
  expect((await call(emulator, "GET", path)).status).toBe(404);
});

test("records and domains are filtered by their filterable fields (notes, section 1.6)", async () => {
  const emulator = await startChecked();
  const { id } = await made(emulator, "POST", "/domains", { ...master, tags: ["a", "b"], group: "g" });
  await made(emulator, "POST", "/domains", { ...master, domain: "example.net" });
  for (const name of ["a", "b"])
    await made(emulator, "POST", `/domains/${id}/records`, { type: "TXT", name, target: name });
  const found = async (path: string, filter: object) =>
    (await call(emulator, "GET", path, undefined, { "X-Filter": JSON.stringify(filter) })).body;
  expect((await found(`/domains/${id}/records`, { name: "a", type: "TXT" })).data).toMatchObject([
    { target: "a" },
  ]);
  expect((await found("/domains", { tags: "b" })).results).toBe(1);
  expect((await found("/domains", { domain: { "+contains": "net" } })).data).toMatchObject([
    { domain: "example.net" },
  ]);
  expect((await found(`/domains/${id}/records`, { ttl_sec: 0 })).errors).toMatchObject([
    { field: "X-Filter" },
  ]);
});

test("every change is told as an event about the domain (notes, section 11)", async () => {
  const emulator = await startChecked();
  const { id } = await made(emulator, "POST", "/domains", master);
  const record = await made(emulator, "POST", `/domains/${id}/records`, { type: "TXT", target: "x" });
  await made(emulator, "PUT", `/domains/${id}/records/${record.id}`, { target: "y" });
  await made(emulator, "DELETE", `/domains/${id}/records/${record.id}`);
  await made(emulator, "PUT", `/domains/${id}`, { group: "g" });
  const clone = await made(emulator, "POST", `/domains/${id}/clone`, { domain: "example.net" });
  await made(emulator, "DELETE", `/domains/${id}`);
  const { collections } = emulator.data() as {
    collections: { events: { action: string; entity: object; status: string }[] };
  };
  const entity = { id, type: "domain", label: "example.com", url: `/v4/domains/${id}` };
  expect(collections.events.map(({ action, entity, status }) => ({ action, entity, status }))).toEqual([
    ...[
      "dns_zone_create",
      "dns_record_create",
      "dns_record_update",
      "dns_record_delete",
      "dns_zone_update",
    ].map((action) => ({ action, entity, status: "notification" })),
    {
      action: "dns_zone_create",
      entity: { id: clone.id, type: "domain", label: "example.net", url: `/v4/domains/${clone.id}` },
      status: "notification",
    },
    { action: "dns_zone_delete", entity, status: "notification" },
  ]);
});
