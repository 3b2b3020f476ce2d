/** Patterns and texts in CEL, the language of an API server's rules. Pure. */

import type { Rule } from "../../type/field.ts";

/** A rule in CEL; `message` tells whoever breaks it what to do. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  /** In its place, where a value is a part of it. */
  readonly messageExpression?: string;
  /** The property that it is about, under the one that the rule stands at (`.soaEmail`). */
  readonly fieldPath?: string;
  readonly reason?: string;
}

export const looksAhead = (pattern: string): boolean => /\(\?[=!]/.test(pattern);

/** A rule on text in CEL. A pattern that begins by looking ahead, which RE2 cannot, becomes two. */
export function celOf({ pattern, says }: Rule): CelRule {
  const matches = (text: string) => `self.matches(${celText(re2(text))})`;
  if (!looksAhead(pattern)) return { rule: matches(pattern), message: says };
  if (!/^\^\(\?[!=]/.test(pattern)) throw new Error(`looks ahead in its middle: ${pattern}`);
  const end = closing(pattern, 1);
  const [ahead, after] = [pattern.slice(4, end), pattern.slice(end + 1)];
  const isThere = pattern[3] === "=";
  const looked = `${isThere ? "" : "!"}${matches(`^(${ahead})`)}`;
  return { rule: after === "" ? looked : `${looked} && ${matches(`^${after}`)}`, message: says };
}

/** Where the parenthesis ends that begins there. */
function closing(pattern: string, from: number): number {
  let [depth, isClass] = [0, false];
  for (let at = from; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (isClass) isClass = character !== "]";
    else if (character === "[") isClass = true;
    else if (character === "(") depth += 1;
    else if (character === ")" && --depth === 0) return at;
  }
  throw new Error(`a parenthesis has no end: ${pattern}`);
}

/** RE2 writes code points otherwise. */
export const re2 = (pattern: string): string => pattern.replace(/\\u([0-9A-Fa-f]{4})/g, "\\x{$1}");

/** A text of CEL. */
export const celText = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
