/** Import by a real zone transfer from another emulator, and what of a zone can be held. */

import net, { type AddressInfo } from "node:net";
import type { Answer } from "dns-packet";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readZone } from "../../../../emulator/areas/dns/import.ts";
import { type Emulator, startEmulator } from "../../../../emulator/index.ts";
import { call, foreignSoa, made } from "./client.ts";

const zone = "example.com";
describe("between two emulators", () => {
  let source: Emulator;
  let target: Emulator;
  beforeEach(async () => {
    source = await startEmulator({ dns: 0 });
    target = await startEmulator({ checkAnswers: true });
  });
  afterEach(async () => {
    await Promise.all([source.close(), target.close()]);
  });

  it("all nine types and the zone's times arrive", async () => {
    const settings = {
      domain: zone,
      type: "master",
      soa_email: "host.master@example.com",
      axfr_ips: ["127.0.0.1"],
      ttl_sec: 300,
      refresh_sec: 3600,
      retry_sec: 120,
      expire_sec: 604800,
    };
    const { id } = await made(source, "POST", "/domains", settings);
    const records = [
      { type: "A", target: "192.0.2.1" },
      { type: "A", name: "*", target: "192.0.2.2", ttl_sec: 3600 },
      { type: "AAAA", name: "www", target: "2001:db8::1" },
      { type: "NS", name: "sub", target: "ns1.example.net" },
      { type: "NS", target: "ns9.example.net" },
      { type: "MX", target: "mail", priority: 10 },
      { type: "CNAME", name: "ftp", target: "www" },
      { type: "TXT", name: "dkim._domainkey", target: `v=DKIM1; p="${"k".repeat(700)}"\\` },
      {
        type: "SRV",
        service: "sip",
        protocol: "tcp",
        priority: 1,
        weight: 2,
        port: 3,
        target: "sip.example.net",
      },
      { type: "PTR", name: "1", target: "host.example.net" },
      { type: "CAA", tag: "iodef", target: "mailto:ca@example.net" },
    ];
    for (const record of records) await made(source, "POST", `/domains/${id}/records`, record);
    for (let number = 0; number < 400; number++)
      await made(source, "POST", `/domains/${id}/records`, {
        type: "A",
        name: `h${number}`,
        target: "192.0.2.3",
      });

    const body = { domain: zone, remote_nameserver: `127.0.0.1:${source.dnsPort}` };
    const domain = await made(target, "POST", "/domains/import", body);
    expect(domain).toMatchObject({ ...settings, axfr_ips: [], status: "active" });
    const list = async (emulator: Emulator, domainId: number) =>
      (await made(emulator, "GET", `/domains/${domainId}/records?page_size=500`)).data.map(
        (record: object) => ({ ...record, id: 0, created: "", updated: "" }),
      );
    const sent = (await list(source, id)).map((record: { ttl_sec: number }) => ({
      ...record,
      ttl_sec: record.ttl_sec || 300,
    }));
    expect(sent).toHaveLength(411);
    expect(await list(target, domain.id)).toEqual(sent);
    const { collections } = target.data() as {
      collections: { events: { action: string; entity: { id: number } }[] };
    };
    expect(collections.events).toMatchObject([{ action: "dns_zone_import", entity: { id: domain.id } }]);
    expect(await call(target, "POST", "/domains/import", body)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "domain" }] },
    });
  });

  it("a Null MX arrives as one", async () => {
    const { id } = await made(source, "POST", "/domains", {
      domain: zone,
      type: "master",
      soa_email: "a@example.com",
      axfr_ips: ["127.0.0.1"],
    });
    await made(source, "POST", `/domains/${id}/records`, { type: "MX", target: "" });
    const domain = await made(target, "POST", "/domains/import", {
      domain: zone,
      remote_nameserver: `127.0.0.1:${source.dnsPort}`,
    });
    expect((await made(target, "GET", `/domains/${domain.id}/records`)).data).toMatchObject([
      { type: "MX", name: "", target: "", priority: 0 },
    ]);
  });

  it("a transfer that is refused, of an unknown zone, or from nowhere leaves nothing behind", async () => {
    await made(source, "POST", "/domains", { domain: zone, type: "master", soa_email: "a@example.com" });
    const closed = await new Promise<number>((resolve) => {
      const server = net.createServer().listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        server.close(() => resolve(port));
      });
    });
    for (const [domain, port, text] of [
      [zone, source.dnsPort, "refuses"],
      ["example.net", source.dnsPort, "refuses"],
      [zone, closed, "cannot be reached"],
    ] as const) {
      const reply = await call(target, "POST", "/domains/import", {
        domain,
        remote_nameserver: `127.0.0.1:${port}`,
      });
      expect(reply).toMatchObject({
        status: 400,
        body: { errors: [{ field: "remote_nameserver", reason: expect.stringContaining(text) }] },
      });
    }
    expect((await made(target, "GET", "/domains")).results).toBe(0);
  });

  it("what is missing or malformed is told by field", async () => {
    const fields = async (body: object) =>
      (await call(target, "POST", "/domains/import", body)).body.errors.map(
        ({ field }: { field: string }) => field,
      );
    expect(await fields({})).toEqual(["domain", "remote_nameserver"]);
    expect(await fields({ domain: "example.org", remote_nameserver: "not a host" })).toEqual([
      "remote_nameserver",
    ]);
    expect(await fields({ domain: "example.org", remote_nameserver: "127.0.0.1:99999" })).toEqual([
      "remote_nameserver",
    ]);
  });
});

