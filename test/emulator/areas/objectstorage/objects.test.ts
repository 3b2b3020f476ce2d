import { createHash, randomBytes } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { signatureOf } from "../../../../emulator/areas/objectstorage/signature.ts";
import { ask } from "../../client.ts";
import type { Session } from "../../session.ts";
import {
  allObjects,
  base,
  codeOf,
  download,
  erase,
  makeBucket,
  openPresent,
  pathOf,
  upload,
  urlOf,
} from "./client.ts";

let on: Session;
afterEach(() => on.close());

const md5 = (body: string | Uint8Array) => createHash("md5").update(body).digest("hex");
const plain = (path: string, method = "GET", init: RequestInit = {}) =>
  fetch(new URL(path, on.emulator.baseUrl), { method, ...init });

describe("an object", () => {
  test("is stored, listed, counted, served and deleted", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "shop");
    const before = Date.now();
    expect(await on.post(`${bucket}/object-url`, { name: "a.txt" })).toMatchObject({ exists: false });

    const stored = await upload(on, bucket, "a.txt", "grüße");
    expect(stored.status).toBe(200);
    expect(stored.headers.get("etag")).toBe(`"${md5("grüße")}"`);
    expect(await stored.text()).toBe("");
    expect(await on.post(`${bucket}/object-url`, { name: "a.txt" })).toMatchObject({ exists: true });
    const { data, ...rest } = await on.get(`${bucket}/object-list`);
    expect(rest).toEqual({ next_marker: null, is_truncated: false });
    expect(data).toEqual([
      {
        name: "a.txt",
        size: 7,
        etag: md5("grüße"),
        last_modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        owner: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
    expect(Date.parse(data[0].last_modified)).toBeGreaterThanOrEqual(before);
    expect(await on.get(bucket)).toMatchObject({ size: 7, objects: 1 });

    const served = await download(on, bucket, "a.txt");
    expect(served.status).toBe(200);
    expect(served.headers.get("content-type")).toBe("text/plain");
    expect(served.headers.get("etag")).toBe(`"${md5("grüße")}"`);
    expect(await served.text()).toBe("grüße");

    expect((await erase(on, bucket, "a.txt")).status).toBe(204);
    expect((await erase(on, bucket, "a.txt")).status).toBe(204);
    expect(await on.get(bucket)).toMatchObject({ size: 0, objects: 0 });
    const gone = await download(on, bucket, "a.txt");
    expect([gone.status, await codeOf(gone)]).toEqual([404, "NoSuchKey"]);
    expect(await on.remove(bucket)).toEqual({});
  });

  test("is replaced by the next upload, and private again", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "shop");
    await upload(on, bucket, "a", "one");
    expect(await on.put(`${bucket}/object-acl`, { name: "a", acl: "public-read" })).toMatchObject({
      acl: "public-read",
      acl_xml: expect.stringContaining("AllUsers"),
    });
    await upload(on, bucket, "a", "three", "text/html");
    expect(await on.get(bucket)).toMatchObject({ size: 5, objects: 1 });
    expect(await on.get(`${bucket}/object-acl?name=a`)).toMatchObject({ acl: "private" });
    const served = await download(on, bucket, "a");
    expect([served.headers.get("content-type"), await served.text()]).toEqual(["text/html", "three"]);
  });

  test("may have 30 MB, and any bytes", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "big");
    const body = randomBytes(30 * 1024 * 1024);
    expect((await upload(on, bucket, "big", body, "application/octet-stream")).headers.get("etag")).toBe(
      `"${md5(body)}"`,
    );
    expect(await on.get(bucket)).toMatchObject({ size: body.length });
    const back = Buffer.from(await (await download(on, bucket, "big")).arrayBuffer());
    expect(back.equals(body)).toBe(true);
    expect(await on.get(`${base}/transfer`)).toEqual({ used: body.length });
  });

  test("may be empty", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "empty");
    await upload(on, bucket, "none", "");
    expect(await on.get(bucket)).toMatchObject({ size: 0, objects: 1 });
    const served = await download(on, bucket, "none");
    expect([served.status, served.headers.get("content-length")]).toEqual([200, "0"]);
  });

  test.each([
    "with space",
    "a/b/c",
    "a//b",
    "/first",
    "last/",
    "ü/ß 😀",
    "100%",
    "what?#hash",
    "a+b&c=d",
    "a/../b",
    "./a",
    "x".repeat(1024),
    "\\\"'<>",
    "%2F",
  ])("may be named %j", async (name) => {
    on = await openPresent();
    const bucket = await makeBucket(on, "names");
    expect((await upload(on, bucket, name, name)).status).toBe(200);
    expect((await allObjects(on, bucket)).map((object) => object.name)).toEqual([name]);
    expect(await (await download(on, bucket, name)).text()).toBe(name);
    expect(await on.get(`${bucket}/object-acl?name=${encodeURIComponent(name)}`)).toMatchObject({
      acl: "private",
    });
    await erase(on, bucket, name);
    expect(await allObjects(on, bucket)).toEqual([]);
  });

  test("stays with the account's data, as its URL does", async () => {
    const first = await openPresent();
    const bucket = await makeBucket(first, "kept");
    await upload(first, bucket, "a", "still here");
    const url = await urlOf(first, bucket, "a");
    const data = JSON.parse(JSON.stringify(first.emulator.data()));
    await first.close();
    on = await openPresent();
    on.emulator.setData(data);
    const { pathname, search } = new URL(url);
    expect(await (await plain(pathname + search)).text()).toBe("still here");
  });
});

