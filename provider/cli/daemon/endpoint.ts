/** What others may ask a command that goes on and on, over HTTP: a few paths, answered at once. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "../../engine/failure.ts";
import { CommandError } from "../exit.ts";

export interface Address {
  /** The option that gave it. */
  readonly flag: string;
  readonly host: string;
  readonly port: number;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface Endpoint {
  readonly url: string;
  readonly close: () => void;
}

/** `PORT`, `HOST:PORT` or `[IPv6]:PORT`; without a host this machine alone. Throws a CommandError. */
export function addressOf(flag: string, text: string): Address {
  const [, bracketed, host, port = ""] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  if (port === "" || Number(port) > 65535)
    throw new CommandError(`${flag} needs PORT or HOST:PORT, not "${text}"`);
  return { flag, host: bracketed ?? host ?? "127.0.0.1", port: Number(port) };
}

/** Serves; `answer` gets the path, or "" for what is no question. Throws a CommandError where it cannot listen. */
export async function serve(address: Address, answer: (path: string) => Promise<Answer>): Promise<Endpoint> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    answer(request.method === "GET" || request.method === "HEAD" ? pathname : "").then(
      ({ status, type, body }) =>
        response.writeHead(status, { "content-type": type }).end(request.method === "HEAD" ? "" : body),
      (error) => response.writeHead(500).end(messageOf(error)),
    );
  });
  const url = await listening(server, address);
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listening(server: Server, { flag, host, port }: Address): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (cause) {
    throw new CommandError(`${flag}: ${messageOf(cause)}`, 1, { cause });
  }
  const { address, family, port: chosen } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${chosen}`;
}
