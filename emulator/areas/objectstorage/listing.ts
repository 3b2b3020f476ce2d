/** Lists the objects of a bucket page by page (contract section 2.6: marker, delimiter, prefix). It knows no requests. */

import type { StoredObject } from "./stored.ts";

export interface ListingQuery {
  /** Only names that begin with it. */
  readonly prefix: string;
  /** Names are told up to its first occurrence after the prefix, once each; empty: whole names. */
  readonly delimiter: string;
  /** `next_marker` of the page before; empty: from the start. */
  readonly marker: string;
  readonly size: number;
}

export interface ListedObject {
  name: string;
  size: number | null;
  last_modified: string | null;
  etag: string | null;
  owner: string | null;
}

export interface ObjectPage {
  data: ListedObject[];
  next_marker: string | null;
  is_truncated: boolean;
}

/** Code units in the order of UTF-8 bytes: surrogates come after everything else. */
const rank = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

/** Orders names as storage does, by their UTF-8 bytes. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** One page. The marker is the last name told, so that a listing goes on after it whatever was deleted meanwhile. */
export function listObjects(
  stored: readonly StoredObject[],
  owner: string,
  { prefix, delimiter, marker, size }: ListingQuery,
): ObjectPage {
  const entries = new Map<string, StoredObject | null>();
  for (const object of stored) {
    const { name } = object;
    if (!name.startsWith(prefix)) continue;
    const end = delimiter === "" ? -1 : name.indexOf(delimiter, prefix.length);
    const told = end < 0 ? name : name.slice(0, end + delimiter.length);
    if (marker !== "" && compareNames(told, marker) <= 0) continue;
    entries.set(told, end < 0 ? object : null);
  }
  const names = [...entries.keys()].sort(compareNames);
  const page = names.slice(0, size);
  const truncated = names.length > page.length;
  return {
    data: page.map((name) => {
      const object = entries.get(name);
      return {
        name,
        size: object?.size ?? null,
        last_modified: object?.last_modified ?? null,
        etag: object?.etag ?? null,
        owner: object ? owner : null,
      };
    }),
    next_marker: truncated ? page.at(-1)! : null,
    is_truncated: truncated,
  };
}
