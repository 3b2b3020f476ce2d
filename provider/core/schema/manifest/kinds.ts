/** Every type as a kind of Kubernetes: how its objects are written there and read. Derived from types. Pure. */

import type { ResourceType } from "../../type/resource.ts";
import type { ValueMap } from "../../value.ts";
import { type Kind, kindOf, type ManifestForm, manifestForm } from "./form.ts";
import { type Elsewhere, inputsOf, type Missing, type Surroundings, specOf } from "./spec.ts";

export interface ManifestKind extends Kind, ManifestForm {
  /** The canonical token of the type. */
  readonly token: string;
  /** Part of tokens (`dns/domain`), as twins name types. */
  readonly key: string;
  readonly specOf: (inputs: ValueMap, elsewhere: Elsewhere) => object;
  readonly inputsOf: (
    spec: { readonly [property: string]: unknown },
    around: Surroundings,
  ) => { readonly inputs: ValueMap; readonly missing: readonly Missing[] };
}

/** By canonical token. */
export function kindsOf(types: readonly ResourceType[]): ReadonlyMap<string, ManifestKind> {
  const byKey = new Map(types.map((type) => [type.key, type]));
  return new Map(
    types.map((type) => {
      const form = manifestForm(type, byKey);
      const kind: ManifestKind = {
        ...kindOf(type),
        ...form,
        token: type.token,
        key: type.key,
        specOf: (inputs, elsewhere) => specOf(type, form, inputs, elsewhere),
        inputsOf: (spec, around) => inputsOf(type, form, byKey, spec, around),
      };
      return [type.token, kind];
    }),
  );
}

export { domain, version } from "./form.ts";
