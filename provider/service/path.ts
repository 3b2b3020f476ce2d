/** What a path says by itself: which list an object belongs to, and where that list is peculiar. Makes no request. */

/** An object that a list shows. */
export interface ItemPath {
  readonly path: string;
  /** Path of the list. */
  readonly collection: string;
  /** The decoded last segment. */
  readonly key: string;
}

/** What is peculiar to a list. */
export interface ListTraits {
  /** The field that the last segment of an item's path repeats. */
  readonly field: "id" | "label";
  /** The X-Filter that keeps the list to the account's own objects. */
  readonly filter?: { readonly [name: string]: unknown };
  /** An item without this field is a short form, and is not served for the item itself. */
  readonly whole?: string;
  /** False: the list shows a restricted user only what was granted, so an object that is absent may exist all the same. */
  readonly complete: boolean;
  /** False: a write's answer holds what no later read shows (a secret), so it is not served for a read. */
  readonly echoes: boolean;
  /** True: no write of an account changes it. */
  readonly fixed: boolean;
}

const FIXED =
  /^\/(regions|images|compute\/(types|kernels)|databases\/(types|engines)|lke\/versions|object-storage\/clusters)$/;
const BUCKETS = /^\/object-storage\/buckets\/[^/]+$/;
const SHOWN_ONCE = /^\/(object-storage\/keys|profile\/tokens)$/;

/**
 * Fills ids into a path, each as one encoded segment: path`/databases/engines/${"mysql/8.0"}`.
 * Paths given to the client come encoded; this tag is the way to have that. Throws on an empty id.
 */
export function path(words: TemplateStringsArray, ...ids: readonly (string | number)[]): string {
  const filled = words.map((word, at) =>
    at < ids.length ? word + encodeURIComponent(String(ids[at])) : word,
  );
  return checkPath(filled.join(""));
}

/** The path itself, or an error when it can only come from a mistake (an id that is missing, a dot segment). */
export function checkPath(path: string): string {
  const [bare = ""] = path.split("?", 1);
  const bad =
    !bare.startsWith("/") ||
    /[\s#\\\u0000-\u001f\u007f-\uffff]/.test(path) ||
    segments(bare).some((part) => /^(|\.{1,2}|undefined|null|NaN|\[object.*)$/.test(decode(part)));
  if (bad) throw new TypeError(`"${path}" is no path of the service: an id is missing or not encoded`);
  return path;
}

/** The parts between slashes, still encoded. */
export function segments(path: string): string[] {
  return path.slice(1).split("/");
}

/** The path without its query. */
export function bare(path: string): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}

/** The list that shows the object at `path`; `undefined` for views, lists and single objects (`/domains/1/zone-file`, `/account`). */
export function itemOf(path: string): ItemPath | undefined {
  if (path.includes("?")) return undefined;
  const cut = path.lastIndexOf("/");
  const collection = path.slice(0, cut);
  const key = decode(path.slice(cut + 1));
  const listed = /^\d+$/.test(key)
    ? isCollection(collection)
    : FIXED.test(collection) || BUCKETS.test(collection);
  return listed ? { path, collection, key } : undefined;
}

/** True for the path of a list, which is also where its items are created; false for actions and views. */
export function isCollection(path: string): boolean {
  const last = path.slice(path.lastIndexOf("/") + 1);
  return (/s$/.test(last) && last !== "access" && !path.includes("?")) || BUCKETS.test(path);
}

/** What is peculiar to the list at `collection`. */
export function traitsOf(collection: string): ListTraits {
  const fixed = FIXED.test(collection);
  return {
    field: BUCKETS.test(collection) ? "label" : "id",
    ...(collection === "/compute/stackscripts" ? { filter: { mine: true }, whole: "script" } : {}),
    complete: fixed || /\/\d+\//.test(collection),
    echoes: !SHOWN_ONCE.test(collection),
    fixed,
  };
}

/** How people call the object: `volume 7`, `record 5 of domain 1`. */
export function nameOf(path: string): string {
  const parts = segments(bare(path)).map(decode);
  const names: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const word = parts[at] ?? "";
    const id = parts[at + 1];
    if (id !== undefined && /^\d/.test(id)) {
      names.unshift(`${word.replace(/s$/, "")} ${id}`);
      at++;
    } else if (at === parts.length - 1) {
      names.unshift(word);
    }
  }
  return names.join(" of ");
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
