/** JSON Schema of stack files, for editors: completion, hover text and early errors. Derived from types and functions. Pure. */

import type { TSchema } from "typebox";
import { shortToken } from "../token.ts";
import {
  annotations,
  type Fields,
  fieldsOf,
  isAssetField,
  isRequired,
  itemsOf,
  mapItemsOf,
} from "../type/field.ts";
import type { Offer } from "./catalogue.ts";
import { outwardSchema } from "./outward.ts";

type Json = { readonly [key: string]: unknown };

const expression = { $ref: "#/definitions/expression" };
const anything = {};
const words = { type: "array", items: { type: "string" } };
const describe = (description: string, schema: Json): Json => ({ description, ...schema });
const one = (description: string) => describe(description, { type: "string" });

const level = { enum: ["off", "advisory", "mandatory"] };
const policies: Json = {
  type: "object",
  additionalProperties: false,
  properties: {
    modules: describe("Files of JavaScript or TypeScript that export rules, and folders of them.", words),
    rules: describe("Policies by name (`plumbline policy ls`): a level, or settings.", {
      type: "object",
      additionalProperties: {
        anyOf: [
          level,
          {
            type: "object",
            properties: {
              level: describe("What a finding does; mandatory when left out.", level),
              stacks: describe("Names of the stacks that it is for, with `*`; all when left out.", words),
              except: describe("Names or URNs of resources that it leaves alone, with `*` and `**`.", words),
              allow: describe("True: `--allow NAME` lets it pass.", { type: "boolean" }),
            },
          },
        ],
      },
    }),
  },
};

export function stackSchemaOf(offer: Offer): object {
  const types = [...offer.resources.values()];
  const spellings = (token: string) => [shortToken(token), token];
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Plumbline stack file",
    description: "A Pulumi YAML project (Pulumi.yaml) with Plumbline's resources.",
    type: "object",
    required: ["name", "runtime"],
    properties: {
      name: one("Name of the project."),
      runtime: describe("How the file is run: yaml.", {
        anyOf: [
          { const: "yaml" },
          { type: "object", required: ["name"], properties: { name: { const: "yaml" } } },
        ],
      }),
      description: one("What the project is for."),
      namespace: one("Namespace of the project."),
      config: describe("Settings of the stack, with types and defaults.", {
        type: "object",
        additionalProperties: { $ref: "#/definitions/setting" },
      }),
      variables: describe("Values that resources and outputs share.", {
        type: "object",
        additionalProperties: anything,
      }),
      resources: describe("What is to exist.", {
        type: "object",
        additionalProperties: { $ref: "#/definitions/resource" },
      }),
      outputs: describe("What the stack tells.", { type: "object", additionalProperties: anything }),
      options: describe("Options of the project.", { type: "object" }),
      prices: one("File with prices of what the service tells none of, for preview --cost."),
      policies: describe("Rules that the stack's runs are held to.", policies),
      packages: describe("Packages that the project uses.", { type: "object" }),
      plugins: describe("Where plugins are found.", { type: "object" }),
      pulumi: describe("Demands on the engine.", { type: "object" }),
      backend: describe("Where state is kept.", {
        type: "object",
        properties: {
          url: describe("Its address; a path is relative to this file. Without a password.", {
            type: "string",
          }),
        },
      }),
      template: describe("What a template of the project says.", { type: "object" }),
      components: describe("Components, for Pulumi's engine only.", { type: "object" }),
    },
    definitions: {
      expression: {
        anyOf: [
          { type: "string", pattern: "\\$\\{" },
          {
            type: "object",
            minProperties: 1,
            patternProperties: { "^[Ff][Nn]::": anything },
            additionalProperties: false,
          },
        ],
      },
      asset: {
        type: "object",
        minProperties: 1,
        properties: {
          "fn::fileAsset": one("Path of the file, from the folder of this stack file."),
          "fn::stringAsset": one("The content itself."),
          "fn::remoteAsset": one(
            "Where the content is read: an address that starts with https:, http: or file:.",
          ),
        },
        additionalProperties: false,
      },
      setting: {
        anyOf: [
          {
            type: "object",
            properties: {
              type: one("string, integer, number, boolean, array, array<…> or object."),
              default: describe("Value when none is set.", anything),
              value: describe("Value of every stack.", anything),
              secret: describe("True keeps it encrypted and never shows it.", { type: "boolean" }),
              items: describe("What an array holds.", { type: "object" }),
              description: one("What it is for."),
            },
          },
          { type: ["string", "number", "boolean", "array"] },
        ],
      },
      options: resourceOptions,
      resource: {
        type: "object",
        required: ["type"],
        properties: {
          type: describe("Type of the resource.", {
            anyOf: [{ enum: types.map(({ token }) => shortToken(token)) }, { type: "string" }],
          }),
          name: one("Name of the resource; default: its key."),
          defaultProvider: describe("True makes it the provider of its package's resources.", {
            type: "boolean",
          }),
          properties: describe("What it is to be.", { anyOf: [{ type: "object" }, expression] }),
          options: { $ref: "#/definitions/options" },
          get: describe("Reads an existing object instead of managing one.", {
            type: "object",
            required: ["id"],
            properties: { id: one("Id of the object."), state: { type: "object" } },
            additionalProperties: false,
          }),
        },
        additionalProperties: false,
        allOf: types.map(({ token }) => ({
          if: { required: ["type"], properties: { type: { enum: spellings(token) } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
          then: {
            properties: {
              properties: { anyOf: [{ $ref: `#/definitions/${shortToken(token)}` }, expression] },
            },
          },
        })),
      },
      ...Object.fromEntries(
        types.map(({ token, description, inputs }) => [
          shortToken(token),
          describe(description, { type: "object", ...members(inputs) }),
        ]),
      ),
    },
  };
}

function members(fields: Fields): Json {
  return {
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valueSchema(field)])),
    required: Object.keys(fields).filter((name) => isRequired(fields[name]!)),
    additionalProperties: false,
  };
}

