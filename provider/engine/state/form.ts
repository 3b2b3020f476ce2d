/** Whether what was read as a deployment has the form of one: types, URNs, no name twice. Says the first fault. Pure. */

import { owner, stackType } from "../../core/engines/urn.ts";

export const isMap = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): boolean => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isTextsByName = (value: unknown): boolean => isMap(value) && Object.values(value).every(isTexts);

/** What a record's parts are, where they are there at all. */
const parts: { readonly [name: string]: (value: unknown) => boolean } = {
  type: isText,
  id: isText,
  parent: isText,
  provider: (value) => isText(value) && owner(String(value)) !== undefined,
  deletedWith: isText,
  importID: isText,
  created: isText,
  modified: isText,
  custom: isFlag,
  delete: isFlag,
  protect: isFlag,
  external: isFlag,
  taint: isFlag,
  retainOnDelete: isFlag,
  pendingReplacement: isFlag,
  inputs: isMap,
  outputs: isMap,
  customTimeouts: isMap,
  plumbline: isMap,
  propertyDependencies: isTextsByName,
  dependencies: isTexts,
  initErrors: isTexts,
  additionalSecretOutputs: isTexts,
  aliases: isTexts,
  ignoreChanges: isTexts,
  hideDiff: isTexts,
  replaceOnChanges: isTexts,
  replaceWith: isTexts,
};
const formOfParts = Object.entries(parts);

/** What is wrong with a record of a resource; undefined: nothing. */
export function recordFault(record: unknown): string | undefined {
  if (!isMap(record)) return "is no JSON object";
  const { urn, type } = record;
  if (typeof urn !== "string") return "has no URN";
  if (owner(urn) === undefined) return `has a URN that is none: ${JSON.stringify(urn).slice(0, 200)}`;
  if (!isText(type)) return `(${urn}) has no type`;
  const isComponent = record.custom === false && record.id == null;
  if (type !== stackType && record.custom !== true && !isComponent)
    return `(${urn}) is none that has an object`;
  // Pulumi writes null for what is empty.
  const odd = formOfParts.find(([name, fits]) => record[name] != null && !fits(record[name]));
  return odd && `(${urn}) has ${JSON.stringify(odd[0])} of another form`;
}

/** What is wrong with a deployment; undefined: nothing that would be read. */
export function deploymentFault(deployment: unknown): string | undefined {
  if (!isMap(deployment)) return "it has no deployment";
  const { resources, pending_operations: operations, secrets_providers: secrets } = deployment;
  if (resources != null && !Array.isArray(resources)) return "its resources are no list";
  if (operations != null && !Array.isArray(operations)) return "its pending operations are no list";
  if (secrets != null && !isMap(secrets)) return "its secrets provider is none";
  const seen = new Set<string>();
  for (const [i, record] of (resources ?? []).entries()) {
    const fault = recordFault(record);
    if (fault !== undefined) return `resource ${i + 1} ${fault}`;
    if (record.delete) continue;
    if (seen.has(record.urn)) return `${record.urn} is there twice`;
    seen.add(record.urn);
  }
  for (const [i, operation] of (operations ?? []).entries()) {
    if (!isMap(operation) || !isText(operation.type)) return `pending operation ${i + 1} is none`;
    const fault = recordFault(operation.resource);
    if (fault !== undefined) return `the resource of pending operation ${i + 1} ${fault}`;
  }
  return undefined;
}

const DEEPEST = 500;

/** Where the quote stands that closes a JSON text; the end of all where none does. */
function endOfText(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === "\\") before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

/** Says so where the lists and objects of a JSON text stand deeper within each other than any state's do; undefined: they do not. */
export function nestingFault(text: string): string | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfText(text, at);
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    if (depth > DEEPEST) return `it is nested deeper than ${DEEPEST} levels`;
  }
  return undefined;
}
