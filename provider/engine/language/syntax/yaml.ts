/** Turns YAML text into nodes that know where they stand; refuses what Pulumi's YAML runtime has no meaning for. Knows nothing of stacks. */

import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, Scalar } from "yaml";
import type { Position } from "../../host.ts";
import { composeDocuments } from "./bounded.ts";
import type { Report } from "./report.ts";
import { readPlainScalar } from "./scalar.ts";
import { adviceFor } from "./slip.ts";

/** A file's text, to find places within it. */
interface Source {
  readonly file: string;
  readonly text: string;
  readonly lines: LineCounter;
}

export interface ScalarNode {
  readonly kind: "scalar";
  readonly value: null | boolean | number;
  readonly at: Position;
  /** As it is written. */
  readonly text: string;
}

export interface TextNode {
  readonly kind: "text";
  readonly value: string;
  readonly at: Position;
  readonly source: Source;
  /** Offsets of the scalar in the source, quotes and header included. */
  readonly start: number;
  readonly end: number;
}

export interface ListNode {
  readonly kind: "list";
  readonly items: readonly Node[];
  readonly at: Position;
}

export interface MapEntry {
  readonly key: TextNode;
  readonly value: Node;
}

export interface MapNode {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
  readonly at: Position;
}

export type Node = ScalarNode | TextNode | ListNode | MapNode;

/**
 * Parses a file of one YAML document. Reports every syntax error, duplicate key, alias, merge key and unusual tag with its place;
 * undefined when there is nothing that could be read further (an empty file, or syntax errors).
 */
export function parseSyntax(report: Report, file: string, text: string): Node | undefined {
  const lines = new LineCounter();
  const source: Source = { file, text, lines };
  // Duplicate keys are found below with a set: the library compares each key with each other.
  const composed = composeDocuments(text, lines);
  if ("fault" in composed) {
    const { at, message } = composed.fault;
    const advice = adviceFor(text, at, message);
    report.error(place(source, at), `YAML: ${sentence(message)}${advice === "" ? "" : `; ${advice}`}`);
    return undefined;
  }
  const [document, second] = composed.documents;
  if (document === undefined) return undefined;
  if (second !== undefined) {
    const at = second.contents?.range?.[0] ?? second.range[0];
    report.error(place(source, at), "a stack file holds one YAML document, and here a second one begins");
  }
  return document.contents === null ? undefined : convert(report, source, document.contents as ParsedNode);
}

function sentence(message: string): string {
  return message.slice(0, 1).toLowerCase() + message.slice(1);
}

function place(source: Source, offset: number): Position {
  const { line, col } = source.lines.linePos(offset);
  return { file: source.file, line: Math.max(1, line), column: Math.max(1, col) };
}

function convert(report: Report, source: Source, node: ParsedNode): Node {
  const at = place(source, node.range[0]);
  if (isAlias(node)) {
    report.error(
      at,
      `YAML aliases (*${node.source}) are not supported by Pulumi's YAML: put the value in "variables" and refer to it with \${…}`,
    );
    return { kind: "scalar", value: null, at, text: "" };
  }
  if (isMap(node)) return convertMap(report, source, node.items as readonly Pair[], at);
  if (isSeq(node)) {
    const items = (node.items as readonly ParsedNode[]).map((item) => convert(report, source, item));
    return { kind: "list", items, at };
  }
  return convertScalar(report, source, node as unknown as Scalar & { range: [number, number, number] }, at);
}

interface Pair {
  readonly key: ParsedNode;
  readonly value: ParsedNode | null;
}

function convertMap(report: Report, source: Source, pairs: readonly Pair[], at: Position): MapNode {
  const entries: MapEntry[] = [];
  const seen = new Map<string, Position>();
  for (const pair of pairs) {
    const keyAt = place(source, pair.key.range[0]);
    const value: Node =
      pair.value === null
        ? { kind: "scalar", value: null, at: keyAt, text: "" }
        : convert(report, source, pair.value);
    if (!isScalar(pair.key)) {
      report.error(keyAt, "a key must be text");
      continue;
    }
    const key = textNode(source, pair.key as Scalar & { range: [number, number, number] }, keyAt);
    if (isPlain(pair.key) && key.value === "<<") {
      report.error(
        keyAt,
        'YAML merge keys ("<<") are not supported by Pulumi\'s YAML: write the properties out',
      );
      continue;
    }
    if (isPlain(pair.key) && typeof readPlainScalar(key.value) !== "string") {
      report.error(
        keyAt,
        `a key must be text, and ${key.value === "" ? "an empty key" : key.value} is not: write it in quotes`,
      );
    }
    const first = seen.get(key.value);
    if (first !== undefined) {
      report.error(
        keyAt,
        `the key ${JSON.stringify(key.value)} stands here a second time; the first is on line ${first.line}`,
      );
      continue;
    }
    seen.set(key.value, keyAt);
    entries.push({ key, value });
  }
  return { kind: "map", entries, at };
}

function isPlain(node: unknown): boolean {
  const type = (node as Scalar).type;
  return type === Scalar.PLAIN || type === undefined || type === null;
}

function textNode(
  source: Source,
  node: Scalar & { range: [number, number, number] },
  at: Position,
): TextNode {
  return {
    kind: "text",
    value: String(node.value ?? ""),
    at,
    source,
    start: node.range[0],
    end: node.range[1],
  };
}

function convertScalar(
  report: Report,
  source: Source,
  node: Scalar & { range: [number, number, number] },
  at: Position,
): Node {
  const tag = node.tag;
  const known = tag === undefined || /^tag:yaml\.org,2002:(str|int|float|bool|null)$/.test(tag);
  if (!known) report.error(at, `the YAML tag ${tag} is not supported`);
  const text = textNode(source, node, at);
  if (tag === "tag:yaml.org,2002:str" && !isPlain(node)) return text;
  // The failsafe schema gives plain scalars the text tag too, so an explicit one is told by its source.
  const explicitText = source.text.slice(Math.max(0, node.range[0] - 8), node.range[0]).includes("!!str");
  if (explicitText || (!isPlain(node) && tag === undefined)) return text;
  const value = readPlainScalar(text.value);
  if (typeof value === "string") return text;
  if (typeof value === "number" && !Number.isFinite(value)) {
    report.error(at, `${text.value} cannot be the value of a property: JSON has no such number`);
    return { kind: "scalar", value: null, at, text: text.value };
  }
  return { kind: "scalar", value, at, text: text.value };
}

/** The place of the `length` characters at `index` of a text's value; the text's own place where escapes or folding hide it. */
export function positionWithin(node: TextNode, index: number, length: number): Position {
  const raw = node.source.text.slice(node.start, node.end);
  if (raw === node.value) return place(node.source, node.start + index);
  if (raw.slice(1, -1) === node.value) return place(node.source, node.start + 1 + index);
  const part = node.value.slice(index, index + Math.max(1, length));
  let earlier = 0;
  for (let i = node.value.indexOf(part); i !== -1 && i < index; i = node.value.indexOf(part, i + 1))
    earlier += 1;
  let found = raw.indexOf(part);
  for (; found !== -1 && earlier > 0; earlier--) found = raw.indexOf(part, found + 1);
  return found === -1 ? node.at : place(node.source, node.start + found);
}

/** What to call a node in a message. */
export function describeNode(node: Node): string {
  if (node.kind === "map") return "an object";
  if (node.kind === "list") return "a list";
  if (node.kind === "text") return "text";
  return node.value === null ? "nothing" : `a ${typeof node.value}`;
}
