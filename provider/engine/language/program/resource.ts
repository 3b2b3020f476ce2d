/** Reads resource declarations: type, name, properties, `get` and options, each with its place; evaluates nothing. */

import { parseDuration } from "../../../core/duration.ts";
import { parsePath } from "../../../core/property-path.ts";
import type { Position } from "../../host.ts";
import type { Expression } from "../syntax/expression.ts";
import { parseExpression } from "../syntax/parse.ts";
import {
  isNothing,
  type Literal,
  readFlag,
  readLiteral,
  readLiterals,
  readRecord,
} from "../syntax/record.ts";
import type { Report } from "../syntax/report.ts";
import { describeNode, type MapEntry, type Node } from "../syntax/yaml.ts";

/** Properties by name, or one expression that comes to all of them. */
export type Properties =
  | { readonly kind: "map"; readonly entries: readonly PropertyEntry[]; readonly at?: Position }
  | { readonly kind: "expression"; readonly expression: Expression; readonly at: Position };

export interface PropertyEntry {
  readonly name: string;
  readonly value: Expression;
  readonly at: Position;
}

export interface AliasDeclaration {
  readonly at: Position;
  readonly urn?: Expression;
  readonly name?: Expression;
  readonly type?: Expression;
  readonly stack?: Expression;
  readonly project?: Expression;
  readonly parent?: Expression;
  readonly noParent?: Expression;
}

/** Options as declared. Texts are literal, as Pulumi wants them; the rest may refer to resources. */
export interface OptionDeclarations {
  readonly additionalSecretOutputs?: readonly string[];
  readonly aliases?: readonly AliasDeclaration[];
  /** Seconds. */
  readonly customTimeouts?: { readonly create?: number; readonly update?: number; readonly delete?: number };
  readonly deleteBeforeReplace?: boolean;
  readonly dependsOn?: Expression;
  readonly ignoreChanges?: readonly string[];
  readonly import?: string;
  readonly parent?: Expression;
  readonly protect?: Expression;
  readonly provider?: Expression;
  readonly providers?: Expression;
  readonly version?: string;
  readonly pluginDownloadURL?: string;
  readonly replaceOnChanges?: readonly string[];
  readonly retainOnDelete?: boolean;
  readonly replaceWith?: Expression;
  readonly deletedWith?: Expression;
  readonly hideDiffs?: readonly string[];
}

export interface ResourceDeclaration {
  readonly key: string;
  readonly at: Position;
  /** As written; undefined when it is missing (already reported). */
  readonly type?: Literal;
  readonly name: string;
  readonly isDefaultProvider: boolean;
  readonly properties: Properties;
  readonly options: OptionDeclarations;
  readonly get?: {
    readonly id?: Expression;
    readonly state: readonly PropertyEntry[];
    readonly at: Position;
  };
}

const optionNames = [
  "additionalSecretOutputs",
  "aliases",
  "customTimeouts",
  "deleteBeforeReplace",
  "dependsOn",
  "ignoreChanges",
  "import",
  "parent",
  "protect",
  "provider",
  "providers",
  "version",
  "pluginDownloadURL",
  "replaceOnChanges",
  "retainOnDelete",
  "replaceWith",
  "deletedWith",
  "hideDiffs",
] as const;

const keys = ["type", "name", "defaultProvider", "properties", "options", "get"] as const;

/** True for `properties:` with nothing under it. */
const hasBareProperties = (node: Node): boolean =>
  node.kind === "map" &&
  node.entries.some(({ key, value }) => key.value === "properties" && isNothing(value));

/** Reads one entry under `resources`. */
export function readResource(report: Report, entry: MapEntry): ResourceDeclaration {
  const key = entry.key.value;
  const at = entry.key.at;
  const what = `resource ${JSON.stringify(key)}`;
  const hint = (name: string) => {
    if (optionNames.some((option) => option.toLowerCase() === name.toLowerCase()))
      return ' - it belongs under "options"';
    return hasBareProperties(entry.value)
      ? ' - if it is a property, it belongs under "properties": indent it by two more'
      : undefined;
  };
  const fields = readRecord(report, entry.value, what, keys, hint);
  const type = readLiteral(report, fields.get("type"), `the type of ${what}`);
  if (!fields.has("type") && (entry.value.kind === "map" || isNothing(entry.value))) {
    report.error(at, `${what} needs a "type", for example plumbline:dns:Domain`);
  }
  const name = readLiteral(report, fields.get("name"), `the name of ${what}`)?.value || key;
  const getEntry = fields.get("get");
  const get = getEntry && readGet(report, getEntry, what);
  const properties = readProperties(report, fields.get("properties"));
  if (
    getEntry &&
    fields.has("properties") &&
    !(properties.kind === "map" && properties.entries.length === 0)
  ) {
    report.error(
      getEntry.key.at,
      `${what} has both "properties" and "get": properties declare an object, get reads one that exists`,
    );
  }
  const isDefaultProvider = readFlag(report, fields.get("defaultProvider"), '"defaultProvider"') ?? false;
  if (fields.has("defaultProvider") && type && !type.value.startsWith("pulumi:providers:")) {
    report.error(
      fields.get("defaultProvider")!.key.at,
      `${what} is no provider, so it cannot be the default one`,
    );
  }
  return {
    key,
    at,
    name,
    isDefaultProvider,
    properties,
    options: readOptions(report, fields.get("options"), what),
    ...(type === undefined ? {} : { type }),
    ...(get === undefined ? {} : { get }),
  };
}