describe("a pre-signed URL", () => {
  test("is good for one method, object, bucket and cluster", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "one");
    await makeBucket(on, "two");
    await on.post(`${base}/buckets`, { label: "one", cluster: "us-iad-1" });
    for (const name of ["a", "b"]) await upload(on, bucket, name, name);
    await upload(on, pathOf("two"), "a", "other bucket");
    await upload(on, pathOf("one", "us-iad-1"), "a", "other cluster");
    const url = await urlOf(on, bucket, "a");
    for (const other of [
      url.replace("/one/a?", "/one/b?"),
      url.replace("/one/a?", "/two/a?"),
      url.replace("/us-east-1/", "/us-iad-1/"),
      url.replace(/Expires=(\d+)/, (_, at) => `Expires=${Number(at) + 1}`),
      url.replace(/Signature=../, "Signature=AA"),
    ]) {
      const answer = await fetch(other);
      expect([answer.status, await codeOf(answer)]).toEqual([403, "SignatureDoesNotMatch"]);
    }
    for (const method of ["DELETE", "PUT", "HEAD"]) expect((await fetch(url, { method })).status).toBe(403);
    expect(await (await fetch(url)).text()).toBe("a");
    expect((await fetch(url, { method: "POST" })).status).toBe(405);
    expect(await on.get(bucket)).toMatchObject({ objects: 2 });
  });

  test("must be used with the content type that it was made for", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "types");
    const url = await urlOf(on, bucket, "a", { method: "PUT", content_type: "text/css; charset=utf-8" });
    for (const type of ["text/css", "text/html", "text/css;charset=utf-8"]) {
      const answer = await fetch(url, { method: "PUT", headers: { "content-type": type }, body: "x" });
      expect([answer.status, await codeOf(answer)]).toEqual([403, "SignatureDoesNotMatch"]);
    }
    const none = await ask(on.emulator.port, "PUT", new URL(url).pathname + new URL(url).search, {
      raw: "x",
      token: null,
    });
    expect(none.status).toBe(403);
    expect(await allObjects(on, bucket)).toEqual([]);
    const right = { "content-type": "text/css; charset=utf-8" };
    expect((await fetch(url, { method: "PUT", headers: right, body: "x" })).status).toBe(200);
    expect((await download(on, bucket, "a")).headers.get("content-type")).toBe("text/css; charset=utf-8");
    const get = await urlOf(on, bucket, "a", { content_type: "text/plain" });
    expect((await fetch(get)).status).toBe(403);
    expect((await fetch(get, { headers: { "content-type": "text/plain" } })).status).toBe(200);
  });

  test("covers headers that would change what is stored", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "headers");
    const url = await urlOf(on, bucket, "a", { method: "PUT", content_type: "text/plain" });
    const headers = { "content-type": "text/plain" };
    const extras: Record<string, string>[] = [
      { "x-amz-acl": "public-read" },
      { "content-md5": "1B2M2Y8AsgTpgAmY7PhCfg==" },
    ];
    for (const extra of extras)
      expect((await fetch(url, { method: "PUT", headers: { ...headers, ...extra }, body: "x" })).status).toBe(
        403,
      );
  });

  test("expires by the emulator's clock", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "late");
    await upload(on, bucket, "a", "x");
    const [short, usual] = [await urlOf(on, bucket, "a", { expires_in: 360 }), await urlOf(on, bucket, "a")];
    expect((await fetch(short)).status).toBe(200);
    on.emulator.advance(361);
    const late = await fetch(short);
    expect([late.status, await codeOf(late)]).toEqual([403, "AccessDenied"]);
    expect((await fetch(usual)).status).toBe(200);
    on.emulator.advance(3600 - 361 + 1);
    expect((await fetch(usual)).status).toBe(403);
  });

  test("for HEAD tells the headers alone", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "head");
    await upload(on, bucket, "a", "seven..", "text/x");
    const url = await urlOf(on, bucket, "a", { method: "HEAD", content_type: "text/plain" });
    const answer = await fetch(url, { method: "HEAD", headers: { "content-type": "text/plain" } });
    expect([answer.status, answer.headers.get("content-length"), answer.headers.get("content-type")]).toEqual(
      [200, "7", "text/x"],
    );
    expect(await answer.text()).toBe("");
    expect(await on.get(`${base}/transfer`)).toEqual({ used: 0 });
  });

  test("leads to where the client reached the emulator", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "host");
    const answer = await ask(on.emulator.port, "POST", `/v4${bucket}/object-url`, {
      body: { name: "a" },
      headers: { host: `localhost:${on.emulator.port}` },
    });
    expect(answer.json.url).toContain(
      `http://localhost:${on.emulator.port}/_objects/us-east-1/host/a?Signature=`,
    );
  });

  test("that is incomplete or of an unknown key is refused", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "broken");
    await upload(on, bucket, "a", "x");
    const url = await urlOf(on, bucket, "a");
    const code = async (change: (query: URLSearchParams) => void) => {
      const changed = new URL(url);
      change(changed.searchParams);
      return codeOf(await fetch(changed));
    };
    expect(await code((query) => query.delete("Signature"))).toBe("AccessDenied");
    expect(await code((query) => query.set("Expires", "soon"))).toBe("AccessDenied");
    expect(await code((query) => query.set("AWSAccessKeyId", "NOBODY"))).toBe("InvalidAccessKeyId");
  });

  test("is hit by fault rules and counted, its signature in no log", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "faults");
    const template = "/_objects/{clusterId}/{bucket}/{name}";
    on.emulator.setFaults([{ method: "PUT", path: template, do: "reset-after" }]);
    await expect(upload(on, bucket, "a", "kept")).rejects.toThrow();
    expect(await on.get(bucket)).toMatchObject({ objects: 1 });
    on.emulator.setFaults([{ method: "GET", path: template, do: "status", status: 503 }]);
    expect((await download(on, bucket, "a")).status).toBe(503);
    expect(await (await download(on, bucket, "a")).text()).toBe("kept");
    on.emulator.setFaults([{ method: "GET", path: template, do: "truncate" }]);
    await expect(download(on, bucket, "a").then((answer) => answer.text())).rejects.toThrow();
    expect(on.emulator.stats().requests).toMatchObject({ [`PUT ${template}`]: 1, [`GET ${template}`]: 3 });
    const log = await (await plain("/_emulator/requests")).text();
    expect(log).toContain("/_objects/us-east-1/faults/a");
    expect(log).not.toContain("Signature");
  });
});

