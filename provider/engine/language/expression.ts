/** What a value in a stack file says, as a tree with places: literals, references, text with references, lists, objects and calls. */

import type { Position } from "../host.ts";
import { type BuiltinName, builtinOf, parseCall } from "./call.ts";
import { parseInterpolation } from "./interpolation.ts";
import type { Literal } from "./record.ts";
import type { Report } from "./report.ts";
import { type MapNode, type Node, positionWithin, type TextNode } from "./syntax.ts";

/** `${root.path}` at its own place (the `$`). */
export interface Reference {
  readonly root: string;
  readonly path: readonly (string | number)[];
  readonly at: Position;
}

export interface ObjectEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly at: Position;
}

export interface InvokeOptions {
  readonly parent?: Expression;
  readonly provider?: Expression;
  readonly dependsOn?: Expression;
  readonly version?: Literal;
  readonly pluginDownloadURL?: Literal;
}

export type Expression =
  | { readonly kind: "literal"; readonly value: null | boolean | number | string; readonly at: Position }
  | { readonly kind: "reference"; readonly reference: Reference; readonly at: Position }
  /** Text with at least one reference in it and something beside. */
  | { readonly kind: "text"; readonly parts: readonly (string | Reference)[]; readonly at: Position }
  | { readonly kind: "list"; readonly items: readonly Expression[]; readonly at: Position }
  | { readonly kind: "object"; readonly entries: readonly ObjectEntry[]; readonly at: Position }
  /** `args` as the built-in counts them: two for join, split, select and stackReference, else one. */
  | {
      readonly kind: "call";
      readonly name: BuiltinName;
      readonly args: readonly Expression[];
      readonly at: Position;
    }
  | {
      readonly kind: "invoke";
      readonly token: string;
      readonly tokenAt: Position;
      readonly args: Expression & { readonly kind: "object" };
      readonly options: InvokeOptions;
      readonly returns?: { readonly name: string; readonly at: Position };
      readonly at: Position;
    }
  /** Something already reported. */
  | { readonly kind: "invalid"; readonly at: Position };

/** Reads a value; what is wrong is reported and becomes `invalid`. */
export function parseExpression(report: Report, node: Node): Expression {
  switch (node.kind) {
    case "scalar":
      return { kind: "literal", value: node.value, at: node.at };
    case "text":
      return parseText(report, node);
    case "list":
      return { kind: "list", items: node.items.map((item) => parseExpression(report, item)), at: node.at };
    case "map":
      return parseMap(report, node);
  }
}

function parseText(report: Report, node: TextNode): Expression {
  if (!node.value.includes("$")) return { kind: "literal", value: node.value, at: node.at };
  const parsed = parseInterpolation(node.value);
  if ("fault" in parsed) {
    report.error(positionWithin(node, parsed.fault.index, parsed.fault.length), parsed.fault.reason);
    return { kind: "invalid", at: node.at };
  }
  const parts = parsed.parts.map((part) =>
    typeof part === "string"
      ? part
      : { root: part.root, path: part.path, at: positionWithin(node, part.index, part.length) },
  );
  const [only] = parts;
  if (only === undefined) return { kind: "literal", value: "", at: node.at };
  if (parts.length > 1) return { kind: "text", parts, at: node.at };
  if (typeof only === "string") return { kind: "literal", value: only, at: node.at };
  return { kind: "reference", reference: only, at: node.at };
}

function parseMap(report: Report, node: MapNode): Expression {
  const call = node.entries.find((entry) => entry.key.value.toLowerCase().startsWith("fn::"));
  if (call !== undefined) {
    if (node.entries.length === 1) return parseCall(report, call, node.at, (n) => parseExpression(report, n));
    if (builtinOf(call.key.value) !== undefined || call.key.value.toLowerCase() === "fn::invoke") {
      const other = node.entries.find((entry) => entry !== call)!;
      report.error(
        other.key.at,
        `${call.key.value} must be the only key of its object, and here is also ${JSON.stringify(other.key.value)}`,
      );
    } else {
      report.error(
        call.key.at,
        `keys that start with "fn::" are function calls, and a call must be the only key of its object`,
      );
    }
    return { kind: "invalid", at: node.at };
  }
  const entries = node.entries.map((entry) => ({
    key: parseText(report, entry.key),
    value: parseExpression(report, entry.value),
    at: entry.key.at,
  }));
  return { kind: "object", entries, at: node.at };
}

/** Every reference in the expression, at any depth, options of function calls included. */
export function* referencesIn(expression: Expression): Generator<Reference> {
  switch (expression.kind) {
    case "reference":
      yield expression.reference;
      return;
    case "text":
      for (const part of expression.parts) if (typeof part !== "string") yield part;
      return;
    case "list":
      for (const item of expression.items) yield* referencesIn(item);
      return;
    case "object":
      for (const entry of expression.entries) {
        yield* referencesIn(entry.key);
        yield* referencesIn(entry.value);
      }
      return;
    case "call":
      for (const arg of expression.args) yield* referencesIn(arg);
      return;
    case "invoke": {
      yield* referencesIn(expression.args);
      const { parent, provider, dependsOn } = expression.options;
      for (const option of [parent, provider, dependsOn]) if (option) yield* referencesIn(option);
      return;
    }
    default:
  }
}
