import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storageClusters } from "../../../../emulator/areas/objectstorage/clusters.ts";
import { openSession, type Session } from "../../session.ts";
import { base, makeBucket, pathOf, upload } from "./client.ts";

let on: Session;
beforeAll(async () => {
  on = await openSession({
    seed: {
      account: {},
      requests: [],
      collections: { objectStorageForeignBuckets: [{ cluster: "us-east-1", label: "taken-name" }] },
    },
  });
});
afterAll(() => on.close());

describe("the label of a bucket (contract section 2.6; notes, section 6)", () => {
  const letters = "Must only use lower-case letters, numbers, periods, and dashes";
  const ends = "Must begin and end with a letter or number";
  const beside = "Must not have a period beside a period or a dash";
  const length = "Length must be 3-63 characters";
  test.each([
    ["two characters", "ab", length],
    ["64 characters", "a".repeat(64), length],
    ["no character", "", length],
    ["a capital", "Bucket", letters],
    ["an underscore", "my_bucket", letters],
    ["a letter outside ASCII", "bücket", letters],
    ["a slash", "a/b/c", letters],
    ["a hyphen first", "-bucket", ends],
    ["a hyphen last", "bucket-", ends],
    ["a period last", "bucket.", ends],
    ["two periods in a row", "my..bucket", beside],
    ["a hyphen after a period", "my.-bucket", beside],
    ["a hyphen before a period", "my-.bucket", beside],
    ["the form of an address", "192.168.5.4", "Must not be an IP address"],
  ])("with %s is refused", async (_, label, reason) => {
    expect(await on.refused(400, "POST", `${base}/buckets`, { label, cluster: "us-east-1" })).toContainEqual({
      reason,
      field: "label",
    });
  });

  test.each([["abc"], ["0a9"], ["a".repeat(63)], ["www.example.com"], ["a--b"], ["1.2.3"]])(
    "may be %s",
    async (label) => {
      expect(await on.post(`${base}/buckets`, { label, cluster: "eu-central-1" })).toMatchObject({ label });
    },
  );

  test("is reserved by another owner in that cluster alone (contract section 7)", async () => {
    expect(
      await on.refused(400, "POST", `${base}/buckets`, { label: "taken-name", cluster: "us-east-1" }),
    ).toEqual([{ reason: "The label is taken in this cluster by another owner", field: "label" }]);
    expect(await on.post(`${base}/buckets`, { label: "taken-name", cluster: "us-iad-1" })).toMatchObject({
      label: "taken-name",
    });
    await on.refused(404, "GET", pathOf("taken-name"));
  });
});

describe("a bucket", () => {
  test("needs cluster and label, and tells all problems at once", async () => {
    const reasons = await on.refused(400, "POST", `${base}/buckets`, { acl: "custom", cors_enabled: "yes" });
    expect(reasons).toHaveLength(4);
    expect(reasons).toEqual(
      expect.arrayContaining([
        { reason: "cluster is required", field: "cluster" },
        { reason: "label is required", field: "label" },
        {
          reason: "Must be one of private, public-read, authenticated-read, public-read-write",
          field: "acl",
        },
        { reason: "Must be of type Boolean", field: "cors_enabled" },
      ]),
    );
    expect(await on.refused(400, "POST", `${base}/buckets`, { cluster: "mars-1", label: 5 })).toEqual(
      expect.arrayContaining([
        { reason: "cluster is not valid", field: "cluster" },
        { reason: "Must be of type String", field: "label" },
      ]),
    );
  });

  test.each([
    ["GET", "", undefined],
    ["DELETE", "", undefined],
    ["GET", "/access", undefined],
    ["POST", "/access", { acl: "wrong" }],
    ["PUT", "/access", {}],
    ["GET", "/object-list?page_size=1", undefined],
    ["GET", "/object-acl", undefined],
    ["PUT", "/object-acl", {}],
    ["POST", "/object-url", {}],
    ["GET", "/ssl", undefined],
    ["POST", "/ssl", {}],
    ["DELETE", "/ssl", undefined],
  ])("that does not exist is not found by %s %s, whatever the request says", async (method, path, body) => {
    await makeBucket(on, "elsewhere");
    for (const bucket of [
      pathOf("nothing-here"),
      pathOf("elsewhere", "eu-central-1"),
      pathOf("elsewhere", "x"),
    ])
      expect(await on.refused(404, method, bucket + path, body)).toEqual([{ reason: "Not found" }]);
  });

  test("cannot be removed while it holds objects (contract sections 3 and 7)", async () => {
    const bucket = await makeBucket(on, "full-one");
    await upload(on, bucket, "a", "1");
    expect(await on.refused(400, "DELETE", bucket)).toEqual([
      { reason: "The bucket holds 1 object: remove what it holds first" },
    ]);
  });
});

