/** Key: an access key pair for the S3-compatible interface (contract section 2.6), and the functions that show keys. */

import { choice, flag, group, list, optional, text } from "../../core/type/field.ts";
import { getAll, getOne, shown } from "../../core/type/getter.ts";
import { resource } from "../../core/type/resource.ts";
import { isValueMap } from "../../core/value.ts";

/** What the service writes in place of a secret that it has shown already. */
const redacted = "[REDACTED]";

export const Key = resource({
  area: "objectstorage",
  name: "Key",
  description:
    "An access key for Object Storage. Its secret is shown once: it is kept in the state, sealed, and an import does not have it. Import by its id or its label.",
  path: "/object-storage/keys/{keyNumber}",
  phrase: ["{label}"],
  nameFormat: "LABEL",
  indistinct: true,
  inputs: {
    label: optional(
      text({
        description: "For display. Named automatically when left out.",
        minLength: 1,
        adoptKey: true,
        naming: { maxLength: 50, allowed: "A-Za-z0-9_-" },
      }),
    ),
    bucketAccess: optional(
      list(
        group(
          {
            cluster: text({ description: "Cluster of the bucket.", minLength: 1 }),
            bucketName: text({ description: "Label of the bucket.", minLength: 1 }),
            permissions: choice(["read_only", "read_write"], { description: "What the key may do there." }),
          },
          { description: "What the key may do in one bucket.", typeName: "KeyBucketAccess" },
        ),
        {
          description:
            "Buckets that the key may use. Left out: all of the account. Empty: none, though it may list buckets and make new ones. A change replaces the key: the new one is made before the old one is revoked.",
          immutable: true,
          emptyCounts: true,
          normal: "set",
        },
      ),
    ),
  },
  outputs: {
    accessKey: text({ description: "The public half.", secret: true }),
    secretKey: optional(
      text({ description: "The secret half; absent after an import.", secret: true, shownOnce: true }),
    ),
    limited: flag({ description: "True when it may use only the buckets of `bucketAccess`." }),
  },
  refers: ({ bucketAccess }) =>
    (Array.isArray(bucketAccess) ? bucketAccess : []).flatMap((entry, i) => {
      if (!isValueMap(entry)) return [];
      const { cluster, bucketName } = entry;
      const path = ["bucketAccess", i, "bucketName"];
      return [{ path, type: "objectstorage/bucket", id: `${cluster}/${bucketName}`, property: "label" }];
    }),
  asDeclared: (key) => (key["secret_key"] === redacted ? { ...key, secret_key: null } : key),
});

const key = shown(Key);

export const getKey = getOne(key, {
  description: "One Key, by its id or its label, without its secret.",
  by: { label: text({ description: "Label of the Key." }) },
});

export const getKeys = getAll(key, { description: "Every Key of the account, without their secrets." });
