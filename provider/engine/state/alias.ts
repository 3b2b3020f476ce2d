/** Other URNs that a resource may have had: its own aliases, and those that follow from its parent's. Pure. */

import { makeUrn, urnParts } from "../../core/engines/urn.ts";
import type { Urn } from "../../core/protocol.ts";

/** An alias as the option has it. */
export type Alias =
  | { readonly urn: Urn }
  | {
      readonly name?: string;
      readonly type?: string;
      readonly stack?: string;
      readonly project?: string;
      readonly parent?: Urn;
      readonly noParent?: boolean;
    };

/**
 * The URNs to look for in the state, in the order in which they are tried, without the resource's own. `parentAliases` are the URNs that the
 * parent was known by.
 */
export function aliasUrns(
  urn: Urn,
  parent: Urn | undefined,
  aliases: readonly Alias[],
  parentAliases: readonly Urn[],
): Urn[] {
  if (aliases.length === 0 && parentAliases.length === 0) return [];
  const self = urnParts(urn);
  const parents: (Urn | undefined)[] = [parent, ...parentAliases];
  const found = new Set<Urn>();
  for (const alias of [...aliases, {}]) {
    if ("urn" in alias) {
      found.add(alias.urn);
      continue;
    }
    const above = alias.noParent ? [undefined] : alias.parent === undefined ? parents : [alias.parent];
    for (const one of above) {
      found.add(
        makeUrn(
          alias.stack ?? self.stack,
          alias.project ?? self.project,
          alias.type ?? self.type,
          alias.name ?? self.name,
          one,
        ),
      );
    }
  }
  found.delete(urn);
  return [...found];
}
