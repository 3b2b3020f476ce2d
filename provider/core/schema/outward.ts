/** Fields as plain JSON Schema for the outside: our annotations left out, rules as patterns. Pure. */

import type { TSchema } from "typebox";
import type { PropertyInfo } from "../protocol.ts";
import {
  annotationKeywords,
  annotations,
  type Fields,
  fieldsOf,
  isRequired,
  itemsOf,
  mapItemsOf,
} from "../type/field.ts";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

const internal = new Set<string>([
  ...annotationKeywords,
  "rules",
  "properties",
  "items",
  "additionalProperties",
  "required",
]);

/** The JSON Schema of a field's value, in camelCase. An asset, which JSON does not know, is `{"asset": true}`. */
export function outwardSchema(field: TSchema): JsonSchema {
  const schema: { [keyword: string]: unknown } = Object.fromEntries(
    Object.entries(field).filter(([keyword, value]) => !internal.has(keyword) && value !== null),
  );
  const { rules } = annotations(field);
  if (rules?.length === 1) schema["pattern"] = rules[0]!.pattern;
  else if (rules?.length) schema["allOf"] = rules.map(({ pattern }) => ({ pattern }));
  const items = itemsOf(field);
  if (items) schema["items"] = outwardSchema(items);
  const every = mapItemsOf(field);
  if (every) schema["additionalProperties"] = outwardSchema(every);
  const fields = fieldsOf(field);
  if (fields) {
    schema["properties"] = Object.fromEntries(
      Object.entries(fields).map(([name, each]) => [name, outwardSchema(each)]),
    );
    schema["required"] = Object.keys(fields).filter((name) => isRequired(fields[name]!));
    schema["additionalProperties"] = false;
  }
  return schema;
}

/** What is known of each field from outside. */
export function propertyInfos(
  fields: Fields,
  required: (name: string) => boolean,
): { [name: string]: PropertyInfo } {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { description, secret } = annotations(field);
      return [
        name,
        { description, schema: outwardSchema(field), required: required(name), secret: secret === true },
      ];
    }),
  );
}
