/** What holds for everything that an engine is to remember: no unknown in what exists, and no secret without its mark. Pure. */

import type { ResourceInfo } from "../protocol.ts";
import { containsSecret, containsUnknown, isSecret, secret, type Value, type ValueMap } from "../value.ts";

/** The top-level properties that hold an unknown. */
export function unknownProperties(properties: ValueMap): string[] {
  return Object.keys(properties).filter((name) => containsUnknown(properties[name] ?? null));
}

/** The properties without those that hold an unknown. */
export function withoutUnknowns(properties: ValueMap): ValueMap {
  const unknowns = new Set(unknownProperties(properties));
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !unknowns.has(name)));
}

const secrets = new WeakMap<ResourceInfo, readonly string[]>();

/** The outputs that the schema calls secret, as outputs or as inputs. */
export function secretOutputs(info: ResourceInfo | undefined): readonly string[] {
  if (info === undefined) return [];
  const known = secrets.get(info);
  if (known) return known;
  const names = [...Object.entries(info.outputs), ...Object.entries(info.inputs)]
    .filter(([, { secret }]) => secret)
    .map(([name]) => name);
  secrets.set(info, names);
  return names;
}

/**
 * Outputs with secret marks where they belong: outputs that the user or the schema calls secret, and outputs that have the name of a
 * top-level input that is, or holds, a secret.
 */
export function markSecretOutputs(outputs: ValueMap, inputs: ValueMap, names: Iterable<string>): ValueMap {
  const hidden = new Set(names);
  for (const name of Object.keys(inputs)) if (isSecret(inputs[name])) hidden.add(name);
  const needsMark = (name: string, value: Value): boolean =>
    value !== null && !isSecret(value) && (hidden.has(name) || lostItsMarks(inputs[name], value));
  if (!Object.keys(outputs).some((name) => needsMark(name, outputs[name]!))) return outputs;
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, needsMark(name, value) ? secret(value) : value]),
  );
}

/** True when an input has secrets within and the output of its name shows none of them as secret. */
function lostItsMarks(input: Value | undefined, output: Value): boolean {
  return input !== undefined && containsSecret(input) && !containsSecret(output);
}
