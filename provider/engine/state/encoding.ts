/** Property values and resources as Pulumi's deployment version 3 writes them in JSON, secrets sealed; knows no file and no passphrase. */

import { signatureKey, signatures, unknownString } from "../../core/engines/signature.ts";
import {
  type Archive,
  type Asset,
  archive,
  asset,
  isArchive,
  isAsset,
  isResourceReference,
  isSecret,
  isUnknown,
  isValueMap,
  resourceReference,
  revealAll,
  secret,
  unknown,
  type Value,
  type ValueMap,
} from "../../core/value.ts";
import type { ResourceState } from "./state.ts";

/** The JSON of a secret that cannot be opened: an unknown. */
export const sealedJson = JSON.stringify(unknownString);

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export interface JsonMap {
  [name: string]: Json;
}

/** Seals the JSON text of a secret, and opens it again. */
export interface Sealing {
  readonly seal: (text: string) => string;
  readonly open: (sealed: string) => string;
}

/** How secrets are written: sealed, or (for a hand-over that was asked for) as plain text that Pulumi seals on import. */
export type SecretWriter = (json: string) => { ciphertext: string } | { plaintext: string };

/** Writes a value. Unknowns (in saved plans only) become Pulumi's sentinel text. */
export function encode(value: Value, write: SecretWriter): Json {
  if (isSecret(value)) {
    const inner = encode(revealAll(value.value), write);
    return { [signatureKey]: signatures.secret, ...write(JSON.stringify(inner)) };
  }
  if (isUnknown(value)) return unknownString;
  if (isAsset(value)) return { [signatureKey]: signatures.asset, ...contentOf(value) };
  if (isArchive(value)) {
    const { assets, ...rest } = contentOf(value) as JsonMap;
    const members = value.assets && encodeMap(value.assets, write);
    return { [signatureKey]: signatures.archive, ...rest, ...(members ? { assets: members } : {}) };
  }
  if (isResourceReference(value)) {
    const reference: JsonMap = { [signatureKey]: signatures.resource, urn: value.urn };
    if (value.id !== undefined) reference.id = typeof value.id === "string" ? value.id : unknownString;
    return reference;
  }
  if (Array.isArray(value)) return value.map((item) => encode(item as Value, write));
  if (isValueMap(value)) return encodeMap(value, write);
  return value as Json;
}

function encodeMap(map: { readonly [name: string]: Value }, write: SecretWriter): JsonMap {
  return Object.fromEntries(Object.entries(map).map(([name, item]) => [name, encode(item, write)]));
}

function contentOf(value: Asset | Archive): JsonMap {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as JsonMap;
}

/** Reads a value back. Throws when a secret does not open or a signature is not known. */
export function decode(json: Json, sealing: Pick<Sealing, "open">): Value {
  if (json === unknownString) return unknown;
  if (Array.isArray(json)) return json.map((item) => decode(item, sealing));
  if (typeof json !== "object" || json === null) return json;
  const kind = json[signatureKey];
  if (kind === undefined) return decodeMap(json, sealing);
  if (kind === signatures.secret) {
    const text = typeof json.plaintext === "string" ? json.plaintext : sealing.open(String(json.ciphertext));
    return secret(decode(JSON.parse(text) as Json, sealing));
  }
  const { [signatureKey]: _, ...rest } = json;
  if (kind === signatures.asset) return asset(rest);
  if (kind === signatures.archive) {
    const members = rest.assets as JsonMap | undefined;
    return archive({ ...rest, ...(members ? { assets: decodeMap(members, sealing) } : {}) } as Parameters<
      typeof archive
    >[0]);
  }
  if (kind === signatures.resource) {
    const id = typeof rest.id === "string" && rest.id !== "" ? rest.id : undefined;
    return resourceReference(String(rest.urn), id === unknownString ? unknown : id);
  }
  throw new Error(
    `a saved value has a form that this version does not know (${JSON.stringify(kind).slice(0, 100)}): nothing was done; use the version that saved it, or bring an intact state back with \`plumbline stack import\``,
  );
}

export function decodeMap(json: JsonMap, sealing: Pick<Sealing, "open">): ValueMap {
  return Object.fromEntries(Object.entries(json).map(([name, item]) => [name, decode(item, sealing)]));
}

/** True when the JSON holds a sealed text somewhere, so that a passphrase is needed to read it. */
export function holdsSealed(json: Json | undefined): boolean {
  if (Array.isArray(json)) return json.some(holdsSealed);
  if (typeof json !== "object" || json === null) return false;
  if (json[signatureKey] === signatures.secret) return json.plaintext === undefined;
  return Object.values(json).some(holdsSealed);
}

/** Writes a resource as a version 3 record; what is empty is left out, as Pulumi does. */
export function encodeResource(state: ResourceState, write: SecretWriter): JsonMap {
  const { inputs, outputs, ...rest } = state;
  const record: JsonMap = {};
  for (const [name, part] of Object.entries(rest)) {
    const isEmpty =
      part === undefined ||
      (part === false && name !== "custom") ||
      (typeof part === "object" && Object.keys(part).length === 0);
    if (!isEmpty) record[name] = part as Json;
  }
  if (Object.keys(inputs).length > 0) record.inputs = encodeMap(inputs, write);
  if (Object.keys(outputs).length > 0) record.outputs = encodeMap(outputs, write);
  return record;
}

const known = new Set<string>([
  ...[
    "urn",
    "type",
    "custom",
    "id",
    "delete",
    "parent",
    "protect",
    "taint",
    "external",
    "dependencies",
    "initErrors",
  ],
  ...[
    "propertyDependencies",
    "provider",
    "pendingReplacement",
    "additionalSecretOutputs",
    "aliases",
    "importID",
  ],
  ...[
    "customTimeouts",
    "retainOnDelete",
    "deletedWith",
    "replaceWith",
    "ignoreChanges",
    "hideDiff",
    "created",
  ],
  ...["replaceOnChanges", "modified"],
]);

/** Reads a version 3 record; parts that only Pulumi's engine uses (source positions, hooks, views) are dropped. */
export function decodeResource(record: JsonMap, sealing: Pick<Sealing, "open">): ResourceState {
  // Pulumi writes null for what is empty.
  const rest = Object.fromEntries(
    Object.entries(record).filter(([name, part]) => known.has(name) && part !== null),
  );
  return {
    dependencies: [],
    propertyDependencies: {},
    custom: false,
    ...rest,
    inputs: decodeMap((record.inputs ?? {}) as JsonMap, sealing),
    outputs: decodeMap((record.outputs ?? {}) as JsonMap, sealing),
  } as unknown as ResourceState;
}

/** The same with every sealed text as plain text. */
export function shown(json: Json, sealing: Pick<Sealing, "open">): Json {
  if (Array.isArray(json)) return json.map((item) => shown(item, sealing));
  if (typeof json !== "object" || json === null) return json;
  if (json[signatureKey] === signatures.secret && json.plaintext === undefined) {
    const { ciphertext, ...rest } = json;
    return { ...rest, plaintext: sealing.open(String(ciphertext)) };
  }
  return Object.fromEntries(Object.entries(json).map(([name, part]) => [name, shown(part, sealing)]));
}
