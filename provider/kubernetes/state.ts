/** What the service has of an object, as its status keeps it, and what of it goes elsewhere because it is secret. Pure. */

import { isAsset, isSecret, isValueMap, reveal, type Value, type ValueMap } from "../core/value.ts";
import type { KubeObject } from "./api.ts";

/** The state as far as it is kept: what the service has, without secrets, which stand in what was applied. */
export const stateOf = ({ status }: KubeObject, applied: ValueMap): ValueMap => ({
  ...applied,
  ...((status?.atProvider ?? {}) as ValueMap),
});

export const withoutSecrets = (state: ValueMap): { readonly [name: string]: unknown } =>
  Object.fromEntries(Object.entries(state).filter(([, value]) => !hasSecret(value) && !isAsset(value)));

const hasSecret = (value: Value): boolean =>
  isSecret(value) ||
  (Array.isArray(value) && value.some((each) => hasSecret(each as Value))) ||
  (isValueMap(value) && Object.values(value).some(hasSecret));

/** Texts of outputs that may not be shown. */
export function secretsIn(state: ValueMap): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(state).flatMap(([name, value]) => {
      const shown = isSecret(value) ? reveal(value) : undefined;
      return typeof shown === "string" ? [[name, shown]] : [];
    }),
  );
}
