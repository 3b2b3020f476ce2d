/** Reading the bytes of assets: from text, files and addresses, and never another content than was planned. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asset } from "../../provider/core/value.ts";
import { bytesOf, hashOf } from "../../provider/verbs/values/content.ts";

const folder = mkdtempSync(join(tmpdir(), "plumbline-content-"));
const file = join(folder, "a.bin");
const content = Buffer.from([0, 255, 10, 13, 128]);
let server: Server;
let address: string;

beforeAll(async () => {
  writeFileSync(file, content);
  server = createServer((request, response) => {
    if (request.url === "/a") response.end(content);
    else if (request.url === "/moved") response.writeHead(302, { Location: "/a" }).end();
    else if (request.url === "/round") response.writeHead(302, { Location: "/round" }).end();
    else response.writeHead(404).end("no");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  server.close();
});

test("a text, a file, and addresses of files and servers give their bytes", async () => {
  expect(Buffer.from(await bytesOf(asset({ text: "ä" })))).toEqual(Buffer.from("ä", "utf8"));
  const uris = [pathToFileURL(file).href, `${address}/a`, `${address}/moved`];
  const assets = [
    asset({ path: file }),
    asset({ path: relative(process.cwd(), file), text: "" }),
    ...uris.map((uri) => asset({ uri })),
  ];
  for (const one of assets) {
    const hash = hashOf(content);
    expect(Buffer.from(await bytesOf({ ...one, hash }))).toEqual(content);
  }
});

test("a content that is not what was planned is not given", async () => {
  await expect(bytesOf(asset({ path: file, hash: hashOf(Buffer.from("other")) }))).rejects.toThrow(
    `the content of ${file} has changed since it was looked at: run again`,
  );
});

test("what cannot be read is told, with the reason", async () => {
  const none = join(folder, "none");
  await expect(bytesOf(asset({ path: none }))).rejects.toThrow(
    `${none} cannot be read: there is no such file (looked for ${none})`,
  );
  await expect(bytesOf(asset({ path: folder }))).rejects.toThrow("it is a folder");
  await expect(bytesOf(asset({ uri: `${address}/none` }))).rejects.toThrow(
    "/none cannot be read: it answered 404",
  );
  await expect(bytesOf(asset({ uri: `${address}/round` }))).rejects.toThrow("/round cannot be read");
  await expect(bytesOf(asset({ uri: "ftp://a.example/b" }))).rejects.toThrow("starts with https://");
  await expect(bytesOf(asset({ hash: "aa" }))).rejects.toThrow("has no content");
});
