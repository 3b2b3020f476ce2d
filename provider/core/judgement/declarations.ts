/** What one operation declares: by URN, by group, and by type with what of it has no object yet. Pure. */

import type { Urn } from "../protocol.ts";
import type { ResourceType } from "../type/resource.ts";

export interface Entry {
  readonly type: ResourceType;
  readonly urn: Urn;
  readonly name: string;
  readonly values: { readonly [name: string]: unknown };
  /** Groups in which it can conflict with others. */
  readonly groups: readonly string[];
}

export interface Declarations {
  readonly groups: ReadonlyMap<string, ReadonlySet<Entry>>;
  readonly at: (urn: Urn) => Entry | undefined;
  readonly add: (entry: Entry) => void;
  readonly remove: (urn: Urn) => void;
  /** As `remove`, and its object is not known any more. */
  readonly forget: (urn: Urn) => void;
  /** The resource with this URN has an object. */
  readonly know: (type: ResourceType, urn: Urn) => void;
  /** The only declaration of the type of which no object is known, or where each one's is, its only declaration. */
  readonly sole: (typeKey: string) => Entry | undefined;
}

export function createDeclarations(): Declarations {
  const entries = new Map<Urn, Entry>();
  const groups = new Map<string, Set<Entry>>();
  /** URNs whose objects are known. */
  const known = new Set<Urn>();
  /** By the type's key: all entries, and those of which no object is known. */
  const types = new Map<string, { readonly all: Map<Urn, Entry>; readonly fresh: Map<Urn, Entry> }>();

  function remove(urn: Urn): void {
    const entry = entries.get(urn);
    for (const group of entry?.groups ?? []) {
      const members = groups.get(group);
      members?.delete(entry!);
      if (members?.size === 0) groups.delete(group);
    }
    entries.delete(urn);
    const ofType = entry && types.get(entry.type.key);
    ofType?.all.delete(urn);
    ofType?.fresh.delete(urn);
  }

  return {
    groups,
    remove,
    forget(urn) {
      remove(urn);
      known.delete(urn);
    },
    at: (urn) => entries.get(urn),
    add(entry) {
      const { urn, type } = entry;
      entries.set(urn, entry);
      const ofType = types.get(type.key) ?? { all: new Map(), fresh: new Map() };
      types.set(type.key, ofType);
      ofType.all.set(urn, entry);
      if (!known.has(urn)) ofType.fresh.set(urn, entry);
      for (const group of entry.groups) groups.set(group, (groups.get(group) ?? new Set()).add(entry));
    },
    know(type, urn) {
      known.add(urn);
      types.get(type.key)?.fresh.delete(urn);
    },
    sole(typeKey) {
      const { fresh, all } = types.get(typeKey) ?? { fresh: new Map(), all: new Map() };
      const candidates = fresh.size > 0 ? fresh : all;
      const [candidate] = candidates.values();
      return candidates.size === 1 ? candidate : undefined;
    },
  };
}
