/** What the types of the area `objectstorage` must live through. */

import { selfSigned } from "../../../emulator/certificate.ts";
import { asset, type ValueMap } from "../../../provider/core/value.ts";
import { hashOf } from "../../../provider/verbs/values/content.ts";
import type { Account } from "../deployment.ts";
import { life } from "../lifecycle.ts";

export const cluster = "us-east-1";

const grant = (bucketName: string, permissions: string) => ({ cluster, bucketName, permissions });

const bucket = life({
  type: "plumbline:objectstorage/bucket:Bucket",
  prepare: async () => ({}),
  steps: [
    {
      does: "create",
      declare: () => ({ cluster, label: "photos", acl: "public-read" }),
      leaves: { acl: "public-read", size: 0, objects: 0 },
    },
    {
      does: "update",
      declare: () => ({ cluster, label: "photos", acl: "private", corsEnabled: true }),
      changes: ["acl", "corsEnabled"],
    },
    { does: "update", declare: () => ({ cluster, label: "photos" }), changes: ["acl", "corsEnabled"] },
    {
      does: "update",
      declare: () => ({ cluster, label: "photos", forceDestroy: true }),
      changes: ["forceDestroy"],
    },
    {
      does: "replace",
      declare: () => ({ cluster: "eu-central-1", label: "photos" }),
      changes: ["cluster", "forceDestroy"],
    },
    {
      does: "replace",
      declare: () => ({ cluster: "eu-central-1", label: "pictures", acl: "public-read" }),
      changes: ["label", "acl"],
      leaves: { label: "pictures" },
    },
  ],
  naturalName: () => "eu-central-1/pictures",
  unreadable: ["acl"],
  drift: {},
});

const key = life({
  type: "plumbline:objectstorage/key:Key",
  prepare: async (account) => {
    for (const label of ["one", "two"])
      await account.call("POST", "/object-storage/buckets", { cluster, label });
    return {};
  },
  steps: [
    { does: "create", declare: () => ({}), leaves: { limited: false } },
    { does: "update", declare: () => ({ label: "app" }), changes: ["label"] },
    {
      does: "replace",
      declare: () => ({ label: "app", bucketAccess: [] }),
      changes: ["bucketAccess"],
      leaves: { limited: true, bucketAccess: [] },
    },
    {
      does: "replace",
      declare: () => ({
        label: "app",
        bucketAccess: [grant("two", "read_write"), grant("one", "read_only")],
      }),
      changes: ["bucketAccess"],
      leaves: { limited: true },
    },
    {
      does: "replace",
      declare: () => ({ label: "app" }),
      changes: ["bucketAccess"],
      leaves: { limited: false },
    },
    { does: "replace", declare: () => ({ label: "web", bucketAccess: [] }) },
  ],
  naturalName: () => "web",
  drift: {
    label: ({ id }) => ({ method: "PUT", path: `/object-storage/keys/${id}`, body: { label: "theirs" } }),
  },
});

const day = 86_400_000;
const now = Date.now();

/** A certificate for a host and its key, good until a day from now unless told otherwise; `seed` is one hex digit. */
export function pair(host: string, { seed = "1", days = 1 }: { seed?: string; days?: number } = {}) {
  const from = new Date(now - 2 * day);
  const to = new Date(now + days * day);
  const made = selfSigned({ seed: seed.repeat(64), name: host, hosts: [host], from, to });
  return { certificate: made.certificate, privateKey: made.privateKey };
}

const makeBuckets = async (account: Account, ...labels: readonly string[]) => {
  for (const label of labels) await account.call("POST", "/object-storage/buckets", { cluster, label });
};

const site = "www.plumbline.example";
const other = "shop.plumbline.example";

const certificate = life({
  type: "plumbline:objectstorage/bucketCertificate:BucketCertificate",
  prepare: async (account) => makeBuckets(account, site, other),
  steps: [
    { does: "create", declare: () => ({ cluster, bucket: site, ...pair(site) }), leaves: { ssl: true } },
    {
      does: "update",
      declare: () => ({ cluster, bucket: site, ...pair(site, { seed: "2" }) }),
      changes: ["certificate", "privateKey"],
      leaves: { ssl: true },
    },
    {
      does: "same",
      declare: () => ({
        cluster,
        bucket: site,
        certificate: pair(site, { seed: "2" }).certificate.replaceAll("\n", "\r\n"),
        privateKey: pair(site, { seed: "2" }).privateKey,
      }),
    },
    {
      does: "replace",
      declare: () => ({ cluster, bucket: other, ...pair(other) }),
      changes: ["bucket", "certificate", "privateKey"],
    },
  ],
  naturalName: () => `${cluster}/${other}`,
  unreadable: ["certificate", "privateKey"],
  drift: {},
});

