/** Key: an access key pair for the S3-compatible interface (contract section 2.6), and the functions that show keys. */

import { choice, flag, group, id, list, optional, text } from "../../core/field.ts";
import { providerFunction } from "../../core/function.ts";
import { resource } from "../../core/resource.ts";
import { isValueMap } from "../../core/value.ts";
import { viewFields, viewList, viewOf } from "../../core/view.ts";
import { existing, needsOne, theOnly } from "../find.ts";

/** What the service writes in place of a secret that it has shown already. */
const redacted = "[REDACTED]";

const area = "objectstorage";
const collection = "/object-storage/keys";

export const Key = resource({
  area,
  name: "Key",
  description:
    "An access key for Object Storage. Its secret is shown once: it is kept in the state, sealed, and an import does not have it. Import by its id or its label.",
  path: `${collection}/{keyNumber}`,
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

export const getKey = providerFunction({
  area,
  name: "getKey",
  description: "One Key, by its id or its label, without its secret.",
  args: {
    id: optional(id({ description: "Id of the Key.", reference: "objectstorage/key" })),
    label: optional(text({ description: "Label of the Key." })),
  },
  result: viewFields(Key),
  check: (args, refuse) => needsOne(args, "id", "label", refuse),
  async call({ args, service }) {
    if (args.id !== undefined)
      return viewOf(Key, await existing(`Key with id ${args.id}`, service.get(`${collection}/${args.id}`)));
    const found = (await service.list(collection)).filter((key) => key["label"] === args.label);
    return viewOf(Key, theOnly(found, `Key labelled "${args.label}"`));
  },
});

export const getKeys = providerFunction({
  area,
  name: "getKeys",
  description: "Every Key of the account, without their secrets.",
  args: {},
  result: { keys: viewList(Key, "The Keys, by id.") },
  async call({ service }) {
    return { keys: (await service.list(collection)).map((key) => viewOf(Key, key)) };
  },
});