/** A field's value, or an expression in its place, at every depth. */
function valueSchema(field: TSchema): Json {
  const { description, type, reference, default: fallback } = annotations(field);
  const fields = fieldsOf(field);
  const items = itemsOf(field);
  const every = mapItemsOf(field);
  let own: Json = outwardSchema(field);
  if (fields) own = { type: "object", ...members(fields) };
  else if (items) own = { ...own, items: valueSchema(items) };
  else if (every) own = { type: "object", additionalProperties: valueSchema(every) };
  const { description: _, default: __, ...schema } = own;
  if (isAssetField(field)) return { description, anyOf: [{ $ref: "#/definitions/asset" }, expression] };
  if (type === undefined) return { description };
  const literal = reference === undefined ? schema : { type: ["string", "integer"] };
  return {
    description,
    anyOf: [literal, expression],
    ...(fallback !== undefined && fallback !== null && !Array.isArray(fallback) && { default: fallback }),
  };
}

const resourceOptions: Json = {
  type: "object",
  additionalProperties: false,
  properties: {
    additionalSecretOutputs: describe("Outputs to keep encrypted.", words),
    aliases: describe("Other names that it had.", { type: "array" }),
    customTimeouts: describe("How long each operation may take (10m).", {
      type: "object",
      properties: { create: { type: "string" }, update: { type: "string" }, delete: { type: "string" } },
      additionalProperties: false,
    }),
    deleteBeforeReplace: describe("Deletes the old object before its replacement is made.", {
      type: "boolean",
    }),
    dependsOn: describe("Resources that must exist first.", { anyOf: [{ type: "array" }, expression] }),
    ignoreChanges: describe("Properties whose changes are left alone.", words),
    import: one("Id of an existing object to adopt."),
    parent: describe("Resource that it belongs to.", expression),
    protect: describe("Refuses to delete it.", { anyOf: [{ type: "boolean" }, expression] }),
    provider: describe("Explicit provider.", expression),
    providers: describe("Explicit providers of its children.", {}),
    version: one("Version of the plugin."),
    pluginDownloadURL: one("Where the plugin is downloaded."),
    replaceOnChanges: describe("Properties whose change replaces it.", words),
    retainOnDelete: describe("Leaves the object when the resource is deleted.", { type: "boolean" }),
    replaceWith: describe("Resources that it is replaced with.", { anyOf: [{ type: "array" }, expression] }),
    deletedWith: describe("Resource whose deletion deletes it too.", expression),
    hideDiffs: describe("Properties whose changes are not shown.", words),
  },
};