describe("without a signature", () => {
  test("an object is read when its own access list says so, and not by its bucket's", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "open", { acl: "public-read" });
    await upload(on, bucket, "a", "hello");
    const status = async (method = "GET") => (await plain("/_objects/us-east-1/open/a", method)).status;
    expect(await status()).toBe(403);
    for (const [acl, expected] of [
      ["public-read", 200],
      ["authenticated-read", 403],
      ["public-read-write", 200],
      ["private", 403],
    ] as const) {
      await on.put(`${bucket}/object-acl`, { name: "a", acl });
      expect([acl, await status(), await status("HEAD")]).toEqual([acl, expected, expected]);
    }
    expect((await plain("/_objects/us-east-1/open/none")).status).toBe(404);
    await on.put(`${bucket}/access`, { acl: "private" });
    expect((await plain("/_objects/us-east-1/open/none")).status).toBe(403);
  });

  test("a bucket is written to when its access list says so", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "drop-box");
    const put = async () => (await plain("/_objects/us-east-1/drop-box/a", "PUT", { body: "x" })).status;
    expect(await put()).toBe(403);
    await on.post(`${bucket}/access`, { acl: "public-read-write" });
    expect(await put()).toBe(200);
    expect((await plain("/_objects/us-east-1/drop-box/a")).status).toBe(403);
    const wrong = await plain("/_objects/us-east-1/drop-box/a", "PUT", {
      body: "y",
      headers: { "content-md5": "AAAA" },
    });
    expect([wrong.status, await codeOf(wrong)]).toEqual([400, "BadDigest"]);
    expect((await plain("/_objects/us-east-1/drop-box/a", "DELETE")).status).toBe(204);
    expect(await on.get(bucket)).toMatchObject({ objects: 0 });
  });

  test.each([
    ["/_objects/us-east-1/none/a", 404],
    ["/_objects/us-east-1", 403],
    ["/_objects/us-east-1/names", 403],
    ["/_objects/us-nowhere-1/names", 404],
    ["/_objects/us-east-1/names/%E0%A4%A", 404],
  ])("%s answers %i", async (path, status) => {
    on = await openPresent();
    await makeBucket(on, "names");
    expect((await ask(on.emulator.port, "GET", path, { token: null })).status).toBe(status);
  });
});

