/** What was applied last, as the status of an object keeps it: the third value of a diff. Secrets stand there as keyed hashes. Pure. */

import { asset, isAsset, isSecret, isValueMap, secret, type Value, type ValueMap } from "../core/value.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A hash of a text that nobody can make without the key. */
export type Seal = (text: string) => string;

const sealKey = "plumbline.dev/sealed";
const hashKey = "plumbline.dev/content";

export function appliedOf(inputs: ValueMap, seal: Seal): { readonly [name: string]: Json } {
  const written = (value: Value): Json => {
    if (isSecret(value)) return { [sealKey]: seal(JSON.stringify(written(value.value))) };
    if (isAsset(value)) return { [hashKey]: value.hash ?? "" };
    if (Array.isArray(value)) return value.map((each) => written(each as Value));
    if (!isValueMap(value)) return value as Json;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, written(each)]));
  };
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, written(value)]));
}

/** The inputs that were applied. A secret that is declared as it was is itself; of any other it is known only that it was another. */
export function inputsApplied(
  applied: { readonly [name: string]: unknown },
  declared: ValueMap,
  seal: Seal,
): ValueMap {
  const read = (value: Json, now: Value | undefined): Value => {
    if (Array.isArray(value))
      return value.map((each, at) => read(each as Json, Array.isArray(now) ? (now[at] as Value) : undefined));
    if (typeof value !== "object" || value === null) return value as Value;
    const parts = value as { readonly [name: string]: Json };
    if (typeof parts[sealKey] === "string") {
      const isSame = now !== undefined && isSecret(now) && parts[sealKey] === seal(JSON.stringify(now.value));
      // No secret of anybody is a text of spaces and this hash.
      return isSame ? now : secret(` ${parts[sealKey]}`);
    }
    if (typeof parts[hashKey] === "string") return asset({ hash: parts[hashKey] });
    return Object.fromEntries(
      Object.entries(parts).map(([name, each]) => [
        name,
        read(each, now !== undefined && isValueMap(now) ? now[name] : undefined),
      ]),
    );
  };
  return Object.fromEntries(
    Object.entries(applied).map(([name, value]) => [name, read(value as Json, declared[name])]),
  );
}
