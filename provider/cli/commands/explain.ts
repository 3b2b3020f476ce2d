/** The command `explain`: what a type, a function or one of its properties is, from what editors and SDKs are told; and what the code of an error means. Makes no request. */

import type { Command } from "commander";
import { type ErrorCode, errorCodes } from "../../core/error-code.ts";
import { didYouMean } from "../../core/nearest.ts";
import type { FunctionInfo, PropertyInfo, ResourceInfo } from "../../core/protocol.ts";
import { plainToken, shortToken } from "../../core/token.ts";
import { catalogue } from "../../provider.ts";
import { CommandError } from "../exit.ts";
import { helped } from "../help.ts";
import { print } from "../render/door.ts";
import { settingsOf } from "../settings.ts";

type Schema = { readonly [keyword: string]: unknown };

export function addExplainCommand(program: Command): void {
  helped(program.command("explain <type>"), {
    examples: {
      "explain dns:Record": "a type, with its properties",
      "explain Volume": "the same of another; the area may be left out where one alone is called so",
      "explain dns:Record.target": "one property, with its rules",
      "explain kubernetes:Cluster.nodePools.count": "what stands within it",
      "explain dns:getDomain": "a function",
      "explain PLB-LOCK": "what the code of an error means, and what to do",
    },
  })
    .description("what a type, a function, or TYPE.PROPERTY is, or what the code of an error means")
    .action((word: string, _flags, command: Command) => {
      const { json } = settingsOf(command);
      if (/^plb-/i.test(word)) return explainCode(word.toUpperCase(), json);
      const [name = "", ...path] = word.split(".");
      const found = named(name);
      const told = path.length === 0 ? found : propertyAt(found, name, path);
      if (json) print(JSON.stringify(told, null, 2));
      else for (const line of "token" in told ? typeLines(told) : propertyLines(word, told)) print(line);
    });
}

function explainCode(word: string, json: boolean): void {
  if (!Object.hasOwn(errorCodes, word))
    throw new CommandError(`there is no code ${word}${didYouMean(word, Object.keys(errorCodes))}`);
  const code = word as ErrorCode;
  const { title, advice } = errorCodes[code];
  if (json) print(JSON.stringify({ code, title, advice }, null, 2));
  else print(`${code}: ${title}\n\n${advice}\n\nMore: docs/guides/troubleshooting.md#${code.toLowerCase()}`);
}

/** With or without the package's name; without its area where one type or function alone is called so. */
function named(word: string): ResourceInfo | FunctionInfo {
  const token = word.startsWith("plumbline:") ? word : `plumbline:${word}`;
  const type = catalogue.resources.get(catalogue.resolveResource(token) ?? "");
  const found = type ?? catalogue.functions.get(catalogue.resolveFunction(token) ?? "");
  if (found) return found;
  const all = new Map(
    [...catalogue.resources.values(), ...catalogue.functions.values()].map((info) => [
      plainToken(info.token),
      info,
    ]),
  );
  const bare = word.toLowerCase();
  const alike = [...all.keys()].filter((name) => name.split(":").at(-1)?.toLowerCase() === bare);
  const [only, ...others] = alike;
  if (only !== undefined && others.length === 0) return all.get(only)!;
  const types = [...catalogue.resources.keys()].map((each) => plainToken(each));
  const advice =
    only === undefined
      ? didYouMean(token.replace(/^plumbline:/, ""), [...all.keys()]) ||
        `; the types are: ${types.join(", ")}`
      : `; there are ${alike.join(" and ")}`;
  throw new CommandError(`there is no type or function ${word}${advice}`);
}

function propertyAt(
  { inputs, outputs }: ResourceInfo | FunctionInfo,
  name: string,
  [first = "", ...rest]: readonly string[],
): PropertyInfo {
  const all: { readonly [name: string]: PropertyInfo } = { ...outputs, ...inputs };
  const property = all[first];
  if (!property)
    throw new CommandError(`${name} has no property ${first}${didYouMean(first, Object.keys(all))}`);
  let { schema } = property;
  let place = `${name}.${first}`;
  for (const step of rest) {
    const within = propertiesOf(schema);
    if (!within[step])
      throw new CommandError(`${place} has no property ${step}${didYouMean(step, Object.keys(within))}`);
    schema = within[step];
    place += `.${step}`;
  }
  return rest.length === 0
    ? property
    : { description: String(schema["description"] ?? ""), schema, required: false, secret: false };
}

/** The properties of an object, or of the items of a list or a map of objects. */
function propertiesOf(schema: Schema): { readonly [name: string]: Schema } {
  const inner = schema["items"] ?? schema["additionalProperties"];
  const own = schema["properties"] as { readonly [name: string]: Schema } | undefined;
  if (own) return own;
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as Schema[] | undefined;
  if (choices) return Object.assign({}, ...choices.map(propertiesOf));
  return typeof inner === "object" && inner !== null ? propertiesOf(inner as Schema) : {};
}

function kindOf(schema: Schema): string {
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as Schema[] | undefined;
  if (choices) return [...new Set(choices.map(kindOf))].join(" or ");
  if (schema["type"] === "array") return `list of ${kindOf((schema["items"] ?? {}) as Schema)}`;
  const every = schema["additionalProperties"];
  if (typeof every === "object" && every !== null) return `map of ${kindOf(every as Schema)}`;
  return String(schema["type"] ?? (schema["const"] === undefined ? "any" : JSON.stringify(schema["const"])));
}

/** Up to the end of its first sentence. */
const firstSentence = (text: string): string =>
  /^.*?[.!?](?=\s|$)/s.exec(text)?.[0].replace(/\s+/g, " ") ?? text;

function typeLines(info: ResourceInfo | FunctionInfo): string[] {
  const table = (title: string, all: { readonly [name: string]: PropertyInfo }): string[] => {
    const rows = Object.entries(all).map(([name, { schema, required, secret, description }]) => [
      name,
      `${kindOf(schema)}${required ? ", required" : ""}${secret ? ", secret" : ""}`,
      firstSentence(description),
    ]);
    const [first, second] = [0, 1].map((at) => Math.max(0, ...rows.map((row) => row[at]!.length)));
    const lines = rows.map(([name, kind, what]) =>
      `  ${name!.padEnd(first!)}  ${kind!.padEnd(second!)}  ${what}`.trimEnd(),
    );
    return rows.length === 0 ? [] : ["", title, ...lines];
  };
  return [
    shortToken(info.token),
    "",
    info.description,
    ...table("Inputs:", info.inputs),
    ...table("Outputs:", info.outputs),
  ];
}

const rules = new Set([
  "type",
  "description",
  "properties",
  "items",
  "additionalProperties",
  "anyOf",
  "oneOf",
]);

function propertyLines(word: string, { description, schema, required, secret }: PropertyInfo): string[] {
  const within = propertiesOf(schema);
  return [
    `${word}: ${kindOf(schema)}${required ? ", required" : ""}${secret ? ", secret" : ""}`,
    "",
    description,
    ...Object.entries(schema).flatMap(([rule, value]) =>
      rules.has(rule) ? [] : [`  ${rule}: ${JSON.stringify(value)}`],
    ),
    ...(Object.keys(within).length > 0 ? ["", "Within it:"] : []),
    ...Object.entries(within).map(([name, each]) =>
      `  ${name}: ${kindOf(each)}  ${firstSentence(String(each["description"] ?? ""))}`.trimEnd(),
    ),
  ];
}
