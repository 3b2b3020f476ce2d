/** Marks of values: what stands for them in notes on the disk. The one place where they are hashed. */

import { createHash, createHmac } from "node:crypto";
import type { Marker } from "../../core/judgement/unapplied.ts";

/** A marker whose secrets are kept by a key that is not on the disk. Another key gives other marks. */
export function markerWith(key: () => string): Marker {
  return {
    plain: (text) => createHash("sha256").update(text).digest("base64url"),
    keyed: (text) => createHmac("sha256", key()).update(text).digest("base64url"),
  };
}
