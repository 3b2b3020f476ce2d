/** Turns YAML text into nodes that know where they stand; refuses what Pulumi's YAML runtime has no meaning for. Knows nothing of stacks. */

import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from "js-yaml";
import { LineCounter } from "yaml";
import type { Position } from "../../host.ts";
import { DEEPEST, faultIn, type TextFault } from "./fault.ts";
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

/** Lines of one file, and its scalars, lists and objects with their ends; tens of thousands of resources have fewer. */
const MOST_PARTS = 2_000_000;

/** A way through the parser's events, which nest by their order alone. */
interface Reader {
  readonly report: Report;
  readonly source: Source;
  readonly events: readonly Event[];
  next: number;
  /** Where in the text that ends what was read last. */
  end: number;
}

/**
 * Parses a file of one YAML document. Reports every syntax error, duplicate key, alias, merge key and unusual tag with its place;
 * undefined when there is nothing that could be read further (an empty file, or syntax errors).
 */
export function parseSyntax(report: Report, file: string, text: string): Node | undefined {
  const source: Source = { file, text, lines: linesOf(text) };
  const events = eventsOf(report, source);
  if (events === undefined || events.length === 0) return undefined;
  const reader: Reader = { report, source, events, next: 1, end: 0 };
  const node = readNode(reader);
  const second = events[reader.next + 2];
  if (second !== undefined) {
    const isEmpty = second.type === EVENT_ID.SCALAR && second.valueStart === -1;
    const at = isEmpty ? text.indexOf("\n---", reader.end) + 1 : startOf(reader, second);
    report.error(place(source, at), "a stack file holds one YAML document, and here a second one begins");
  }
  return node;
}

function eventsOf(report: Report, source: Source): readonly Event[] | undefined {
  const { text } = source;
  let fault: TextFault;
  try {
    const events = parseEvents(text, { maxDepth: DEEPEST });
    if (events.length <= MOST_PARTS && source.lines.lineStarts.length <= MOST_PARTS) return events;
    fault = { at: 0, message: `the file has more than ${MOST_PARTS} lines or values: divide it` };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    fault = faultIn(text) ?? { at: error.mark?.position ?? 0, message: error.reason };
  }
  const advice = adviceFor(text, fault.at, fault.message);
  const message = `${fault.message.slice(0, 1).toLowerCase()}${fault.message.slice(1)}`;
  report.error(place(source, fault.at), `YAML: ${message}${advice === "" ? "" : `; ${advice}`}`);
  return undefined;
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) lines.addNewLine(end + 1);
  return lines;
}

function place(source: Source, offset: number): Position {
  const { line, col } = source.lines.linePos(offset);
  return { file: source.file, line: Math.max(1, line), column: Math.max(1, col) };
}

