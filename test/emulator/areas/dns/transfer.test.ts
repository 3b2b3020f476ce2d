/** Zone transfers from servers that refuse, lie, fall silent or dribble. */

import net, { type AddressInfo } from "node:net";
import type { Answer, Packet } from "dns-packet";
import dnsPacket from "dns-packet";
import { afterEach, describe, expect, it, test } from "vitest";
import { nameserverAddress, transferZone } from "../../../../emulator/areas/dns/transfer.ts";
import { foreignSoa } from "./client.ts";

const zone = "example.com";
test("a nameserver is a host or an address, with or without a port", () => {
  expect(nameserverAddress("ns1.example.net")).toEqual({ host: "ns1.example.net", port: 53 });
  expect(nameserverAddress("ns1.example.net.:5353")).toEqual({ host: "ns1.example.net", port: 5353 });
  expect(nameserverAddress("192.0.2.1:54")).toEqual({ host: "192.0.2.1", port: 54 });
  expect(nameserverAddress("2001:db8::1")).toEqual({ host: "2001:db8::1", port: 53 });
  expect(nameserverAddress("[2001:db8::1]:54")).toEqual({ host: "2001:db8::1", port: 54 });
  for (const text of ["", "a b", "http://ns1.example.net", "[ns1]:53", "host:0", "host:"])
    expect(nameserverAddress(text)).toBeUndefined();
});

describe("a server that misbehaves", () => {
  const servers: net.Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** A server that answers each connection's first query by that function: messages, then the end of the connection if it says so. */
  function serve(
    answer: (query: Packet, socket: net.Socket) => void,
  ): Promise<{ host: string; port: number }> {
    return new Promise((resolve) => {
      const server = net.createServer((socket) => {
        socket.on("error", () => socket.destroy());
        socket.once("data", (chunk) => answer(dnsPacket.decode(chunk.subarray(2)), socket));
      });
      servers.push(server);
      server.listen(0, "127.0.0.1", () =>
        resolve({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }),
      );
    });
  }
  const respond = (query: Packet, packet: Packet) =>
    dnsPacket.streamEncode({
      type: "response",
      id: query.id ?? 0,
      flags: dnsPacket.AUTHORITATIVE_ANSWER,
      ...packet,
    });

  it.each<[string, (query: Packet, socket: net.Socket) => void, RegExp]>([
    ["is silent", () => {}, /does not answer/],
    ["closes the connection", (_query, socket) => socket.end(), /closed the connection/],
    ["resets the connection", (_query, socket) => socket.resetAndDestroy(), /cannot be reached/],
    [
      "is not authoritative",
      (query, socket) => socket.write(respond(query, { flags: 0, answers: [foreignSoa, foreignSoa] })),
      /not authoritative/,
    ],
    [
      "says so by its code",
      (query, socket) => socket.write(respond(query, { flags: 9 })),
      /not authoritative/,
    ],
    ["fails", (query, socket) => socket.write(respond(query, { flags: 2 })), /server failure/],
    [
      "answers nothing",
      (query, socket) => socket.write(respond(query, { answers: [] })),
      /not authoritative/,
    ],
    [
      "answers another zone",
      (query, socket) =>
        socket.write(respond(query, { answers: [{ ...foreignSoa, name: "example.net" } as Answer] })),
      /not authoritative/,
    ],
    [
      "answers another question",
      (query, socket) =>
        socket.write(respond({ ...query, id: (query.id ?? 0) ^ 1 }, { answers: [foreignSoa] })),
      /another question/,
    ],
    ["sends noise", (_query, socket) => socket.write(Buffer.from([0, 5, 1, 2, 3, 4, 5])), /unreadable/],
    [
      "stops in the middle",
      (query, socket) => socket.end(respond(query, { answers: [foreignSoa] })),
      /before the end/,
    ],
    [
      "falls silent in the middle",
      (query, socket) => socket.write(respond(query, { answers: [foreignSoa] })),
      /does not answer/,
    ],
  ])("%s", async (_name, answer, message) => {
    const server = await serve(answer);
    await expect(transferZone(zone, server, { silence: 200 })).rejects.toThrow(message);
  });

  it("goes on for too long", async () => {
    const a: Answer = { name: zone, type: "A", ttl: 300, data: "192.0.2.1" };
    const server = await serve((query, socket) =>
      socket.write(respond(query, { answers: [foreignSoa, a, a, a] })),
    );
    await expect(transferZone(zone, server, { records: 3 })).rejects.toThrow(/more than 3/);
    await expect(transferZone(zone, server, { whole: 50, silence: 5000 })).rejects.toThrow(/too long/);
  });

  it("a zone in pieces of any size is put together", async () => {
    const a: Answer = { name: "www.example.com", type: "A", ttl: 300, data: "192.0.2.1" };
    const server = await serve((query, socket) => {
      const octets = Buffer.concat([
        respond(query, { answers: [foreignSoa] }),
        respond(query, { answers: [a] }),
        respond(query, { answers: [a, foreignSoa] }),
      ]);
      socket.setNoDelay(true);
      for (const octet of octets) socket.write(Buffer.from([octet]));
    });
    expect(await transferZone("EXAMPLE.com", server)).toMatchObject([
      { type: "SOA" },
      { data: "192.0.2.1" },
      { data: "192.0.2.1" },
    ]);
  });
});
