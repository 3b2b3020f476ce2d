/** What tells an object from others by its inputs alone, so that one whose id was lost is found again. Pure. */

import { knownValues, plainInputs } from "../plain.ts";
import type { ResourceType } from "../type/resource.ts";
import type { Value, ValueMap } from "../value.ts";
import { toWire, wireNameOf } from "./wire.ts";

export interface NaturalKey {
  /** Its id, where its inputs are all of it. */
  readonly id?: string;
  /** Of the object that it is under; empty: it is under none. */
  readonly parentId: string;
  /** What people call it there, in lower case; absent: nothing tells it from its like but its properties. */
  readonly name?: string;
}

/** Undefined where something of it is not known yet. */
export function naturalKeyOf(type: ResourceType, inputs: ValueMap): NaturalKey | undefined {
  const { unknownPaths, ...plain } = plainInputs(type.inputs, inputs);
  const values = knownValues({ unknownPaths, ...plain });
  const unknown = new Set(unknownPaths.map(([name]) => String(name)));
  const parts = type.parameters.filter((name) => name !== type.ownParameter);
  if (parts.some((name) => unknown.has(name) || values[name] === undefined)) return undefined;
  const parentId = parts.map((name) => String(values[name])).join("/");
  if (type.ownParameter === undefined) return { id: parentId, parentId: "" };
  const wire = Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = type.inputs[name];
      return [wireNameOf(name, field), toWire(field, value as Value)];
    }),
  );
  const wireNames = new Set([...unknown].map((name) => wireNameOf(name, type.inputs[name])));
  let isKnown = true;
  const watched = new Proxy(wire, {
    get(object, name) {
      if (wireNames.has(String(name))) isKnown = false;
      return object[String(name)];
    },
  });
  const name = type.naturalName ? type.naturalName(watched) : watched["label"];
  if (!isKnown) return undefined;
  return { parentId, ...(typeof name === "string" && name !== "" && { name: name.toLowerCase() }) };
}
