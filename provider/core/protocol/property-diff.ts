/** How one property differs from what was last applied, as a diff tells it. Pure types. */

import type { Value } from "../value.ts";

export type DiffKind = "add" | "delete" | "update" | "add-replace" | "delete-replace" | "update-replace";

export interface PropertyDiff {
  readonly kind: DiffKind;
  /** True: the old value is the old input's; false: it is the old output's. */
  readonly inputDiff: boolean;
  /** The values, where the path leads to none in the inputs (a record of a list, by its name). For showing only. */
  readonly values?: { readonly before?: Value; readonly after?: Value };
}
