/** Judges answers by the contract's response schemas, strictly, for tests of the areas. */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Operation } from "../contract/contract.ts";
import type { Schema, Shape } from "../contract/shape.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
ajv.addFormat("date-time-ms", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
for (const format of [
  "ip",
  "ipv4",
  "ipv6",
  "ipv4/prefix_length",
  "email",
  "phone",
  "url",
  "base64",
  "uri",
  "password",
])
  ajv.addFormat(format, true);

const compiled = new WeakMap<Shape, ValidateFunction>();

/**
 * What of the answer differs from the contract, or nothing. Every declared property must be there unless it is `writeOnly` or marked
 * `x-optional`, and no other may be, unless the schema declares none or allows more by `additionalProperties`.
 */
export function answerMismatch(operation: Operation, answer: unknown): string | undefined {
  const shape = operation.answer;
  if (!shape) return undefined;
  let check = compiled.get(shape);
  if (!check) {
    check = ajv.compile(answerSchema(shape));
    compiled.set(shape, check);
  }
  if (check(answer)) return undefined;
  const differences = (check.errors ?? []).map((error) => {
    const extra = error.params["additionalProperty"];
    return `${error.instancePath || "the answer"} ${error.message}${extra === undefined ? "" : ` (${extra})`}`;
  });
  return `${operation.key}: ${[...new Set(differences)].join("; ")}`;
}

function answerSchema(shape: Shape): Schema {
  const told = [...shape.properties].filter(([, property]) => !property.writeOnly);
  const { default: _default, ...rules } = shape.rules;
  if (shape.alternatives.length > 0) return { ...rules, anyOf: shape.alternatives.map(answerSchema) };
  return {
    ...rules,
    ...(shape.types.length > 0 && { type: shape.types }),
    ...(told.length > 0 && {
      properties: Object.fromEntries(told.map(([name, property]) => [name, answerSchema(property)])),
      required: told.filter(([, property]) => !property.optional).map(([name]) => name),
    }),
    ...(shape.items && { items: answerSchema(shape.items) }),
    ...(shape.extra !== true && {
      additionalProperties: shape.extra === false ? false : answerSchema(shape.extra),
    }),
  };
}
