/** How functions show an object: its id and everything that the service says of it. Pure. */

import type { TProperties } from "typebox";
import { isAlwaysAnswered } from "../schema/catalogue.ts";
import type { WireObject } from "../service-port.ts";
import { annotations, demanded, type Fields, group, list, text } from "../type/field.ts";
import type { ResourceType } from "../type/resource.ts";
import type { ValueMap } from "../value.ts";
import { withArticle } from "../wording.ts";
import { idOf } from "./identifier.ts";
import { observedState } from "./state.ts";
import { objectFromWire } from "./wire.ts";

/** The fields of a view: the canonical id, readable inputs, outputs, and `more`. */
export function viewFields(type: ResourceType, more: Fields = {}): TProperties {
  const readable = Object.entries({ ...type.inputs, ...type.outputs }).filter(([, field]) => {
    const { local, writeOnly, trigger, elsewhere, shownOnce } = annotations(field);
    return !local && !writeOnly && !trigger && !elsewhere && !shownOnce;
  });
  const fields = readable.map(([name, field]) => [
    name,
    isAlwaysAnswered(type, name) ? demanded(field) : field,
  ]);
  return { id: text({ description: `Id of the ${type.name}.` }), ...Object.fromEntries(fields), ...more };
}

/** A view as an item of a list. */
export function viewItem(type: ResourceType, more: Fields = {}) {
  return group(viewFields(type, more), {
    description: `${withArticle(type.name).replace("a", "A")}.`,
    typeName: `${type.name}Info`,
  });
}

/** A list of views. */
export function viewList(type: ResourceType, description: string, more: Fields = {}) {
  return list(viewItem(type, more), { description });
}

/** The view of an object; `parents` are the values that its path needs. */
export function viewOf(
  type: ResourceType,
  object: WireObject,
  parents: { readonly [name: string]: unknown } = {},
  more: Fields = {},
): ValueMap {
  const id = idOf(type, { ...parents, ...object }, object);
  return { id, ...observedState(type, id, object), ...objectFromWire(more, object) };
}
