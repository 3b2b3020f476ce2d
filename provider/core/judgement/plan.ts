/** What one operation has seen of the deployment: declared resources by URN, and which objects they are. Lets siblings that cannot both exist be refused. Pure. */

import { knownValues, plainInputs } from "../plain.ts";
import type { CheckFailure, ResourceIdentity, UniqueName, Urn } from "../protocol.ts";
import type { ResourceType } from "../type/resource.ts";
import { isUnknown, reveal, type ValueMap } from "../value.ts";
import { besideOthers, besideSame, besideSiblings } from "./beside.ts";
import { createDeclarations, type Declarations, type Entry } from "./declarations.ts";
import { newRenames, type Renames } from "./renames.ts";
import {
  isParent,
  objectGroup,
  parentOf,
  type Shared,
  sharedGroups,
  uniqueFieldsOf,
  uniqueGroups,
} from "./sibling-group.ts";

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
    /** Checked, and what of them is known in plain form. */
    declared: { readonly inputs: ValueMap; readonly values: Entry["values"] },
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
  /** The resource is not declared any more. */
  readonly forget: (urn: Urn) => void;
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

/** Where a declaration stands among others. */
interface Standing {
  readonly parent: string | undefined;
  readonly parentValues: Entry["values"] | undefined;
  readonly same: UniqueName | undefined;
  readonly uniques: readonly UniqueName[];
  readonly shared: readonly Shared[];
  /** The group of everything under the parent, where there is one. */
  readonly everyone: readonly string[];
}

function standingOf(
  type: ResourceType,
  values: Entry["values"],
  parent: string | undefined,
  parentValues: Entry["values"] | undefined,
): Standing {
  return {
    parent,
    parentValues,
    same: objectGroup(type, parent, values),
    uniques: uniqueGroups(type, parent, values),
    shared: sharedGroups(type, parent, values, parentValues),
    everyone: parent === undefined ? [] : [`${type.key}|${parent}|all`],
  };
}

function groupsOf(type: ResourceType, { parent, same, uniques, shared, everyone }: Standing): string[] {
  const lords = parent === undefined ? [] : Object.keys(type.beside ?? {});
  return [
    ...[...(same ? [same] : []), ...uniques, ...shared].map(({ group }) => group),
    ...everyone,
    ...lords.map((key) => `${key}|${parent}|lord`),
  ];
}

/**
 * The one resource of the plan that an unknown parent can be: a parent is declared before what stands under it, and of several only one that
 * does not exist yet has no id.
 */
function soleParent(declarations: Declarations, type: ResourceType, inputs: ValueMap): Entry | undefined {
  const parameters = type.parameters.filter((name) => name !== type.ownParameter && isParent(type, name));
  const [key, ...others] = type.parents ?? [];
  if (parameters.length !== 1 || others.length > 0 || !isUnknown(reveal(inputs[parameters[0]!] ?? null)))
    return undefined;
  return declarations.sole(key ?? "");
}

/** The refusals of names that change places, of those that the resource had and has now. */
function exchanges(
  renames: Renames,
  identity: ResourceIdentity,
  values: Entry["values"],
  held: readonly UniqueName[],
  uniques: readonly UniqueName[],
): CheckFailure[] {
  return renames.note(identity, held, uniques).map(({ property, holder }) => ({
    property,
    reason: `${JSON.stringify(values[property])} is still the ${property} of "${holder}", and names cannot change places in one run: give one of the two another ${property} first, and exchange them in the next run`,
    errorCode: "PLB-SWAP",
  }));
}

/** An empty plan. */
export function newPlan(): Plan {
  const declarations = createDeclarations();
  const { groups } = declarations;
  const owners = new Map<string, Urn>();
  /** By URN, what it owns. */
  const owned = new Map<Urn, string>();
  const parts = new Set<string>();
  const renames = newRenames();

  const valuesOf = (type: ResourceType, parent: string | undefined) => {
    const urn = parent === undefined ? undefined : (owners.get(`${type.parents?.[0]}/${parent}`) ?? parent);
    return urn === undefined ? undefined : declarations.at(urn)?.values;
  };

  const declare: Plan["declare"] = (type, identity, { inputs, values }, oldInputs) => {
    const { urn, name } = identity;
    declarations.remove(urn);
    renames.forget(urn);
    const told = parentOf(type, inputs);
    const guess = told === undefined ? soleParent(declarations, type, inputs) : undefined;
    // What is only supposed to stand under a parent never meets what is known to.
    const parent = guess ? `?${guess.urn}` : told;
    const standing = standingOf(type, values, parent, guess?.values ?? valuesOf(type, parent));
    const { same, uniques, shared, everyone, parentValues } = standing;
    const entry: Entry = { type, urn, name, values, groups: groupsOf(type, standing) };
    const held =
      oldInputs && uniqueFieldsOf(type).length > 0
        ? uniqueGroups(type, parent, knownValues(plainInputs(type.inputs, oldInputs)))
        : [];
    const failures = [
      ...besideSame(groups, entry, same, uniques),
      ...exchanges(renames, identity, values, held, uniques),
      ...besideSiblings(groups, entry, shared, everyone),
      ...besideOthers(groups, entry, parent, parentValues),
    ];
    declarations.add(entry);
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
      owned.set(urn, `${type.key}/${id}`);
      declarations.know(type, urn);
    },
    forget(urn) {
      declarations.forget(urn);
      renames.forget(urn);
      const object = owned.get(urn);
      owned.delete(urn);
      if (object !== undefined && owners.get(object) === urn) owners.delete(object);
    },
    knowPart: (type, id) => void parts.add(`${type.key}/${id}`),
    isPart: (type, id) => parts.has(`${type.key}/${id}`),
    isOurs: (type, id, except) => {
      const owner = owners.get(`${type.key}/${id}`);
      return owner !== undefined && owner !== except;
    },
  };
}
