/** What one operation has seen of the deployment: declared resources by URN, and which objects they are. Lets siblings that cannot both exist be refused. Pure. */

import { knownValues, plainInputs } from "../plain.ts";
import type { CheckFailure, ResourceIdentity, UniqueName, Urn } from "../protocol.ts";
import type { ResourceType } from "../type/resource.ts";
import { isUnknown, reveal, type ValueMap } from "../value.ts";
import { newRenames } from "./renames.ts";
import {
  isParent,
  objectGroup,
  parentOf,
  type Shared,
  sharedGroups,
  uniqueFieldsOf,
  uniqueGroups,
} from "./sibling-group.ts";

interface Entry {
  readonly type: ResourceType;
  readonly urn: Urn;
  readonly name: string;
  readonly values: { readonly [name: string]: unknown };
  /** Groups in which it can conflict with others. */
  readonly groups: readonly string[];
}

/** What is wrong with a declaration beside its siblings. */
export interface Verdict {
  readonly failures: readonly CheckFailure[];
  /** Failures that these would be if the parent, of which nothing is known yet, is the only one that this plan has for it so far. */
  readonly doubts: readonly (CheckFailure & { readonly parent: string })[];
}

/** The memory of one operation. */
export interface Plan {
  /** Remembers checked inputs in place of what the same URN declared before, and refuses what cannot stand beside its siblings. */
  readonly declare: (
    type: ResourceType,
    identity: ResourceIdentity,
    inputs: ValueMap,
    /** As last applied; absent for what does not exist yet. */
    oldInputs?: ValueMap,
  ) => Verdict;
  /** The declared values of the parent that these inputs name, where this plan declares it. */
  readonly parentOf: (
    type: ResourceType,
    inputs: ValueMap,
  ) => { readonly [name: string]: unknown } | undefined;
  /** Remembers that the object with this id is the resource with this URN. */
  readonly know: (type: ResourceType, id: string, urn: Urn) => void;
  /** Remembers that the object with this id is a part of another resource (a pool of a cluster that declares it), and none of its own. */
  readonly knowPart: (type: ResourceType, id: string) => void;
  readonly isPart: (type: ResourceType, id: string) => boolean;
  /** The resource of another type that this operation declares and that owns the object with these values, if one does. */
  readonly ownerOf: (
    type: ResourceType,
    values: ValueMap,
  ) => { readonly type: ResourceType; readonly name: string } | undefined;
  /** True when some resource of this deployment, other than the one with that URN, is known to be that object. */
  readonly isOurs: (type: ResourceType, id: string, except?: Urn) => boolean;
}

