/** What a value in a stack file says, as a tree with places: literals, references, text with references, lists, objects and calls. */

import type { Position } from "../../host.ts";
import type { BuiltinName } from "./builtin-name.ts";
import type { Literal } from "./record.ts";

/** `${root.path}` at its own place (the `$`). */
export interface Reference {
  readonly root: string;
  readonly path: readonly (string | number)[];
  readonly at: Position;
}

export interface ObjectEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly at: Position;
}

export interface InvokeOptions {
  readonly parent?: Expression;
  readonly provider?: Expression;
  readonly dependsOn?: Expression;
  readonly version?: Literal;
  readonly pluginDownloadURL?: Literal;
}

export type Expression =
  | { readonly kind: "literal"; readonly value: null | boolean | number | string; readonly at: Position }
  | { readonly kind: "reference"; readonly reference: Reference; readonly at: Position }
  /** Text with at least one reference in it and something beside. */
  | { readonly kind: "text"; readonly parts: readonly (string | Reference)[]; readonly at: Position }
  | { readonly kind: "list"; readonly items: readonly Expression[]; readonly at: Position }
  | { readonly kind: "object"; readonly entries: readonly ObjectEntry[]; readonly at: Position }
  /** `args` as the built-in counts them: two for join, split, select and stackReference, else one. */
  | {
      readonly kind: "call";
      readonly name: BuiltinName;
      readonly args: readonly Expression[];
      readonly at: Position;
    }
  | {
      readonly kind: "invoke";
      readonly token: string;
      readonly tokenAt: Position;
      readonly args: Expression & { readonly kind: "object" };
      readonly options: InvokeOptions;
      readonly returns?: { readonly name: string; readonly at: Position };
      readonly at: Position;
    }
  /** Something already reported. */
  | { readonly kind: "invalid"; readonly at: Position };

/** Every reference in the expression, at any depth, options of function calls included. */
export function* referencesIn(expression: Expression): Generator<Reference> {
  switch (expression.kind) {
    case "reference":
      yield expression.reference;
      return;
    case "text":
      for (const part of expression.parts) if (typeof part !== "string") yield part;
      return;
    case "list":
      for (const item of expression.items) yield* referencesIn(item);
      return;
    case "object":
      for (const entry of expression.entries) {
        yield* referencesIn(entry.key);
        yield* referencesIn(entry.value);
      }
      return;
    case "call":
      for (const arg of expression.args) yield* referencesIn(arg);
      return;
    case "invoke": {
      yield* referencesIn(expression.args);
      const { parent, provider, dependsOn } = expression.options;
      for (const option of [parent, provider, dependsOn]) if (option) yield* referencesIn(option);
      return;
    }
    default:
  }
}
