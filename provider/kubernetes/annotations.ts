/** What annotations say of an object: by a user, how it is to be dealt with; by us, what its successor needs. Pure. */

import type { Notes } from "../core/protocol.ts";
import { domain } from "../core/schema/manifest/kinds.ts";
import type { Value } from "../core/value.ts";
import type { KubeObject, MetadataPatch } from "./api.ts";

export const finalizer = `${domain}/finalizer`;
export const annotation = (name: string): string => `${domain}/${name}`;

/** The id of the object on the service; given by a user, it means: import this one. */
export const externalId = annotation("external-id");
/** Whose the object on the service is, as the service calls the customer. */
export const ofCustomer = annotation("customer");
/** The service's time before a create was sent; there until its id is. */
export const createStarted = annotation("create-started");
/** Before the words of what a type notes. */
const notePrefix = annotation("note-");

export const isTrue = ({ metadata }: KubeObject, name: string): boolean =>
  metadata.annotations?.[annotation(name)] === "true";

/** What has the name of the declaration already is what is meant. */
export const takesByName = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[annotation("adopt")] === "by-name";

export const idOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[externalId];

/** The id, also where somebody took the annotation away. Once a create may have begun the status may tell of what was there before. */
export const knownIdOf = (object: KubeObject): string | undefined =>
  idOf(object) ??
  (object.metadata.annotations?.[createStarted] === undefined ? object.status?.id : undefined);

/** The finalizers with ours. */
export const withFinalizer = ({ metadata }: KubeObject): readonly string[] => [
  ...new Set([...(metadata.finalizers ?? []), finalizer]),
];

/** What a type notes of an object stands in its annotations, which every backup keeps. */
export function notesOf(present: () => KubeObject, patch: (change: MetadataPatch) => Promise<void>): Notes {
  const key = (word: string): string => `${notePrefix}${word.replace(/[^A-Za-z0-9]+/g, "-")}`;
  return {
    get(word) {
      const text = present().metadata.annotations?.[key(word)];
      return text === undefined ? undefined : (JSON.parse(text) as Value);
    },
    set: (word, note) =>
      patch({ annotations: { [key(word)]: note === undefined ? null : JSON.stringify(note) } }),
  };
}

/** What was noted of an object is none of its successor's. */
export const withoutNotes = ({ metadata }: KubeObject): { readonly [name: string]: null } =>
  Object.fromEntries(
    Object.keys(metadata.annotations ?? {})
      .filter((name) => name.startsWith(notePrefix))
      .map((name) => [name, null]),
  );