function readProperties(report: Report, entry: MapEntry | undefined): Properties {
  if (entry === undefined) return { kind: "map", entries: [] };
  const node = entry.value;
  const call = node.kind === "map" && node.entries.some((e) => e.key.value.toLowerCase().startsWith("fn::"));
  if (node.kind === "map" && !call)
    return { kind: "map", entries: readEntries(report, node), at: entry.key.at };
  const expression = parseExpression(report, node);
  if (expression.kind === "list" || expression.kind === "literal") {
    report.error(
      node.at,
      `"properties" must be an object, or an expression that comes to one, and this is ${describeNode(node)}`,
    );
    return { kind: "map", entries: [], at: entry.key.at };
  }
  return { kind: "expression", expression, at: entry.key.at };
}

function readEntries(report: Report, node: Node): readonly PropertyEntry[] {
  if (node.kind !== "map") return [];
  return node.entries.map((entry) => ({
    name: entry.key.value,
    value: parseExpression(report, entry.value),
    at: entry.key.at,
  }));
}

function readGet(report: Report, entry: MapEntry, what: string): NonNullable<ResourceDeclaration["get"]> {
  const fields = readRecord(report, entry.value, `"get" of ${what}`, ["id", "state"]);
  const id = fields.get("id");
  const state = fields.get("state");
  if (id === undefined) report.error(entry.key.at, `"get" of ${what} needs an "id": the object to read`);
  if (state && state.value.kind !== "map")
    report.error(state.value.at, `"state" must be an object, and this is ${describeNode(state.value)}`);
  return {
    at: entry.key.at,
    state: state ? readEntries(report, state.value) : [],
    ...(id === undefined ? {} : { id: parseExpression(report, id.value) }),
  };
}

function readOptions(report: Report, entry: MapEntry | undefined, what: string): OptionDeclarations {
  if (entry === undefined) return {};
  const isProperty =
    entry.value.kind === "map"
      ? (name: string) => (name === "envVarMappings" ? " - environments of plugins are Pulumi's" : undefined)
      : undefined;
  const fields = readRecord(report, entry.value, `the options of ${what}`, optionNames, isProperty);
  const options: { [name: string]: unknown } = {};
  for (const [name, field] of fields) {
    const value = readOption(report, name as (typeof optionNames)[number], field);
    if (value !== undefined) options[name] = value;
  }
  return options as OptionDeclarations;
}

function readOption(report: Report, name: (typeof optionNames)[number], field: MapEntry): unknown {
  switch (name) {
    case "ignoreChanges":
    case "replaceOnChanges":
    case "hideDiffs":
      return readPaths(report, field, name);
    case "additionalSecretOutputs":
      return readLiterals(report, field, `"${name}"`)?.map((text) => text.value);
    case "deleteBeforeReplace":
    case "retainOnDelete":
      return readFlag(report, field, `"${name}"`);
    case "import":
    case "version":
    case "pluginDownloadURL":
      return readLiteral(report, field, `"${name}"`)?.value;
    case "customTimeouts":
      return readTimeouts(report, field);
    case "aliases":
      return readAliases(report, field);
    default:
      return parseExpression(report, field.value);
  }
}

function readPaths(report: Report, field: MapEntry, name: string): readonly string[] | undefined {
  const texts = readLiterals(report, field, `"${name}"`);
  if (texts === undefined) return undefined;
  return texts.flatMap((text) => {
    try {
      parsePath(text.value);
      return [text.value];
    } catch (error) {
      report.error(text.at, (error as Error).message);
      return [];
    }
  });
}

function readTimeouts(report: Report, field: MapEntry): OptionDeclarations["customTimeouts"] {
  const fields = readRecord(report, field.value, '"customTimeouts"', ["create", "update", "delete"]);
  const timeouts: { [name: string]: number } = {};
  for (const [name, entry] of fields) {
    const text = readLiteral(report, entry, `the ${name} timeout`);
    if (text === undefined) continue;
    const seconds = parseDuration(text.value);
    if (seconds === undefined)
      report.error(text.at, `${JSON.stringify(text.value)} is no duration: write it like 90s, 10m or 1h30m`);
    else timeouts[name] = seconds;
  }
  return timeouts;
}

function readAliases(report: Report, field: MapEntry): readonly AliasDeclaration[] | undefined {
  if (field.value.kind !== "list") {
    report.error(field.value.at, `"aliases" must be a list, and this is ${describeNode(field.value)}`);
    return undefined;
  }
  return field.value.items.map((item) => {
    if (item.kind !== "map") return { at: item.at, urn: parseExpression(report, item) };
    const names = ["urn", "name", "type", "stack", "project", "parent", "noParent"];
    const fields = readRecord(report, item, "an alias", names);
    if (fields.has("parent") && fields.has("noParent")) {
      report.error(fields.get("noParent")!.key.at, 'an alias has "parent" or "noParent", not both');
    }
    if (fields.has("urn") && fields.size > 1)
      report.error(fields.get("urn")!.key.at, 'an alias with a "urn" has nothing else');
    const parts = [...fields].map(([name, entry]) => [name, parseExpression(report, entry.value)]);
    return { at: item.at, ...Object.fromEntries(parts) } as AliasDeclaration;
  });
}
