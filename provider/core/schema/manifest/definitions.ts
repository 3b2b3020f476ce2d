/** The CustomResourceDefinitions of the types, and the policy that keeps what cannot be changed in place. Derived from types. Pure. */

import { annotations, isRequired } from "../../type/field.ts";
import type { ResourceType } from "../../type/resource.ts";
import { withArticle } from "../../wording.ts";
import { stateFields } from "../catalogue.ts";
import { accessOf } from "./access.ts";
import { accountDefinition } from "./account.ts";
import type { CelRule } from "./cel.ts";
import { definitionOf, name, usualStatus } from "./definition.ts";
import { demandRules } from "./demands.ts";
import { domain, kindOf, type ManifestForm, manifestForm, propertyOf, twinOf, version } from "./form.ts";
import { answeredOf, type Json, secretRef, structural } from "./structural.ts";

/** Every object that a cluster needs to know the types: one definition a kind, the policy of each that has something immutable, and who may do what. */
export function definitionsOf(types: readonly ResourceType[]): readonly Json[] {
  const byKey = new Map(types.map((type) => [type.key, type]));
  return [
    accountDefinition,
    ...types.map((type) => definition(type, manifestForm(type, byKey))),
    ...types.flatMap((type) => immutability(type, manifestForm(type, byKey))),
    ...accessOf(types),
  ];
}

function definition(type: ResourceType, form: ManifestForm): Json {
  const kind = kindOf(type);
  const told = [
    ...new Set(
      (type.phrase ?? []).flatMap((piece) => [...piece.matchAll(/\{(\w+)\}/g)].map(([, each]) => each!)),
    ),
  ];
  const plain = told.filter((each) =>
    ["string", "integer"].includes(annotations(type.inputs[each]!)?.type ?? ""),
  );
  return definitionOf(kind, {
    description: type.description,
    spec: specOf(type, form),
    status: {
      id: { description: "Id of the object on the service.", type: "string" },
      ...usualStatus,
      atProvider: {
        description: "What the service has, without secrets.",
        type: "object",
        properties: answeredOf(stateFields(type)),
      },
      applied: {
        description: "What was applied last; secrets as keyed hashes.",
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
      },
    },
    replicas: Object.keys(type.inputs).find((input) => annotations(type.inputs[input]!).replicas),
    columns: [
      { name: "Id", type: "string", jsonPath: ".status.id" },
      ...plain.map((each) => ({
        ...{ name: each.charAt(0).toUpperCase() + each.slice(1), type: annotations(type.inputs[each]!).type },
        jsonPath: `.spec.${each}`,
      })),
    ],
  });
}

function specOf(type: ResourceType, form: ManifestForm): Json {
  const hasSecretOutputs = Object.values(type.outputs).some((field) => annotations(field).secret);
  const hidden = new Set(form.secrets.map(({ input }) => input));
  const inputs = Object.entries(type.inputs).filter(([input]) => !hidden.has(input));
  const needed = requiredOf(type).filter((input) => twinOf(input, form) === undefined);
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(inputs.map(([input, field]) => [input, structural(field)])),
      ...Object.fromEntries(form.twins.map((twin) => [twin.property, twinSchema(twin)])),
      ...Object.fromEntries(
        form.secrets.map(({ property, input }) => [
          property,
          { description: `Where it stands: ${annotations(type.inputs[input]!).description}`, ...secretRef },
        ]),
      ),
      accountRef: {
        description: "The Account that it belongs to; without it the one named `default` of its namespace.",
        ...{ type: "object", properties: { name: name("Its name.") }, required: ["name"] },
      },
      deletionPolicy: {
        description: "What becomes of the object on the service when this one is deleted. Default: Delete.",
        ...{ type: "string", enum: ["Delete", "Retain"] },
      },
      ...(hasSecretOutputs && {
        writeSecretsTo: {
          description:
            "The Secret that what the service shows in secret is written to; it is owned by this object.",
          ...{ type: "object", properties: { name: name("Its name.") }, required: ["name"] },
        },
      }),
    },
    required: needed.map((input) => propertyOf(input, form)),
    "x-kubernetes-validations": [...eitherRules(type, form), ...demandRules(type, form)],
  };
}

