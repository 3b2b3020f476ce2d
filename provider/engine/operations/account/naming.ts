/** Names for resources that nobody named: readable, legal in stack files, each once. The same objects in the same order get the same names. Pure. */

import { shortToken } from "../../../core/token.ts";

/** What a name is made of. */
export interface Nameless {
  /** Canonical token. */
  readonly type: string;
  readonly id: string;
  /** What the object proposes (`www-a`); any text. */
  readonly proposed: string;
  /** The object that it is listed under. */
  readonly parent?: { readonly type: string; readonly id: string };
}

const longest = 80;

/**
 * A name for each, in their order; parents come before their children. `taken` holds names that others have, `parents` those of objects
 * that have one already, by type and id (`TYPE ID`).
 */
export function nameAll(
  objects: readonly Nameless[],
  taken: ReadonlySet<string>,
  parents: ReadonlyMap<string, string> = new Map(),
): string[] {
  /** Type that has the name; empty where that is no object of ours. */
  const owners = new Map<string, string>([...taken, "pulumi"].map((name) => [name, ""]));
  const counts = new Map<string, number>();
  const names = new Map<string, string>(parents);
  /** The name itself where it is free; with a number where others of the type have it; with the type where something else has it. */
  const unused = (name: string, type: string): string => {
    if (!owners.has(name)) return name;
    if (owners.get(name) !== type && !name.endsWith(`-${kindOf(type)}`))
      return unused(`${name}-${kindOf(type)}`, type);
    let count = counts.get(name) ?? 1;
    do count += 1;
    while (owners.has(`${name}-${count}`));
    counts.set(name, count);
    return `${name}-${count}`;
  };
  return objects.map((object) => {
    const above = object.parent && names.get(keyOf(object.parent));
    const own = fitted(above === undefined ? object.proposed : `${above}-${object.proposed}`);
    const name = unused(own, object.type);
    owners.set(name, object.type);
    names.set(keyOf(object), name);
    return name;
  });
}

const keyOf = ({ type, id }: { readonly type: string; readonly id: string }) => `${type} ${id}`;

function fitted(text: string): string {
  const name = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longest)
    .replace(/^-+|-+$/g, "");
  // A name without letters would be read as a number, or as a date.
  return /[a-z]/.test(name) ? name : `object${name === "" ? "" : `-${name}`}`;
}

/** `instance-settings` for InstanceSettings. */
function kindOf(token: string): string {
  return (shortToken(token).split(":").at(-1) ?? "")
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
}
