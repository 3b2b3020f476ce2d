/** A planned step as rules see it: plain JSON, without any secret. Pure. */

import { isProviderType } from "../../core/engines/urn.ts";
import type { Catalogue } from "../../core/protocol.ts";
import { shortToken } from "../../core/token.ts";
import {
  isArchive,
  isAsset,
  isResourceReference,
  isSecret,
  isUnknown,
  type Value,
  type ValueMap,
} from "../../core/value.ts";
import type { Step } from "../event.ts";
import type { SeenStep, SeenValue, SeenValues } from "./rule.ts";

/** What stands for a value that is not known yet. */
const unknownMark = { $unknown: true } as const;
/** What stands for a secret. */
const secretMark = { $secret: true } as const;

/** What is looked up of types. */
export type Known = Pick<Catalogue, "resources" | "config" | "lossOf">;

/** The step as rules see it. What a type declares to be a secret is one here, however it is marked. */
export function seenStep(step: Step, catalogue: Known): SeenStep {
  const { op, urn, type, name, id, oldInputs, newInputs, replaceReasons } = step;
  const info = isProviderType(type) ? catalogue.config : (catalogue.resources.get(type)?.inputs ?? {});
  const isSecretName = (property: string): boolean => info[property]?.secret === true;
  const goes = (op === "delete" || op === "replace") && !step.retained && oldInputs !== undefined;
  const lost = goes ? catalogue.lossOf?.(type, oldInputs) : undefined;
  return {
    operation: op,
    urn,
    type: shortToken(type),
    name,
    ...(id === undefined ? {} : { id }),
    ...(newInputs && op !== "delete" ? { inputs: seenValues(newInputs, isSecretName) } : {}),
    ...(oldInputs ? { oldInputs: seenValues(oldInputs, isSecretName) } : {}),
    changes: Object.keys(step.detailedDiff),
    replaceReasons,
    ...(lost === undefined ? {} : { lost }),
    retained: step.retained === true,
  };
}

function seenValues(values: ValueMap, isSecretName: (name: string) => boolean): SeenValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecretName(name) ? secretMark : seenValue(value)]),
  );
}

function seenValue(value: Value): SeenValue {
  if (isSecret(value)) return secretMark;
  if (isUnknown(value)) return unknownMark;
  if (isResourceReference(value)) return typeof value.id === "string" ? value.id : unknownMark;
  if (isAsset(value)) return { $asset: value.path ?? value.uri ?? value.hash ?? "" };
  if (isArchive(value)) return { $archive: value.path ?? value.uri ?? value.hash ?? "" };
  if (Array.isArray(value)) return value.map((item) => seenValue(item as Value));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, seenValue(item as Value)]));
  return value;
}
