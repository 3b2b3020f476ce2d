/** Property values as every room of the provider sees them: plain JSON, plus unknown, secret, asset, archive and reference. Pure. */

const kind: unique symbol = Symbol.for("plumbline.value");

/** A value that is not known yet (previews only). `source` names what it will come from (`urn#path`) where the caller knows it, so that two unknowns can be told apart. */
export interface Unknown {
  readonly [kind]: "unknown";
  readonly source?: string;
}

/** A value that must never be shown. `value` is never itself a Secret; it may be Unknown. */
export interface Secret {
  readonly [kind]: "secret";
  readonly value: Value;
}

/** One file's content. Exactly one of `text`, `path`, `uri`, or only `hash` (content left out by the engine). `hash` is hex SHA-256. */
export interface Asset {
  readonly [kind]: "asset";
  readonly text?: string;
  readonly path?: string;
  readonly uri?: string;
  readonly hash?: string;
}

/** A tree of files. Exactly one of `assets`, `path`, `uri`, or only `hash`. */
export interface Archive {
  readonly [kind]: "archive";
  readonly assets?: { readonly [name: string]: Asset | Archive };
  readonly path?: string;
  readonly uri?: string;
  readonly hash?: string;
}

/** A whole resource passed as a value. `id` is absent for a component and unknown while it is not created. */
export interface ResourceReference {
  readonly [kind]: "resource";
  readonly urn: string;
  readonly id?: string | Unknown;
}

/** Any property value. Absent properties are left out; `null` is treated as absent by Check. */
export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | ValueMap
  | Unknown
  | Secret
  | Asset
  | Archive
  | ResourceReference;

/** An object of property values: a resource's inputs or outputs, or a nested object. */
export interface ValueMap {
  readonly [name: string]: Value;
}

/** The unknown value without a source. */
export const unknown: Unknown = Object.freeze({ [kind]: "unknown" as const });

/** An unknown value that remembers what it will come from. */
export function unknownFrom(source: string): Unknown {
  return { [kind]: "unknown", source };
}

/** Marks a value secret; marking twice is marking once. */
export function secret(value: Value): Secret {
  return isSecret(value) ? value : { [kind]: "secret", value };
}

export function asset(content: Omit<Asset, typeof kind>): Asset {
  return { [kind]: "asset", ...content };
}

export function archive(content: Omit<Archive, typeof kind>): Archive {
  return { [kind]: "archive", ...content };
}

export function resourceReference(urn: string, id?: string | Unknown): ResourceReference {
  return id === undefined ? { [kind]: "resource", urn } : { [kind]: "resource", urn, id };
}

function kindOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? (value as { [kind]?: string })[kind] : undefined;
}

export function isUnknown(value: unknown): value is Unknown {
  return kindOf(value) === "unknown";
}
export function isSecret(value: unknown): value is Secret {
  return kindOf(value) === "secret";
}
export function isAsset(value: unknown): value is Asset {
  return kindOf(value) === "asset";
}
export function isArchive(value: unknown): value is Archive {
  return kindOf(value) === "archive";
}
export function isResourceReference(value: unknown): value is ResourceReference {
  return kindOf(value) === "resource";
}

/** True for bytes: an asset or an archive. */
export function isContent(value: unknown): value is Asset | Archive {
  return isAsset(value) || isArchive(value);
}

/** True for what JSON has no word for: an unknown, a secret, an asset, an archive, a reference. */
export function isTagged(value: unknown): value is Unknown | Secret | Asset | Archive | ResourceReference {
  return kindOf(value) !== undefined;
}

/** True for a plain object of values (not an array, and none of the tagged kinds). */
export function isValueMap(value: unknown): value is ValueMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) && kindOf(value) === undefined;
}

/** The value without a secret mark on the outside; marks further in stay. */
export function reveal(value: Value): Value {
  return isSecret(value) ? value.value : value;
}

/** A copy without any secret mark, at any depth. */
export function revealAll(value: Value): Value {
  return mapValue(value, (v) => (isSecret(v) ? v.value : v));
}

/** True when the value is, or holds at any depth, an unknown. */
export function containsUnknown(value: Value): boolean {
  return some(value, isUnknown);
}

/** True when the value is, or holds at any depth, a secret. */
export function containsSecret(value: Value): boolean {
  return some(value, isSecret);
}

/** True when `test` holds for the value or for anything within it. */
export function some(value: Value, test: (value: Value) => boolean): boolean {
  if (test(value)) return true;
  if (isSecret(value)) return some(value.value, test);
  if (Array.isArray(value)) return value.some((item) => some(item as Value, test));
  if (isValueMap(value)) return Object.values(value).some((item) => some(item, test));
  return false;
}

/** A copy with `change` applied to each value from the outside in; what `change` returns is walked further. */
export function mapValue(value: Value, change: (value: Value) => Value): Value {
  const changed = change(value);
  if (isSecret(changed)) return secret(mapValue(changed.value, change));
  if (Array.isArray(changed)) return changed.map((item) => mapValue(item as Value, change));
  if (isValueMap(changed)) {
    return Object.fromEntries(Object.entries(changed).map(([name, item]) => [name, mapValue(item, change)]));
  }
  return changed;
}
