/** What addresses of states are made of, and how their parameters are read. */

import { EngineError } from "../../failure.ts";

export type Environment = { readonly [name: string]: string | undefined };

export type Parameters = ReadonlyMap<string, string>;

/** What stands behind `://`. */
export interface Rest {
  readonly whole: string;
  /** Up to the question mark. */
  readonly place: string;
  readonly parameters: Parameters;
  readonly base: string;
  readonly environment: Environment;
}

/** Versions that are kept where the address says nothing else. */
export const usualKeep = 20;

/** `why` has no secret of the address in it. */
export function refuse(why: string): never {
  throw new EngineError("usage", why);
}

/** As Go, and so Pulumi, reads a truth value. */
const truths = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

export function truthOf(parameters: Parameters, name: string): boolean | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  return truths.get(text) ?? refuse(`"${name}" must be true or false`);
}

/** The least that makes sense of each, and the most. */
const bounds: { readonly [name: string]: readonly [number, number] } = { lease: [4, 3600], keep: [1, 1000] };

export function numberOf(parameters: Parameters, name: "lease" | "keep", usual: number): number {
  const text = parameters.get(name);
  if (text === undefined) return usual;
  const [least, most] = bounds[name]!;
  const number = Number(text);
  if (!Number.isInteger(number) || number < least || number > most)
    refuse(
      `"${name}" must be a whole number from ${least} to ${most}${name === "lease" ? ", in seconds" : ""}`,
    );
  return number;
}
