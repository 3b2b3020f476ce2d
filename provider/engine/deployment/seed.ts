/** What automatic names are drawn from. Knows no rule of names. */

import { createHash } from "node:crypto";
import type { Urn } from "../../core/protocol.ts";
import type { Run } from "./run.ts";

/** 32 bytes; equal in the rehearsal, the preview and the run that follows them, and in every attempt at the same creation. */
export function nameSeed(run: Run, urn: Urn, id: string | undefined): Uint8Array {
  return createHash("sha256")
    .update(JSON.stringify([run.ledger.lineage, urn, id ?? ""]))
    .digest();
}
