import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { ask, type Told } from "../../client.ts";
import type { Answer, Session } from "../../session.ts";
import { allObjects, base, makeBucket, openPresent, pathOf } from "./client.ts";
import { s3Client, signedChunks, signV4, stamp } from "./s3-client.ts";

let on: Session;
afterEach(() => on?.close());

const code = ({ status, text }: Told) => [status, /<Code>(\w+)<\/Code>/.exec(text)?.[1]];
const all = (text: string, element: string) =>
  [...text.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map(([, value]) => value);
const decoded = (text: string) =>
  text.replace(
    /&(lt|gt|quot|amp);/g,
    (_, name) => ({ lt: "<", gt: ">", quot: '"', amp: "&" })[name as string]!,
  );

/** An account with a bucket and an unlimited key, and a client with that key. */
async function open(fields: object = {}) {
  on = await openPresent();
  await makeBucket(on, "shop");
  const key = await on.post(`${base}/keys`, { label: "s3", ...fields });
  return { key, s3: s3Client(on.emulator.port, key) };
}

test("the client of these tests signs the published example as published", () => {
  const pair = { access_key: "AKIAIOSFODNN7EXAMPLE", secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
  const payload = createHash("sha256").update("").digest("hex");
  const date = "20130524T000000Z";
  const headers = {
    host: "examplebucket.s3.amazonaws.com",
    range: "bytes=0-9",
    "x-amz-content-sha256": payload,
    "x-amz-date": date,
  };
  expect(
    signV4(pair, { method: "GET", path: "/test.txt", query: {}, headers, payload, date }).signature,
  ).toBe("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
});

const names = [
  "a.txt",
  "with space",
  "a+b&c=d",
  "grüße/ß 😀",
  "it's (1)!*~",
  "100% <\"'>",
  "a//b",
  "日本/+ +",
];

describe("an S3 client with a key of the account", () => {
  test.each(names)("stores, reads and deletes %j by a signature in the header", async (name) => {
    const { s3 } = await open();
    const headers = { "content-type": "text/css", "x-amz-meta-who": "me", "cache-control": "no-store" };
    const put = await s3.send("PUT", "shop", name, { body: "grüße", headers });
    expect([put.status, put.headers.etag]).toEqual([
      200,
      `"${createHash("md5").update("grüße").digest("hex")}"`,
    ]);
    expect((await allObjects(on, pathOf("shop"))).map((one) => one.name)).toEqual([name]);
    const told = await s3.send("GET", "shop", name);
    expect([told.status, told.text, told.headers]).toEqual([200, "grüße", expect.objectContaining(headers)]);
    const head = await s3.send("HEAD", "shop", name);
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", "7"]);
    expect(decoded(all((await s3.send("GET", "shop")).text, "Key")[0]!)).toBe(name);
    expect((await s3.send("DELETE", "shop", name)).status).toBe(204);
    expect(code(await s3.send("GET", "shop", name))).toEqual([404, "NoSuchKey"]);
  });

  test.each(names)("makes addresses of %j that work, of version 4 and version 2", async (name) => {
    const { s3 } = await open();
    const put = await fetch(s3.presign("PUT", "shop", name), { method: "PUT", body: "hello" });
    expect(put.status).toBe(200);
    expect(await (await fetch(s3.presign("GET", "shop", name))).text()).toBe("hello");
    expect((await s3.sendV2("GET", "shop", name, Math.floor(Date.now() / 1000) + 60)).text).toBe("hello");
    expect((await s3.sendV2("GET", "shop", name)).text).toBe("hello");
    expect((await fetch(s3.presign("GET", "shop", `${name}!`))).status).toBe(404);
  });

  test.each(names)("is handed an address of %j by the API, however it is encoded", async (name) => {
    const { s3 } = await open();
    await s3.send("PUT", "shop", name, { body: "hello" });
    const { url } = await on.post(`${pathOf("shop")}/object-url`, { name });
    const { search } = new URL(url);
    for (const path of [new URL(url).pathname, s3.pathOf("shop", name)])
      expect((await ask(on.emulator.port, "GET", path + search, { token: null })).text).toBe("hello");
  });

  test("reads a part of an object, and no part that is not there", async () => {
    const { s3 } = await open();
    await s3.send("PUT", "shop", "a", { body: "0123456789" });
    const part = (range: string) => s3.send("GET", "shop", "a", { headers: { range } });
    for (const [range, text, told] of [
      ["bytes=0-3", "0123", "bytes 0-3/10"],
      ["bytes=7-", "789", "bytes 7-9/10"],
      ["bytes=-2", "89", "bytes 8-9/10"],
      ["bytes=8-99", "89", "bytes 8-9/10"],
    ] as const) {
      const answer = await part(range);
      expect([answer.status, answer.text, answer.headers["content-range"]]).toEqual([206, text, told]);
    }
    expect(code(await part("bytes=10-"))).toEqual([416, "InvalidRange"]);
    expect((await part("lines=1-2")).text).toBe("0123456789");
  });

  test("cannot make a page of the emulator's own origin out of an object", async () => {
    const { s3 } = await open();
    const headers = { "content-type": "text/html", "content-security-policy": "default-src *" };
    await s3.send("PUT", "shop", "page", { body: "<script></script>", headers });
    expect((await s3.send("GET", "shop", "page")).headers).toMatchObject({
      "content-type": "text/html",
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
    });
  });

  test("sets and reads canned access lists", async () => {
    const { s3 } = await open();
    await s3.send("PUT", "shop", "a", { body: "x", headers: { "x-amz-acl": "public-read" } });
    expect(await on.get(`${pathOf("shop")}/object-acl?name=a`)).toMatchObject({ acl: "public-read" });
    const acl = { query: { acl: "" } };
    expect((await s3.send("GET", "shop", "a", acl)).text).toContain("AllUsers");
    expect((await s3.send("PUT", "shop", "a", { ...acl, headers: { "x-amz-acl": "private" } })).status).toBe(
      200,
    );
    expect((await s3.send("GET", "shop", "a", acl)).text).not.toContain("AllUsers");
    expect(
      (await s3.send("PUT", "shop", undefined, { ...acl, headers: { "x-amz-acl": "public-read" } })).status,
    ).toBe(200);
    expect(await on.get(`${pathOf("shop")}/access`)).toMatchObject({ acl: "public-read" });
    const odd = await s3.send("PUT", "shop", "a", { headers: { "x-amz-acl": "everybody" } });
    expect(code(odd)).toEqual([400, "InvalidArgument"]);
  });

  test("makes, finds, lists and removes buckets", async () => {
    const { s3 } = await open();
    expect((await s3.send("PUT", "made-here")).status).toBe(200);
    expect(await on.get(pathOf("made-here"))).toMatchObject({ cluster: "us-east-1", objects: 0 });
    await makeBucket(on, "elsewhere", { cluster: "us-iad-1" });
    expect(all((await s3.send("GET", "")).text, "Name")).toEqual(["shop", "made-here"]);
    expect((await s3.send("HEAD", "made-here")).status).toBe(200);
    expect((await s3.send("HEAD", "elsewhere")).status).toBe(404);
    expect((await s3.send("GET", "shop", undefined, { query: { location: "" } })).text).toContain(
      ">us-east-1<",
    );
    await s3.send("PUT", "made-here", "a", { body: "x" });
    expect(code(await s3.send("DELETE", "made-here"))).toEqual([409, "BucketNotEmpty"]);
    await s3.send("DELETE", "made-here", "a");
    expect((await s3.send("DELETE", "made-here")).status).toBe(204);
    await on.refused(404, "GET", pathOf("made-here"));
    for (const name of ["UPPER", "ab", "a..b", "192.0.2.1"])
      expect(code(await s3.send("PUT", name))).toEqual([400, "InvalidBucketName"]);
  });

  test("removes many objects by one request", async () => {
    const { s3 } = await open();
    for (const name of ["a&b", "c<d", "e"]) await s3.send("PUT", "shop", name, { body: "x" });
    const body = "<Delete><Object><Key>a&amp;b</Key></Object><Object><Key>c&#60;d</Key></Object></Delete>";
    const answer = await s3.send("POST", "shop", undefined, { query: { delete: "" }, body });
    expect(all(answer.text, "Key").map((key) => decoded(key!))).toEqual(["a&b", "c<d"]);
    expect((await allObjects(on, pathOf("shop"))).map(({ name }) => name)).toEqual(["e"]);
  });

  test("sends a body in signed chunks", async () => {
    const { s3, key } = await open();
    const date = stamp(new Date());
    const headers = {
      host: `127.0.0.1:${on.emulator.port}`,
      "x-amz-date": date,
      "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
      "x-amz-decoded-content-length": "10",
    };
    const path = s3.pathOf("shop", "chunks");
    const signing = { method: "PUT", path, query: {}, headers, date };
    const { body, authorization } = signedChunks(key, signing, ["hello", "world"]);
    const sent = { token: null, headers: { ...headers, authorization, "content-encoding": "aws-chunked" } };
    const send = (raw: string) => ask(on.emulator.port, "PUT", path, { ...sent, raw });
    expect(code(await send(body.replace("world", "w0rld")))).toEqual([403, "SignatureDoesNotMatch"]);
    expect(code(await send(body.slice(0, 40)))).toEqual([400, "IncompleteBody"]);
    expect((await send(body)).status).toBe(200);
    const told = await s3.send("GET", "shop", "chunks");
    expect([told.text, told.headers["content-encoding"]]).toEqual(["helloworld", undefined]);
  });

  test("is told what is not served, instead of something else being done", async () => {
    const { s3 } = await open();
    await s3.send("PUT", "shop", "a", { body: "x" });
    for (const [method, name, request] of [
      ["PUT", "b", { headers: { "x-amz-copy-source": "/shop/a" } }],
      ["PUT", "a", { query: { partNumber: "1", uploadId: "u" }, body: "part" }],
      ["PUT", undefined, { query: { policy: "" }, body: "{}" }],
      ["DELETE", undefined, { query: { lifecycle: "" } }],
    ] as const)
      expect(code(await s3.send(method, "shop", name, request))).toEqual([501, "NotImplemented"]);
    expect((await allObjects(on, pathOf("shop"))).map(({ name, size }) => [name, size])).toEqual([["a", 1]]);
  });
});

describe("a list for S3 clients", () => {
  const stored = ["a/1", "a/2", "a b", "b+c", "c/d/e", "é", "z"];
  async function full() {
    const { s3 } = await open();
    for (const name of stored) await s3.send("PUT", "shop", name, { body: name });
    return (query: { [name: string]: string }) => s3.send("GET", "shop", undefined, { query });
  }
  const sorted = stored.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const prefixes = (text: string) =>
    all(text.replace(/^[\s\S]*?<CommonPrefixes>/, "<CommonPrefixes>"), "Prefix");

  test.each([
    ["1", {}, "NextMarker", "marker"],
    ["2", { "list-type": "2" }, "NextContinuationToken", "continuation-token"],
  ])("of version %s tells every name once, page by page", async (_, kind, next, from) => {
    const list = await full();
    const found: (string | undefined)[] = [];
    let more: { [name: string]: string } = {};
    for (let pages = 1; ; pages++) {
      const { text } = await list({ ...kind, ...more, "max-keys": "3" });
      found.push(...all(text, "Key"));
      const truncated = all(text, "IsTruncated")[0] === "true";
      expect(truncated).toBe(pages < 3);
      if (!truncated) break;
      more = { [from]: all(text, next)[0]! };
    }
    expect(found).toEqual(sorted);
  });

  test("groups by delimiter after the prefix, and starts where it is told", async () => {
    const list = await full();
    const flat = (await list({ "list-type": "2", delimiter: "/" })).text;
    expect([all(flat, "Key"), prefixes(flat), all(flat, "KeyCount")]).toEqual([
      ["a b", "b+c", "z", "é"],
      ["a/", "c/"],
      ["6"],
    ]);
    const inner = (await list({ "list-type": "2", prefix: "c/", delimiter: "/" })).text;
    expect([all(inner, "Key"), prefixes(inner)]).toEqual([[], ["c/d/"]]);
    expect(all((await list({ "list-type": "2", "start-after": "b+c" })).text, "Key")).toEqual([
      "c/d/e",
      "z",
      "é",
    ]);
    expect(all((await list({ marker: "b+c" })).text, "Key")).toEqual(["c/d/e", "z", "é"]);
    expect(all((await list({ "encoding-type": "url", prefix: "a b" })).text, "Key")).toEqual(["a%20b"]);
    const [none] = [(await list({ "list-type": "2", "max-keys": "0" })).text];
    expect([all(none, "Key"), all(none, "IsTruncated")]).toEqual([[], ["false"]]);
  });

  test("refuses what it cannot read", async () => {
    const list = await full();
    const odd: { [name: string]: string }[] = [
      { "max-keys": "-1" },
      { "max-keys": "many" },
      { "list-type": "2", "continuation-token": "mine" },
      { "encoding-type": "base64" },
    ];
    for (const query of odd) expect(code(await list(query))).toEqual([400, "InvalidArgument"]);
  });
});

describe("a signature is refused", () => {
  const changed = (change: (sent: { path: string; headers: { [name: string]: string } }) => void) => ({
    body: "x",
    tamper: change,
  });
  test.each([
    [
      "for another object",
      changed((sent) => (sent.path = sent.path.replace("/a?", "/b?"))),
      403,
      "SignatureDoesNotMatch",
    ],
    ["with another query", changed((sent) => (sent.path += "&versionId=2")), 403, "SignatureDoesNotMatch"],
    [
      "with a changed header",
      changed((sent) => (sent.headers["x-amz-meta-a"] = "2")),
      403,
      "SignatureDoesNotMatch",
    ],
    [
      "with a header that is not signed",
      changed((sent) => (sent.headers["x-amz-acl"] = "public-read")),
      403,
      "AccessDenied",
    ],
    [
      "of an unknown key",
      changed(
        (sent) =>
          (sent.headers["authorization"] = sent.headers["authorization"]!.replace(
            /=[A-Z0-9]{20}\//,
            "=NOBODY/",
          )),
      ),
      403,
      "InvalidAccessKeyId",
    ],
    [
      "for another service",
      changed(
        (sent) => (sent.headers["authorization"] = sent.headers["authorization"]!.replace("/s3/", "/ec2/")),
      ),
      400,
      "AuthorizationHeaderMalformed",
    ],
    [
      "without its parts",
      changed((sent) => (sent.headers["authorization"] = "AWS4-HMAC-SHA256 nothing")),
      400,
      "AuthorizationHeaderMalformed",
    ],
    ["of another body", { body: "x", payload: "0".repeat(64) }, 400, "XAmzContentSHA256Mismatch"],
    ["of an hour ago", { body: "x", at: new Date(Date.now() - 3_600_000) }, 403, "RequestTimeTooSkewed"],
    [
      "of a body with another sum",
      { body: "x", headers: { "x-amz-checksum-crc32": "AAAAAA==" } },
      400,
      "BadDigest",
    ],
  ])("%s, and nothing is stored", async (_, request, status, expected) => {
    const { s3 } = await open();
    const told = await s3.send("PUT", "shop", "a", {
      ...request,
      headers: { "x-amz-meta-a": "1", ...("headers" in request && request.headers) },
    });
    expect(code(told)).toEqual([status, expected]);
    expect(told.text).not.toContain("Signature=");
    expect(await allObjects(on, pathOf("shop"))).toEqual([]);
  });

  test("when its address has expired, by the emulator's clock", async () => {
    const { s3 } = await open();
    await s3.send("PUT", "shop", "a", { body: "x" });
    const url = s3.presign("GET", "shop", "a", 300);
    expect((await fetch(url)).status).toBe(200);
    on.emulator.advance(301);
    expect((await fetch(url)).status).toBe(403);
  });
});

test("a limited key lists and makes buckets, and opens only what it is limited to (contract section 2.6)", async () => {
  on = await openPresent();
  for (const label of ["reads", "writes", "others"]) await makeBucket(on, label);
  const item = (bucket_name: string, permissions: string) => ({
    cluster: "us-east-1",
    bucket_name,
    permissions,
  });
  const key: Answer = await on.post(`${base}/keys`, {
    bucket_access: [item("reads", "read_only"), item("writes", "read_write")],
  });
  const s3 = s3Client(on.emulator.port, key);
  expect(all((await s3.send("GET", "")).text, "Name")).toEqual(["reads", "writes", "others"]);
  const statuses = async (bucket: string) => [
    (await s3.send("GET", bucket)).status,
    (await s3.send("PUT", bucket, "a", { body: "x" })).status,
    (await s3.send("GET", bucket, "a")).status,
    (await s3.send("DELETE", bucket, "a")).status,
    (await s3.send("GET", bucket, undefined, { query: { acl: "" } })).status,
    (await s3.send("DELETE", bucket)).status,
  ];
  expect(await statuses("reads")).toEqual([200, 403, 404, 403, 403, 403]);
  expect(await statuses("others")).toEqual([403, 403, 403, 403, 403, 403]);
  expect(await statuses("writes")).toEqual([200, 200, 200, 204, 200, 204]);
  expect((await s3.send("PUT", "of-its-own")).status).toBe(200);
  expect(await statuses("of-its-own")).toEqual([403, 403, 403, 403, 403, 403]);
  expect((await s3.send("PUT", "of-its-own")).status).toBe(200);
  await on.remove(`${base}/keys/${key.id}`);
  expect(code(await s3.send("GET", "reads"))).toEqual([403, "InvalidAccessKeyId"]);
});

test("without a signature, buckets are neither listed nor made, and a public one is read", async () => {
  on = await openPresent();
  await makeBucket(on, "closed");
  await makeBucket(on, "open", { acl: "public-read" });
  const status = async (method: string, path: string) =>
    (await ask(on.emulator.port, method, `/_objects/us-east-1${path}`, { token: null })).status;
  expect([await status("GET", ""), await status("GET", "/closed"), await status("GET", "/open")]).toEqual([
    403, 403, 200,
  ]);
  expect([
    await status("PUT", "/mine"),
    await status("DELETE", "/open"),
    await status("POST", "/open?delete"),
  ]).toEqual([403, 403, 403]);
});
