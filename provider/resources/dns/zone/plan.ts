/** The requests that bring a zone in line: the fewest, and in an order in which the service refuses none of them. Pure; sends nothing. */

import { recordLimit } from "../record/relations.ts";
import { isNullMx } from "../record/types.ts";
import { changesOf, type Formed, type ZoneChanges } from "./changes.ts";
import { ownerOf } from "./form.ts";

export type ZoneStep<L extends Formed, W extends Formed> =
  | { readonly does: "delete"; readonly from: L }
  | { readonly does: "put"; readonly from: L; readonly to: W }
  | { readonly does: "post"; readonly to: W };

export interface ZonePlan<L extends Formed, W extends Formed> {
  readonly changes: ZoneChanges<L, W>;
  /** One after the other; the steps of one stage may run in any order and at the same time, the first ones matter most. */
  readonly stages: readonly (readonly ZoneStep<L, W>[])[];
}

/**
 * Plans for records that the zone owns; `others` is how many more the domain has. What stands in the way of something new goes first; all else
 * that goes does so last, so that a zone which is cut off half way still answers.
 */
export function planZone<L extends Formed, W extends Formed>(
  live: readonly L[],
  wanted: readonly W[],
  others = 0,
): ZonePlan<L, W> {
  const changes = changesOf(live, wanted);
  const { added, edited, removed } = changes;
  const isAlone = ({ form }: Formed) => form.type === "CNAME";
  const coming = { all: ownersOf(added), alone: ownersOf(added.filter(isAlone)) };
  const going = { all: ownersOf(removed), alone: ownersOf(removed.filter(isAlone)) };
  // A Null MX comes or goes: then every other change of an MX waits until what must go has gone.
  const refusesMail = [...live, ...wanted].some(({ form }) => isNullMx(form));
  const blocks = (one: Formed) =>
    coming.alone.has(ownerOf(one.form)) ||
    (isAlone(one) && coming.all.has(ownerOf(one.form))) ||
    (refusesMail && one.form.type === "MX");
  const waits = (one: Formed) =>
    going.alone.has(ownerOf(one.form)) ||
    (isAlone(one) && going.all.has(ownerOf(one.form))) ||
    (refusesMail && one.form.type === "MX");
  const early = removed.filter(blocks);
  const late = removed.filter((one) => !blocks(one));
  const room = recordLimit - others - live.length + early.length - added.length;
  if (room < 0) early.push(...late.splice(0, -room));
  const remove = (from: L) => ({ does: "delete", from }) as const;
  const add = (to: W) => ({ does: "post", to }) as const;
  const edit = (pair: { from: L; to: W }) => ({ does: "put", ...pair }) as const;
  const frees = ({ from, to }: { from: L; to: W }) => isNullMx(from.form) !== isNullMx(to.form);
  const stages = [
    early.map(remove),
    edited.filter(frees).map(edit),
    [
      ...added.filter(waits).map(add),
      ...edited.filter((pair) => !frees(pair)).map(edit),
      ...added.filter((one) => !waits(one)).map(add),
    ],
    late.map(remove),
  ];
  return { changes, stages: stages.filter((stage) => stage.length > 0) };
}

const ownersOf = (records: readonly Formed[]) => new Set(records.map(({ form }) => ownerOf(form)));
