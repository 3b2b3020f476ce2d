/** Reads the values of a stack file into expressions: text with references, lists, objects and calls. Evaluates nothing. */

import { builtinOf } from "./builtin-name.ts";
import { parseCall } from "./call.ts";
import type { Expression } from "./expression.ts";
import { parseInterpolation } from "./interpolation.ts";
import type { Report } from "./report.ts";
import { type MapNode, type Node, positionWithin, type TextNode } from "./yaml.ts";

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
