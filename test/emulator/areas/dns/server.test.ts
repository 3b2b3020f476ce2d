/** DNS answers of an emulator, asked over real sockets as a resolver asks. */

import { beforeEach, expect, test } from "vitest";
import { ask, askTcp, call, made } from "./client.ts";
import { data, edns, openZone, type ServedZone, zone } from "./zone.ts";

let emulator: ServedZone["emulator"];
let port: number;
let id: number;
let add: ServedZone["add"];
beforeEach(async () => {
  ({ emulator, port, id, add } = await openZone());
});

test("each type is answered with authority, whatever the case of the question", async () => {
  await add({ type: "A", target: "192.0.2.1", ttl_sec: 300 });
  await add({ type: "A", target: "192.0.2.2" });
  await add({ type: "AAAA", name: "www", target: "2001:DB8::1" });
  await add({ type: "MX", target: "mail", priority: 7 });
  await add({ type: "TXT", name: "_dmarc", target: "v=DMARC1; p=none" });
  await add({ type: "SRV", service: "sip", protocol: "udp", priority: 1, weight: 2, port: 3, target: "sip" });
  await add({ type: "CAA", tag: "issuewild", target: "ca.example.net" });
  await add({ type: "PTR", name: "1", target: "host.example.net" });
  const answer = await ask(port, "EXAMPLE.com", "A");
  expect(answer).toMatchObject({
    type: "response",
    id: 4711,
    rcode: "NOERROR",
    flag_aa: true,
    flag_ra: false,
    flag_tc: false,
  });
  expect(answer.questions).toMatchObject([{ name: "EXAMPLE.com", type: "A" }]);
  expect(answer.answers).toMatchObject([
    { data: "192.0.2.1", ttl: 300 },
    { data: "192.0.2.2", ttl: 7200 },
  ]);
  expect(data(await ask(port, "www.example.com", "AAAA"))).toEqual(["2001:db8::1"]);
  expect(data(await ask(port, zone, "MX"))).toEqual([{ preference: 7, exchange: "mail.example.com" }]);
  expect(data(await ask(port, "_dmarc.example.com", "TXT"))).toEqual([[Buffer.from("v=DMARC1; p=none")]]);
  expect(data(await ask(port, "_sip._udp.example.com", "SRV"))).toEqual([
    { priority: 1, weight: 2, port: 3, target: "sip.example.com" },
  ]);
  expect(data(await ask(port, zone, "CAA"))).toMatchObject([
    { flags: 0, tag: "issuewild", value: "ca.example.net" },
  ]);
  expect(data(await ask(port, "1.example.com", "PTR"))).toEqual(["host.example.net"]);
  expect(data(await ask(port, zone, "NS"))).toEqual(
    [1, 2, 3, 4, 5].map((number) => `ns${number}.compute.com`),
  );
  expect(data(await ask(port, zone, "SOA"))).toMatchObject([
    {
      mname: "ns1.compute.com",
      rname: "admin.example.com",
      refresh: 14400,
      retry: 14400,
      expire: 1209600,
      minimum: 7200,
    },
  ]);
  const all = await askTcp(port, zone, "ANY");
  expect(new Set(all.answers?.map(({ type }) => type))).toEqual(new Set(["SOA", "NS", "A", "MX", "CAA"]));
});

test("a name without the type is NODATA, one that does not exist NXDOMAIN, both with the SOA", async () => {
  await add({ type: "A", name: "a.b", target: "192.0.2.1" });
  for (const [name, rcode] of [
    ["a.b.example.com", "NOERROR"],
    ["b.example.com", "NOERROR"],
    ["c.example.com", "NXDOMAIN"],
    ["x.a.b.example.com", "NXDOMAIN"],
  ] as const) {
    const answer = await ask(port, name, "TXT");
    expect(answer).toMatchObject({
      rcode,
      flag_aa: true,
      answers: [],
      authorities: [{ type: "SOA", name: zone }],
    });
  }
});

test("other zones, disabled ones and slaves are refused", async () => {
  await made(emulator, "POST", "/domains", {
    domain: "slave.test.net",
    type: "slave",
    master_ips: ["192.0.2.1"],
  });
  for (const name of ["example.net", "com", "notexample.com", "slave.test.net"]) {
    expect(await ask(port, name, "SOA")).toMatchObject({ rcode: "REFUSED", flag_aa: false, answers: [] });
  }
  await made(emulator, "PUT", `/domains/${id}`, { status: "disabled" });
  expect(await ask(port, zone, "SOA")).toMatchObject({ rcode: "REFUSED" });
  await made(emulator, "PUT", `/domains/${id}`, { status: "active" });
  expect(await ask(port, zone, "SOA")).toMatchObject({ rcode: "NOERROR" });
  await made(emulator, "DELETE", `/domains/${id}`);
  expect(await ask(port, zone, "SOA")).toMatchObject({ rcode: "REFUSED" });
});

