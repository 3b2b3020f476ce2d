/** Which list an object belongs to, and where that list is peculiar: as paths tell it, and as types tell whoever makes the client. Makes no request. */

import type { SpecialList } from "../core/service-port.ts";
import { decode } from "./path.ts";

/** An object that a list shows. */
export interface ItemPath {
  readonly path: string;
  /** Path of the list. */
  readonly collection: string;
  /** The decoded last segment. */
  readonly key: string;
}

/** What is peculiar to a list. */
export interface ListTraits extends Pick<SpecialList, "filter" | "whole"> {
  /** The field that the last segment of an item's path repeats. */
  readonly field: string;
  /** False: the list shows a restricted user only what was granted, so an object that is absent may exist all the same. */
  readonly complete: boolean;
  /** False: a write's answer holds what no later read shows (a secret), so it is not served for a read. */
  readonly echoes: boolean;
  /** True: no write of an account changes it. */
  readonly fixed: boolean;
}

/** The lists of one service. */
export interface Lists {
  /** The list that shows the object at `path`; `undefined` for views, lists and single objects (`/domains/1/zone-file`, `/account`). */
  readonly itemOf: (path: string) => ItemPath | undefined;
  /** True for the path of a list, which is also where its items are created; false for actions and views. */
  readonly isCollection: (path: string) => boolean;
  /** What is peculiar to the list at `collection`. */
  readonly traitsOf: (collection: string) => ListTraits;
  /** The field that the last segment of the path repeats of what is made at `path`. */
  readonly fieldOfMade: (path: string) => string;
}

const FIXED =
  /^\/(regions|images|compute\/(types|kernels)|databases\/(types|engines)|lke\/versions|object-storage\/clusters)$/;

/** The lists of a service of which these are special. */
export function createLists(special: readonly SpecialList[] = []): Lists {
  const patterns = special.map((list) => ({
    list,
    pattern: new RegExp(`^${list.collection.replace(/\{\w+\}/g, "[^/]+")}$`),
  }));
  const specialAt = (path: string) => patterns.find(({ pattern }) => pattern.test(path))?.list;
  /** True for lists whose items have a name in place of a number. */
  const isNamed = (path: string) => specialAt(path)?.field !== undefined;

  const isCollection = (path: string) => {
    const last = path.slice(path.lastIndexOf("/") + 1);
    return (/s$/.test(last) && last !== "access" && !path.includes("?")) || isNamed(path);
  };

  return {
    isCollection,
    itemOf(path) {
      if (path.includes("?")) return undefined;
      const cut = path.lastIndexOf("/");
      const collection = path.slice(0, cut);
      const key = decode(path.slice(cut + 1));
      const listed = /^\d+$/.test(key)
        ? isCollection(collection)
        : FIXED.test(collection) || isNamed(collection);
      return listed ? { path, collection, key } : undefined;
    },
    traitsOf(collection) {
      const { field = "id", tellsOnce = false, filter, whole } = specialAt(collection) ?? {};
      const fixed = FIXED.test(collection);
      return {
        field,
        ...(filter && { filter }),
        ...(whole !== undefined && { whole }),
        complete: fixed || /\/\d+\//.test(collection),
        echoes: !tellsOnce,
        fixed,
      };
    },
    fieldOfMade: (path) => special.find(({ made }) => made === path)?.field ?? "id",
  };
}
