/** Unique names that an object of the account has already. Makes no request. */

import { comparable } from "../../core/judgement/compare.ts";
import { idOf } from "../../core/object/identifier.ts";
import { wireNameOf } from "../../core/object/wire.ts";
import type { CheckFailure } from "../../core/protocol.ts";
import type { WireObject } from "../../core/service-port.ts";
import { shortToken } from "../../core/token.ts";
import { annotations } from "../../core/type/field.ts";
import type { ResourceType } from "../../core/type/resource.ts";
import type { Value } from "../../core/value.ts";
import { withArticle } from "../../core/wording.ts";

/** The first unique name of the declaration that an object of the list has already. */
export function nameTaken(
  type: ResourceType,
  values: { readonly [name: string]: unknown },
  objects: readonly WireObject[],
  isOurs: (id: string) => boolean,
): { property: string; id: string } | undefined {
  for (const [property, field] of Object.entries(type.inputs)) {
    if (!annotations(field).unique || values[property] === undefined) continue;
    const wanted = comparable(field, values[property] as Value);
    for (const object of objects) {
      if (comparable(field, object[wireNameOf(property, field)] as Value) !== wanted) continue;
      const id = idOf(type, values, object);
      if (!isOurs(id)) return { property, id };
    }
  }
  return undefined;
}

/** The refusal of a name whose object exists: how to bring that under management. */
export function alreadyExists(
  type: ResourceType,
  name: string,
  property: string,
  value: unknown,
  id: string,
): CheckFailure {
  const token = shortToken(type.token);
  const reason = `${withArticle(type.name)} with ${property} ${JSON.stringify(value)} exists already, with id ${id}; choose another ${property}, or adopt it: plumbline import ${token} ${name} ${id} (under Pulumi: pulumi import ${type.token} ${name} ${id}; where a resource that this program declares leaves that ${property} in this run, name it in \`dependsOn\`)`;
  return { property, reason, errorCode: "PLB-NAME", existing: id };
}
