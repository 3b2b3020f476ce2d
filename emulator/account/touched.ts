/** What was touched in a collection since the last look, by field and by entry of a field, so that a saving costs what changed and no more. */

import type { Item } from "../area.ts";

/** A change of one stored object. `set` names the fields that went apart; an `entry` without value went. */
export type ItemChange =
  | readonly ["put", collection: string, item: Item]
  | readonly ["set", collection: string, id: number, fields: { [name: string]: unknown }, gone: string[]]
  | readonly ["entry", collection: string, id: number, field: string, key: string, value?: unknown]
  | readonly ["delete", collection: string, id: number];

/** Notes what is told to it while it is watched. */
export function createTouched(name: string, get: (id: number) => Item | undefined, isWatched: () => boolean) {
  /** By id: the fields, by field the keys; `null` stands for all of them. */
  let touched = new Map<number, Map<string, Set<string> | null> | null>();

  function fieldsOf(id: number): Map<string, Set<string> | null> | null {
    const known = touched.get(id);
    if (known !== undefined) return known;
    const fields = new Map<string, Set<string> | null>();
    touched.set(id, fields);
    return fields;
  }

  function changesOf(id: number, fields: Map<string, Set<string> | null> | null): ItemChange[] {
    const item = get(id);
    if (!item) return [["delete", name, id]];
    if (fields === null) return [["put", name, item]];
    const set: { [field: string]: unknown } = {};
    const gone: string[] = [];
    const entries: ItemChange[] = [];
    for (const [field, keys] of fields) {
      if (item[field] === undefined) gone.push(field);
      else if (keys === null) set[field] = item[field];
      else
        for (const key of keys) {
          const value = item[field][key];
          entries.push(
            value === undefined ? ["entry", name, id, field, key] : ["entry", name, id, field, key, value],
          );
        }
    }
    return Object.keys(set).length + gone.length === 0 ? entries : [["set", name, id, set, gone], ...entries];
  }

  return {
    whole: (id: number) => {
      if (isWatched()) touched.set(id, null);
    },
    field: (id: number, field: string) => {
      if (isWatched()) fieldsOf(id)?.set(field, null);
    },
    entry: (id: number, field: string, key: string) => {
      if (!isWatched()) return;
      const fields = fieldsOf(id);
      const keys = fields?.get(field);
      if (keys) keys.add(key);
      else if (keys === undefined) fields?.set(field, new Set([key]));
    },
    forget: () => {
      touched = new Map();
    },
    changes: () => {
      const all = [...touched].flatMap(([id, fields]) => changesOf(id, fields));
      touched = new Map();
      return all;
    },
  };
}
