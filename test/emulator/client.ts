/** Asks an emulator over HTTP for the core's tests. */

import http from "node:http";

export interface Told {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers have every operation's own shape.
  json: any;
}

export interface Ask {
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  raw?: string;
  headers?: { [name: string]: string };
  /** `null` sends none. */
  token?: string | null;
  filter?: unknown;
}

/** One request, with the path exactly as given. Rejects when the connection ends without an answer. */
export function ask(port: number, method: string, path: string, options: Ask = {}): Promise<Told> {
  const { token = "any-token" } = options;
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        port,
        host: "127.0.0.1",
        method,
        path,
        agent: false,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(options.filter !== undefined && { "x-filter": JSON.stringify(options.filter) }),
          ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
          ...(path.startsWith("/_emulator/") && { "content-type": "application/json" }),
          ...options.headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          let json: unknown;
          try {
            json = JSON.parse(text);
          } catch {
            json = undefined;
          }
          resolve({ status: response.statusCode!, headers: response.headers, text, json });
        });
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}
