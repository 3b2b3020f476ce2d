/** Reads what a project sets for its policies: plain values with their places. Knows no rule. */

import type { PolicySection, Position, RuleSetting } from "../../host.ts";
import { readLiterals, readRecord } from "../syntax/record.ts";
import type { Report } from "../syntax/report.ts";
import { describeNode, type MapEntry, type Node } from "../syntax/yaml.ts";

const policyKeys = ["modules", "rules"] as const;

/** `policies` of a project file, or the content of a file of the same form. What is wrong is reported. */
export function readPolicies(report: Report, node: Node): PolicySection {
  const fields = readRecord(report, node, '"policies"', policyKeys);
  const modules = readLiterals(report, fields.get("modules"), '"modules" of the policies') ?? [];
  return {
    modules: modules.map(({ value, at }) => ({ path: value, place: placeOf(at) })),
    rules: readRules(report, fields.get("rules")),
  };
}

function readRules(report: Report, entry: MapEntry | undefined): ReadonlyMap<string, RuleSetting> {
  if (entry === undefined) return new Map();
  if (entry.value.kind !== "map") {
    report.error(entry.value.at, `"rules" must be an object, and this is ${describeNode(entry.value)}`);
    return new Map();
  }
  return new Map(
    entry.value.entries.map(({ key, value }) => [
      key.value,
      { name: key.value, value: plainOf(value), place: placeOf(key.at) },
    ]),
  );
}

const placeOf = ({ file, line, column }: Position): string => `${file}:${line}:${column}`;

/** The value as it is written: nothing in it refers to anything. A plain `off` or `on` is the word, not a flag. */
function plainOf(node: Node): unknown {
  if (node.kind === "map")
    return Object.fromEntries(node.entries.map(({ key, value }) => [key.value, plainOf(value)]));
  return node.kind === "list" ? node.items.map(plainOf) : node.value;
}