test("the zone with the longest name answers", async () => {
  const { id: below } = await made(emulator, "POST", "/domains", {
    domain: "sub.example.com",
    type: "master",
    soa_email: "a@example.com",
  });
  await made(emulator, "POST", `/domains/${below}/records`, { type: "A", name: "www", target: "192.0.2.5" });
  await add({ type: "A", name: "www.sub", target: "192.0.2.6" });
  expect(data(await ask(port, "www.sub.example.com", "A"))).toEqual(["192.0.2.5"]);
});

test("an alias is followed within the zone, and only there", async () => {
  await add({ type: "CNAME", name: "a", target: "b" });
  await add({ type: "CNAME", name: "b", target: "c.EXAMPLE.com" });
  await add({ type: "A", name: "c", target: "192.0.2.3" });
  await add({ type: "CNAME", name: "out", target: "www.example.net" });
  await add({ type: "CNAME", name: "loop", target: "pool" });
  await add({ type: "CNAME", name: "pool", target: "loop" });
  await add({ type: "CNAME", name: "dead", target: "nothing" });
  expect(data(await ask(port, "a.example.com", "A"))).toEqual([
    "b.example.com",
    "c.EXAMPLE.com",
    "192.0.2.3",
  ]);
  expect(data(await ask(port, "a.example.com", "CNAME"))).toEqual(["b.example.com"]);
  expect(await ask(port, "out.example.com", "A")).toMatchObject({
    rcode: "NOERROR",
    answers: [{ type: "CNAME" }],
    authorities: [],
  });
  expect(data(await ask(port, "loop.example.com", "A"))).toEqual(["pool.example.com", "loop.example.com"]);
  expect(await ask(port, "dead.example.com", "A")).toMatchObject({
    rcode: "NXDOMAIN",
    answers: [{ type: "CNAME" }],
  });
});

test("a wildcard stands for names that do not exist, under the name asked for (RFC 4592)", async () => {
  await add({ type: "A", name: "*", target: "192.0.2.4" });
  await add({ type: "TXT", name: "here", target: "x" });
  await add({ type: "CNAME", name: "*.alias", target: "www" });
  const answer = await ask(port, "Any.thing.example.com", "A");
  expect(answer.answers).toMatchObject([{ name: "Any.thing.example.com", data: "192.0.2.4" }]);
  expect(await ask(port, "here.example.com", "A")).toMatchObject({ rcode: "NOERROR", answers: [] });
  expect(await ask(port, "below.here.example.com", "A")).toMatchObject({ rcode: "NXDOMAIN" });
  expect(data(await ask(port, "x.alias.example.com", "A"))).toEqual(["www.example.com", "192.0.2.4"]);
  expect(await ask(port, "any.example.com", "MX")).toMatchObject({ rcode: "NOERROR", answers: [] });
});

test("names below a delegation are referred with the addresses of its servers", async () => {
  await add({ type: "NS", name: "sub", target: "ns.sub.example.com" });
  await add({ type: "NS", name: "sub", target: "ns1.example.net" });
  await add({ type: "A", name: "ns.sub", target: "192.0.2.9" });
  const answer = await ask(port, "www.sub.example.com", "A");
  expect(answer).toMatchObject({
    rcode: "NOERROR",
    flag_aa: false,
    answers: [],
    authorities: [{ data: "ns.sub.example.com" }, { data: "ns1.example.net" }],
  });
  expect(answer.additionals).toMatchObject([{ name: "ns.sub.example.com", data: "192.0.2.9" }]);
  expect(data(await ask(port, "sub.example.com", "NS"))).toEqual(["ns.sub.example.com", "ns1.example.net"]);
});

test("a long text is split at 255 octets", async () => {
  await add({ type: "TXT", name: "dkim", target: "é".repeat(300) });
  const [pieces] = data(await ask(port, "dkim.example.com", "TXT", { additionals: [edns] })) as Buffer[][];
  expect(pieces!.map((piece) => piece.length)).toEqual([255, 255, 90]);
  expect(Buffer.concat(pieces!).toString("utf8")).toBe("é".repeat(300));
});

test("a Null MX points to the root", async () => {
  await add({ type: "MX", target: "" });
  expect(data(await ask(port, zone, "MX"))).toEqual([{ preference: 0, exchange: "." }]);
});

test("a change is served at once under a greater serial", async () => {
  const serial = async () => (data(await ask(port, zone, "SOA"))[0] as { serial: number }).serial;
  emulator.advance(60);
  const before = await serial();
  const record = await add({ type: "A", name: "www", target: "192.0.2.1" });
  expect(data(await ask(port, "www.example.com", "A"))).toEqual(["192.0.2.1"]);
  const changed = await serial();
  expect(changed).toBeGreaterThan(before);
  emulator.advance(60);
  expect(await serial()).toBe(changed);
  const { zone_file } = (await call(emulator, "GET", `/domains/${id}/zone-file`)).body;
  expect(zone_file[2]).toContain(` ${changed} `);
  await made(emulator, "PUT", `/domains/${id}/records/${record.id}`, { target: "192.0.2.2" });
  expect(data(await ask(port, "www.example.com", "A"))).toEqual(["192.0.2.2"]);
  emulator.reset();
  expect(await ask(port, zone, "SOA")).toMatchObject({ rcode: "REFUSED" });
});
