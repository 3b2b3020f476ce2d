/** Bucket: holds objects in one cluster (contract section 2.6). */

import { isAnswerLost } from "../../core/service-port.ts";
import { choice, flag, integer, optional, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { judgeOffer } from "../offers.ts";
import { cluster, label } from "./label.ts";
import { empty, pagesOf } from "./objects.ts";

/** Access lists that can be set; `custom` can only be answered. */
export const accessLists = ["private", "public-read", "authenticated-read", "public-read-write"] as const;

/** What the access settings are when nobody set them. */
const unset: { readonly [name: string]: unknown } = { acl: "private", corsEnabled: false };

/** How often an access change is sent whose answer is lost each time; a second one changes nothing more. */
const attempts = 3;

export const Bucket = resource({
  area: "objectstorage",
  name: "Bucket",
  description:
    "A bucket for objects. Its `acl` and `corsEnabled` are never answered by the service: changes of them from outside are not seen, and an import leaves them unset. Import by `CLUSTER/LABEL`.",
  path: "/object-storage/buckets/{cluster}/{label}",
  collection: "/object-storage/buckets",
  phrase: ["{label}", "{cluster}", "{acl}"],
  nameFormat: "CLUSTER/LABEL",
  inputs: {
    cluster,
    label,
    acl: optional(
      choice(accessLists, {
        typeName: "CannedAcl",
        description:
          "Who may use the bucket beside the account's keys. `private` when it was never set, and again when it is taken out.",
        writeOnly: true,
        default: null,
      }),
    ),
    corsEnabled: optional(
      flag({
        description:
          "True lets pages of all origins use the bucket. False when it was never set, and again when it is taken out.",
        writeOnly: true,
        default: null,
      }),
    ),
    forceDestroy: optional(
      flag({
        description:
          "True deletes all objects of the bucket before the bucket itself is deleted; otherwise a bucket with objects cannot be deleted. Apply it before the delete.",
        local: true,
        default: false,
      }),
    ),
  },
  outputs: {
    hostname: text({ description: "Host name under which it is reached." }),
    created: text({ description: "When it was made (UTC)." }),
    size: integer({ description: "Bytes of all its objects, when it was last read." }),
    objects: integer({ description: "How many objects it held when it was last read." }),
  },
  lookup: async (context) => {
    if (context.creating)
      await judgeOffer("cluster", context.after.cluster, "/object-storage/clusters", context);
  },
  timeouts: { create: 600, update: 600, delete: 3600 },
  aspects: [
    {
      name: "access",
      fields: ["acl", "corsEnabled"],
      // A PUT resets what it does not name, so it is sent only where both settings are known: it then also sets right the one that was
      // changed unseen. An imported bucket may have one that nobody knows, which the POST leaves alone.
      async sync({ service, path, inputs, changed }) {
        const isKnown = (name: "acl" | "corsEnabled") =>
          changed.has(name) || (inputs[name] ?? undefined) !== undefined;
        const send = isKnown("acl") && isKnown("corsEnabled") ? service.put : service.post;
        const body = {
          ...(isKnown("acl") && { acl: inputs.acl ?? unset["acl"] }),
          ...(isKnown("corsEnabled") && { cors_enabled: inputs.corsEnabled ?? unset["corsEnabled"] }),
        };
        for (let round = 1; ; round++) {
          try {
            await send(`${path}/access`, body);
            return undefined;
          } catch (error) {
            if (!isAnswerLost(error) || round === attempts) throw error;
          }
        }
      },
    },
  ],
  lost: ({ forceDestroy }) => (forceDestroy === true ? "all objects in it" : undefined),
  async beforeDelete({ service, path, inputs, id, log }) {
    if (inputs.forceDestroy !== true) return;
    await empty(service, path, (deleted) =>
      log("info", `bucket ${id}: ${deleted} objects deleted`, { ephemeral: true }),
    );
  },
  async explainDelete({ service, path, id }) {
    for await (const page of pagesOf(service, path)) {
      if (page.length === 0) continue;
      return `bucket ${id} still holds objects ("${page[0]!["name"]}" is one): delete them, or set forceDestroy: true, apply, and delete the bucket then`;
    }
    return undefined;
  },
});