/** Stores an object as anybody with a key would. */
export async function store(
  account: Account,
  place: { readonly bucket: string; readonly name: string; readonly content?: string },
): Promise<void> {
  const path = `/object-storage/buckets/${cluster}/${place.bucket}/object-url`;
  const body = { name: place.name, method: "PUT", content_type: "text/plain" };
  const { url } = await account.call("POST", path, body);
  const headers = { "Content-Type": "text/plain" };
  const answer = await fetch(String(url), { method: "PUT", headers, body: place.content ?? "x" });
  if (!answer.ok) throw new Error(`${place.name} was not stored: ${answer.status}`);
}

const textAsset = (text: string) => asset({ text, hash: hashOf(new TextEncoder().encode(text)) });
const index = { cluster, bucket: "site", name: "a b/index.html" };
const md5 = { hello: "5d41402abc4b2a76b9719d911017c592", empty: "d41d8cd98f00b204e9800998ecf8427e" };

const object = life({
  type: "plumbline:objectstorage/object:Object",
  prepare: async (account) => makeBuckets(account, "site", "two"),
  steps: [
    {
      does: "create",
      declare: () => ({ ...index, content: "" }),
      leaves: { size: 0, etag: md5.empty, name: "a b/index.html" },
    },
    {
      does: "update",
      declare: () => ({ ...index, content: "hello" }),
      changes: ["content"],
      leaves: { size: 5, etag: md5.hello },
    },
    {
      does: "update",
      declare: () => ({ ...index, content: "hello", contentType: "text/plain" }),
      changes: ["contentType"],
      leaves: { etag: md5.hello },
    },
    {
      does: "update",
      declare: () => ({ ...index, source: textAsset("<p>") }),
      changes: ["source", "contentType"],
      leaves: { size: 3 },
    },
    { does: "same", declare: () => ({ ...index }) },
    {
      does: "replace",
      declare: () => ({ ...index, name: "other", content: "hello" }),
      changes: ["name", "content"],
      leaves: { etag: md5.hello },
    },
    {
      does: "replace",
      declare: (): ValueMap => ({ ...index, bucket: "two", content: "hello" }),
      changes: ["bucket", "name"],
    },
  ],
  naturalName: () => `${cluster}/two/a b/index.html`,
  unreadable: ["content"],
  unlisted: true,
  drift: {},
});

const aclOf = (bucket: string) => `/object-storage/buckets/${cluster}/${bucket}/object-acl`;

const acl = life({
  type: "plumbline:objectstorage/objectAcl:ObjectAcl",
  prepare: async (account) => {
    await makeBuckets(account, "site", "two");
    await store(account, { bucket: "site", name: "a/b c.txt" });
    await store(account, { bucket: "site", name: "d" });
    await store(account, { bucket: "two", name: "d" });
  },
  steps: [
    {
      does: "create",
      declare: () => ({ cluster, bucket: "site", name: "a/b c.txt", acl: "private" }),
      leaves: { acl: "private" },
    },
    {
      does: "update",
      declare: () => ({ cluster, bucket: "site", name: "a/b c.txt", acl: "public-read" }),
      changes: ["acl"],
      leaves: { acl: "public-read" },
    },
    {
      does: "replace",
      declare: () => ({ cluster, bucket: "site", name: "d", acl: "public-read" }),
      changes: ["name"],
    },
    {
      does: "replace",
      declare: () => ({ cluster, bucket: "two", name: "d", acl: "authenticated-read" }),
      changes: ["bucket", "acl"],
    },
  ],
  naturalName: () => `${cluster}/two/d`,
  unlisted: true,
  remains: { acl: "private" },
  drift: { acl: () => ({ method: "PUT", path: aclOf("two"), body: { name: "d", acl: "public-read" } }) },
});

export const lives = [bucket, key, certificate, object, acl];
