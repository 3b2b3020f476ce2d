/** Writes values as text and as JSON the way Pulumi's YAML runtime does (Go's formatting), so that both engines make the same strings. Pure. */

import {
  isArchive,
  isAsset,
  isResourceReference,
  isValueMap,
  type Value,
  type ValueMap,
} from "../../../core/value.ts";

/** A number as Go prints it in text: with an exponent from a million on (`1e+06`) and below a ten-thousandth. */
export function writeNumber(value: number): string {
  if (Object.is(value, -0)) return "-0";
  if (value === 0) return "0";
  const [digits, exponentText] = value.toExponential().split("e") as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A value within text. `isOdd` is true when a person would hardly want it so: nothing, a list, an object, or a number with an exponent. */
export function writeText(value: Value): { readonly text: string; readonly isOdd: boolean } {
  if (value === null) return { text: "<nil>", isOdd: true };
  if (typeof value === "string") return { text: value, isOdd: false };
  if (typeof value === "boolean") return { text: String(value), isOdd: false };
  if (typeof value === "number") {
    const text = writeNumber(value);
    return { text, isOdd: text.includes("e") };
  }
  if (Array.isArray(value))
    return { text: `[${value.map((v) => writeText(v as Value).text).join(" ")}]`, isOdd: true };
  const entries = sortedEntries(value as ValueMap).map(([name, v]) => `${name}:${writeText(v).text}`);
  return { text: `map[${entries.join(" ")}]`, isOdd: true };
}

function sortedEntries(map: ValueMap): [string, Value][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** A value as JSON: names sorted, `<`, `>`, `&` and the two Unicode line separators escaped. Assets and resources have no JSON: undefined. */
export function writeJson(value: Value): string | undefined {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "string") return writeJsonText(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => writeJson(item as Value));
    return items.includes(undefined) ? undefined : `[${items.join(",")}]`;
  }
  if (isAsset(value) || isArchive(value) || isResourceReference(value) || !isValueMap(value))
    return undefined;
  const parts: string[] = [];
  for (const [name, item] of sortedEntries(value)) {
    const text = writeJson(item);
    if (text === undefined) return undefined;
    parts.push(`${writeJsonText(name)}:${text}`);
  }
  return `{${parts.join(",")}}`;
}

function writeJsonText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