/** Where the value of an event begins, its quote or block header included; where it would stand when it is left out. */
function startOf({ source, end }: Reader, event: Event): number {
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return event.start;
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1;
  if (event.type !== EVENT_ID.SCALAR) return end;
  const { valueStart, style } = event;
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED) return valueStart - 1;
  const before = Math.max(end, event.tagEnd, event.anchorEnd);
  if (style === SCALAR_STYLE.PLAIN)
    return valueStart === -1 ? endOf(/[ \t]*[:?-]?/y, source.text, before) : valueStart;
  return endOf(/(?:[\s:?-]|#.*)*/y, source.text, before);
}

/** Where what the sticky expression takes from there on ends. */
function endOf(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  return expression.test(text) ? expression.lastIndex : from;
}

function readNode(reader: Reader): Node {
  const { report, source, events } = reader;
  const event = events[reader.next]!;
  const start = startOf(reader, event);
  const at = place(source, start);
  reader.next += 1;
  switch (event.type) {
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE: {
      tagOf(reader, event, at);
      const isFlow = event.style === COLLECTION_STYLE.FLOW;
      reader.end = isFlow ? start + 1 : start;
      const node = event.type === EVENT_ID.MAPPING ? readMap(reader, at) : readList(reader, at);
      reader.next += 1;
      if (isFlow) reader.end = endOf(/(?:[\s,:?]|#.*)*[\]}]/y, source.text, reader.end);
      return node;
    }
    case EVENT_ID.SCALAR:
      return readScalar(reader, event, start, at);
    case EVENT_ID.ALIAS: {
      reader.end = event.anchorEnd;
      const alias = source.text.slice(event.anchorStart, event.anchorEnd);
      report.error(
        at,
        `YAML aliases (*${alias}) are not supported by Pulumi's YAML: put the value in "variables" and refer to it with \${…}`,
      );
      return { kind: "scalar", value: null, at, text: "" };
    }
    default:
      throw new Error(`an event of type ${event.type} stands where a value does`);
  }
}

function readList(reader: Reader, at: Position): ListNode {
  const items: Node[] = [];
  while (reader.events[reader.next]?.type !== EVENT_ID.POP) items.push(readNode(reader));
  return { kind: "list", items, at };
}

function readMap(reader: Reader, at: Position): MapNode {
  const { report, events } = reader;
  const entries: MapEntry[] = [];
  const seen = new Map<string, Position>();
  while (events[reader.next]?.type !== EVENT_ID.POP) {
    const key = readKey(reader);
    const value = readNode(reader);
    if (key === undefined) continue;
    const first = seen.get(key.value);
    if (first !== undefined) {
      report.error(
        key.at,
        `the key ${JSON.stringify(key.value)} stands here a second time; the first is on line ${first.line}`,
      );
      continue;
    }
    seen.set(key.value, key.at);
    entries.push({ key, value });
  }
  return { kind: "map", entries, at };
}

/** Goes past a value and all that is in it. */
function passOver(reader: Reader): void {
  let depth = 0;
  do {
    const { type } = reader.events[reader.next]!;
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth += 1;
    if (type === EVENT_ID.POP) depth -= 1;
    reader.next += 1;
  } while (depth > 0);
}

/** The key at hand; undefined, and reported, where it can be none. */
function readKey(reader: Reader): TextNode | undefined {
  const { report, source, events } = reader;
  const event = events[reader.next]!;
  const start = startOf(reader, event);
  const at = place(source, start);
  if (event.type !== EVENT_ID.SCALAR) {
    report.error(at, "a key must be text");
    passOver(reader);
    return undefined;
  }
  reader.next += 1;
  const key = textNode(reader, event, start, at);
  if (event.style !== SCALAR_STYLE.PLAIN) return key;
  if (key.value === "<<") {
    report.error(at, 'YAML merge keys ("<<") are not supported by Pulumi\'s YAML: write the properties out');
    return undefined;
  }
  if (typeof readPlainScalar(key.value) !== "string") {
    const what = key.value === "" ? "an empty key" : key.value;
    report.error(at, `a key must be text, and ${what} is not: write it in quotes`);
  }
  return key;
}

function textNode(reader: Reader, event: ScalarEvent, start: number, at: Position): TextNode {
  const { source } = reader;
  const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
  const end = event.valueEnd === -1 ? start : event.valueEnd + (isQuoted ? 1 : 0);
  reader.end = end;
  return { kind: "text", value: getScalarValue(source.text, event), at, source, start, end };
}

function readScalar(reader: Reader, event: ScalarEvent, start: number, at: Position): Node {
  const { report } = reader;
  const tag = tagOf(reader, event, at);
  const text = textNode(reader, event, start, at);
  const isPlain = event.style === SCALAR_STYLE.PLAIN;
  if (tag === "str" || (!isPlain && tag === undefined)) return text;
  const value = readPlainScalar(text.value);
  if (typeof value === "string") return text;
  if (typeof value === "number" && !Number.isFinite(value)) {
    report.error(at, `${text.value} cannot be the value of a property: JSON has no such number`);
    return { kind: "scalar", value: null, at, text: text.value };
  }
  return { kind: "scalar", value, at, text: text.value };
}

/** The short name of a value's tag; one that YAML's own types do not have is reported. */
function tagOf(
  { report, source }: Reader,
  { tagStart, tagEnd }: Pick<ScalarEvent, "tagStart" | "tagEnd">,
  at: Position,
): string | undefined {
  if (tagStart === -1) return undefined;
  const tag = source.text.slice(tagStart, tagEnd);
  const known = /^(?:!!|!<tag:yaml\.org,2002:)(str|int|float|bool|null|map|seq)>?$/.exec(tag)?.[1];
  if (known === undefined) report.error(at, `the YAML tag ${tag} is not supported`);
  return known;
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
