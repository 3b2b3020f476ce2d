/** Writes blocks into the text of a stack file, as Pulumi's YAML reads it too. What else stands in the file stays as it is, to the letter. */

import { Document, isMap, isScalar, type Pair, parseDocument, type Scalar, visit } from "yaml";
import { type Block, type BlockValue, type BlockValues, Reference } from "./block.ts";

/** A stack file that cannot be written into; the message says what to do. */
export class UnwritableError extends Error {
  override readonly name = "UnwritableError";
}

/** The text of a new stack file. */
export function newStackFile(
  project: string,
  blocks: readonly Block[],
  description = "Everything that was on the account, as plumbline import --all found it.",
): string {
  const head = new Document({
    name: project,
    runtime: "yaml",
    description,
  });
  return fillStackFile(quoted(head).toString({ lineWidth: 0 }), blocks);
}

/** Every name that the file gives to something that can be referred to. */
export function namesIn(text: string): Set<string> {
  const sections = ["config", "configuration", "variables", "resources"];
  const names = parsed(text).flatMap(({ key, value }) =>
    isScalar(key) && sections.includes(String(key.value)) && isMap(value)
      ? value.items.map((item) => String((item.key as Scalar).value))
      : [],
  );
  return new Set(names);
}

/** The pairs of the file's outermost object. */
function parsed(text: string): Pair[] {
  const document = parseDocument(text, { schema: "failsafe", uniqueKeys: false, logLevel: "silent" });
  return isMap(document.contents) ? (document.contents.items as Pair[]) : [];
}

/** The text with the blocks added to its resources. Throws UnwritableError where they are written in a form that cannot be added to. */
export function fillStackFile(text: string, blocks: readonly Block[]): string {
  if (blocks.length === 0) return text;
  const pair = parsed(text).find(({ key }) => isScalar(key) && key.value === "resources");
  if (!pair) return `${ended(text)}\nresources:\n${blocksText(blocks, 2)}`;
  const value = pair.value;
  if (isMap(value) && value.items.length > 0) {
    const first = value.items[0]?.key as Scalar | undefined;
    const start = first?.range?.[0];
    if (value.flow || start === undefined) {
      throw new UnwritableError(
        'its "resources" are written in braces: write them in lines, one resource under the other, so that more can be added',
      );
    }
    const indent = start - (text.lastIndexOf("\n", start - 1) + 1);
    const end = lineEnd(text, value.range?.[1] ?? text.length);
    return `${ended(text.slice(0, end))}\n${blocksText(blocks, indent)}${text.slice(end)}`;
  }
  // An empty section: `resources:`, `resources: {}` or `resources: null`.
  const [from] = (pair.key as Scalar).range ?? [0];
  const to = (value as Scalar | null)?.range?.[1] ?? lineEnd(text, from);
  return `${text.slice(0, from)}resources:\n${blocksText(blocks, 2)}${text.slice(lineEnd(text, to))}`;
}

const ended = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** The offset after the line that the offset is in, or the offset itself where a line begins. */
function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === "\n") return offset;
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

/** The blocks one under the other; a line is left between blocks of different types. */
export function blocksText(blocks: readonly Block[], indent: number): string {
  const margin = " ".repeat(indent);
  let before: string | undefined;
  const texts = blocks.map((block) => {
    const gap = before === undefined || before === block.type ? "" : "\n";
    before = block.type;
    return gap + blockText(block).replace(/^(?=[^\n])/gm, margin);
  });
  return texts.join("");
}

function blockText({ key, name, type, properties, options, untold }: Block): string {
  const body = {
    type,
    ...(name !== undefined && { name }),
    ...(Object.keys(properties).length > 0 && { properties: written(properties) }),
    ...(Object.keys(options).length > 0 && { options }),
  };
  const note = untold.map(
    (name) =>
      `# The service never tells ${name}. It stays as it is until you set it here (fn::secret, or a secret config value).\n`,
  );
  return note.join("") + quoted(new Document({ [key]: body })).toString({ lineWidth: 0 });
}

function written(value: BlockValue): unknown {
  if (value instanceof Reference) return `\${${value.key}.${value.property}}`;
  if (typeof value === "string") return value.replaceAll("$", "$$$$");
  if (Array.isArray(value)) return value.map((item) => written(item as BlockValue));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as BlockValues).map(([name, item]) => [name, written(item)]),
  );
}

/** The document with quotes round every text that some reader of YAML takes for something else, or would not give back as it is. */
function quoted(document: Document): Document {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "string" && needsQuotes(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return document;
}

/** Words that are no text to some reader; the last is a number to some. */
const words = /^(y|n|yes|no|on|off|true|false|null|~|e[-+]?\d+)$/i;
const address = /^(\d{1,3}\.){3}\d{1,3}(\/\d{1,2})?$/;
/** Line breaks that are not `\n`, and what a block of lines would lose, refuse, or take from the gap that follows it. */
const fragile =
  /[^\n\t\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]|[\u2028\u2029\ufffe\uffff]|[ \t](\n|$)|^\s|\t|\n\n$/;

function needsQuotes(text: string): boolean {
  if (words.test(text) || fragile.test(text)) return true;
  return /^[-+.\d=<]/.test(text) && !address.test(text);
}
