/** Other URNs that a resource may have had: its own aliases, and those that follow from its parent's. Pure. */

import { makeUrn, nameOf, typeOf, type UrnParts, urnParts } from "../../core/engines/urn.ts";
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

/** What the URNs follow from. */
export interface Kin {
  readonly parent: Urn | undefined;
  readonly aliases: readonly Alias[];
  /** The URNs that a resource of this run was known by. */
  readonly formerOf: (urn: Urn) => readonly Urn[];
}

/** The URNs to look for in the state, in the order in which they are tried, without the resource's own. */
export function aliasUrns(urn: Urn, { parent, aliases, formerOf }: Kin): Urn[] {
  const formerParents = parent === undefined ? [] : formerOf(parent);
  if (aliases.length === 0 && formerParents.length === 0) return [];
  const self = urnParts(urn);
  const found = new Set<Urn>();
  for (const alias of aliases) {
    if ("urn" in alias) {
      found.add(alias.urn);
      continue;
    }
    const { stack, project, type, name } = { ...self, ...alias };
    for (const above of parentsOf(alias.noParent ? undefined : (alias.parent ?? parent), formerOf))
      found.add(makeUrn(stack, project, type, name, above));
  }
  const parentName = nameOf(parent ?? "");
  const kinds = [self, ...aliases.map((alias) => kindOf(alias, self))];
  for (const former of formerParents) {
    for (const { type, name } of kinds) {
      // Names of children are often made of their parent's. One that was not, and only looks so, is still found by itself.
      const followed = name.startsWith(parentName) ? nameOf(former) + name.slice(parentName.length) : name;
      for (const each of [followed, name]) found.add(makeUrn(self.stack, self.project, type, each, former));
    }
  }
  found.delete(urn);
  return [...found];
}

function parentsOf(parent: Urn | undefined, formerOf: Kin["formerOf"]): readonly (Urn | undefined)[] {
  return parent === undefined ? [undefined] : [parent, ...formerOf(parent)];
}

function kindOf(alias: Alias, self: Pick<UrnParts, "type" | "name">): Pick<UrnParts, "type" | "name"> {
  if ("urn" in alias) return { type: typeOf(alias.urn) || self.type, name: nameOf(alias.urn) || self.name };
  return { type: alias.type ?? self.type, name: alias.name ?? self.name };
}
