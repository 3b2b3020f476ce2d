/** What has to become of the records of a zone: which stay, change, go and come. Pure; knows no request. */

import { grouped } from "../../../core/grouped.ts";
import { keyOf, ownerOf, titleOf, type ZoneForm } from "./form.ts";

export interface Formed {
  readonly form: ZoneForm;
}

export interface ZoneChanges<L extends Formed, W extends Formed> {
  readonly kept: readonly { readonly from: L; readonly to: W }[];
  /** The same name and type, another value. */
  readonly edited: readonly { readonly from: L; readonly to: W }[];
  readonly removed: readonly L[];
  readonly added: readonly W[];
  /** What to call a record that changes: its name and type, and its target where there are several of them. */
  readonly title: (form: ZoneForm) => string;
}

const groupOf = ({ form }: Formed) => `${ownerOf(form)}/${form.type}`;

/** The fewest changes: equal records stay whatever their order, and of each name and type as many as can be are edited. */
export function changesOf<L extends Formed, W extends Formed>(
  live: readonly L[],
  wanted: readonly W[],
): ZoneChanges<L, W> {
  const kept = pairs(live, wanted, ({ form }) => keyOf(form));
  // Of the rest, what keeps its target first: an edit then never makes a second one of what is there.
  const retold = pairs(kept.live, kept.wanted, (each) => `${groupOf(each)} ${each.form.target}`);
  const edited = pairs(retold.live, retold.wanted, groupOf);
  const counts = new Map<string, number>();
  for (const [i, side] of [live, wanted].entries()) {
    const seen = new Map<string, number>();
    for (const each of side) seen.set(groupOf(each), (seen.get(groupOf(each)) ?? 0) + 1);
    for (const [group, count] of seen)
      counts.set(group, i === 0 ? count : Math.max(count, counts.get(group) ?? 0));
  }
  return {
    kept: kept.paired,
    edited: [...retold.paired, ...edited.paired],
    removed: edited.live,
    added: edited.wanted,
    title: (form) => {
      const isOneOfMany = (counts.get(groupOf({ form })) ?? 0) > 1;
      return isOneOfMany ? `${titleOf(form)} ${short(form.target)}` : titleOf(form);
    },
  };
}

const short = (target: string) => (target.length > 40 ? `${target.slice(0, 39)}…` : target);

function pairs<L extends Formed, W extends Formed>(
  live: readonly L[],
  wanted: readonly W[],
  key: (each: Formed) => string,
) {
  const open = grouped(live, key);
  const paired: { from: L; to: W }[] = [];
  const taken = new Set<L>();
  const left: W[] = [];
  for (const each of wanted) {
    const from = open.get(key(each))?.shift();
    if (from === undefined) left.push(each);
    else {
      taken.add(from);
      paired.push({ from, to: each });
    }
  }
  return { paired, live: live.filter((each) => !taken.has(each)), wanted: left };
}

/** `3 to add, 37 to change, 2 to remove: www/A, mail/MX, …`; undefined where nothing changes. */
export function summaryOf(changes: ZoneChanges<Formed, Formed>, named: number): string | undefined {
  const { added, edited, removed, title } = changes;
  const counts = [
    [added.length, "to add"],
    [edited.length, "to change"],
    [removed.length, "to remove"],
  ] as const;
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (told.length === 0) return undefined;
  const names = [
    ...added.map(({ form }) => `+ ${title(form)}`),
    ...edited.map(({ to }) => `~ ${title(to.form)}`),
    ...removed.map(({ form }) => `- ${title(form)}`),
  ];
  const rest = names.length - named;
  const list = names.slice(0, named).join(", ");
  return `${told.join(", ")}${named > 0 ? `: ${list}${rest > 0 ? `, and ${rest} more` : ""}` : ""}`;
}