describe("access settings", () => {
  test.each([["POST"], ["PUT"]])("cannot be set to custom by %s (readings, section 2.6)", async (method) => {
    const bucket = await makeBucket(on, "access-rules");
    expect(await on.refused(400, method, `${bucket}/access`, { acl: "custom" })).toEqual([
      { reason: "Must be one of private, public-read, authenticated-read, public-read-write", field: "acl" },
    ]);
  });
});

describe("an object's access settings", () => {
  test("need name and acl, and an object", async () => {
    const bucket = await makeBucket(on, "acl-rules");
    expect(await on.refused(400, "PUT", `${bucket}/object-acl`, {})).toEqual(
      expect.arrayContaining([
        { reason: "acl is required", field: "acl" },
        { reason: "name is required", field: "name" },
      ]),
    );
    expect(await on.refused(400, "GET", `${bucket}/object-acl`)).toEqual([
      { reason: "name is required", field: "name" },
    ]);
    await on.refused(404, "GET", `${bucket}/object-acl?name=none`);
    await on.refused(404, "PUT", `${bucket}/object-acl`, { name: "none", acl: "private" });
    expect(
      await on.refused(400, "PUT", `${bucket}/object-acl`, { name: "none", acl: "custom" }),
    ).toMatchObject([{ field: "acl" }]);
  });
});

describe("a pre-signed URL (contract sections 2.6 and 8)", () => {
  const required = (field: string) => [{ reason: `${field} is required`, field }];
  test.each([
    ["no name", {}, required("name")],
    ["an empty name", { name: "" }, [{ reason: "Length must be at least 1 characters", field: "name" }]],
    [
      "a name of over 1024 bytes",
      { name: "ü".repeat(513) },
      [{ reason: "Must be at most 1024 bytes", field: "name" }],
    ],
    ["a step within a path", { name: ".." }, [{ reason: "name is not valid", field: "name" }]],
    ["half a character", { name: "a\ud800" }, [{ reason: "name is not valid", field: "name" }]],
    [
      "an unknown method",
      { name: "a", method: "PATCH" },
      [{ reason: "Must be one of GET, PUT, DELETE, HEAD", field: "method" }],
    ],
    ["PUT without a content type", { name: "a", method: "PUT" }, required("content_type")],
    ["HEAD without a content type", { name: "a", method: "HEAD" }, required("content_type")],
    ["an empty content type", { name: "a", method: "PUT", content_type: "" }, required("content_type")],
    ["359 seconds", { name: "a", expires_in: 359 }, [{ reason: "Must be 360-86400", field: "expires_in" }]],
    [
      "86401 seconds",
      { name: "a", expires_in: 86401 },
      [{ reason: "Must be 360-86400", field: "expires_in" }],
    ],
    [
      "a text of seconds",
      { name: "a", expires_in: "3600" },
      [{ reason: "Must be of type Integer", field: "expires_in" }],
    ],
    [
      "two problems",
      { method: "PUT", expires_in: 1 },
      [
        { reason: "name is required", field: "name" },
        { reason: "Must be 360-86400", field: "expires_in" },
        { reason: "content_type is required", field: "content_type" },
      ],
    ],
  ])("with %s is refused", async (_, body, expected) => {
    const bucket = await makeBucket(on, "url-rules");
    const reasons = await on.refused(400, "POST", `${bucket}/object-url`, body);
    expect(reasons).toHaveLength(expected.length);
    expect(reasons).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    ["360 seconds", { expires_in: 360 }],
    ["86400 seconds", { expires_in: 86400 }],
    ["a name of 1024 bytes", { name: "ü".repeat(512) }],
    ["no method", {}],
    ["a content type for GET", { content_type: "text/html" }],
  ])("with %s is made", async (_, fields) => {
    const bucket = await makeBucket(on, "url-rules");
    expect(await on.post(`${bucket}/object-url`, { name: "a", ...fields })).toMatchObject({ exists: false });
  });
});

