/** Listens for HTTP: hands over whole requests, and answers what never becomes one in the service's form. It must not know paths or operations. */

import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** One request with its whole body. */
export interface Asked {
  readonly method: string;
  /** As asked, still percent-encoded, without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The client's address, and the one of ours that it reached. */
  readonly remoteAddress: string;
  readonly localAddress: string;
}

export interface ListenerOptions {
  readonly handle: (asked: Asked, response: ServerResponse) => Promise<void>;
  /** The most bytes of a body to that path. */
  readonly largestBody: (path: string) => number;
  /** Receives the failure of `handle`. */
  readonly log: (line: string) => void;
}

export interface Listener {
  /** Rejects when the port is taken; returns the port. */
  listen(port: number, host: string): Promise<number>;
  /** Cuts every connection. */
  close(): Promise<void>;
  /** Takes no more connections, and cuts those that are left after a second. */
  drain(): Promise<void>;
}

/** Longer than any client keeps an idle connection, so that none is closed under a request that is on its way. */
const idle = 72_000;

export function createListener({ handle, largestBody, log }: ListenerOptions): Listener {
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, query] = split(request.url ?? "/");
    const { method = "GET", headers, httpVersion, socket } = request;
    const { remoteAddress = "", localAddress = "" } = socket;
    if (headers.host === undefined && httpVersion === "1.1")
      return sendError(response, 400, "The request has no Host header");
    const body = await readBody(request, largestBody(path));
    if (body === "aborted") return;
    if (body === "too large") {
      const reason = `The request body must have at most ${largestBody(path)} bytes`;
      return refuseBody(request, response, reason);
    }
    const asked = { method, path, query, headers, body };
    await handle(
      { ...asked, remoteAddress: plain(remoteAddress), localAddress: plain(localAddress) },
      response,
    );
  }

  // A missing Host is answered above: Node's own answer to it has no body.
  const server = http.createServer(
    { requireHostHeader: false, keepAliveTimeout: idle },
    (request, response) => {
      receive(request, response).catch((error: Error) => {
        log(`${request.method} ${split(request.url ?? "/")[0]} could not be answered: ${error.stack}`);
        if (response.headersSent) response.destroy();
        else sendError(response, 500, `The emulator failed: ${error.message}`);
      });
    },
  );
  server.on("clientError", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else socket.end(rawError(...unreadable(error)));
  });
  server.on("checkExpectation", (_request, response) =>
    sendError(response, 417, "Expect must be 100-continue or absent"),
  );
  server.on("connect", (_request, socket: Duplex) =>
    socket.end(rawError(405, "Method not allowed: the emulator is no proxy")),
  );

  const end = (patience: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), patience);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      if (patience === 0) server.closeAllConnections();
    });

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ port, host }, () => {
          server.off("error", reject);
          const address = server.address();
          resolve(typeof address === "object" && address !== null ? address.port : 0);
        });
      }),
    close: () => end(0),
    drain: () => end(1_000),
  };
}

/** The service's form of an error, of what is not the service's own to answer. */
export function sendError(response: ServerResponse, status: number, reason: string): void {
  const body = envelope(reason);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}

function envelope(reason: string): string {
  return JSON.stringify({ errors: [{ reason }] });
}

/** An answer without a request that it could be the answer of. */
function rawError(status: number, reason: string): string {
  const body = envelope(reason);
  return [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

/** What is wrong with a request that the parser gave up on. */
function unreadable(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): [status: number, reason: string] {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return [431, `The request's headers must have at most ${http.maxHeaderSize} bytes`];
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return [408, "The request was not sent in time"];
    case "HPE_INVALID_METHOD": {
      // A request line of good form has a method that nobody knows; anything else is no HTTP.
      const line = error.rawPacket?.subarray(0, 200).toString("latin1") ?? "";
      const unknown = /^([A-Za-z-]{1,30}) \/\S* HTTP\//.exec(line)?.[1];
      return unknown ? [405, `Method not allowed: there is no ${unknown}`] : [400, "The request is not HTTP"];
    }
    default:
      return [400, `The request is malformed: ${error.message}`];
  }
}

function readBody(request: IncomingMessage, most: number): Promise<Buffer | "too large" | "aborted"> {
  if (Number(request.headers["content-length"] ?? 0) > most) return Promise.resolve("too large");
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else {
        request.off("data", take);
        resolve("too large");
      }
    };
    request.on("data", take);
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", () => resolve("aborted"));
    request.once("close", () => resolve("aborted"));
  });
}

/** Milliseconds for a client to send the rest of a body that is refused: a reset in between could overtake the answer. */
const linger = 5_000;

/** Answers while the client still sends, and lets it come to an end. */
function refuseBody(request: IncomingMessage, response: ServerResponse, reason: string): void {
  const body = envelope(reason);
  response.writeHead(413, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  });
  response.write(body);
  request.resume();
  const timer = setTimeout(() => response.end(), linger);
  for (const over of ["end", "error", "close"])
    request.once(over, () => {
      clearTimeout(timer);
      response.end();
    });
}

function split(url: string): [path: string, query: string] {
  const mark = url.indexOf("?");
  return mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** A socket for both families tells IPv4 addresses as IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:/, "");
}
