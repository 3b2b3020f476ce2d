/** The notes of one object, as its verbs get them: kept by the ledger in the object's slot. */

import { notesIn } from "../../core/notes.ts";
import type { Notes } from "../../core/protocol.ts";
import type { Run } from "./run.ts";

/** Read only in a preview. An object and its replacement have a slot each, so neither sees the other's notes. */
export function notesOf({ ledger, preview }: Pick<Run, "ledger" | "preview">, slot: number): Notes {
  return notesIn(
    { held: () => ledger.notes.get(slot) ?? {}, hold: (notes) => ledger.setNotes(slot, notes) },
    { isReadOnly: preview },
  );
}
