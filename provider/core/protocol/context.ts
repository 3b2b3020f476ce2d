/** What every request of a verb carries beside its own fields: who it is about, what it may tell, what it may note. Pure types. */

import type { Value } from "../value.ts";

/** `urn:pulumi:<stack>::<project>::<parent types$type>::<name>`. */
export type Urn = string;

export type Severity = "debug" | "info" | "warning" | "error";

/** Tells the user something while a verb runs. `ephemeral` is a status line (a wait's progress), not a message to keep. */
export type Log = (severity: Severity, message: string, options?: { ephemeral?: boolean }) => void;

/**
 * Notes about one object that outlive a killed process: written before a write whose lost answer nothing else could tell, found by the next
 * verb of the same object, also under another URN, and never by its replacement; those of a create wait under its URN for the id. An engine drops
 * them when the object is deleted; a type tells stale ones by the state beside them.
 */
export interface Notes {
  /** What an earlier verb, or this one, noted last under the key. */
  readonly get: (key: string) => Value | undefined;
  /** Resolves when it is safely on disk. Plain JSON, never a secret; `undefined` removes the note. */
  readonly set: (key: string, note: Value | undefined) => Promise<void>;
}

/** What every request carries beside its own fields. */
export interface RequestContext {
  /** Of the resource that the verb is about; absent where nothing can be kept, and in previews read only. */
  readonly notes?: Notes;
  /** Status and warnings of this verb; never throws. */
  readonly log?: Log;
  /** Aborted on cancel: no new write starts, waits end, what runs may end. */
  readonly signal?: AbortSignal;
}

/** Names the resource that a verb is about. `type` is the canonical token, for example `plumbline:dns/domain:Domain`. */
export interface ResourceIdentity {
  readonly urn: Urn;
  readonly type: string;
  readonly name: string;
}
