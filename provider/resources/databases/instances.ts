/** The two types of managed databases, and the functions that show them (contract section 4.3). */

import { type Fields, id, optional, text } from "../../core/field.ts";
import { type FunctionType, providerFunction } from "../../core/function.ts";
import type { ResourceType } from "../../core/resource.ts";
import { viewFields, viewList, viewOf } from "../../core/view.ts";
import { existing, needsOne, theOnly } from "../find.ts";
import { instanceOf } from "./instance.ts";
import { type Kind, mysql, postgresql } from "./kinds.ts";

export const MySqlInstance = instanceOf(mysql);
export const PostgreSqlInstance = instanceOf(postgresql);

const listName = (type: ResourceType) => `${type.name.charAt(0).toLowerCase()}${type.name.slice(1)}s`;

function single(kind: Kind, type: ResourceType): FunctionType {
  return providerFunction({
    area: "databases",
    name: `get${type.name}`,
    description: `One managed ${kind.title} database, by its id or its label.`,
    args: {
      id: optional(id({ description: "Id of the database.", reference: type.key })),
      label: optional(text({ description: "Label of the database." })),
    },
    result: viewFields(type) as Fields,
    check: (args, refuse) => needsOne(args, "id", "label", refuse),
    async call({ args, service }) {
      if (args.id !== undefined) {
        const read = service.get(`${type.collection}/${args.id}`);
        return viewOf(type, await existing(`${type.name} with id ${args.id}`, read));
      }
      const found = (await service.list(type.collection)).filter(({ label }) => label === args.label);
      return viewOf(type, theOnly(found, `${type.name} labelled "${args.label}"`));
    },
  });
}

function all(kind: Kind, type: ResourceType): FunctionType {
  return providerFunction({
    area: "databases",
    name: `get${type.name}s`,
    description: `Every managed ${kind.title} database of the account that the arguments match.`,
    args: { region: optional(text({ description: "Only databases of this region." })) },
    result: { [listName(type)]: viewList(type, "The databases, by id.") } as Fields,
    async call({ args, service }) {
      const found = (await service.list(type.collection)).filter(
        ({ region }) => args.region === undefined || region === args.region,
      );
      return { [listName(type)]: found.map((database) => viewOf(type, database)) };
    },
  });
}

export const getMySqlInstance = single(mysql, MySqlInstance);
export const getMySqlInstances = all(mysql, MySqlInstance);
export const getPostgreSqlInstance = single(postgresql, PostgreSqlInstance);
export const getPostgreSqlInstances = all(postgresql, PostgreSqlInstance);
