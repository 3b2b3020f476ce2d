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
} from "../type/field.ts";
import type { FunctionType } from "../type/function.ts";
import type { ResourceType } from "../type/resource.ts";
import { version } from "../version.ts";
import { isAlwaysAnswered, type Offer, stateFields } from "./catalogue.ts";

type Json = { readonly [key: string]: unknown };

/** Named types that properties refer to, by token, as they are met. */
type Types = Map<string, Json>;

/** Whose property it is: gives nested types their tokens. */
interface Owner {
  readonly area: string;
  readonly name: string;
}

export function packageSchemaOf(offer: Offer): object {
  const types: Types = new Map();
  const resources = [...offer.resources.values()].map((type) => [type.token, resourceSpec(type, types)]);
  const functions = [...offer.functions.values()].map((type) => [type.token, functionSpec(type, types)]);
  const provider = { area: "index", name: "Provider" };
  const config = properties(offer.config, provider, types);
  const needed = required(offer.config, (name) => isRequired(offer.config[name]!));
  return {
    name: packageName,
    displayName: "Plumbline",
    version,
    description:
      "Domains, private networks, volumes and more of a cloud account, kept true to their declared state.",
    keywords: ["pulumi", "plumbline", "category/cloud", "kind/native"],
    license: "Apache-2.0",
    publisher: "Plumbline",
    meta: { moduleFormat: "(.*)(?:/[^/]*)" },
    config: { variables: config, defaults: Object.keys(config).filter((name) => !needed.includes(name)) },
    provider: {
      description: "Where the service is, and as whom to call it.",
      inputProperties: config,
      ...(needed.length > 0 && { requiredInputs: needed }),
    },
    types: Object.fromEntries([...types].sort(([one], [other]) => (one < other ? -1 : 1))),
    resources: Object.fromEntries(resources),
    functions: Object.fromEntries(functions),
    language: {
      nodejs: {
        packageName: "@plumbline/pulumi",
        packageDescription: "Plumbline's resources for Pulumi programs.",
        respectSchemaVersion: true,
        dependencies: { "@pulumi/pulumi": "^3.230.0" },
      },
      python: { packageName: "plumbline_pulumi", respectSchemaVersion: true, pyproject: { enabled: true } },
      go: { importBasePath: "plumbline/sdk/go/plumbline", respectSchemaVersion: true },
    },
  };
}

function resourceSpec(type: ResourceType, types: Types): Json {
  const fields = stateFields(type);
  const state = properties(fields, type, types);
  return {
    description: type.description,
    properties: state,
    required: required(fields, (name) => isAlwaysAnswered(type, name)),
    inputProperties: properties(type.inputs, type, types),
    requiredInputs: required(type.inputs, (name) => isRequired(type.inputs[name]!)),
    stateInputs: { description: `State of a ${type.name} to look up.`, type: "object", properties: state },
  };
}

function functionSpec(type: FunctionType, types: Types): Json {
  const side = (fields: Fields) => ({
    type: "object",
    properties: properties(fields, { area: type.area, name: pascal(type.name) }, types),
    required: required(fields, (name) => isRequired(fields[name]!)),
  });
  return { description: type.description, inputs: side(type.args), outputs: side(type.result) };
}

const required = (fields: Fields, isIt: (name: string) => boolean) => Object.keys(fields).filter(isIt);

function properties(fields: Fields, owner: Owner, types: Types): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { description, secret, immutable } = annotations(field);
      const words = (field as { enum?: readonly string[] }).enum;
      const oneOf = words ? ` One of ${words.map((word) => `\`${word}\``).join(", ")}.` : "";
      const property = {
        ...typeOf(field, owner, name, types),
        description: `${description}${oneOf}`,
        ...(secret && { secret }),
        ...(immutable && { willReplaceOnChanges: true }),
      };
      return [name, property];
    }),
  );
}

function typeOf(field: TSchema, owner: Owner, name: string, types: Types): Json {
  if (isAssetField(field)) return { $ref: "pulumi.json#/Asset" };
  const fields = fieldsOf(field);
  if (fields) return { $ref: `#/types/${nested(field, fields, owner, name, types)}` };
  const items = itemsOf(field);
  if (items) return { type: "array", items: typeOf(items, owner, name, types) };
  const every = mapItemsOf(field);
  if (every) return { type: "object", additionalProperties: typeOf(every, owner, name, types) };
  const { type } = annotations(field);
  return type === undefined ? { $ref: "pulumi.json#/Any" } : { type };
}

/** Adds the type of a group, and returns its token. */
function nested(field: TSchema, fields: Fields, owner: Owner, name: string, types: Types): string {
  const { description, typeName = `${owner.name}${pascal(name)}` } = annotations(field);
  const token = `${packageName}:${owner.area}/${typeName}:${typeName}`;
  if (!types.has(token)) {
    types.set(token, {});
    types.set(token, {
      type: "object",
      description,
      properties: properties(fields, { area: owner.area, name: typeName }, types),
      required: required(fields, (each) => isRequired(fields[each]!)),
    });
  }
  return token;
}

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
