/** A small HTTP server that answers, or misbehaves, as a test says. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Play = (seen: Seen, response: ServerResponse) => void;

export interface BadServer {
  readonly baseUrl: string;
  readonly seen: Seen[];
  close(): Promise<void>;
}

/** Each request is answered by the next play; the last one stays. */
export async function startBadServer(...plays: Play[]): Promise<BadServer> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    const play = plays[Math.min(seen.length, plays.length - 1)];
    seen.push(one);
    play?.(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v4`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(value: unknown, status = 200, headers: { [name: string]: string } = {}): Play {
  return (_seen, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
}

export function refusal(status: number, reason: string, headers: { [name: string]: string } = {}): Play {
  return json({ errors: [{ reason }] }, status, headers);
}

export const html: Play = (_seen, response) => {
  response.writeHead(502, { "content-type": "text/html" });
  response.end("<html><h1>Bad Gateway</h1></html>");
};

export const reset: Play = (_seen, response) => {
  response.socket?.resetAndDestroy();
};

export const truncated: Play = (_seen, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id": 7, "label"');
  setImmediate(() => response.destroy());
};

export const garbage: Play = (_seen, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end("this is no JSON");
};

export const silence: Play = () => undefined;
