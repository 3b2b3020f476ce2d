/** A store in this process that speaks as much of S3 as a state needs: for what a real server is not asked to do on command, and where there is none. */

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface Asked {
  readonly method: string;
  readonly key: string;
  readonly condition: "if-none-match" | "if-match" | undefined;
  readonly body: string;
  /** What the object is to be encrypted with, and by which key. */
  readonly encryption: readonly unknown[];
}

export interface SmallS3 {
  readonly address: (prefix?: string, parameters?: string) => string;
  readonly environment: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string };
  /** By key, with the bucket's name before it left out. */
  readonly objects: Map<string, { readonly text: string; readonly at: number }>;
  /** Milliseconds by which its clock is ahead. */
  ahead: number;
  /** True: whatever a write depends on, it is done. */
  ignoresConditions: boolean;
  /** Before each request: a number answers with that status, `lost` does it and breaks off. */
  before: ((asked: Asked) => number | "lost" | undefined | Promise<number | "lost" | undefined>) | undefined;
  readonly close: () => Promise<void>;
}

const etagOf = (text: string): string => `"${createHash("md5").update(text).digest("hex")}"`;
const error = (code: string): string => `<Error><Code>${code}</Code><Message>${code} it is</Message></Error>`;

export async function openSmallS3(): Promise<SmallS3> {
  const objects: SmallS3["objects"] = new Map();
  const now = () => Date.now() + store.ahead;

  function list(query: URLSearchParams): string {
    const [prefix, isByFolder] = [query.get("prefix") ?? "", query.has("delimiter")];
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const after = query.get("continuation-token") ?? "";
    const [folders, found] = [new Set<string>(), [] as string[]];
    for (const key of keys.filter((each) => each > after)) {
      const folder = key.slice(prefix.length).split("/");
      if (isByFolder && folder.length > 1) folders.add(`${prefix}${folder[0]}/`);
      else found.push(key);
    }
    const page = found.slice(0, 100);
    const next = found.length > 100 ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
    const contents = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${Buffer.byteLength(objects.get(key)!.text)}</Size></Contents>`,
    );
    const prefixes = [...folders].map((each) => `<CommonPrefixes><Prefix>${each}</Prefix></CommonPrefixes>`);
    return `<ListBucketResult><Prefix>${prefix}</Prefix>${next}${contents.join("")}${prefixes.join("")}</ListBucketResult>`;
  }

  function act({ method, key, body }: Asked, request: IncomingMessage): [number, string, object?] {
    const found = objects.get(key);
    const query = new URL(request.url!, "http://x").searchParams;
    if (key === "") return [200, list(query)];
    if (method === "DELETE") return objects.delete(key) ? [204, ""] : [204, ""];
    if (method === "GET") {
      if (found === undefined) return [404, error("NoSuchKey")];
      return [
        200,
        found.text,
        { etag: etagOf(found.text), "last-modified": new Date(found.at).toUTCString() },
      ];
    }
    const { "if-none-match": absent, "if-match": same } = request.headers;
    const isRefused =
      (absent === "*" && found !== undefined) ||
      (same !== undefined && (!found || etagOf(found.text) !== same));
    if (isRefused && !store.ignoresConditions) return [412, error("PreconditionFailed")];
    objects.set(key, { text: body, at: now() });
    return [200, "", { etag: etagOf(body) }];
  }

  const server = createServer(async (request, answer) => {
    let body = "";
    request.setEncoding("utf8");
    for await (const part of request) body += part;
    const key = decodeURIComponent(new URL(request.url!, "http://x").pathname).replace(/^\/states\/?/, "");
    const condition = (["if-none-match", "if-match"] as const).find((name) => request.headers[name]);
    const named = "x-amz-server-side-encryption";
    const encryption = [request.headers[named], request.headers[`${named}-aws-kms-key-id`]];
    const asked: Asked = { method: request.method!, key, condition, body, encryption };
    const fault = await store.before?.(asked);
    if (typeof fault === "number") {
      answer.writeHead(fault, { date: new Date(now()).toUTCString() }).end(error("Fault"));
      return;
    }
    const [status, text, headers] = act(asked, request);
    if (fault === "lost") {
      await sleep(5);
      request.socket.destroy();
      return;
    }
    answer.writeHead(status, { date: new Date(now()).toUTCString(), ...headers }).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const store: SmallS3 = {
    address: (prefix = "team", parameters = "") =>
      `s3://states/${prefix}?endpoint=http://127.0.0.1:${port}&region=here${parameters}`,
    environment: { AWS_ACCESS_KEY_ID: "small", AWS_SECRET_ACCESS_KEY: "small-secret-word" },
    objects,
    ahead: 0,
    ignoresConditions: false,
    before: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return store;
}
