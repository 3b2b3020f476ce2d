/** Finds the one object that a function's arguments name. Knows no area. */

import type { Refuse } from "../core/resource.ts";
import { isGone, type WireObject } from "../core/service-port.ts";

/** Refuses arguments that name an object by both, or by neither, of its id and its name. */
export function needsOne(
  args: { readonly [name: string]: unknown },
  one: string,
  other: string,
  refuse: Refuse,
): void {
  const given = [one, other].filter((name) => args[name] !== undefined);
  if (given.length === 0) refuse(one, `is required, or ${other} in its place`);
  if (given.length === 2) refuse(other, `cannot be combined with ${one}; give one of them`);
}

/** The only object; an error that names the key when there is none, or ids when there are several. */
export function theOnly(objects: readonly WireObject[], what: string): WireObject {
  const [first, ...more] = objects;
  if (!first) throw new Error(`there is no ${what}`);
  if (more.length === 0) return first;
  throw new Error(
    `there are ${objects.length} of ${what}: ids ${objects.map((object) => object["id"]).join(", ")}`,
  );
}

/** What was read, or an error that names the object when the service does not know it. */
export async function existing<T>(what: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!isGone(error)) throw error;
    throw new Error(`there is no ${what}`, { cause: error });
  }
}

/** True when the wanted tag is not given, or is among those of the object, whatever its case. */
export function hasTag(object: WireObject, tag: string | undefined): boolean {
  const tags = (object["tags"] ?? []) as readonly string[];
  return tag === undefined || tags.some((each) => each.toLowerCase() === tag.toLowerCase());
}
