/** Functions that show what databases can be made of: engines and node types (contract section 4.3). */

import { choice, flag, group, integer, list, number, optional, text } from "../../core/field.ts";
import { providerFunction } from "../../core/function.ts";
import { objectFromWire } from "../../core/wire.ts";
import { existing } from "../find.ts";
import { kindNames } from "./kinds.ts";

const engine = {
  id: text({ description: "Kind and version: what a database's `engine` is (`mysql/8.0.30`)." }),
  engine: text({ description: "Kind of database." }),
  version: text({ description: "Version." }),
};

export const getEngines = providerFunction({
  area: "databases",
  name: "getEngines",
  description: "Every database engine that the service offers.",
  args: { kind: optional(choice(kindNames, { description: "Only engines of this kind." })) },
  result: {
    engines: list(group(engine, { description: "An engine.", typeName: "Engine" }), {
      description: "The engines.",
    }),
  },
  async call({ args, service }) {
    const found = await service.list("/databases/engines");
    return {
      engines: found
        .filter((one) => args.kind === undefined || one["engine"] === args.kind)
        .map((one) => objectFromWire(engine, one)),
    };
  },
});

export const getEngine = providerFunction({
  area: "databases",
  name: "getEngine",
  description: "One database engine.",
  args: { id: text({ description: "Kind and version (`mysql/8.0.30`).", minLength: 1 }) },
  result: engine,
  async call({ args, service }) {
    const read = service.get(`/databases/engines/${encodeURIComponent(args.id ?? "")}`);
    return objectFromWire(engine, await existing(`database engine ${args.id}`, read));
  },
});

const offer = list(
  group(
    {
      quantity: integer({ description: "Number of nodes; two cannot be ordered." }),
      price: group(
        {
          hourly: number({ description: "An hour, in US dollars." }),
          monthly: number({ description: "A month at most, in US dollars." }),
        },
        { description: "What they cost.", typeName: "Price" },
      ),
    },
    { description: "A number of nodes and its price.", typeName: "Offer" },
  ),
  { description: "Prices by number of nodes." },
);

const nodeType = {
  id: text({ description: "What a database's `type` is (`g6-standard-1`)." }),
  label: text({ description: "Name for people." }),
  class: text({ description: "`nanode`, `standard` or `dedicated`." }),
  memory: integer({ description: "Memory of a node in MB." }),
  disk: integer({ description: "Disk of a node in MB." }),
  vcpus: integer({ description: "Processors of a node." }),
  deprecated: optional(flag({ description: "True when it should not be used any more." })),
  engines: group(
    { mysql: optional(offer), postgresql: optional(offer) },
    { description: "Prices by kind of database.", typeName: "Prices" },
  ),
};

export const getTypes = providerFunction({
  area: "databases",
  name: "getTypes",
  description: "Every node type that databases can have.",
  args: { class: optional(text({ description: "Only types of this class (`dedicated`)." })) },
  result: {
    types: list(group(nodeType, { description: "A node type.", typeName: "NodeType" }), {
      description: "The types.",
    }),
  },
  async call({ args, service }) {
    const found = await service.list("/databases/types");
    return {
      types: found
        .filter((one) => args.class === undefined || one["class"] === args.class)
        .map((one) => objectFromWire(nodeType, one)),
    };
  },
});

export const getType = providerFunction({
  area: "databases",
  name: "getType",
  description: "One node type.",
  args: { id: text({ description: "Id of the type (`g6-standard-1`).", minLength: 1 }) },
  result: nodeType,
  async call({ args, service }) {
    const read = service.get(`/databases/types/${encodeURIComponent(args.id ?? "")}`);
    return objectFromWire(nodeType, await existing(`database type ${args.id}`, read));
  },
});
