/** As whom the Provider knows an object of a cluster. Pure. */

import type { ManifestKind } from "../core/schema/manifest/kinds.ts";
import type { KubeObject } from "./api.ts";

/** Another object of the same name, later, is another. */
export const urnOf = ({ group, kind }: ManifestKind, { metadata }: KubeObject): string =>
  `urn:kubernetes:${metadata.namespace}::${group}/${kind}::${metadata.name}::${metadata.uid}`;

/** Equal for one object, for names that are made up: 32 bytes of its uid. */
export function seedOf(uid: string): Uint8Array {
  return new TextEncoder().encode(uid.replaceAll("-", "").padEnd(32, "0").slice(0, 32));
}
