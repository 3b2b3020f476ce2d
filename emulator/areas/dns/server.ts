/** Serves zones over UDP and TCP on one port; knows sockets, leaves what is said to the responder. */

import dgram from "node:dgram";
import net from "node:net";
import type { ZoneSource } from "./answers.ts";
import { canonicalAddress } from "./names.ts";
import { respond } from "./responder.ts";

export interface DnsServer {
  /** The one port of both protocols. */
  readonly port: number;
  close(): Promise<void>;
}

export interface DnsServerOptions {
  zones: ZoneSource;
  /** 0 picks a port that is free for both protocols. */
  port: number;
  host: string;
  /** Receives lines about failures of the server itself. Default: standard error. */
  log?: (line: string) => void;
}

/** An idle TCP connection is closed after so many milliseconds. */
const idle = 10_000;
const attempts = 20;

/** Starts a DNS server. Rejects when the port is taken. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  for (let attempt = 1; ; attempt++) {
    const streams = await listen(options);
    const { port } = streams.server.address() as net.AddressInfo;
    try {
      const datagrams = await bind(options, port);
      return {
        port,
        close: async () => {
          await Promise.all([
            new Promise<void>((resolve) => datagrams.close(() => resolve())),
            streams.close(),
          ]);
        },
      };
    } catch (error) {
      await streams.close();
      // Picked for TCP, but another program has it for UDP: pick again.
      if (options.port !== 0 || attempt === attempts) throw error;
    }
  }
}

function listen(options: DnsServerOptions): Promise<{ server: net.Server; close(): Promise<void> }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serveStream(socket, options);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      server.on("error", (error) => report(options, error));
      resolve({
        server,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}

function bind(options: DnsServerOptions, port: number): Promise<dgram.Socket> {
  const socket = dgram.createSocket(net.isIPv6(options.host) ? "udp6" : "udp4");
  return new Promise((resolve, reject) => {
    socket.once("error", (error) => {
      socket.close();
      reject(error);
    });
    socket.bind(port, options.host, () => {
      socket.removeAllListeners("error");
      socket.on("error", (error) => report(options, error));
      socket.on("message", (message, from) => {
        for (const answer of answersTo(options, message, "udp", from.address)) {
          socket.send(answer, from.port, from.address, (error) => {
            if (error) report(options, error);
          });
        }
      });
      resolve(socket);
    });
  });
}

/** Each message on a stream has its length in two octets before it (RFC 1035, 4.2.2). */
function serveStream(socket: net.Socket, options: DnsServerOptions): void {
  const from = socket.remoteAddress ?? "";
  let pending = Buffer.alloc(0);
  socket.setTimeout(idle, () => socket.end());
  // A client that breaks off is its own affair.
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2) {
      const length = pending.readUInt16BE(0);
      if (pending.length < length + 2) return;
      const message = pending.subarray(2, length + 2);
      pending = pending.subarray(length + 2);
      for (const answer of answersTo(options, message, "tcp", from)) {
        const prefix = Buffer.alloc(2);
        prefix.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([prefix, answer]));
      }
    }
  });
}

/** The answers to a message; a failure of ours is reported and not answered, as from a server that is down. */
function answersTo(
  options: DnsServerOptions,
  message: Buffer,
  over: "udp" | "tcp",
  address: string,
): Buffer[] {
  try {
    return respond(
      { message, over, from: canonicalAddress(address.replace(/%.*$/, "")) ?? "" },
      options.zones,
    );
  } catch (error) {
    report(options, error);
    return [];
  }
}

function report(options: DnsServerOptions, error: unknown): void {
  const log = options.log ?? ((line: string) => process.stderr.write(`${line}\n`));
  log(`DNS server: ${error instanceof Error ? error.message : String(error)}`);
}
