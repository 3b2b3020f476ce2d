/** Checks the inputs of one resource: shape, the type's own rules, siblings of the plan, changes that cannot be. Makes no request. */

import type { TSchema } from "typebox";
import { isAmong, knownValues, type Plain, plainInputs, withoutNulls } from "../plain.ts";
import { formatPath, isWithin, type PropertyPath, parsePath } from "../property-path.ts";
import type { CheckFailure, CheckRequest, CheckResponse } from "../protocol.ts";
import { decideName } from "../type/automatic-name.ts";
import { annotations, type Fields, fieldsOf, itemsOf, mapItemsOf, type NamingRule } from "../type/field.ts";
import type { CheckedInputs, ResourceType } from "../type/resource.ts";
import { validate } from "../validate.ts";
import {
  containsUnknown,
  isSecret,
  isUnknown,
  isValueMap,
  secret,
  type Value,
  type ValueMap,
} from "../value.ts";
import { judgeDemands, judgeWithin } from "./demands.ts";
import { changedInputs } from "./diff.ts";
import type { Plan, Verdict } from "./plan.ts";

/** What checks stand on beside the inputs. */
export type CheckGround = Pick<CheckedInputs<Fields>, "certificates" | "now"> & { readonly plan: Plan };

/** Checked inputs (the user's spelling, automatic names added, secrets marked) and everything that is wrong with them. */
export async function checkResource(
  type: ResourceType,
  request: CheckRequest,
  { plan, certificates, now }: CheckGround,
): Promise<CheckResponse> {
  const failures: CheckFailure[] = [];
  const given: { [name: string]: Value } = withoutNulls(request.newInputs);
  for (const [name, naming] of namedOf(type)) {
    if (given[name] !== undefined) continue;
    const decision = decideName(request, naming, request.oldInputs?.[name]);
    if ("name" in decision) given[name] = decision.name;
    else failures.push({ property: name, reason: decision.failure });
  }
  const plain = plainInputs(type.inputs, given);
  const refused = new Set(failures.map((failure) => failure.property));
  const shape = { fields: type.inputs, outputs: type.outputs, noun: "property" };
  for (const failure of await validate(shape, plain)) {
    if (!refused.has(failure.property)) failures.push(failure);
  }
  const faulty = new Set(failures.map((failure) => String(parsePath(failure.property)[0])));
  const sound = (all: Plain["values"]): Plain["values"] =>
    faulty.size === 0 ? all : Object.fromEntries(Object.entries(all).filter(([name]) => !faulty.has(name)));
  const values = sound(knownValues(plain));
  const refuse = (property: string, reason: string) => {
    if (faulty.has(property)) return;
    const isHidden = isAmong(parsePath(property), plain.secretPaths);
    failures.push({ property, reason: isHidden ? withoutValue(reason) : reason });
  };
  const declares = (name: string) => given[name] !== undefined;
  const knows = (name: string) => given[name] === undefined || !containsUnknown(given[name]);
  judgeDemands(type.demands ?? [], { values, declares, knows }, refuse);
  const isUnknown = (path: PropertyPath) => plain.unknownPaths.some((each) => isWithin(each, path));
  judgeWithin(type.inputs, { values: sound(plain.values), isUnknown }, (path, reason) =>
    refuse(formatPath(path), reason),
  );
  type.check?.({
    values,
    partly: sound(plain.values),
    ...{ declares, knows },
    isNew: request.oldInputs === undefined,
    parent: plan.parentOf(type, given),
    refuse,
    certificates,
    now,
  });
  if (failures.length === 0) {
    const verdict = plan.declare(type, request, { inputs: given, values }, request.oldInputs);
    failures.push(...verdict.failures);
    for (const doubt of verdict.doubts) request.log?.("warning", doubtful(doubt));
  }
  if (
    failures.length === 0 &&
    request.oldInputs &&
    type.refuseChange &&
    !replaces(type, request.oldInputs, {}, given)
  ) {
    type.refuseChange({
      before: knownValues(plainInputs(type.inputs, request.oldInputs)),
      after: values,
      refuse,
    });
  }
  return { inputs: markSecrets(type.inputs, given), failures };
}

const namedFields = new WeakMap<ResourceType, readonly (readonly [string, NamingRule])[]>();

/** The inputs that get a name of their own when they are left out. */
function namedOf(type: ResourceType): readonly (readonly [string, NamingRule])[] {
  const known = namedFields.get(type);
  if (known) return known;
  const found = Object.entries(type.inputs).flatMap(([name, field]) => {
    const { naming } = annotations(field);
    return naming ? [[name, naming] as const] : [];
  });
  namedFields.set(type, found);
  return found;
}

/** What is said of a clash under a parent that does not exist yet. */
function doubtful({ property, reason, parent }: Verdict["doubts"][number]): string {
  const what = property === "" ? reason : `${property}: ${reason}`;
  return `${what}; this is refused when it is made, if "${parent}", which does not exist yet, is what both belong to`;
}

/** A reason without the value that it ends with (`must be an address, not "x"`), where that is a secret. */
export const withoutValue = (reason: string) => reason.replace(/,? not ".*$/s, "");

/** True when the change between the two needs, or may need, a replacement. */
export function replaces(
  type: ResourceType,
  oldInputs: ValueMap,
  state: ValueMap,
  newInputs: ValueMap,
): boolean {
  return changedInputs(type, oldInputs, state, newInputs).some(
    (name) => annotations(type.inputs[name]!).immutable,
  );
}

/** The inputs with every field that is secret by its schema marked, at any depth. */
export function markSecrets(fields: Fields, inputs: ValueMap): ValueMap {
  const mark = (field: TSchema | undefined, value: Value): Value => {
    if (!field) return value;
    if (annotations(field).secret) return isUnknown(value) || isSecret(value) ? value : secret(value);
    if (Array.isArray(value)) return value.map((item) => mark(itemsOf(field), item as Value));
    if (!isValueMap(value)) return value;
    const known = fieldsOf(field);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        mark(known ? known[name] : mapItemsOf(field), item),
      ]),
    );
  };
  const marked: { [name: string]: Value } = { ...inputs };
  for (const name of Object.keys(inputs)) {
    const value = mark(fields[name], inputs[name]!);
    if (value !== inputs[name]) marked[name] = value;
  }
  return marked;
}