/** An empty plan. */
export function newPlan(): Plan {
  const entries = new Map<Urn, Entry>();
  const groups = new Map<string, Set<Entry>>();
  const owners = new Map<string, Urn>();
  const parts = new Set<string>();
  const renames = newRenames();
  /** URNs whose objects are known. */
  const known = new Set<Urn>();
  /** By the type's key: all entries, and those of which no object is known. */
  const declared = new Map<string, { readonly all: Map<Urn, Entry>; readonly fresh: Map<Urn, Entry> }>();

  const forget = (urn: Urn) => {
    const entry = entries.get(urn);
    for (const group of entry?.groups ?? []) groups.get(group)?.delete(entry!);
    entries.delete(urn);
    const ofType = entry && declared.get(entry.type.key);
    ofType?.all.delete(urn);
    ofType?.fresh.delete(urn);
  };

  const remember = (entry: Entry, isFresh: boolean) => {
    const { urn, type } = entry;
    entries.set(urn, entry);
    const ofType = declared.get(type.key) ?? { all: new Map(), fresh: new Map() };
    declared.set(type.key, ofType);
    ofType.all.set(urn, entry);
    if (isFresh) ofType.fresh.set(urn, entry);
  };

  const valuesOf = (type: ResourceType, parent: string | undefined) => {
    const urn = parent === undefined ? undefined : (owners.get(`${type.parents?.[0]}/${parent}`) ?? parent);
    return urn === undefined ? undefined : entries.get(urn)?.values;
  };

  /**
   * The one resource of this plan that an unknown parent can be: a parent is declared before what stands under it, and of several only one that
   * does not exist yet has no id.
   */
  const soleParent = (type: ResourceType, inputs: ValueMap): Entry | undefined => {
    const parameters = type.parameters.filter((name) => name !== type.ownParameter && isParent(type, name));
    const [key, ...others] = type.parents ?? [];
    if (parameters.length !== 1 || others.length > 0 || !isUnknown(reveal(inputs[parameters[0]!] ?? null)))
      return undefined;
    const { fresh, all } = declared.get(key ?? "") ?? { fresh: new Map(), all: new Map() };
    const candidates = fresh.size > 0 ? fresh : all;
    const [candidate] = candidates.values();
    return candidates.size === 1 ? candidate : undefined;
  };

  /** The refusals of resources of other types under the same parent, whichever of the two has the rule. */
  const besideOthers = (
    entry: Entry,
    parent: string | undefined,
    parentValues: Entry["values"] | undefined,
  ) => {
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
  };

  /** The refusals of other declarations of the same object, and of what is unique. */
  const besideSame = (
    { type, values }: Entry,
    same: UniqueName | undefined,
    uniques: readonly UniqueName[],
  ) => [
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

  /** The refusals of names that change places; `uniques` are those that the resource has now. */
  const exchanges = (
    identity: ResourceIdentity,
    values: Entry["values"],
    held: readonly UniqueName[],
    uniques: readonly UniqueName[],
  ) =>
    renames.note(identity, held, uniques).map(({ property, holder }) => ({
      property,
      reason: `${JSON.stringify(values[property])} is still the ${property} of "${holder}", and names cannot change places in one run: give one of the two another ${property} first, and exchange them in the next run`,
    }));

  /** The refusals of the type's own rules, one for each sibling, and of too many siblings. */
  const besideSiblings = (
    { type, values }: Entry,
    shared: readonly Shared[],
    everyone: readonly string[],
  ) => {
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
  };

  const declare: Plan["declare"] = (type, identity, inputs, oldInputs) => {
    forget(identity.urn);
    renames.forget(identity.urn);
    const values = knownValues(plainInputs(type.inputs, inputs));
    const told = parentOf(type, inputs);
    const guess = told === undefined ? soleParent(type, inputs) : undefined;
    // What is only supposed to stand under a parent never meets what is known to.
    const parent = guess ? `?${guess.urn}` : told;
    const parentValues = guess?.values ?? valuesOf(type, parent);
    const same = objectGroup(type, parent, values);
    const uniques = uniqueGroups(type, parent, values);
    const shared = sharedGroups(type, parent, values, parentValues);
    const everyone = parent === undefined ? [] : [`${type.key}|${parent}|all`];
    const lords =
      parent === undefined ? [] : Object.keys(type.beside ?? {}).map((key) => `${key}|${parent}|lord`);
    const entry: Entry = {
      type,
      urn: identity.urn,
      name: identity.name,
      values,
      groups: [
        ...[...(same ? [same] : []), ...uniques, ...shared].map(({ group }) => group),
        ...everyone,
        ...lords,
      ],
    };
    const held =
      oldInputs && uniqueFieldsOf(type).length > 0
        ? uniqueGroups(type, parent, knownValues(plainInputs(type.inputs, oldInputs)))
        : [];
    const failures = [
      ...besideSame(entry, same, uniques),
      ...exchanges(identity, values, held, uniques),
      ...besideSiblings(entry, shared, everyone),
      ...besideOthers(entry, parent, parentValues),
    ];
    remember(entry, !known.has(identity.urn));
    for (const group of entry.groups) groups.set(group, (groups.get(group) ?? new Set()).add(entry));
    if (!guess) return { failures, doubts: [] };
    return { failures: [], doubts: failures.map((failure) => ({ ...failure, parent: guess.name })) };
  };

  const ownerOf: Plan["ownerOf"] = (type, inputs) => {
    const parent = parentOf(type, inputs);
    const values = knownValues(plainInputs(type.inputs, inputs));
    for (const other of groups.get(`${type.key}|${parent}|lord`) ?? []) {
      const rule = other.type.beside?.[type.key];
      if (rule?.(other.values, { name: "", values }, valuesOf(type, parent))) return other;
    }
    return undefined;
  };

  return {
    declare,
    ownerOf,
    parentOf: (type, inputs) => valuesOf(type, parentOf(type, inputs)),
    know: (type, id, urn) => {
      owners.set(`${type.key}/${id}`, urn);
      known.add(urn);
      declared.get(type.key)?.fresh.delete(urn);
    },
    knowPart: (type, id) => void parts.add(`${type.key}/${id}`),
    isPart: (type, id) => parts.has(`${type.key}/${id}`),
    isOurs: (type, id, except) => {
      const owner = owners.get(`${type.key}/${id}`);
      return owner !== undefined && owner !== except;
    },
  };
}
