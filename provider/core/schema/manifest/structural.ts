/** Fields as the structural schemas that Kubernetes takes: RE2 patterns, rules in CEL with our own words. Pure. */

import type { TSchema } from "typebox";
import {
  annotations,
  type Fields,
  fieldsOf,
  isAssetField,
  isRequired,
  itemsOf,
  mapItemsOf,
  wordsOf,
} from "../../type/field.ts";
import { formats } from "../../type/formats.ts";
import { celOf, looksAhead, re2 } from "./cel.ts";
import { rulesWithin } from "./demands.ts";

export interface Json {
  readonly [keyword: string]: unknown;
}

const kept = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;

/** Characters of a text without a bound of its own: what CEL may cost is told by it. */
const usualLength = 4096;

/**
 * The schema of a field's value. `isRepeated`: it may be there many times, within a list or a map, where rules in CEL would cost more than a
 * cluster allows; then patterns stand for them.
 */
export function structural(field: TSchema, isRepeated = false): Json {
  const { description, type } = annotations(field);
  const said = description === undefined ? {} : { description };
  if (isAssetField(field)) return { ...said, ...content };
  const fields = fieldsOf(field);
  if (fields) {
    const rules = rulesWithin(field, fields);
    return {
      ...said,
      ...objectOf(fields, isRepeated),
      ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
    };
  }
  const items = itemsOf(field);
  if (items) return { ...said, ...bounds(field), type: "array", items: structural(items, true) };
  const every = mapItemsOf(field);
  if (every) return { ...said, type: "object", additionalProperties: structural(every, true) };
  if (type === undefined) return { ...said, "x-kubernetes-preserve-unknown-fields": true };
  const words = wordsOf(field);
  return {
    ...said,
    type,
    ...bounds(field),
    ...(words && { enum: [...words] }),
    ...rulesOf(field, isRepeated),
  };
}

/** The schema of a group, or of a whole spec. */
function objectOf(fields: Fields, isRepeated = false): Json {
  const required = Object.keys(fields).filter((name) => isRequired(fields[name]!));
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, structural(field, isRepeated)]),
    ),
    ...(required.length > 0 && { required }),
  };
}

/** What the service answers: shapes alone, since it may one day answer what nobody may declare. */
export function answered(field: TSchema): Json {
  const { description, type } = annotations(field);
  const said = description === undefined ? {} : { description };
  const fields = fieldsOf(field);
  if (fields) return { ...said, type: "object", properties: answeredOf(fields) };
  const items = itemsOf(field);
  if (items) return { ...said, type: "array", items: answered(items) };
  const every = mapItemsOf(field);
  if (every) return { ...said, type: "object", additionalProperties: answered(every) };
  return type === undefined ? { ...said, "x-kubernetes-preserve-unknown-fields": true } : { ...said, type };
}

/** The same of those that are no secret. */
export const answeredOf = (fields: Fields): Json =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => !annotations(field).secret && !isAssetField(field))
      .map(([name, field]) => [name, answered(field)]),
  );

function bounds(field: TSchema): Json {
  const given = field as { readonly [keyword: string]: unknown };
  // An empty text means none where that is the default.
  const names = given["default"] === "" ? kept.filter((name) => name !== "minLength") : kept;
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}

function rulesOf(field: TSchema, isRepeated: boolean): Json {
  const { type, default: usual } = annotations(field);
  const { maxLength = usualLength, format = "" } = field as { maxLength?: number; format?: string };
  const rules = [...(annotations(field).rules ?? []), ...(formats[format] ? [formats[format]] : [])];
  if (type !== "string" || rules.length === 0) return {};
  if (isRepeated) {
    const patterns = rules.flatMap(({ pattern }) => (looksAhead(pattern) ? [] : [{ pattern: re2(pattern) }]));
    return patterns.length > 1 ? { allOf: patterns } : (patterns[0] ?? {});
  }
  const cel = rules
    .map(celOf)
    .map((each) => (usual === "" ? { ...each, rule: `self == '' || (${each.rule})` } : each));
  return { maxLength, "x-kubernetes-validations": cel };
}

/** A file's content, in one of the places where Kubernetes keeps such. */
const keyRef = {
  type: "object",
  properties: { name: { type: "string", minLength: 1 }, key: { type: "string", minLength: 1 } },
  required: ["name", "key"],
} as const;

export const secretRef = keyRef;

const content: Json = {
  type: "object",
  properties: {
    text: { description: "The content itself.", type: "string" },
    configMapKeyRef: { description: "A key of a ConfigMap of this namespace, as text or binary.", ...keyRef },
    secretKeyRef: { description: "A key of a Secret of this namespace.", ...keyRef },
  },
  minProperties: 1,
  maxProperties: 1,
};
