/** Functions of the object storage area that show what a bucket holds and how it is reached (contract section 4.4). */

import { objectFromWire } from "../../core/object/wire.ts";
import { choice, flag, group, integer, list, optional, text } from "../../core/type/field.ts";
import { providerFunction } from "../../core/type/function.ts";
import { existing } from "../../core/type/getter.ts";
import { pagesOf, signed } from "./objects.ts";
import { bucketPath } from "./paths.ts";

const area = "objectstorage";
const place = {
  cluster: text({ description: "Id of the cluster.", minLength: 1 }),
  bucket: text({ description: "Label of the bucket.", minLength: 1 }),
};
const named = { ...place, name: text({ description: "Name of the object.", minLength: 1 }) };
const bucketAt = (args: { cluster?: string; bucket?: string }) => `bucket ${args.cluster}/${args.bucket}`;

const objectFields = {
  name: text({ description: "Name of the object, or the common part with the delimiter at its end." }),
  size: optional(integer({ description: "Bytes; absent for a common part." })),
  lastModified: optional(text({ description: "When it was last uploaded (UTC); absent for a common part." })),
  etag: optional(text({ description: "MD5 of the content, hexadecimal; absent for a common part." })),
  owner: optional(text({ description: "Canonical user id of the owner; absent for a common part." })),
};

export const getObjects = providerFunction({
  area,
  name: "getObjects",
  description: "The objects of a bucket, however many pages they fill.",
  args: {
    ...place,
    prefix: optional(text({ description: "Only objects whose name begins with this." })),
    delimiter: optional(
      text({
        description:
          "Names are cut after its first occurrence behind the prefix, and what several have in common is told once (`/` shows one folder).",
      }),
    ),
  },
  result: {
    objects: list(group(objectFields, { description: "An object.", typeName: "StoredObject" }), {
      description: "The objects, in the order of their names' bytes.",
    }),
  },
  async call({ args, service }) {
    const read = async () => {
      const pages = pagesOf(service, bucketPath(args.cluster, args.bucket), {
        prefix: args.prefix,
        delimiter: args.delimiter,
      });
      const found = [];
      for await (const page of pages) found.push(...page);
      return found;
    };
    const found = await existing(bucketAt(args), read());
    return { objects: found.map((object) => objectFromWire(objectFields, object)) };
  },
});

const aclFields = {
  acl: text({
    description: "Who may read the object beside the account's keys; `custom`: set by other means.",
  }),
  aclXml: text({ description: "The whole access list, as storage has it." }),
};

export const getObjectAcl = providerFunction({
  area,
  name: "getObjectAcl",
  description: "Who may read an object.",
  args: named,
  result: aclFields,
  async call({ args, service }) {
    const path = `${bucketPath(args.cluster, args.bucket)}/object-acl?name=${encodeURIComponent(args.name ?? "")}`;
    const read = service.getFresh(path);
    return objectFromWire(aclFields, await existing(`object "${args.name}" in ${bucketAt(args)}`, read));
  },
});

const urlFields = {
  url: text({ description: "Whoever has it may send the request, without a key.", secret: true }),
  exists: flag({ description: "True when the object exists now." }),
};

export const getObjectUrl = providerFunction({
  area,
  name: "getObjectUrl",
  description: "A new pre-signed URL for one object, which need not exist. Each call answers another one.",
  args: {
    ...named,
    method: optional(
      choice(["GET", "HEAD", "PUT", "DELETE"], {
        typeName: "UrlMethod",
        description: "What the URL is good for; `PUT` uploads. Default: `GET`.",
        default: "GET",
      }),
    ),
    contentType: optional(
      text({
        description:
          "The Content-Type that the request must carry. Required for all methods but `GET` and `DELETE`.",
        minLength: 1,
      }),
    ),
    expiresIn: optional(
      integer({
        description: "Seconds that the URL is good for, 360 to 86400. Default: 3600.",
        minimum: 360,
        maximum: 86_400,
        default: 3600,
      }),
    ),
  },
  result: urlFields,
  check({ method, contentType }, refuse) {
    if ((method === "PUT" || method === "HEAD") && contentType === undefined)
      refuse("contentType", `is required for ${method}`);
  },
  async call({ args, service }) {
    const { name, method = "GET", contentType, expiresIn } = args;
    const request = { name, method, content_type: contentType, expires_in: expiresIn };
    const asked = signed(service, bucketPath(args.cluster, args.bucket), request);
    return objectFromWire(urlFields, await existing(bucketAt(args), asked));
  },
});

const certificateFields = { ssl: flag({ description: "True when a certificate was uploaded." }) };

export const getBucketCertificate = providerFunction({
  area,
  name: "getBucketCertificate",
  description: "Whether a bucket has a certificate of its own.",
  args: place,
  result: certificateFields,
  async call({ args, service }) {
    const read = service.getFresh(`${bucketPath(args.cluster, args.bucket)}/ssl`);
    return objectFromWire(certificateFields, await existing(bucketAt(args), read));
  },
});
