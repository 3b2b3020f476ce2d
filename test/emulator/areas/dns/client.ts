/** Asks a DNS server as a resolver would, over real sockets; and calls an emulator's service. */

import dgram from "node:dgram";
import { writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import dnsPacket, { type Answer, type DecodedPacket, type Packet } from "dns-packet";
import { expect, onTestFinished } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../../emulator/index.ts";
import { freshFolder } from "../../../folders.ts";

export type Type = Extract<Answer["type"], string> | "ANY";

export function question(name: string, type: Type, more: Partial<Packet> = {}): Packet {
  const asked = { name, type, class: "IN" } as NonNullable<Packet["questions"]>[number];
  return { type: "query", id: 4711, questions: [asked], ...more };
}

/** The response over UDP to a message. */
export function overUdp(
  port: number,
  message: Buffer,
): Promise<DecodedPacket & { rcode: string; octets: number }> {
  const socket = dgram.createSocket("udp4");
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("message", (answer) => {
      socket.close();
      resolve({ ...(dnsPacket.decode(answer) as DecodedPacket & { rcode: string }), octets: answer.length });
    });
    socket.send(message, port, "127.0.0.1");
  });
}

/** The first `count` responses over one TCP connection, in which all messages are sent at once. */
export function overTcp(
  port: number,
  messages: Buffer[],
  done: (answers: DecodedPacket[]) => boolean,
): Promise<(DecodedPacket & { rcode: string })[]> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1");
    let pending = Buffer.alloc(0);
    const answers: (DecodedPacket & { rcode: string })[] = [];
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= pending.readUInt16BE(0) + 2) {
        const end = pending.readUInt16BE(0) + 2;
        answers.push(dnsPacket.decode(pending.subarray(2, end)) as DecodedPacket & { rcode: string });
        pending = pending.subarray(end);
        if (done(answers)) {
          socket.removeAllListeners("close");
          socket.destroy();
          resolve(answers);
          return;
        }
      }
    });
    const framed = messages.map((message) => {
      const prefix = Buffer.alloc(2);
      prefix.writeUInt16BE(message.length);
      return Buffer.concat([prefix, message]);
    });
    socket.write(Buffer.concat(framed));
  });
}

/** Asks over UDP. */
export function ask(port: number, name: string, type: Type, more: Partial<Packet> = {}) {
  return overUdp(port, dnsPacket.encode(question(name, type, more)));
}

/** Asks over TCP, one answer. */
export async function askTcp(port: number, name: string, type: Type) {
  const answers = await overTcp(port, [dnsPacket.encode(question(name, type))], () => true);
  return answers[0]!;
}

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape that it asked for.
  body: any;
}

/** Calls an operation; the token defaults to the owner's. */
export async function call(
  emulator: Emulator,
  method: string,
  path: string,
  body?: unknown,
  headers: { [name: string]: string } = {},
): Promise<Reply> {
  const answer = await fetch(emulator.baseUrl + path, {
    method,
    headers: { Authorization: `Bearer ${emulator.token}`, "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Calls an operation that must succeed, and returns its body. */
export async function made(emulator: Emulator, method: string, path: string, body?: unknown) {
  const reply = await call(emulator, method, path, body);
  if (reply.status !== 200)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Starts an emulator that ends with the test, which fails when an answer broke the contract. */
export async function startChecked(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ checkAnswers: true, ...options });
  onTestFinished(async () => {
    await emulator.close();
    expect(emulator.mismatches).toEqual([]);
  });
  return emulator;
}

/** The least that makes a master domain. */
export const master = { domain: "example.com", type: "master", soa_email: "admin@example.com" };

/** Writes a file of JSON for an emulator to start from; returns its path. */
export function jsonFile(name: string, content: unknown): string {
  const path = join(freshFolder("dns"), name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

/** The start of a zone, with times of its own, as another nameserver tells it. */
export const foreignSoa: Answer = {
  name: "example.com",
  type: "SOA",
  ttl: 3600,
  data: {
    mname: "ns.example.net",
    rname: "host\\.master.example.com",
    serial: 7,
    refresh: 3600,
    retry: 600,
    expire: 604800,
    minimum: 300,
  },
};
