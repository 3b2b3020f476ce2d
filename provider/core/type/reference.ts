/** What types say of the objects that theirs name or hold. Pure types; knows no type. */

import type { ValueMap } from "../value.ts";

/** An object as a read for an import gave it. */
export interface FoundObject {
  readonly id: string;
  readonly inputs: ValueMap;
  readonly state: ValueMap;
}

/** An object of another type; `type` is that type's key (`kubernetes/nodePool`). */
export interface TypePart {
  readonly type: string;
  readonly id: string;
}

/** An input that names an object of another type; `property` is what the input has the value of. */
export interface TypeReference extends TypePart {
  /** The way to the value from the inputs. */
  readonly path: readonly (string | number)[];
  readonly property: string;
}
