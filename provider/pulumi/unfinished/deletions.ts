/** Deletions that began and that the engine has not surely saved, kept in the create log: what they were to delete may be gone, whatever the engine has. It knows no protocol. */

import { endOf } from "../../machine/process.ts";
import { type CreateLog, objectKey } from "./create-log.ts";

export interface Deletions {
  /** Writes down that the object's deletion begins; resolves when that is safely on disk. */
  begin(type: string, id: string): Promise<void>;
  /** Nothing of it is left; the engine has yet to save that. */
  done(type: string, id: string): void;
  /** True when an earlier run began to delete the object, and nobody knows what became of it; waits until that run's plugin has ended. */
  isOpen(type: string, id: string): Promise<boolean>;
  /** The object is surely as the engine has it. */
  forget(type: string, id: string): void;
  /** The engine has saved all that was done. */
  saved(): void;
}

const holderOf = (type: string, id: string): string => `delete ${objectKey(type, id)}`;

export function createDeletions(log: CreateLog): Deletions {
  const doneHere = new Set<string>();

  function end(holder: string): void {
    doneHere.delete(holder);
    if (log.notes(holder) !== undefined) log.leave(holder, {});
  }

  return {
    begin: (type, id) => log.hold(holderOf(type, id), { begun: true }),
    done: (type, id) => void doneHere.add(holderOf(type, id)),
    isOpen: async (type, id) => {
      const holder = holderOf(type, id);
      const begun = doneHere.has(holder) ? undefined : log.notes(holder);
      if (begun?.pid !== undefined) await endOf(begun.pid);
      return begun !== undefined;
    },
    forget: (type, id) => end(holderOf(type, id)),
    saved: () => {
      for (const holder of doneHere) end(holder);
    },
  };
}
