/** The values that a create or an update applies. Makes no request. */

import { knownValues, plainInputs } from "../../core/plain.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import { containsUnknown, type Value } from "../../core/value.ts";

/** Plain values of inputs that are all known. Throws otherwise: an engine must not apply unknowns. */
export function valuesToApply(
  type: ResourceType,
  inputs: { readonly [name: string]: Value },
): { readonly [name: string]: unknown } {
  for (const [name, value] of Object.entries(inputs)) {
    if (containsUnknown(value))
      throw new Error(`${name}: its value is still unknown, so nothing can be applied`);
  }
  return knownValues(plainInputs(type.inputs, inputs));
}
