/** What inputs ask of each other (`masterIps` of a slave), as data: checks judge by it, and whoever describes a type to others derives rules of theirs from it. Pure. */

import { formats } from "./formats.ts";

type Scalar = string | number | boolean;

/** How an input is: declared at all; declared and not empty (`""`, `0` and `[]` are); of certain values; in a format of ours, or one of some texts. */
export type State =
  | "given"
  | "absent"
  | "filled"
  | "blank"
  | { readonly in: readonly Scalar[] }
  | { readonly notIn: readonly Scalar[] }
  | { readonly format: string; readonly or?: readonly string[] };

/** Where all of `when` is so, `input` has to be as `is` has it. */
export interface Demand<Name extends string = string> {
  readonly when?: { readonly [name in Name]?: State };
  readonly input: Name;
  readonly is: State;
  /** The refusal; `{name}` stands for the value of an input that `when` names. */
  readonly says: string;
}

/** What is known of declared inputs. */
export interface Declared {
  /** By name. */
  readonly values: object;
  readonly declares: (name: string) => boolean;
  readonly knows: (name: string) => boolean;
}

/** Refuses what a demand is not met by, as far as it is known. */
export function judgeDemands(
  demands: readonly Demand[],
  { values: given, ...declared }: Declared,
  refuse: (property: string, reason: string) => void,
): void {
  const values = given as { readonly [name: string]: unknown };
  for (const { when = {}, input, is, says } of demands) {
    const applies = Object.entries(when).every(
      ([name, state]) => isSo(values[name], name, state!, declared) === true,
    );
    if (!applies || isSo(values[input], input, is, declared) !== false) continue;
    const reason = says.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
    const value = values[input];
    refuse(
      input,
      typeof is === "object" && "format" in is ? `${reason}, not ${quoted(String(value))}` : reason,
    );
  }
}

/** Undefined: that is not known. */
function isSo(
  value: unknown,
  name: string,
  state: State,
  { declares, knows }: Pick<Declared, "declares" | "knows">,
): boolean | undefined {
  if (state === "given") return declares(name);
  if (state === "absent") return !declares(name);
  // Unknown, or refused for itself.
  if (!knows(name) || (declares(name) && value === undefined)) return undefined;
  if (state === "filled") return !isBlank(value);
  if (state === "blank") return isBlank(value);
  if ("in" in state) return state.in.includes(value as Scalar);
  if ("notIn" in state) return !state.notIn.includes(value as Scalar);
  if (value === undefined || value === "") return undefined;
  return state.or?.includes(String(value)) === true || formats[state.format]!.test(String(value));
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === "" || value === 0 || (Array.isArray(value) && value.length === 0);

/** A value for a message, cut to a readable length. */
export const quoted = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text);
