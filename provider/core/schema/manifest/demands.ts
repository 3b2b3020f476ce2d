/** What inputs ask of each other as rules in CEL over a spec, where an input may stand under another name. Pure. */

import type { TSchema } from "typebox";
import type { Demand, State } from "../../type/demand.ts";
import { annotations, type Fields, fieldsOf } from "../../type/field.ts";
import { formats } from "../../type/formats.ts";
import type { ResourceType } from "../../type/resource.ts";
import { type CelRule, celText } from "./cel.ts";
import { type ManifestForm, propertyOf, twinOf } from "./form.ts";

/** Rules of a spec. */
export const demandRules = (type: ResourceType, form: ManifestForm): readonly CelRule[] =>
  rulesOf(type.demands ?? [], type.inputs, form);

/** Rules of a group's value. */
export const rulesWithin = (field: TSchema, fields: Fields): readonly CelRule[] =>
  rulesOf(annotations(field).demands ?? [], fields);

const asTheyAre: ManifestForm = { twins: [], secrets: [] };

function rulesOf(demands: readonly Demand[], fields: Fields, form = asTheyAre): readonly CelRule[] {
  return demands.map((demand) => {
    const { when = {}, input, is, says } = demand;
    const conditions = Object.entries(when).map(([name, state]) => so(name, state!, fields, form));
    const met = so(input, is, fields, form);
    const pieces = says
      .split(/\{(\w+)\}/)
      .map((piece, at) => (at % 2 === 0 ? celText(piece) : `self.${piece}`));
    return {
      rule: conditions.length === 0 ? met : `!(${conditions.join(" && ")}) || ${met}`,
      message: says.replace(/\{(\w+)\}/g, "these"),
      ...(pieces.length > 1 && { messageExpression: pieces.join(" + ") }),
      fieldPath: `.${propertyOf(input, form)}`,
      reason: reasonOf(demand),
    };
  });
}

/** That the input is as the state has it; `at` is the object that has it. */
function so(name: string, state: State, fields: Fields, form: ManifestForm, at = "self"): string {
  const property = propertyOf(name, form);
  const is = `${at}.${property}`;
  const isGiven = [property, twinOf(name, form) ?? []].flat().map((each) => `has(${at}.${each})`);
  const given = isGiven.length > 1 ? `(${isGiven.join(" || ")})` : isGiven[0]!;
  const empty = property === name ? emptiness[annotations(fields[name]!).type ?? ""] : undefined;
  if (state === "given") return given;
  if (state === "absent") return `!${given}`;
  if (state === "filled") return empty ? `(${given} && !(has(${is}) && ${is}${empty}))` : given;
  if (state === "blank") return empty ? `(!${given} || (has(${is}) && ${is}${empty}))` : `!${given}`;
  if ("in" in state) return `(has(${is}) && ${is} in ${list(state.in)})`;
  if ("notIn" in state) return `(!has(${is}) || !(${is} in ${list(state.notIn)}))`;
  if ("atMost" in state) {
    const bound = `${at}.${state.atMost}`;
    return `(!has(${is}) || !has(${bound}) || ${is} <= ${bound})`;
  }
  if ("lacks" in state) {
    const members = fieldsOf(fields[name]!) ?? {};
    const has = Object.entries(state.lacks).map(([each, like]) => so(each, like, members, asTheyAre, is));
    return `!(${[given, ...has].join(" && ")})`;
  }
  const allowed = list(["", ...(state.or ?? [])]);
  return `(!has(${is}) || ${is} in ${allowed} || ${is}.matches(${celText(formats[state.format]!.pattern)}))`;
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
