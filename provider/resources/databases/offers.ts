/** Functions that show what databases can be made of: engines and node types (contract section 4.3). */

import { choice, flag, group, integer, list, number, optional, text } from "../../core/type/field.ts";
import { getAll, getOne } from "../../core/type/getter.ts";
import { kindNames } from "./kinds.ts";

const engineFields = {
  id: text({ description: "Kind and version: what a database's `engine` is (`mysql/8.0.30`)." }),
  engine: text({ description: "Kind of database." }),
  version: text({ description: "Version." }),
};

const engine = {
  area: "databases",
  name: "Engine",
  noun: "database engine",
  item: group(engineFields, { description: "An engine.", typeName: "Engine" }),
  collection: "/databases/engines",
};

export const getEngine = getOne(engine, {
  id: { id: text({ description: "Kind and version (`mysql/8.0.30`).", minLength: 1 }) },
});

export const getEngines = getAll(engine, {
  description: "Every database engine that the service offers.",
  filters: {
    kind: choice(kindNames, {
      description: "Only engines of this kind.",
      wireName: "engine",
      typeName: "DatabaseKind",
    }),
  },
  says: "The engines.",
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

const typeFields = {
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

const type = {
  area: "databases",
  name: "Type",
  noun: "database type",
  item: group(typeFields, { description: "A node type.", typeName: "NodeType" }),
  collection: "/databases/types",
};

export const getType = getOne(type, {
  description: "One node type.",
  id: { id: text({ description: "Id of the type (`g6-standard-1`).", minLength: 1 }) },
});

export const getTypes = getAll(type, {
  description: "Every node type that databases can have.",
  filters: { class: text({ description: "Only types of this class (`dedicated`)." }) },
  says: "The types.",
});
