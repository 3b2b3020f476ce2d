/** Unique names that resources of one plan leave for others: those that change places cannot, because each would need the other's first. Pure. */

import type { UniqueName, Urn } from "../protocol.ts";

interface Move {
  readonly urn: Urn;
  readonly name: string;
  readonly to: string;
}

/** The memory of one plan. */
export interface Renames {
  readonly forget: (urn: Urn) => void;
  /** Notes which names the resource leaves; resolves to those that close a circle, each with the resource that has it still. */
  readonly note: (
    resource: { readonly urn: Urn; readonly name: string },
    before: readonly UniqueName[],
    after: readonly UniqueName[],
  ) => readonly { readonly property: string; readonly holder: string }[];
}

export function newRenames(): Renames {
  /** By the name that is left. */
  const moves = new Map<string, Move>();
  const left = new Map<Urn, readonly string[]>();

  /** Who holds the name, when following who wants whose ends at the resource itself. */
  const holderInCircle = (urn: Urn, wanted: string): string | undefined => {
    const first = moves.get(wanted);
    const seen = new Set<string>();
    for (let group = wanted; !seen.has(group); ) {
      seen.add(group);
      const move = moves.get(group);
      if (move === undefined) return undefined;
      if (move.urn === urn) return first?.urn === urn ? undefined : first?.name;
      group = move.to;
    }
    return undefined;
  };

  return {
    forget(urn) {
      for (const group of left.get(urn) ?? []) if (moves.get(group)?.urn === urn) moves.delete(group);
      left.delete(urn);
    },
    note({ urn, name }, before, after) {
      const changed = after.flatMap(({ property, group }) => {
        const old = before.find((one) => one.property === property);
        return old === undefined || old.group === group ? [] : [{ property, from: old.group, to: group }];
      });
      for (const { from, to } of changed) moves.set(from, { urn, name, to });
      left.set(
        urn,
        changed.map(({ from }) => from),
      );
      return changed.flatMap(({ property, to }) => {
        const holder = holderInCircle(urn, to);
        return holder === undefined ? [] : [{ property, holder }];
      });
    },
  };
}
