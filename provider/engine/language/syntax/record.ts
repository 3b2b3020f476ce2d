/** Reads a YAML object that has known keys; knows nothing of what the keys mean. */

import { didYouMean } from "../../../core/nearest.ts";
import type { Position } from "../../host.ts";
import { parseInterpolation } from "./interpolation.ts";
import type { Report } from "./report.ts";
import { describeNode, type MapEntry, type Node, positionWithin, type TextNode } from "./yaml.ts";

/** The entries found, by the proper spelling of their keys. Entries that hold nothing (`key:`) are left out. */
export type RecordEntries = ReadonlyMap<string, MapEntry>;

/**
 * The entries of `node` whose keys are in `names`. An unknown key is an error with the nearest name (or what `hint` says of it);
 * a key in other letter case is taken, with a warning, as Pulumi does. Anything but an object is an error; nothing is an empty record.
 */
export function readRecord(
  report: Report,
  node: Node,
  what: string,
  names: readonly string[],
  hint: (key: string) => string | undefined = () => undefined,
): RecordEntries {
  const entries = new Map<string, MapEntry>();
  if (isNothing(node)) return entries;
  if (node.kind !== "map") {
    report.error(node.at, `${what} must be an object, and this is ${describeNode(node)}`);
    return entries;
  }
  for (const entry of node.entries) {
    const key = entry.key.value;
    const name = names.includes(key) ? key : names.find((n) => n.toLowerCase() === key.toLowerCase());
    if (name === undefined) {
      report.error(
        entry.key.at,
        `${JSON.stringify(key)} is no key of ${what}${hint(key) ?? didYouMean(key, names)}`,
      );
      continue;
    }
    if (name !== key)
      report.warning(entry.key.at, `write ${JSON.stringify(name)}, not ${JSON.stringify(key)}`);
    if (entries.has(name)) {
      report.error(entry.key.at, `${JSON.stringify(name)} stands twice in ${what}, in other letter case`);
      continue;
    }
    if (!isNothing(entry.value)) entries.set(name, entry);
  }
  return entries;
}

/** True for `null`, `~` and a key without a value. */
export function isNothing(node: Node): boolean {
  return node.kind === "scalar" && node.value === null;
}

/** The text of an entry, or undefined with an error when it is no text. A number or boolean is refused too, as Pulumi does. */
export function readText(report: Report, entry: MapEntry | undefined, what: string): TextNode | undefined {
  if (entry === undefined) return undefined;
  if (entry.value.kind === "text") return entry.value;
  const hint = entry.value.kind === "scalar" ? `: write it in quotes` : "";
  report.error(entry.value.at, `${what} must be text, and this is ${describeNode(entry.value)}${hint}`);
  return undefined;
}

/** A text that Pulumi takes as it is: `$$` is `$`, and a reference in it is an error. */
export interface Literal {
  readonly value: string;
  readonly at: Position;
}

/** The literal text of an entry, or undefined with an error when it is no text or refers to something. */
export function readLiteral(report: Report, entry: MapEntry | undefined, what: string): Literal | undefined {
  const text = readText(report, entry, what);
  return text && literalOf(report, text, what);
}

function literalOf(report: Report, text: TextNode, what: string): Literal | undefined {
  const parsed = parseInterpolation(text.value);
  if ("fault" in parsed) {
    report.error(positionWithin(text, parsed.fault.index, parsed.fault.length), parsed.fault.reason);
    return undefined;
  }
  const reference = parsed.parts.find((part) => typeof part !== "string");
  if (reference === undefined || typeof reference === "string")
    return { value: parsed.parts.join(""), at: text.at };
  const place = positionWithin(text, reference.index, reference.length);
  report.error(place, `${what} must be plain text, without references: Pulumi takes it as it is written`);
  return undefined;
}

/** The boolean of an entry, or undefined with an error when it is none. */
export function readFlag(report: Report, entry: MapEntry | undefined, what: string): boolean | undefined {
  if (entry === undefined) return undefined;
  if (entry.value.kind === "scalar" && typeof entry.value.value === "boolean") return entry.value.value;
  report.error(entry.value.at, `${what} must be true or false, and this is ${describeNode(entry.value)}`);
  return undefined;
}

/** The literal texts of a list entry; whatever is no plain text is an error. */
export function readLiterals(
  report: Report,
  entry: MapEntry | undefined,
  what: string,
): readonly Literal[] | undefined {
  if (entry === undefined) return undefined;
  if (entry.value.kind !== "list") {
    report.error(entry.value.at, `${what} must be a list, and this is ${describeNode(entry.value)}`);
    return undefined;
  }
  const texts: Literal[] = [];
  for (const item of entry.value.items) {
    if (item.kind === "text") {
      const text = literalOf(report, item, `an item of ${what}`);
      if (text) texts.push(text);
    } else report.error(item.at, `${what} must hold text only, and this is ${describeNode(item)}`);
  }
  return texts;
}