const requiredOf = ({ inputs }: ResourceType): string[] =>
  Object.keys(inputs).filter((input) => isRequired(inputs[input]!));

/** What is named in two ways is named in one of them. */
function* eitherRules(type: ResourceType, form: ManifestForm): Generator<CelRule> {
  const needed = new Set(requiredOf(type));
  for (const { property, inputs } of form.twins) {
    const names = inputs.map((input) => input.name);
    const one = names.length === 1 ? names[0]! : names.join(" and ");
    const isTold = names.map((each) => `has(self.${each})`);
    if (names.some((each) => needed.has(each)))
      yield {
        rule: `has(self.${property}) || (${isTold.join(" && ")})`,
        message: `${one} or ${property} is required`,
      };
    yield {
      rule: `!has(self.${property}) || !(${isTold.join(" || ")})`,
      message: `${property} stands in the place of ${one}: keep one`,
    };
  }
}

function twinSchema({ types, isList, inputs }: ManifestForm["twins"][number]): Json {
  const kinds = types
    .map((key) => key.split("/")[1]!)
    .map((each) => each.charAt(0).toUpperCase() + each.slice(1));
  const isOf = inputs.map((input) => input.name).join(", ");
  const one: Json = {
    type: "object",
    properties: {
      ...(kinds.length > 1 && { kind: { description: "Its kind.", type: "string", enum: kinds } }),
      name: name("Its name, in this namespace."),
    },
    required: kinds.length > 1 ? ["kind", "name"] : ["name"],
  };
  const of = kinds.map(withArticle).join(" or ");
  const description = `${isList ? "Objects" : "The object"} that ${isList ? "are" : "is"} ${of}, in place of \`${isOf}\`.`;
  return isList ? { description, type: "array", maxItems: 100, items: one } : { description, ...one };
}

/** Fields that only a replacement changes are left as they are, unless the object says that it may be replaced. */
function immutability(type: ResourceType, form: ManifestForm): readonly Json[] {
  const names = Object.keys(type.inputs).filter((input) => annotations(type.inputs[input]!).immutable);
  const guarded = [
    ...new Set(names.flatMap((input) => [propertyOf(input, form), twinOf(input, form) ?? []].flat())),
  ];
  if (guarded.length === 0) return [];
  const { group, plural, kind } = kindOf(type);
  const policy = `immutable-${plural}.${group}`;
  const mayReplace = `'${domain}/allow-replace'`;
  return [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: policy },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [
            { apiGroups: [group], apiVersions: [version], operations: ["UPDATE"], resources: [plural] },
          ],
        },
        matchConditions: [
          {
            name: "not-allowed-to-be-replaced",
            expression: `!(has(object.metadata.annotations) && ${mayReplace} in object.metadata.annotations && object.metadata.annotations[${mayReplace}] == 'true')`,
          },
          { name: "not-being-deleted", expression: "!has(object.metadata.deletionTimestamp)" },
          {
            name: "already-made",
            expression: "has(oldObject.status) && has(oldObject.status.id)",
          },
        ],
        validations: guarded.map((each) => ({
          expression: `(has(object.spec.${each}) ? dyn(object.spec.${each}) : dyn(null)) == (has(oldObject.spec.${each}) ? dyn(oldObject.spec.${each}) : dyn(null))`,
          message: `spec.${each}: cannot be changed in place: set it back, or allow ${withArticle(kind)} to be replaced by the annotation ${domain}/allow-replace: "true"`,
          reason: "Invalid",
        })),
      },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: policy },
      spec: { policyName: policy, validationActions: ["Deny"] },
    },
  ];
}
