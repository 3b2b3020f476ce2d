/** What cannot stand beside a declaration: the same object, an equal name, too many of one kind, and whatever the types' own rules refuse. Pure. */

import type { CheckFailure, UniqueName } from "../protocol.ts";
import type { Entry } from "./declarations.ts";
import type { Shared } from "./sibling-group.ts";

/** Who can conflict with whom, by group. */
export type Groups = ReadonlyMap<string, ReadonlySet<Entry>>;

/** The refusals of resources of other types under the same parent, whichever of the two has the rule. */
export function besideOthers(
  groups: Groups,
  entry: Entry,
  parent: string | undefined,
  parentValues: Entry["values"] | undefined,
): CheckFailure[] {
  const failures: CheckFailure[] = [];
  for (const [key, rule] of Object.entries(entry.type.beside ?? {})) {
    for (const other of groups.get(`${key}|${parent}|all`) ?? []) {
      const refusal = rule(entry.values, other, parentValues);
      if (refusal) failures.push(refusal.mine);
    }
  }
  for (const other of groups.get(`${entry.type.key}|${parent}|lord`) ?? []) {
    const refusal = other.type.beside?.[entry.type.key]?.(other.values, entry, parentValues);
    if (refusal) failures.push(refusal.theirs);
  }
  return failures;
}

/** The refusals of other declarations of the same object, and of what is unique. */
export function besideSame(
  groups: Groups,
  { type, values }: Entry,
  same: UniqueName | undefined,
  uniques: readonly UniqueName[],
): CheckFailure[] {
  return [
    ...[...(groups.get(same?.group ?? "") ?? [])].map(({ name }) => ({
      property: same!.property,
      reason: `this ${type.name} is also declared by "${name}" in this plan; keep one of them`,
    })),
    ...uniques.flatMap(({ group, property }) =>
      [...(groups.get(group) ?? [])].map(({ name }) => ({
        property,
        reason: `${JSON.stringify(values[property])} is also the ${property} of "${name}" in this plan, and it must be unique; change one of them`,
      })),
    ),
  ];
}

/** The refusals of the type's own rules, one for each sibling, and of too many siblings. */
export function besideSiblings(
  groups: Groups,
  { type, values }: Entry,
  shared: readonly Shared[],
  everyone: readonly string[],
): CheckFailure[] {
  const failures: CheckFailure[] = [];
  const refusers = new Set<Entry>();
  for (const { rule, group } of shared) {
    for (const other of groups.get(group) ?? []) {
      const failure = type.siblings?.conflict(values, { name: other.name, values: other.values }, rule);
      if (failure && !refusers.has(other)) failures.push(failure);
      if (failure) refusers.add(other);
    }
  }
  const { limit = Number.POSITIVE_INFINITY } = type;
  if (everyone.some((group) => (groups.get(group)?.size ?? 0) >= limit)) {
    failures.push({
      property: "",
      reason: `there may be at most ${limit} ${type.name}s here; declare fewer`,
    });
  }
  return failures;
}
