/** ObjectAcl: who may read one object (contract section 2.6). Every object has one. */

import { choice, text } from "../../core/type/field.ts";
import { resource } from "../../core/type/resource.ts";
import { accessLists } from "./bucket.ts";
import { bucketPath } from "./paths.ts";
import { bucket, cluster, name, nameProblem } from "./place.ts";

const pathOf = (place: { cluster?: string; bucket?: string }) =>
  `${bucketPath(place.cluster, place.bucket)}/object-acl`;

export const ObjectAcl = resource({
  area: "objectstorage",
  name: "ObjectAcl",
  description:
    "Who may use an object beside the account's keys. Every object has an access list: creating takes it over, deleting makes the object private. Import by `CLUSTER/BUCKET/NAME`.",
  path: "/object-storage/buckets/{cluster}/{bucket}/object-acl?name={name}",
  parents: ["objectstorage/bucket"],
  phrase: ["{bucket}/{name}", "{acl}"],
  nameFormat: "CLUSTER/BUCKET/NAME",
  takesOver: true,
  inputs: {
    cluster,
    bucket,
    name,
    acl: choice(accessLists, { description: "Who may use it.", typeName: "CannedAcl" }),
  },
  outputs: {
    aclXml: text({ description: "The whole access list, as storage has it.", movedBy: ["acl"] }),
  },
  check({ values, refuse }) {
    const problem = values.name === undefined ? undefined : nameProblem(values.name);
    if (problem !== undefined) refuse("name", problem);
  },
  list: { none: true },
  leftOut:
    "access lists of objects belong to whoever stores the objects: import those that a stack is to own one by one",
  aspects: [
    {
      name: "acl",
      fields: ["acl"],
      async sync({ service, inputs }) {
        await service.put(pathOf(inputs), { name: inputs.name, acl: inputs.acl });
        return undefined; // some services answer the list, some nothing
      },
    },
  ],
  delete: ({ service, inputs }) => service.put(pathOf(inputs), { name: inputs.name, acl: "private" }),
});