describe("other origins (contract section 2.6: cors_enabled)", () => {
  test("are let in when the bucket says so", async () => {
    on = await openPresent();
    const bucket = await makeBucket(on, "web", { cors_enabled: true });
    await upload(on, bucket, "a", "x");
    const url = await urlOf(on, bucket, "a");
    const preflight = await fetch(url, { method: "OPTIONS" });
    expect(preflight.status).toBe(200);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PUT");
    expect((await fetch(url)).headers.get("access-control-allow-origin")).toBe("*");
    await on.post(`${bucket}/access`, { cors_enabled: false });
    expect((await fetch(url, { method: "OPTIONS" })).status).toBe(403);
    expect((await fetch(url)).headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("a key of the account", () => {
  const sign = (
    key: { access_key: string; secret_key: string },
    method: string,
    bucket: string,
    name: string,
  ) => {
    const expires = String(Math.floor(Date.now() / 1000) + 600);
    const Signature = signatureOf(key.secret_key, {
      method,
      cluster: "us-east-1",
      bucket,
      name,
      contentType: "",
      contentMd5: "",
      expires,
      extra: [],
    });
    const query = new URLSearchParams({ Signature, Expires: expires, AWSAccessKeyId: key.access_key });
    const path = `/_objects/us-east-1/${bucket}/${name}?${query}`;
    return ask(on.emulator.port, method, path, { token: null });
  };

  test("opens what it is limited to, until it is revoked (contract sections 2.6 and 3)", async () => {
    on = await openPresent();
    for (const label of ["reads", "writes", "others"])
      await upload(on, await makeBucket(on, label), "a", "x");
    const item = (bucket_name: string, permissions: string) => ({
      cluster: "us-east-1",
      bucket_name,
      permissions,
    });
    const limited = await on.post(`${base}/keys`, {
      bucket_access: [item("reads", "read_only"), item("writes", "read_write")],
    });
    const [none, unlimited] = [
      await on.post(`${base}/keys`, { bucket_access: [] }),
      await on.post(`${base}/keys`, {}),
    ];
    const status = async (key: typeof limited, method: string, bucket: string) =>
      (await sign(key, method, bucket, "a")).status;
    expect(await status(limited, "GET", "reads")).toBe(200);
    expect(await status(limited, "DELETE", "reads")).toBe(403);
    expect(await status(limited, "GET", "others")).toBe(403);
    expect(await status(none, "GET", "reads")).toBe(403);
    expect(await status(unlimited, "GET", "others")).toBe(200);
    await on.put(`${pathOf("others")}/object-acl`, { name: "a", acl: "authenticated-read" });
    expect(await status(none, "GET", "others")).toBe(200);
    expect(await status(limited, "DELETE", "writes")).toBe(204);
    await on.remove(`${base}/keys/${unlimited.id}`);
    const revoked = await sign(unlimited, "GET", "others", "a");
    expect([revoked.status, revoked.text]).toEqual([403, expect.stringContaining("InvalidAccessKeyId")]);
  });
});

test("2,500 objects are listed in pages while they are removed, and then their bucket is", async () => {
  on = await openPresent();
  const bucket = await makeBucket(on, "many");
  const names = Array.from({ length: 2500 }, (_, index) => `logs/${index % 7}/${index}.txt`);
  await Promise.all(names.slice(0, 100).map((name) => upload(on, bucket, name, name)));
  // The others as an account file brings them: uploads one by one are slow, and tested above.
  // biome-ignore lint/suspicious/noExplicitAny: the account's data has every area's shape.
  const data = on.emulator.data() as any;
  const stored = data.collections.objectStorageObjects;
  for (const [index, name] of names.slice(100).entries())
    stored.push({ ...stored[0], id: stored[0].id + 100 + index, name, size: name.length });
  on.emulator.setData(data);
  expect(await on.get(bucket)).toMatchObject({ objects: 2500, size: names.join("").length });

  const listed = await allObjects(on, bucket);
  expect(listed.map(({ name }) => name)).toEqual([...names].sort());
  const folders = await allObjects(on, bucket, "delimiter=/&prefix=logs/&page_size=25");
  expect(folders).toEqual(
    Array.from({ length: 7 }, (_, index) => ({
      name: `logs/${index}/`,
      size: null,
      last_modified: null,
      etag: null,
      owner: null,
    })),
  );

  let marker = "";
  let pages = 0;
  do {
    const page = await on.get(`${bucket}/object-list?page_size=500&marker=${encodeURIComponent(marker)}`);
    await Promise.all(page.data.map(({ name }: { name: string }) => erase(on, bucket, name)));
    marker = page.next_marker ?? "";
    pages++;
  } while (marker !== "");
  expect(pages).toBe(5);
  expect(await on.get(bucket)).toMatchObject({ objects: 0, size: 0 });
  expect(await on.remove(bucket)).toEqual({});
}, 120_000);
