/** The brand word: the contract writes `compute`, the wire may say another word (notes, section 0). Areas never see it. */

import type { Reason } from "../area.ts";
import type { Shape } from "../contract/shape.ts";

export interface Brand {
  /** True when the word is the contract's own, so that nothing needs exchanging. */
  readonly plain: boolean;
  /** Exchanges the word in a path segment, key, scope, id or field path; the same function goes both ways. */
  swap(text: string): string;
  /** A reason or other sentence of ours, on its way out. */
  reason(reason: Reason): Reason;
  /** A body on its way in or out, by its schema: declared keys, and values marked `x-brand`. */
  swapBody(shape: Shape | undefined, value: unknown): unknown;
}

const contractWord = "compute";

/** Exchanges the brand word with the contract's in both directions, so that the contract's own word is foreign on the wire. */
export function createBrand(word: string): Brand {
  if (!/^[a-z][a-z0-9]*$/.test(word))
    throw new Error(`the brand must be one word of lower-case letters and digits, not "${word}"`);
  if (word === contractWord)
    return {
      plain: true,
      swap: (text) => text,
      reason: (reason) => reason,
      swapBody: (_shape, value) => value,
    };

  const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);
  const exchange = new Map([
    [contractWord, word],
    [word, contractWord],
    [capital(contractWord), capital(word)],
    [capital(word), capital(contractWord)],
  ]);
  const pattern = new RegExp(
    `(?<![A-Za-z])(?:${[...exchange.keys()].sort((a, b) => b.length - a.length).join("|")})(?=s?(?![A-Za-z0-9]))`,
    "g",
  );
  const once = new RegExp(pattern.source);
  const replace = (found: string) => exchange.get(found)!;
  const swap = (text: string) => text.replace(pattern, replace);
  const keys = new Map<string, string>();
  const swapKey = (key: string) => {
    let swapped = keys.get(key);
    if (swapped === undefined) {
      swapped = swap(key);
      // Clients may send any key: only so many are remembered.
      if (keys.size < 5_000) keys.set(key, swapped);
    }
    return swapped;
  };

  function swapBody(shape: Shape | undefined, value: unknown): unknown {
    if (typeof value === "string") {
      if (shape?.brand === "all") return swap(value);
      return shape?.brand === "first" ? value.replace(once, replace) : value;
    }
    if (Array.isArray(value)) {
      const items = shape?.brand === "all" ? shape : shape?.items;
      return value.map((item) => swapBody(items, item));
    }
    if (typeof value !== "object" || value === null) return value;
    const swapped: { [name: string]: unknown } = {};
    const free = shape !== undefined && shape.properties.size === 0;
    for (const [name, content] of Object.entries(value)) {
      const wire = free ? name : swapKey(name);
      const property = shape?.properties.get(name) ?? shape?.properties.get(wire);
      const extra = typeof shape?.extra === "object" ? shape.extra : undefined;
      swapped[property || !extra ? wire : name] = swapBody(property ?? extra, content);
    }
    return swapped;
  }

  return {
    plain: false,
    swap,
    reason: ({ reason, field }) => ({
      reason: swap(reason),
      ...(field !== undefined && { field: swap(field) }),
    }),
    swapBody,
  };
}
