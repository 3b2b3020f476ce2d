/** The Pulumi package schema, derived from types, functions and config. Pure. */

import type { TSchema } from "typebox";
import { packageName } from "../token.ts";
import {
  annotations,
  type Fields,
  fieldsOf,
  isAssetField,
  isRequired,
  itemsOf,
  mapItemsOf,
  wordsOf,
} from "../type/field.ts";
import type { FunctionType } from "../type/function.ts";
import type { ResourceType } from "../type/resource.ts";
import { withArticle } from "../wording.ts";
import { isAlwaysAnswered, type Offer, stateFields } from "./catalogue.ts";
import { introduction, languages } from "./introduction.ts";

type Json = { readonly [key: string]: unknown };

/** Named types that properties refer to, by token, as they are met. */
type Types = Map<string, Json>;

/** Whose property it is: gives nested types their tokens. */
interface Owner {
  readonly area: string;
  readonly name: string;
}

/** What a program declares may be one of some words and no other; what the service answers may one day be another word. */
type Side = "declared" | "answered";

export function packageSchemaOf(offer: Offer): object {
  const types: Types = new Map();
  const config = properties(offer.config, { area: "index", name: "Provider" }, "declared", types);
  const needed = required(offer.config, (name) => isRequired(offer.config[name]!));
  // What is declared comes first: an object that is answered too has the words of the declared one.
  const inputs = [...offer.resources.values()].map((type) => inputSpec(type, types));
  const args = [...offer.functions.values()].map((type) => sideOf(type, "args", types));
  const resources = [...offer.resources.values()].map((type, at) => [
    type.token,
    { ...outputSpec(type, types), ...inputs[at] },
  ]);
  const functions = [...offer.functions.values()].map((type, at) => [
    type.token,
    { description: type.description, inputs: args[at], outputs: sideOf(type, "result", types) },
  ]);
  return {
    ...introduction,
    config: { variables: config, defaults: Object.keys(config).filter((name) => !needed.includes(name)) },
    provider: {
      description: "Where the service is, and as whom to call it.",
      inputProperties: config,
      ...(needed.length > 0 && { requiredInputs: needed }),
    },
    types: Object.fromEntries([...types].sort(([one], [other]) => (one < other ? -1 : 1))),
    resources: Object.fromEntries(resources),
    functions: Object.fromEntries(functions),
    language: languages,
  };
}

function inputSpec(type: ResourceType, types: Types): Json {
  return {
    inputProperties: properties(type.inputs, type, "declared", types),
    requiredInputs: required(type.inputs, (name) => isRequired(type.inputs[name]!)),
  };
}

function outputSpec(type: ResourceType, types: Types): Json {
  const fields = stateFields(type);
  const state = properties(fields, type, "answered", types);
  return {
    description: type.description,
    properties: state,
    required: required(fields, (name) => isAlwaysAnswered(type, name)),
    stateInputs: {
      description: `State of ${withArticle(type.name)} to look up.`,
      type: "object",
      properties: state,
    },
  };
}

function sideOf(type: FunctionType, side: "args" | "result", types: Types): Json {
  const fields = type[side];
  const owner = { area: type.area, name: pascal(type.name) };
  return {
    type: "object",
    properties: properties(fields, owner, side === "args" ? "declared" : "answered", types),
    required: required(fields, (name) => isRequired(fields[name]!)),
  };
}

const required = (fields: Fields, isIt: (name: string) => boolean) => Object.keys(fields).filter(isIt);

function properties(fields: Fields, owner: Owner, side: Side, types: Types): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { description, secret, immutable } = annotations(field);
      const words = wordsOf(field);
      const oneOf = words ? ` One of ${words.map((word) => `\`${word}\``).join(", ")}.` : "";
      const property = {
        ...typeOf(field, owner, name, side, types),
        description: `${description}${oneOf}`,
        ...(secret && { secret }),
        ...(immutable && { willReplaceOnChanges: true }),
      };
      return [name, property];
    }),
  );
}

function typeOf(field: TSchema, owner: Owner, name: string, side: Side, types: Types): Json {
  if (isAssetField(field)) return { $ref: "pulumi.json#/Asset" };
  const fields = fieldsOf(field);
  if (fields) return { $ref: `#/types/${groupType(field, fields, owner, name, side, types)}` };
  const items = itemsOf(field);
  if (items) return { type: "array", items: typeOf(items, owner, name, side, types) };
  const every = mapItemsOf(field);
  if (every) return { type: "object", additionalProperties: typeOf(every, owner, name, side, types) };
  const words = wordsOf(field);
  if (words && side === "declared")
    return { type: "string", $ref: `#/types/${choiceType(field, words, owner, name, types)}` };
  const { type } = annotations(field);
  return type === undefined ? { $ref: "pulumi.json#/Any" } : { type };
}

/** Adds the type of a group, and returns its token. */
function groupType(
  field: TSchema,
  fields: Fields,
  owner: Owner,
  name: string,
  side: Side,
  types: Types,
): string {
  const { description } = annotations(field);
  const typeName = typeNameOf(field, owner, name);
  const token = tokenOf(owner, typeName);
  if (!types.has(token)) {
    types.set(token, {});
    types.set(token, {
      type: "object",
      description,
      properties: properties(fields, { area: owner.area, name: typeName }, side, types),
      required: required(fields, (each) => isRequired(fields[each]!)),
    });
  }
  return token;
}

/** Adds the type of a choice, and returns its token. */
function choiceType(
  field: TSchema,
  words: readonly string[],
  owner: Owner,
  name: string,
  types: Types,
): string {
  const token = tokenOf(owner, typeNameOf(field, owner, name));
  const values = words.map((value) => ({ name: valueName(value), value }));
  const known = types.get(token);
  if (known && JSON.stringify(known["enum"]) !== JSON.stringify(values))
    throw new Error(`${token} is the name of two types`);
  if (!known) types.set(token, { type: "string", description: annotations(field).description, enum: values });
  return token;
}

/** `PublicRead` for `public-read`; each language makes its own spelling of it. */
const valueName = (word: string) => word.split(/[-_]/).map(pascal).join("");

const typeNameOf = (field: TSchema, owner: Owner, name: string) =>
  annotations(field).typeName ?? `${owner.name}${pascal(name)}`;

const tokenOf = ({ area }: Owner, typeName: string) => `${packageName}:${area}/${typeName}:${typeName}`;

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
