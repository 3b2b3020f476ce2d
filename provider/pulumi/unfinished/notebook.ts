/** Notes of verbs, kept in the create log: which belong to which object, and when nobody else writes them. It knows no protocol. */

import { notesIn } from "../../core/engines/notes.ts";
import type { Notes } from "../../core/protocol.ts";
import { endOf } from "../../machine/process.ts";
import { type CreateLog, objectKey } from "./create-log.ts";

/** Notes of a create, whose object has no id at first. */
export interface Page {
  readonly notes: Notes;
  /** The object has this id: the notes are that object's from now on. */
  readonly moveTo: (id: string) => void;
  /** To be called when the create is over. */
  readonly end: () => void;
}

export interface Notebook {
  /**
   * Runs a verb of an existing object with the object's notes. A verb that may write first waits for the plugin of a killed engine to end, if
   * that one's verb noted something and has not ended.
   */
  of<T>(
    object: { readonly type: string; readonly id: string; readonly isPreview?: boolean },
    work: (notes: Notes) => Promise<T>,
  ): Promise<T>;
  /** The object is gone: its notes go too. */
  gone(type: string, id: string): void;
  /** Notes of a create; `earlierId`: what the attempt had made that it goes on with. */
  ofCreate(urn: string, type: string, earlierId: string | undefined): Page;
  /** Resolves when no other process is in the middle of a verb that wrote the holder's notes. */
  quiet(holder: string): Promise<void>;
}

export function createNotebook(log: CreateLog): Notebook {
  const heldBy = (holder: string) => log.notes(holder)?.notes ?? {};

  async function quiet(holder: string): Promise<void> {
    const pid = log.notes(holder)?.pid;
    if (pid !== undefined) await endOf(pid);
  }

  /** Takes the process's name off notes that the verb leaves behind. */
  function leave(holder: string): void {
    const left = log.notes(holder);
    if (left?.pid !== undefined) log.leave(holder, left.notes);
  }

  return {
    quiet,
    of: async ({ type, id, isPreview = false }, work) => {
      const holder = objectKey(type, id);
      const notes = notesIn(
        { held: () => heldBy(holder), hold: (next) => log.hold(holder, next) },
        { isReadOnly: isPreview },
      );
      if (isPreview) return work(notes);
      await quiet(holder);
      try {
        return await work(notes);
      } finally {
        leave(holder);
      }
    },
    gone: (type, id) => log.leave(objectKey(type, id), {}),
    ofCreate: (urn, type, earlierId) => {
      let holder = earlierId === undefined ? urn : objectKey(type, earlierId);
      /** What this very create noted: all that goes with it when it makes another object than the earlier attempt did. */
      const own = new Set<string>();
      const { get, set } = notesIn(
        { held: () => heldBy(holder), hold: (next) => log.hold(holder, next) },
        { isReadOnly: false },
      );
      return {
        notes: {
          get,
          set: (key, note) => {
            own.add(key);
            return set(key, note);
          },
        },
        moveTo: (id) => {
          const next = objectKey(type, id);
          if (next === holder) return;
          const all = Object.entries(heldBy(holder));
          const moved = holder === urn ? all : all.filter(([key]) => own.has(key));
          if (moved.length > 0) void log.hold(next, Object.fromEntries(moved));
          else log.leave(next, {});
          log.leave(holder, {});
          holder = next;
        },
        end: () => leave(holder),
      };
    },
  };
}
