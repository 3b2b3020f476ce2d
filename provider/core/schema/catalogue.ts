/** What is known of every type, function and config key without asking the service. Pure. */

import { uniqueNames } from "../judgement/sibling-group.ts";
import { naturalKeyOf } from "../object/natural-key.ts";
import type { Catalogue, FunctionInfo, ResourceInfo } from "../protocol.ts";
import { resolveToken } from "../token.ts";
import { type AreaVerb, areaVerbInfo } from "../type/area-verb.ts";
import { annotations, type Fields, isOfDefaults, isRequired } from "../type/field.ts";
import type { FunctionType } from "../type/function.ts";
import { parentsOf, relationsOf } from "../type/relation.ts";
import type { ResourceType } from "../type/resource.ts";
import type { ValueMap } from "../value.ts";
import { propertyInfos } from "./outward.ts";

/** Everything that a provider offers, by canonical token. */
export interface Offer {
  readonly resources: ReadonlyMap<string, ResourceType>;
  readonly functions: ReadonlyMap<string, FunctionType>;
  readonly config: Fields;
  /** Verbs of areas, by canonical token; absent: none. */
  readonly verbs?: ReadonlyMap<string, AreaVerb>;
}

export function catalogueOf(offer: Offer): Catalogue {
  const byKey = new Map([...offer.resources.values()].map((type) => [type.key, type]));
  const resources = new Map([...offer.resources].map(([token, type]) => [token, resourceInfo(type, byKey)]));
  const verbs = new Map([...(offer.verbs ?? [])].map(([token, verb]) => [token, areaVerbInfo(verb)]));
  const functions = new Map([...offer.functions].map(([token, type]) => [token, functionInfo(type)]));
  return {
    resources,
    functions,
    config: propertyInfos(offer.config, (name) => isRequired(offer.config[name]!)),
    resolveResource: resolverOf(resources),
    resolveFunction: resolverOf(functions),
    verbs,
    resolveVerb: resolverOf(verbs),
    relations(token, object) {
      const type = offer.resources.get(token);
      return type ? relationsOf(type, object, byKey) : { references: [], parts: [] };
    },
    naturalKey(token, inputs) {
      const type = offer.resources.get(token);
      return type && naturalKeyOf(type, inputs);
    },
    lossOf(token, inputs) {
      const type = offer.resources.get(token);
      return type && lostWith(type, inputs);
    },
    uniqueNames(token, inputs) {
      const type = offer.resources.get(token);
      return type ? uniqueNames(type, inputs) : [];
    },
  };
}

/** What is lost with an object of the type. */
export function lostWith({ lost }: ResourceType, inputs: ValueMap): string | undefined {
  return typeof lost === "function" ? lost(inputs) : lost;
}

/** Resolves spellings of what is known; those that it has met it remembers, for a file has thousands of a few. */
function resolverOf(known: { has(token: string): boolean }): (token: string) => string | undefined {
  const met = new Map<string, string>();
  return (token) => {
    const canonical = met.get(token) ?? resolveToken(token, known);
    if (canonical !== undefined) met.set(token, canonical);
    return canonical;
  };
}

/** True for inputs that every object has once it exists: demanded, named, or given a default by the service. */
export function isAlwaysAnswered(type: ResourceType, name: string): boolean {
  const output = type.outputs[name];
  if (output) return isRequired(output);
  const field = type.inputs[name]!;
  const { naming, computed, writeOnly, answered, default: fallback } = annotations(field);
  if (answered === false || writeOnly) return false;
  return (
    isRequired(field) ||
    isOfDefaults(field) ||
    naming !== undefined ||
    computed === true ||
    (fallback !== undefined && fallback !== null)
  );
}

/** The fields of an object's state: inputs, then what the service makes. */
export function stateFields(type: ResourceType): Fields {
  return { ...type.inputs, ...type.outputs };
}

function resourceInfo(type: ResourceType, types: ReadonlyMap<string, ResourceType>): ResourceInfo {
  const parents = parentsOf(type, types).map(({ token }) => token);
  return {
    token: type.token,
    description: type.description,
    ...(type.phrase && { phrase: type.phrase }),
    ...(parents.length > 0 && { parents }),
    ...(type.goesWithParent && { goesWithParent: true }),
    ...(type.standsBeside && { standsBeside: true }),
    ...(typeof type.leftOut === "string" && { leftOut: type.leftOut }),
    inputs: inputInfos(type),
    outputs: propertyInfos(stateFields(type), (name) => isAlwaysAnswered(type, name)),
    ...(type.verbs.length > 0 && { verbs: verbInfos(type) }),
  };
}

function inputInfos(type: ResourceType): ResourceInfo["inputs"] {
  const infos = propertyInfos(type.inputs, (name) => isRequired(type.inputs[name]!));
  return Object.fromEntries(
    Object.entries(infos).map(([name, info]) => {
      const { writeOnly, immutable, adoptKey } = annotations(type.inputs[name]!);
      const isLasting = (immutable || adoptKey) && !type.takesOver;
      return [
        name,
        { ...info, ...(writeOnly && !immutable && { untold: true }), ...(isLasting && { lasting: true }) },
      ];
    }),
  );
}

function verbInfos(type: ResourceType): NonNullable<ResourceInfo["verbs"]> {
  return Object.fromEntries(
    type.verbs.map(({ name, description, destroys, args = {} }) => [
      name,
      {
        description,
        ...(destroys !== undefined && { destroys }),
        args: propertyInfos(args, (each) => isRequired(args[each]!)),
      },
    ]),
  );
}

function functionInfo(type: FunctionType): FunctionInfo {
  return {
    token: type.token,
    description: type.description,
    inputs: propertyInfos(type.args, (name) => isRequired(type.args[name]!)),
    outputs: propertyInfos(type.result, (name) => isRequired(type.result[name]!)),
  };
}
