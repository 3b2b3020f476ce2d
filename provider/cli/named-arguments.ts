/** Arguments of functions and verbs as words of the command line. */

import { nearest } from "../core/nearest.ts";
import type { PropertyInfo } from "../core/protocol.ts";
import type { Value, ValueMap } from "../core/value.ts";
import { CommandError } from "./exit.ts";

/** `name=value` words as arguments of the function or verb `name`: text where it wants text, else JSON. */
export function argumentsOf(
  name: string,
  inputs: { readonly [name: string]: PropertyInfo },
  words: readonly string[],
): ValueMap {
  const args: { [name: string]: Value } = {};
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1) throw new CommandError(`"${word}" is not an argument: write name=value`);
    const argument = word.slice(0, at);
    const text = word.slice(at + 1);
    const property = inputs[argument];
    if (property === undefined) {
      const near = nearest(argument, Object.keys(inputs));
      throw new CommandError(`${name} has no argument ${argument}${near ? `; did you mean ${near}?` : ""}`);
    }
    args[argument] = wantsText(property.schema) ? text : jsonOr(text);
  }
  return args;
}

function wantsText(schema: { readonly [keyword: string]: unknown }): boolean {
  const options = (schema["anyOf"] ?? schema["oneOf"]) as { [keyword: string]: unknown }[] | undefined;
  return options ? options.some(wantsText) : schema["type"] === "string";
}

function jsonOr(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    // Not JSON: the function's own check says what it wants instead.
    return text;
  }
}
