/** Fetches a whole zone from another nameserver by AXFR over TCP (RFC 5936); knows nothing of what is done with it. */

import { randomInt } from "node:crypto";
import net from "node:net";
import dnsPacket, { type Answer, type DecodedPacket } from "dns-packet";
import { folded, withoutDot } from "./names.ts";

export interface TransferLimits {
  /** Milliseconds in which each next piece must come. Default 4000. */
  silence?: number;
  /** Milliseconds for all of it. Default 20000. */
  whole?: number;
  /** Most records taken; more is a failure. Default 50000. */
  records?: number;
}

const rcodeNames: { readonly [code: number]: string } = {
  1: "format error",
  2: "server failure",
  3: "no such domain",
  4: "not implemented",
  5: "refused",
  9: "not authoritative",
};

/** The host and port of a nameserver: `host`, `host:port`, `[IPv6]:port`; port 53 when none is named. `undefined`: neither form. */
export function nameserverAddress(text: string): { host: string; port: number } | undefined {
  if (net.isIPv6(text)) return { host: text, port: 53 };
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? 53 : Number(match[3]);
  if (host === undefined || port < 1 || port > 65535) return undefined;
  if (match?.[1] !== undefined && !net.isIPv6(host)) return undefined;
  return { host: withoutDot(host), port };
}

/**
 * The records of a zone, its SOA first and once. Rejects, with a message fit for a reason, when the server cannot be
 * reached, refuses, is not authoritative, is silent or sends what is no zone.
 */
export function transferZone(
  zone: string,
  server: { host: string; port: number },
  limits: TransferLimits = {},
): Promise<Answer[]> {
  const { silence = 4000, whole = 20_000, records: most = 50_000 } = limits;
  return new Promise((resolve, reject) => {
    const id = randomInt(65_536);
    const records: Answer[] = [];
    let pending = Buffer.alloc(0);
    let first = true;
    const socket = net.connect({ host: server.host, port: server.port });
    const overall = setTimeout(() => fail("the zone transfer took too long"), whole);
    const fail = (reason: string, cause?: unknown) => {
      clearTimeout(overall);
      socket.destroy();
      reject(new Error(reason, { cause }));
    };
    socket.setTimeout(silence, () => fail("the nameserver does not answer"));
    socket.on("error", (error) => fail("the nameserver cannot be reached", error));
    socket.on("close", () => fail("the nameserver closed the connection before the end of the zone"));
    socket.on("connect", () => {
      const query = dnsPacket.streamEncode({
        type: "query",
        id,
        questions: [{ name: zone, type: "AXFR", class: "IN" }],
      });
      socket.write(query);
    });
    socket.on("data", (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= pending.readUInt16BE(0) + 2) {
        const length = pending.readUInt16BE(0);
        const message = pending.subarray(2, length + 2);
        pending = pending.subarray(length + 2);
        try {
          const packet = dnsPacket.decode(message);
          records.push(...checked(packet, id, first));
        } catch (error) {
          fail(
            error instanceof TransferFailure ? error.message : "the nameserver sent an unreadable message",
            error,
          );
          return;
        }
        first = false;
        if (records.length > most) {
          fail(`the zone has more than ${most} records`);
          return;
        }
        const head = records[0];
        if (head?.type !== "SOA" || folded(head.name) !== folded(zone)) {
          fail("the nameserver is not authoritative for the domain");
          return;
        }
        if (records.length > 1 && records.at(-1)?.type === "SOA") {
          clearTimeout(overall);
          socket.removeAllListeners("close");
          socket.destroy();
          resolve(records.slice(0, -1));
          return;
        }
      }
    });
  });
}

class TransferFailure extends Error {}

function checked(packet: DecodedPacket, id: number, first: boolean): Answer[] {
  if (packet.type !== "response" || packet.id !== id) {
    throw new TransferFailure("the nameserver sent an answer to another question");
  }
  const rcode = (packet.flags ?? 0) & 0xf;
  if (rcode !== 0) {
    throw new TransferFailure(
      `the nameserver refuses the zone transfer (${rcodeNames[rcode] ?? `code ${rcode}`})`,
    );
  }
  if (first && !packet.flag_aa)
    throw new TransferFailure("the nameserver is not authoritative for the domain");
  return packet.answers ?? [];
}
