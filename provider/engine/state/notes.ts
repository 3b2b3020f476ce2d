/** The notes of one object, as its verbs get them: kept by the ledger in the object's slot. */

import { notesIn } from "../../core/engines/notes.ts";
import type { Notes } from "../../core/protocol.ts";
import type { Ledger } from "./ledger.ts";

/** Read only in a preview. An object and its replacement have a slot each, so neither sees the other's notes. */
export function notesOf(
  { ledger, preview }: { readonly ledger: Pick<Ledger, "notes" | "setNotes">; readonly preview: boolean },
  slot: number,
): Notes {
  return notesIn(
    { held: () => ledger.notes.get(slot) ?? {}, hold: (notes) => ledger.setNotes(slot, notes) },
    { isReadOnly: preview },
  );
}

/** Drops notes that are of no use since the last change is saved. Nobody waits for it: a kill before it leaves them, which costs nothing. */
export function dropNotes(ledger: Ledger, slot: number, keys: readonly string[] = []): void {
  const held = ledger.notes.get(slot);
  if (held === undefined || !keys.some((key) => key in held)) return;
  const rest = Object.fromEntries(Object.entries(held).filter(([key]) => !keys.includes(key)));
  // A failed write is kept by the journal, and its save reports it.
  ledger.setNotes(slot, rest).catch(() => {});
}
