/**
 * The platform's brand word on the wire, the contract's word `compute` inside (contract, conventions; notes, section 0).
 * Translates names and the few values that hold the word; never what users wrote.
 */

import { SettingError } from "../errors.ts";

/** Translates at the door. All functions return what they are given when the brand is `compute` itself. */
export interface Brand {
  /** The word of the wire. */
  readonly word: string;
  /** A path in the contract's words as the service knows it. */
  path(path: string): string;
  /** A body or X-Filter as the service knows it. */
  outward(value: unknown): unknown;
  /** An answer in the contract's words. */
  inward(value: unknown): unknown;
  /** A field's wire path (`interfaces[0].compute_id`) in the contract's words. */
  field(field: string): string;
}

const OURS = "compute";

/** Subtrees whose keys are the user's own. */
const USER_KEYED = new Set(["stackscript_data", "labels", "annotations", "metadata"]);

/** Keys whose string values may begin with `<word>/`: ids of images and kernels. */
const PREFIXED = new Set(["id", "image", "images", "kernel", "initrd"]);

/** Keys whose string values may be the word, or begin with it and an underscore. */
const NAMED = new Set(["type", "action", "created_by", "entity.type", "+order_by"]);

/** Keys whose string values are addresses under `/v4`. */
const ADDRESSES = new Set(["url", "instance_uri", "entity.url"]);

/** A brand by its word: lower-case letters, digits and dashes. */
export function createBrand(word: string = OURS): Brand {
  if (!/^[a-z][a-z0-9-]*$/.test(word)) {
    throw new SettingError(
      `the brand word must be one lower-case word: set PLUMBLINE_BRAND or plumbline:brand`,
    );
  }
  if (word === OURS) {
    const same = <T>(value: T): T => value;
    return { word, path: same, outward: same, inward: same, field: same };
  }
  return {
    word,
    path: (path) => brandPath(path, word),
    outward: (value) => translate(value, OURS, word, ""),
    inward: (value) => translate(value, word, OURS, ""),
    field: (field) => renameKey(field, word, OURS),
  };
}

function brandPath(path: string, word: string): string {
  const parts = path.split("/");
  if (parts[1] === OURS) parts[1] = word;
  if (parts[1] === "managed" && parts[2] === `${OURS}-settings`) parts[2] = `${word}-settings`;
  const ids = parts[1] === "images" ? 2 : parts[1] === word && parts[2] === "kernels" ? 3 : undefined;
  if (ids !== undefined && parts[ids] !== undefined) {
    parts[ids] = parts[ids].replace(/^compute(?=%2f|$)/i, word);
  }
  return parts.join("/");
}

/** `compute_id`, `add_computes`, `entity.compute`: whole words between separators. */
function renameKey(key: string, from: string, to: string): string {
  if (!key.includes(from)) return key;
  return key
    .split(/([_.[\]])/)
    .map((part) => (part === from ? to : part === `${from}s` ? `${to}s` : part))
    .join("");
}

function renameValue(value: string, key: string, from: string, to: string): string {
  if (PREFIXED.has(key) && value.startsWith(`${from}/`)) return to + value.slice(from.length);
  if (NAMED.has(key) && (value === from || value.startsWith(`${from}_`)))
    return to + value.slice(from.length);
  if (ADDRESSES.has(key)) {
    return value.replace(/^(\/v4[a-z]*\/)([^/]+)(?=\/|$)/, (all, start, first) =>
      first === from ? start + to : all,
    );
  }
  if (key === "scopes")
    return value
      .split(/([ ,])/)
      .map((scope) => renameScope(scope, from, to))
      .join("");
  if (key === "capabilities" && value === `${capital(from)}s`) return `${capital(to)}s`;
  return value;
}

function renameScope(scope: string, from: string, to: string): string {
  return scope.startsWith(`${from}s:`) ? `${to}${scope.slice(from.length)}` : scope;
}

function translate(value: unknown, from: string, to: string, key: string): unknown {
  if (typeof value === "string") return renameValue(value, key, from, to);
  if (Array.isArray(value)) return value.map((item) => translate(item, from, to, key));
  if (typeof value !== "object" || value === null) return value;
  if (USER_KEYED.has(key)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const ours = renameKey(name, from, to);
      return [ours, translate(inner, from, to, ours.startsWith("+") && ours !== "+order_by" ? key : ours)];
    }),
  );
}

/** The word with a capital, as texts of the service write it (`Compute busy.`). */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
