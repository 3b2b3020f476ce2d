/** What inputs ask of each other as rules in CEL over a spec, where an input may stand under another name. Pure. */

import type { Demand, State } from "../../type/demand.ts";
import { annotations } from "../../type/field.ts";
import { formats } from "../../type/formats.ts";
import type { ResourceType } from "../../type/resource.ts";
import { type ManifestForm, propertyOf, twinOf } from "./form.ts";
import { type CelRule, celText } from "./structural.ts";

/** Rules of a spec. */
export function demandRules(type: ResourceType, form: ManifestForm): readonly CelRule[] {
  const { inputs } = type;
  const so = (name: string, state: State): string => {
    const property = propertyOf(name, form);
    const is = `self.${property}`;
    const isGiven = [property, twinOf(name, form) ?? []].flat().map((each) => `has(self.${each})`);
    const given = isGiven.length > 1 ? `(${isGiven.join(" || ")})` : isGiven[0]!;
    const empty = property === name ? emptiness[annotations(inputs[name]!).type ?? ""] : undefined;
    if (state === "given") return given;
    if (state === "absent") return `!${given}`;
    if (state === "filled") return empty ? `(${given} && !(has(${is}) && ${is}${empty}))` : given;
    if (state === "blank") return empty ? `(!${given} || (has(${is}) && ${is}${empty}))` : `!${given}`;
    if ("in" in state) return `(has(${is}) && ${is} in ${list(state.in)})`;
    if ("notIn" in state) return `(!has(${is}) || !(${is} in ${list(state.notIn)}))`;
    const allowed = list(["", ...(state.or ?? [])]);
    return `(!has(${is}) || ${is} in ${allowed} || ${is}.matches(${celText(formats[state.format]!.pattern)}))`;
  };
  return (type.demands ?? []).map((demand) => {
    const { when = {}, input, is, says } = demand;
    const conditions = Object.entries(when).map(([name, state]) => so(name, state!));
    const rule =
      conditions.length === 0 ? so(input, is) : `!(${conditions.join(" && ")}) || ${so(input, is)}`;
    const pieces = says
      .split(/\{(\w+)\}/)
      .map((piece, at) => (at % 2 === 0 ? celText(piece) : `self.${piece}`));
    return {
      rule,
      message: says.replace(/\{(\w+)\}/g, "these"),
      ...(pieces.length > 1 && { messageExpression: pieces.join(" + ") }),
      fieldPath: `.${propertyOf(input, form)}`,
      reason: reasonOf(demand),
    };
  });
}

/** How an empty value of a field's type is known. */
const emptiness: { readonly [type: string]: string } = {
  string: " == ''",
  integer: " == 0",
  array: ".size() == 0",
};

const list = (values: readonly unknown[]): string =>
  `[${values.map((each) => (typeof each === "string" ? celText(each) : String(each))).join(", ")}]`;

function reasonOf({ is }: Demand): string {
  if (is === "given" || is === "filled") return "FieldValueRequired";
  return is === "absent" || is === "blank" ? "FieldValueForbidden" : "FieldValueInvalid";
}
