/** Object: one content in a bucket, stored and deleted by pre-signed URLs (contract section 2.6). */

import type { WireObject } from "../../core/service-port.ts";
import { asset, integer, optional, text } from "../../core/type/field.ts";
import { type ActionContext, type ObjectContext, resource } from "../../core/type/resource.ts";
import { contentTypeOf } from "./content-type.ts";
import { deleteObject, uploadObject } from "./objects.ts";
import { bucketPath } from "./paths.ts";
import { bucket, cluster, name, nameProblem } from "./place.ts";

const contents = ["content", "source", "contentType"] as const;

const inputs = {
  cluster,
  bucket,
  name,
  content: optional(
    text({
      description:
        "The content, as text. Give this or `source`. Taken out, or left out of an imported object, the content stays as it is.",
      writeOnly: true,
      large: true,
      computed: true,
      emptyCounts: true,
      witness: "etag",
    }),
  ),
  source: optional(
    asset({
      description: "The content, as a file, a text or what is at an address. Give this or `content`.",
      computed: true,
      witness: "etag",
    }),
  ),
  contentType: optional(
    text({
      description:
        "What the content is (`text/html; charset=utf-8`). Left out, it follows from the extension of the name; with no known extension it is plain text for `content`, and `application/octet-stream` for `source`.",
      minLength: 1,
      writeOnly: true,
      default: null,
      rules: [{ pattern: "^[\\x21-\\x7e]+( [\\x21-\\x7e]+)*$", says: "must be printable ASCII" }],
    }),
  ),
};

type Context = Pick<ActionContext<typeof inputs>, "service" | "inputs" | "bytesOf">;

async function upload({ service, inputs, bytesOf }: Context): Promise<void> {
  const { cluster, bucket, name = "", content, source, contentType } = inputs;
  if (content === undefined && source === undefined)
    throw new Error(`object "${name}" has neither content nor source, so there is nothing to store`);
  await uploadObject(service, bucketPath(cluster, bucket), {
    name,
    contentType: contentType ?? contentTypeOf(name, source === undefined),
    body: source === undefined ? new TextEncoder().encode(content) : await bytesOf(source),
  });
}

/** Key of the note of the access list that an upload is about to reset. */
const listBefore = "access list";

/** Stores it anew and gives it the access list that it had, as storage makes it private; a run that is cut off in between leaves that to the next. */
async function replaceContent(context: ObjectContext<typeof inputs>): Promise<void> {
  const { service, inputs, log, id, notes } = context;
  const path = `${bucketPath(inputs.cluster, inputs.bucket)}/object-acl`;
  const { acl: found } = await service.getFresh(`${path}?name=${encodeURIComponent(inputs.name ?? "")}`);
  // A list that is not private was set since.
  const noted = notes.get(listBefore);
  const acl = found === "private" ? (noted ?? found) : found;
  if (acl !== "private" && acl !== noted) await notes.set(listBefore, String(acl));
  await upload(context);
  if (acl === "custom")
    log("warning", `object ${id} had an access list of its own making and is private now`);
  else if (acl !== "private") await service.put(path, { name: inputs.name, acl });
  if (notes.get(listBefore) !== undefined) await notes.set(listBefore, undefined);
}

export const StoredObject = resource({
  area: "objectstorage",
  name: "Object",
  description:
    "One object of a bucket. Changes of its content are made in place and keep its access list; a content that was changed from outside is stored again. Import by `CLUSTER/BUCKET/NAME`, which leaves the content as it is. In TypeScript its class is `BucketObject`.",
  path: "/object-storage/buckets/{cluster}/{bucket}/object-list?prefix={name}",
  parents: ["objectstorage/bucket"],
  phrase: ["{bucket}/{name}"],
  nameFormat: "CLUSTER/BUCKET/NAME",
  inputs,
  outputs: {
    size: integer({ description: "Bytes.", movedBy: contents }),
    etag: text({ description: "MD5 of the content, hexadecimal.", movedBy: contents }),
    lastModified: text({ description: "When it was last stored (UTC).", movedBy: contents }),
  },
  demands: [
    {
      when: { content: "given" },
      ...{ input: "source", is: "absent", says: "cannot be combined with content; give one of them" },
    },
    {
      when: { content: "absent", source: "absent" },
      input: "contentType",
      is: "absent",
      says: "needs content or source: the object is stored anew with it",
    },
  ],
  check({ values, declares, isNew, refuse }) {
    if (isNew && !contents.some(declares)) refuse("content", "is required, or source in its place");
    const problem = values.name === undefined ? undefined : nameProblem(values.name);
    if (problem !== undefined) refuse("name", problem);
  },
  async fetch({ path, parameters, get }) {
    const { data } = (await get(path)) as { data: readonly WireObject[] };
    return data.find((object) => object["name"] === parameters["name"]);
  },
  list: { none: true },
  leftOut: "what a bucket holds is data: import the objects that a stack is to own one by one",
  create: upload,
  // What is declared can be stored again.
  lost: ({ content, source }) => (content === undefined && source === undefined ? "its contents" : undefined),
  aspects: [
    {
      name: "content",
      fields: contents,
      async sync(context) {
        await replaceContent(context);
        return undefined;
      },
    },
  ],
  delete: ({ service, inputs }) =>
    deleteObject(service, bucketPath(inputs.cluster, inputs.bucket), inputs.name ?? ""),
});
