/** The objects of a bucket as S3 clients list them, in version 1 and version 2 of the list. It knows no requests. */

import { Denied } from "./denied.ts";
import { listObjects } from "./listing.ts";
import { encode } from "./signature-v4.ts";
import type { Bucket, StoredObject } from "./stored.ts";
import { element, group, rootOf } from "./xml.ts";

const largestPage = 1000;

function sizeOf(query: URLSearchParams): number {
  const text = query.get("max-keys");
  if (text === null || text === "") return largestPage;
  if (!/^\d{1,10}$/.test(text))
    throw new Denied(400, "InvalidArgument", "max-keys must be a number, 0 or more");
  return Math.min(Number(text), largestPage);
}

/** Where a version 2 list goes on: the last name told, in a form that says nothing. */
const tokenOf = (name: string) => Buffer.from(`after ${name}`).toString("base64url");

function nameOf(token: string): string {
  const text = Buffer.from(token, "base64url").toString("utf8");
  if (!text.startsWith("after "))
    throw new Denied(400, "InvalidArgument", "The continuation token is not valid");
  return text.slice("after ".length);
}

/** The list as an element; the query says from where, how much, and of which names. */
export function listingDocument(
  bucket: Bucket,
  stored: readonly StoredObject[],
  owner: string,
  query: URLSearchParams,
): string {
  const second = query.get("list-type") === "2";
  const [prefix, delimiter, marker, after, token] = [
    "prefix",
    "delimiter",
    "marker",
    "start-after",
    "continuation-token",
  ].map((name) => query.get(name) ?? "") as [string, string, string, string, string];
  const kind = query.get("encoding-type");
  if (kind !== null && kind !== "url") throw new Denied(400, "InvalidArgument", "encoding-type must be url");
  const size = sizeOf(query);
  const from = second ? (token === "" ? after : nameOf(token)) : marker;
  const page = listObjects(stored, owner, { prefix, delimiter, marker: from, size });
  // A page of nothing has no end to go on from.
  const next = size === 0 ? null : page.next_marker;

  const write = (text: string) => (kind === "url" ? text.split("/").map(encode).join("/") : text);
  const given = (name: string, text: string) => (text === "" ? "" : element(name, text));
  const person = group("Owner", element("ID", owner), element("DisplayName", owner));
  const contents = page.data.flatMap(({ name, size: bytes, etag, last_modified }) =>
    bytes === null || etag === null || last_modified === null
      ? []
      : [
          group(
            "Contents",
            element("Key", write(name)),
            element("LastModified", last_modified),
            element("ETag", `"${etag}"`),
            element("Size", bytes),
            element("StorageClass", "STANDARD"),
            second && query.get("fetch-owner") !== "true" ? "" : person,
          ),
        ],
  );
  const prefixes = page.data.filter(({ etag }) => etag === null);
  const place = second
    ? [
        element("KeyCount", page.data.length),
        given("StartAfter", write(after)),
        given("ContinuationToken", token),
        next === null ? "" : element("NextContinuationToken", tokenOf(next)),
      ]
    : [element("Marker", write(marker)), next === null ? "" : element("NextMarker", write(next))];
  const parts = [
    element("Name", bucket.label),
    element("Prefix", write(prefix)),
    given("Delimiter", write(delimiter)),
    element("MaxKeys", size),
    given("EncodingType", kind ?? ""),
    element("IsTruncated", next !== null),
    ...place,
    ...contents,
    ...prefixes.map(({ name }) => group("CommonPrefixes", element("Prefix", write(name)))),
  ];
  return rootOf("ListBucketResult", ...parts);
}
