/** Checks requests against the contract's schemas and words the problems (notes, sections 1.3 and 1.4); knows no area. */

import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Reason } from "../area.ts";
import type { Parameter } from "./contract.ts";
import type { Schema, Shape } from "./shape.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, validateFormats: false });
const compiled = new WeakMap<Shape, ValidateFunction>();

/** What a request's body comes to: the fields that count, and every problem found. */
export interface CheckedBody {
  readonly body: { [name: string]: unknown };
  readonly reasons: Reason[];
}

/** Drops what does not count (unknown and read-only fields; `null` where the contract does not allow it), then checks the rest. */
export function checkBody(shape: Shape, sent: { readonly [name: string]: unknown }): CheckedBody {
  const body = prune(shape, sent) as { [name: string]: unknown };
  let check = compiled.get(shape);
  if (!check) {
    check = ajv.compile(requestSchema(shape));
    compiled.set(shape, check);
  }
  return { body, reasons: check(body) ? [] : word(check.errors ?? []) };
}

/** Problems of query parameters that the contract lists. */
export function checkQuery(parameters: readonly Parameter[], query: URLSearchParams): Reason[] {
  const reasons: Reason[] = [];
  for (const { name, required, integer, shape } of parameters) {
    const text = query.get(name);
    if (text === null || text === "") {
      if (required) reasons.push({ reason: `${name} is required`, field: name });
    } else if (integer && !/^-?\d+$/.test(text)) {
      reasons.push({ reason: "Must be of type Integer", field: name });
    } else {
      const reason = shapeReason(shape, integer ? Number(text) : text);
      if (reason !== undefined) reasons.push({ reason, field: name });
    }
  }
  return reasons;
}

function shapeReason(shape: Shape, value: number | string): string | undefined {
  const {
    minimum,
    maximum,
    enum: choices,
  } = shape.rules as {
    minimum?: number;
    maximum?: number;
    enum?: unknown[];
  };
  if (typeof value === "number" && (value < (minimum ?? -Infinity) || value > (maximum ?? Infinity)))
    return range(minimum, maximum);
  return choices && !choices.includes(value) ? `Must be one of ${choices.join(", ")}` : undefined;
}

function prune(shape: Shape, value: unknown): unknown {
  if (Array.isArray(value)) return shape.items ? value.map((item) => prune(shape.items!, item)) : value;
  if (typeof value !== "object" || value === null) return value;
  if (shape.properties.size === 0 && shape.extra === true) return value;
  const kept: { [name: string]: unknown } = {};
  for (const [name, content] of Object.entries(value)) {
    const property = shape.properties.get(name);
    if (property) {
      if (property.readOnly || (content === null && !allowsNull(property))) continue;
      kept[name] = prune(property, content);
    } else if (shape.extra !== false) {
      kept[name] = shape.extra === true ? content : prune(shape.extra, content);
    }
  }
  return kept;
}

function allowsNull(shape: Shape): boolean {
  return shape.types.length === 0 || shape.types.includes("null");
}

/** The shape as a JSON Schema for requests: without what only answers have. */
function requestSchema(shape: Shape): Schema {
  const writable = [...shape.properties].filter(([, property]) => !property.readOnly);
  const names = new Set(writable.map(([name]) => name));
  return {
    ...shape.rules,
    ...(shape.types.length > 0 && { type: shape.types }),
    ...(writable.length > 0 && {
      properties: Object.fromEntries(writable.map(([name, property]) => [name, requestSchema(property)])),
    }),
    required: [...shape.required].filter((name) => names.has(name) || !shape.properties.has(name)),
    ...(shape.items && { items: requestSchema(shape.items) }),
    ...(typeof shape.extra === "object" && { additionalProperties: requestSchema(shape.extra) }),
    ...(shape.alternatives.length > 0 && { anyOf: shape.alternatives.map(requestSchema) }),
  };
}

/** One reason a field and problem; a field of the wrong type has no other problem. */
function word(errors: readonly ErrorObject[]): Reason[] {
  const told = new Map<string, Reason>();
  const wrongType = new Set(
    errors.filter(({ keyword }) => keyword === "type").map((error) => error.instancePath),
  );
  for (const error of errors) {
    if (error.keyword !== "type" && wrongType.has(error.instancePath)) continue;
    if (error.keyword === "anyOf") continue;
    const field = fieldOf(error);
    const reason = reasonOf(error);
    const found = { reason, ...(field !== "" && { field }) };
    told.set(`${field}\n${reason}`, found);
  }
  return [...told.values()];
}

/** `/subnets/0/ipv4` as `subnets[0].ipv4`. */
function fieldOf(error: ErrorObject): string {
  const path = [...error.instancePath.slice(1).split("/").filter(Boolean)];
  if (error.keyword === "required") path.push(error.params["missingProperty"] as string);
  return path
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce(
      (text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
      "",
    );
}

function reasonOf(error: ErrorObject): string {
  const rules = (error.parentSchema ?? {}) as { [keyword: string]: unknown };
  const own = (rules["x-reason"] as { [keyword: string]: string } | undefined)?.[error.keyword];
  if (own !== undefined) return own;
  const bounds = (low: string, high: string) =>
    [rules[low] as number | undefined, rules[high] as number | undefined] as const;
  switch (error.keyword) {
    case "required":
      return `${error.params["missingProperty"]} is required`;
    case "type": {
      const types = [error.params["type"] as string | string[]].flat().filter((type) => type !== "null");
      return `Must be of type ${types.map((type) => type[0]!.toUpperCase() + type.slice(1)).join(" or ")}`;
    }
    case "enum":
      return `Must be one of ${(error.params["allowedValues"] as unknown[]).filter((value) => value !== null).join(", ")}`;
    case "minimum":
    case "maximum":
      return range(...bounds("minimum", "maximum"));
    case "minLength":
    case "maxLength":
      return lengthReason(...bounds("minLength", "maxLength"));
    case "minItems":
    case "maxItems":
      return itemsReason(...bounds("minItems", "maxItems"));
    case "uniqueItems":
      return "Must not hold the same value twice";
    case "pattern":
      return `${fieldOf(error) || "The value"} is not valid`;
    default:
      return error.message ?? "The value is not valid";
  }
}

/** `Must be 1-100`. */
export function range(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `Must be ${low}-${high}`;
  return low === undefined ? `Must be at most ${high}` : `Must be at least ${low}`;
}

function lengthReason(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `Length must be ${low}-${high} characters`;
  return low === undefined
    ? `Length must be at most ${high} characters`
    : `Length must be at least ${low} characters`;
}

function itemsReason(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `Must have ${low}-${high} items`;
  return low === undefined ? `Must have at most ${high} items` : `Must have at least ${low} items`;
}
