/** What is declared within an object (a cluster's own pools, a zone's records) is nobody else's, whoever looks for what a lost create made. */

import type { FoundObject } from "../../core/type/reference.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import type { Operation } from "../operation.ts";

/** Remembers the parts of an object as its state tells them. */
export function knowParts(operation: Operation, type: ResourceType, object: FoundObject): void {
  for (const { type: key, id } of type.parts?.(object) ?? []) {
    const part = operation.types.get(key);
    if (part) operation.plan.knowPart(part, id);
  }
}