describe("a zone read", () => {
  const read = (...answers: Answer[]) => readZone(zone, [foreignSoa, ...answers], "compute");

  it("gives the domain its times, rounded up, and the address in the SOA", () => {
    expect(read().domain).toMatchObject({
      domain: zone,
      type: "master",
      soa_email: "host.master@example.com",
      refresh_sec: 3600,
      retry_sec: 3600,
      expire_sec: 604800,
      ttl_sec: 300,
    });
  });

  it("leaves out the platform's own nameservers and types that are not held, and counts these", () => {
    const found = read(
      { name: zone, type: "NS", ttl: 60, data: "NS3.compute.com" },
      { name: zone, type: "NS", ttl: 60, data: "ns1.example.net" },
      { name: "sub.example.com", type: "NS", ttl: 60, data: "ns1.compute.com" },
      { name: zone, type: "DS", data: { keyTag: 1, algorithm: 8, digestType: 2, digest: Buffer.from("ab") } },
      { name: zone, type: "HINFO", data: { cpu: "a", os: "b" } },
    );
    expect(found.reasons).toEqual([]);
    expect(found.leftOut).toEqual({ DS: 1, HINFO: 1 });
    expect(found.records).toMatchObject([{ target: "ns1.example.net", ttl_sec: 300 }, { name: "sub" }]);
  });

  it("tells each record that cannot be held as it is", () => {
    const own = { ttl: 300 };
    const refused: Answer[] = [
      { ...own, name: zone, type: "MX", data: { preference: 1000, exchange: "mx.example.net" } },
      {
        ...own,
        name: "_sip._tcp.sub.example.com",
        type: "SRV",
        data: { port: 1, target: "sip.example.net" },
      },
      { ...own, name: zone, type: "CAA", data: { flags: 128, tag: "issue", value: "ca.example.net" } },
      { ...own, name: zone, type: "TXT", data: [Buffer.from([0xff])] },
      { ...own, name: "www.example.net", type: "A", data: "192.0.2.1" },
      { ...own, name: "tld.example.com", type: "CNAME", data: "com" },
    ];
    for (const answer of refused) {
      const { reasons, records } = read(answer);
      expect(records).toEqual([]);
      expect(reasons).toMatchObject([
        { field: "remote_nameserver", reason: expect.stringContaining(answer.type) },
      ]);
    }
    expect(read(...refused).reasons).toHaveLength(refused.length);
    expect(read(...Array.from({ length: 100 }, () => refused[0]!)).reasons).toHaveLength(20);
  });

  it("holds 12,000 records and not one more", () => {
    const many = Array.from(
      { length: 12_001 },
      (_, at): Answer => ({ name: `h${at}.example.com`, type: "A", ttl: 300, data: "192.0.2.1" }),
    );
    expect(read(...many.slice(1)).reasons).toEqual([]);
    expect(read(...many).reasons).toMatchObject([{ reason: expect.stringContaining("12000") }]);
  });
});
