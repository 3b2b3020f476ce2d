/** Keys that cost nothing, for engines whose states no other process opens: the real derivation takes a second on purpose. */

import { createHash } from "node:crypto";
import type { DeriveKey } from "../../provider/engine/state/passphrase.ts";

export const cheapKey: DeriveKey = async (passphrase, salt, keyBytes) =>
  createHash("sha256").update(passphrase).update("\0").update(salt).digest().subarray(0, keyBytes);
