/** What config values mean: types a project declares, and how Pulumi's YAML runtime reads the text that config holds. Pure; knows no files. */

import { isUnknown, type Value, type ValueMap } from "../../../core/value.ts";
import type { Node, TextNode } from "../syntax/yaml.ts";

/** A declared config type. */
export type ConfigType =
  | { readonly kind: "string" | "integer" | "number" | "boolean" | "object" }
  | { readonly kind: "array"; readonly items?: ConfigType };

const simple: { readonly [name: string]: ConfigType } = {
  string: { kind: "string" },
  integer: { kind: "integer" },
  boolean: { kind: "boolean" },
  object: { kind: "object" },
  array: { kind: "array" },
};
/** Names that pulumi-yaml knows and Pulumi's own project schema refuses. */
const extra: { readonly [name: string]: ConfigType } = {
  number: { kind: "number" },
  int: { kind: "integer" },
  bool: { kind: "boolean" },
};

/** Every type name that Pulumi's project schema has. */
export const configTypeNames = Object.keys(simple);

/** Reads a type's name. `isPortable` is false for spellings that Pulumi's command refuses (`number`, `array<T>`). */
export function parseConfigType(
  name: string,
): { readonly type: ConfigType; readonly isPortable: boolean } | undefined {
  const own = simple[name];
  if (own !== undefined) return { type: own, isPortable: true };
  const list = /^(?:array|list)<(.+)>$/i.exec(name.trim());
  if (list !== null) {
    const items = parseConfigType(list[1]!.trim());
    return items && { type: { kind: "array", items: items.type }, isPortable: false };
  }
  const other = extra[name.toLowerCase()] ?? simple[name.toLowerCase()];
  return other && { type: other, isPortable: false };
}

/** The name of a type, for messages. */
export function nameOfConfigType(type: ConfigType): string {
  if (type.kind !== "array") return type.kind;
  return type.items === undefined ? "array" : `array of ${nameOfConfigType(type.items)}`;
}

/** True when a value has the type. Scalars may also be given as their text, which is how config stores them. */
export function hasConfigType(value: Value, type: ConfigType): boolean {
  if (isUnknown(value)) return true;
  switch (type.kind) {
    case "string":
      return typeof value === "string";
    case "integer":
      return typeof value === "number"
        ? Number.isInteger(value)
        : typeof value === "string" && /^[-+]?[0-9]+$/.test(value);
    case "number":
      return typeof value === "number" || (typeof value === "string" && decimal.test(value));
    case "boolean":
      return typeof value === "boolean" || value === "true" || value === "false";
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return (
        Array.isArray(value) &&
        value.every((item) => type.items === undefined || hasConfigType(item as Value, type.items))
      );
  }
}

const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/**
 * What the YAML runtime makes of a config text, whatever type was declared: `5` is a number and `t` is true, but text
 * that starts with a zero (`007`) stays text, and what is JSON is read as JSON.
 */
export function readConfigText(text: string): Value {
  if (text.length > 1 && text.startsWith("0") && !text.startsWith("0.")) return text;
  if (["1", "0"].includes(text)) return Number(text);
  if (["t", "T", "TRUE", "true", "True"].includes(text)) return true;
  if (["f", "F", "FALSE", "false", "False"].includes(text)) return false;
  if (decimal.test(text) && Number.isFinite(Number(text))) return Number(text);
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

/** A literal YAML value as config has it; text is never an expression here. */
export function literalOf(node: Node): Value {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "text":
      return node.value;
    case "list":
      return node.items.map(literalOf);
    case "map":
      return Object.fromEntries(
        node.entries.map((entry) => [entry.key.value, literalOf(entry.value)]),
      ) as ValueMap;
  }
}

/** The encrypted text of `{secure: v1:…}`, or undefined for any other node. */
export function sealedText(node: Node): TextNode | undefined {
  if (node.kind !== "map" || node.entries.length !== 1) return undefined;
  const [only] = node.entries;
  return only!.key.value === "secure" && only!.value.kind === "text" ? only!.value : undefined;
}

/** How config stores a value: scalars as their text, everything else as it is. */
export function stored(value: Value): Value {
  return typeof value === "boolean" || typeof value === "number" ? String(value) : value;
}
