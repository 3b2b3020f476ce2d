/** What a DNS server does with messages beside plain questions: sizes, noise, streams, whole zones. */

import dgram from "node:dgram";
import type { Answer, Packet } from "dns-packet";
import dnsPacket from "dns-packet";
import { beforeEach, expect, test } from "vitest";
import { startEmulator } from "../../../../emulator/index.ts";
import { ask, askTcp, made, overTcp, overUdp, question } from "./client.ts";
import { data, edns, openZone, type ServedZone, zone } from "./zone.ts";

let emulator: ServedZone["emulator"];
let port: number;
let id: number;
let add: ServedZone["add"];
beforeEach(async () => {
  ({ emulator, port, id, add } = await openZone());
});

test("what does not fit into UDP is marked as truncated, and complete over TCP or with EDNS", async () => {
  for (let number = 1; number <= 40; number++)
    await add({ type: "A", name: "many", target: `192.0.2.${number}` });
  const cut = await ask(port, "many.example.com", "A");
  expect(cut).toMatchObject({ flag_tc: true, answers: [] });
  expect(cut.octets).toBeLessThanOrEqual(512);
  expect((await askTcp(port, "many.example.com", "A")).answers).toHaveLength(40);
  const big = await ask(port, "many.example.com", "A", { additionals: [edns] });
  expect(big).toMatchObject({ flag_tc: false, additionals: [{ type: "OPT" }] });
  expect(big.answers).toHaveLength(40);
  const small = await ask(port, "many.example.com", "A", {
    additionals: [{ ...edns, udpPayloadSize: 600 } as Answer],
  });
  expect(small).toMatchObject({ flag_tc: true, additionals: [{ type: "OPT" }] });
});

test("a text that no message can carry is a failure, not a part of it", async () => {
  await add({ type: "TXT", name: "huge", target: "x".repeat(65_535) });
  await add({ type: "TXT", name: "large", target: "x".repeat(64_000) });
  expect(await askTcp(port, "huge.example.com", "TXT")).toMatchObject({ rcode: "SERVFAIL", answers: [] });
  const [pieces] = data(await askTcp(port, "large.example.com", "TXT")) as Buffer[][];
  expect(Buffer.concat(pieces!)).toHaveLength(64_000);
  expect(await ask(port, "large.example.com", "TXT")).toMatchObject({ flag_tc: true });
});

test("malformed and foreign messages get the code that says so, or silence", async () => {
  const status = (packet: Packet) => overUdp(port, dnsPacket.encode(packet));
  expect(
    await status({ type: "query", id: 1, flags: 5 << 11, questions: question(zone, "SOA").questions! }),
  ).toMatchObject({ rcode: "NOTIMP" });
  expect(await status({ type: "query", id: 1, questions: [] })).toMatchObject({ rcode: "FORMERR" });
  expect(
    await status({ ...question(zone, "SOA"), questions: [{ name: zone, type: "SOA", class: "CH" }] }),
  ).toMatchObject({ rcode: "REFUSED" });
  const version = await status({
    ...question(zone, "SOA"),
    additionals: [{ ...edns, ednsVersion: 1 } as Answer],
  });
  expect(version).toMatchObject({ additionals: [{ type: "OPT", extendedRcode: 1 }] });
  const broken = Buffer.concat([
    dnsPacket.encode(question(zone, "SOA")).subarray(0, 14),
    Buffer.from([0xff]),
  ]);
  expect(await overUdp(port, broken)).toMatchObject({ id: 4711, rcode: "FORMERR" });
  expect(await ask(port, zone, "SOA", { flags: dnsPacket.RECURSION_DESIRED })).toMatchObject({
    flag_rd: true,
    flag_ra: false,
  });
  // A response and a fragment are not answered: the next answer on the same socket is the one to the query after them.
  const socket = dgram.createSocket("udp4");
  const first = new Promise<Buffer>((resolve) => socket.once("message", resolve));
  socket.send(dnsPacket.encode({ ...question(zone, "SOA"), type: "response" }), port, "127.0.0.1");
  socket.send(Buffer.from("short"), port, "127.0.0.1");
  socket.send(dnsPacket.encode({ ...question(zone, "SOA"), id: 99 }), port, "127.0.0.1");
  expect(dnsPacket.decode(await first).id).toBe(99);
  socket.close();
});

test("several questions on one connection are all answered", async () => {
  await add({ type: "A", name: "www", target: "192.0.2.1" });
  const messages = [zone, "www.example.com", "none.example.com"].map((name, at) =>
    dnsPacket.encode(question(name, "A", { id: at })),
  );
  const answers = await overTcp(port, messages, (found) => found.length === 3);
  expect(answers.map(({ id, rcode }) => [id, rcode])).toEqual([
    [0, "NOERROR"],
    [1, "NOERROR"],
    [2, "NXDOMAIN"],
  ]);
});

test("a whole zone goes only to the domain's axfr_ips, over TCP, in as many messages as it takes", async () => {
  const transfer = (done = (found: Packet[]) => ends(found)) =>
    overTcp(port, [dnsPacket.encode(question(zone, "AXFR"))], done);
  const ends = (found: Packet[]) => {
    const all = found.flatMap(({ answers }) => answers ?? []);
    return all.length === 0 || (all.length > 1 && all.at(-1)?.type === "SOA");
  };
  expect(await transfer()).toMatchObject([{ rcode: "REFUSED", answers: [] }]);
  await made(emulator, "PUT", `/domains/${id}`, { axfr_ips: ["192.0.2.1", "::ffff:127.0.0.1"] });
  for (let number = 0; number < 30; number++)
    await add({ type: "TXT", name: `t${number}`, target: "x".repeat(2000) });
  const messages = await transfer();
  expect(messages.length).toBeGreaterThan(3);
  const all = messages.flatMap(({ answers }) => answers ?? []);
  expect(all).toHaveLength(2 + 5 + 30);
  expect(all[0]).toEqual(all.at(-1));
  for (const message of messages)
    expect(message).toMatchObject({ id: 4711, flag_aa: true, rcode: "NOERROR" });
  expect(await ask(port, zone, "AXFR")).toMatchObject({ rcode: "FORMERR" });
  expect(
    await overTcp(port, [dnsPacket.encode(question("t1.example.com", "AXFR"))], () => true),
  ).toMatchObject([{ rcode: "REFUSED" }]);
});

test("a text that no message can carry is left out of a transfer, and all other records go", async () => {
  await made(emulator, "PUT", `/domains/${id}`, { axfr_ips: ["127.0.0.1"] });
  await add({ type: "TXT", name: "huge", target: "x".repeat(65_535) });
  await add({ type: "TXT", name: "wide", target: "é".repeat(65_535) });
  await add({ type: "A", name: "last", target: "192.0.2.9" });
  const ends = (found: Packet[]) => found.flatMap(({ answers }) => answers ?? []).at(-1)?.type === "SOA";
  const messages = await overTcp(port, [dnsPacket.encode(question(zone, "AXFR"))], ends);
  const names = messages.flatMap(({ answers }) => answers ?? []).map(({ type, name }) => `${type} ${name}`);
  expect(names).toEqual([
    `SOA ${zone}`,
    ...Array.from({ length: 5 }, () => `NS ${zone}`),
    `A last.${zone}`,
    `SOA ${zone}`,
  ]);
});

test("a port that is taken is told at the start, and nothing is left listening", async () => {
  await expect(startEmulator({ dns: port })).rejects.toThrow(/EADDRINUSE/);
});
