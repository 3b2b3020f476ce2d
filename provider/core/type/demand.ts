/** What inputs ask of each other (`masterIps` of a slave), as data: checks judge by it, and whoever describes a type to others derives rules of theirs from it. Pure. */

export type Scalar = string | number | boolean;

/**
 * How an input is: declared at all; declared and not empty (`""`, `0` and `[]` are); of certain values; in a format of ours, or one of some texts;
 * a number at most what another input is; a group that is not there, or without some of what is named.
 */
export type State =
  | "given"
  | "absent"
  | "filled"
  | "blank"
  | { readonly in: readonly Scalar[] }
  | { readonly notIn: readonly Scalar[] }
  | { readonly format: string; readonly or?: readonly string[] }
  | { readonly atMost: string }
  | { readonly lacks: { readonly [member: string]: State } };

/** Where all of `when` is so, `input` has to be as `is` has it. Inputs of a type, or members of one group. */
export interface Demand<Name extends string = string> {
  readonly when?: { readonly [name in Name]?: State };
  readonly input: Name;
  readonly is: State;
  /** The refusal; `{name}` stands for the value of a text that is given then. */
  readonly says: string;
}
