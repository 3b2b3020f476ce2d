/** The two types of managed databases, and the functions that show them (contract section 4.3). */

import { id, text } from "../../core/type/field.ts";
import { getAll, getOne, shown } from "../../core/type/getter.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import { instanceOf } from "./instance.ts";
import { type Kind, mysql, postgresql } from "./kinds.ts";

export const MySqlInstance = instanceOf(mysql);
export const PostgreSqlInstance = instanceOf(postgresql);

const single = (kind: Kind, type: ResourceType) =>
  getOne(shown(type), {
    description: `One managed ${kind.title} database, by its id or its label.`,
    id: { id: id({ description: "Id of the database.", reference: type.key }) },
    by: { label: text({ description: "Label of the database." }) },
  });

const all = (kind: Kind, type: ResourceType) =>
  getAll(shown(type), {
    description: `Every managed ${kind.title} database of the account that the arguments match.`,
    filters: { region: text({ description: "Only databases of this region." }) },
    says: "The databases, by id.",
  });

export const getMySqlInstance = single(mysql, MySqlInstance);
export const getMySqlInstances = all(mysql, MySqlInstance);
export const getPostgreSqlInstance = single(postgresql, PostgreSqlInstance);
export const getPostgreSqlInstances = all(postgresql, PostgreSqlInstance);
