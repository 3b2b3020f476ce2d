/** Notes as a verb gets them, over whatever keeps them: what both engines refuse alike. It knows no file. */

import type { Notes } from "../protocol.ts";
import { isTagged, some, type Value, type ValueMap } from "../value.ts";

/** Where the notes of one object are kept, all of them together. */
export interface NoteStore {
  /** As they are now; a write counts from the moment in which it is asked for. */
  readonly held: () => ValueMap;
  /** Puts these in the place of all that are held. Resolves when they are safely on disk. */
  readonly hold: (notes: ValueMap) => Promise<void>;
}

/**
 * Notes over a store. `set` rejects for what is not plain JSON, a secret above all, and for everything when they are read only (a preview):
 * then the type is at fault, not the user.
 */
export function notesIn(store: NoteStore, options: { readonly isReadOnly: boolean }): Notes {
  return {
    get: (key) => {
      const held = store.held();
      return Object.hasOwn(held, key) ? held[key] : undefined;
    },
    set: async (key, note) => {
      if (options.isReadOnly) throw new Error(`a preview must not note anything ("${key}")`);
      if (note !== undefined && some(note, isNoJson)) {
        throw new Error(`the note "${key}" is not plain JSON, or holds a secret: it must not be kept`);
      }
      const others = Object.entries(store.held()).filter(([name]) => name !== key);
      await store.hold(Object.fromEntries(note === undefined ? others : [...others, [key, note]]));
    },
  };
}

/** Notes of what was never noted about, for the preview of a create. */
export const noNotes: Notes = notesIn({ held: () => ({}), hold: async () => {} }, { isReadOnly: true });

/** True for what a note, or anything else that is written down beside the state, must not hold. */
export function isNoJson(value: Value): boolean {
  return isTagged(value) || value === undefined || (typeof value === "number" && !Number.isFinite(value));
}
