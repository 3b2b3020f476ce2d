/** Finds what is wrong with YAML text, within bounds: parts, nesting and errors. Knows the pieces of the YAML library that tells it best, and no stack. */

import { Composer, type CST, Lexer, Parser } from "yaml";

/** Words, marks, spaces and line ends that are looked at; tens of thousands of resources have fewer. */
const MOST_PARTS = 2_000_000;
/** Objects and lists within each other. */
export const DEEPEST = 100;
/** One slip makes the library stumble at everything after it. */
const MOST_ERRORS = 100;

/** What is wrong with a text, and where. */
export interface TextFault {
  readonly at: number;
  readonly message: string;
}

class Stop extends Error {}

/** The first thing that is wrong with a text. */
export function faultIn(text: string): TextFault | undefined {
  const tokens = tokensOf(text);
  if ("fault" in tokens) return tokens.fault;
  const errors: TextFault[] = [];
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, logLevel: "silent" });
  // The composer's one door for what it finds; without this it would make an error of each of a million quotes.
  const door = composer as unknown as { onError: OnError };
  const further = door.onError;
  door.onError = (source, code, message, isWarning) => {
    if (errors.length >= MOST_ERRORS) throw new Stop();
    if (isWarning) further(source, code, message, isWarning);
    else errors.push({ at: offsetOf(source), message });
  };
  try {
    for (const { errors: own } of composer.compose(tokens.tokens))
      errors.push(...own.map((error) => ({ at: error.pos[0], message: error.message })));
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return errors.toSorted((a, b) => a.at - b.at)[0];
}

type Where = number | [number, number] | { range?: [number, number, number]; offset: number };
type OnError = (source: Where, code: string, message: string, isWarning?: boolean) => void;

function offsetOf(source: Where): number {
  if (typeof source === "number") return source;
  return Array.isArray(source) ? source[0] : source.offset;
}

/** The pieces that documents are composed of. The parser goes through them without recursion, the composer does not: nesting ends here. */
function tokensOf(text: string): { readonly tokens: CST.Token[] } | { readonly fault: TextFault } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let parts = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    parts += 1;
    if (parts > MOST_PARTS)
      return fault(parser, `the file has more than ${MOST_PARTS} words, marks and line ends: divide it`);
    // The document, and the scalar at hand, are no nesting.
    if (parser.stack.length > DEEPEST + 2)
      return fault(parser, `values are nested more than ${DEEPEST} deep, and no declaration needs that`);
    // The library goes on after what it cannot place, and so would the list of errors.
    if (tokens.at(-1)?.type === "error") return { tokens };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

function fault(parser: Parser, message: string): { readonly fault: TextFault } {
  return { fault: { at: parser.offset, message } };
}