describe("an object list (contract section 8)", () => {
  test.each([
    ["24", "Must be 25-500"],
    ["501", "Must be 25-500"],
    ["0", "Must be 25-500"],
    ["many", "Must be of type Integer"],
  ])("with a page of %s is refused", async (size, reason) => {
    const bucket = await makeBucket(on, "list-rules");
    expect(await on.refused(400, "GET", `${bucket}/object-list?page_size=${size}`)).toEqual([
      { reason, field: "page_size" },
    ]);
  });
});

describe("a key", () => {
  const access = (fields: object) => ({
    label: "k",
    bucket_access: [{ cluster: "us-east-1", bucket_name: "key-rules", permissions: "read_only", ...fields }],
  });
  const at = (field: string, reason: string) => [{ reason, field: `bucket_access[0].${field}` }];
  test.each([
    ["an unknown cluster", { cluster: "mars-1" }, at("cluster", "cluster is not valid")],
    [
      "a bucket that does not exist",
      { bucket_name: "nothing-here" },
      at("bucket_name", "You have no bucket nothing-here in us-east-1"),
    ],
    [
      "another owner's bucket",
      { bucket_name: "taken-name" },
      at("bucket_name", "You have no bucket taken-name in us-east-1"),
    ],
    [
      "unknown permissions",
      { permissions: "write" },
      at("permissions", "Must be one of read_only, read_write"),
    ],
    ["no permissions", { permissions: undefined }, at("permissions", "permissions is required")],
  ])("for %s is refused", async (_, fields, reasons) => {
    await makeBucket(on, "key-rules");
    expect(await on.refused(400, "POST", `${base}/keys`, access(fields))).toEqual(reasons);
  });

  test("has a label of text", async () => {
    expect(await on.refused(400, "POST", `${base}/keys`, { label: 5 })).toEqual([
      { reason: "Must be of type String", field: "label" },
    ]);
  });

  test("that does not exist is not found", async () => {
    for (const [method, body] of [["GET"], ["PUT", { label: 5 }], ["DELETE"]] as const)
      expect(await on.refused(404, method, `${base}/keys/1`, body)).toEqual([{ reason: "Not found" }]);
  });
});

describe("the clusters", () => {
  test("are public, available, and in regions with Object Storage", async () => {
    const answer = await fetch(`${on.emulator.baseUrl}${base}/clusters`);
    const { data, results } = (await answer.json()) as {
      data: { id: string; region: string }[];
      results: number;
    };
    expect(results).toBe(storageClusters.length);
    expect(data.find(({ id }) => id === "us-east-1")).toEqual({
      id: "us-east-1",
      region: "us-east",
      status: "available",
      domain: "us-east-1.computeobjects.invalid",
      static_site_domain: "website-us-east-1.computeobjects.invalid",
    });
    for (const cluster of data) {
      expect((await on.get(`/regions/${cluster.region}`)).capabilities).toContain("Object Storage");
      const one = await fetch(`${on.emulator.baseUrl}${base}/clusters/${cluster.id}`);
      expect(await one.json()).toEqual(cluster);
    }
    await on.refused(404, "GET", `${base}/clusters/mars-1`);
    await on.refused(404, "GET", `${base}/buckets/mars-1`);
  });
});
