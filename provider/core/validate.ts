/** Validates plain inputs against fields with ajv, and says what is wrong in the user's words. Loads ajv when first used. */

import type { Ajv as AjvClass, ErrorObject, SchemaObject, ValidateFunction } from "ajv";
import { nearest } from "./nearest.ts";
import { isAmong, type Plain } from "./plain.ts";
import { formatPath, type PathStep, type PropertyPath } from "./property-path.ts";
import { CheckFailedError, type CheckFailure } from "./protocol.ts";
import { annotationKeywords, annotations, type Fields, isRequired, type Rule } from "./type/field.ts";
import { formats } from "./type/formats.ts";
import { isArchive, isAsset, isUnknown, reveal, type ValueMap } from "./value.ts";

/** What is validated: the fields that may be given, and names that exist but may not (outputs), for a better message. */
export interface Shape {
  readonly fields: Fields;
  readonly outputs?: Fields;
  /** What a field is called in messages: `property`, `argument` or `setting`. */
  readonly noun: string;
}

const compiled = new WeakMap<Fields, Promise<ValidateFunction>>();
let shared: Promise<AjvClass> | undefined;

async function loadAjv(): Promise<AjvClass> {
  // By way of the default: bundlers keep no other name of a CommonJS module that is loaded late.
  const { Ajv } = (await import("ajv")).default;
  const ajv = new Ajv({
    strict: true,
    // They are all ours, and a test holds them to what JSON Schema is: that costs each start more than what it compiles.
    validateSchema: false,
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    messages: false,
  });
  ajv.addVocabulary(annotationKeywords.filter((keyword) => keyword !== "writeOnly")); // which JSON Schema has itself
  ajv.addKeyword({ keyword: "rules", type: "string", errors: true, compile: compileRules });
  ajv.addKeyword({
    keyword: "asset",
    schemaType: "boolean",
    validate: (_: boolean, value: unknown) => isAsset(value),
  });
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format.test);
  return ajv;
}

function compileRules(rules: readonly Rule[]) {
  const compiledRules = rules.map((rule) => ({ pattern: new RegExp(rule.pattern, "u"), says: rule.says }));
  const check: { (text: string): boolean; errors?: Partial<ErrorObject>[] } = (text: string) => {
    const broken = compiledRules.find((rule) => !rule.pattern.test(text));
    if (broken) check.errors = [{ keyword: "rules", params: { says: broken.says } }];
    return broken === undefined;
  };
  return check;
}

/** Compiled once, however many ask for it at the same time. */
function validatorOf(fields: Fields): Promise<ValidateFunction> {
  let validator = compiled.get(fields);
  if (!validator) {
    shared ??= loadAjv();
    validator = shared.then((ajv) => ajv.compile(schemaOf(fields)));
    compiled.set(fields, validator);
  }
  return validator;
}

/**
 * Throws CheckFailedError where a value is of another kind than its field (a number for a text), as no check lets pass: whoever leaves checks
 * out gets a sentence and no crash. Looks at the values themselves, not within them.
 */
export function refuseMistyped(fields: Fields, values: ValueMap): void {
  const failures = Object.entries(fields).flatMap(([property, field]): CheckFailure[] => {
    const value = reveal(values[property] ?? null);
    const { type } = field as { readonly type?: string };
    if (value === null || isUnknown(value) || typeof type !== "string" || isAsset(value)) return [];
    const kind = Array.isArray(value) ? "array" : typeof value;
    // An id may be written as a number.
    if (kind === "number" && annotations(field).reference !== undefined) return [];
    if (kind === (type === "integer" ? "number" : type)) return [];
    return [{ property, reason: `must be ${typeWords[type] ?? type}; these are no checked inputs` }];
  });
  if (failures.length > 0) throw new CheckFailedError(failures);
}

/** All failures at once. What is unknown is skipped; values are shown unless secret. */
export async function validate(shape: Shape, plain: Plain): Promise<CheckFailure[]> {
  const validator = await validatorOf(shape.fields);
  if (validator(plain.values) && plain.misplacedPaths.length === 0) return [];
  const failures = new Map<string, CheckFailure>();
  for (const path of plain.misplacedPaths) {
    const property = formatPath(path);
    failures.set(property, { property, reason: "cannot be an asset or an archive" });
  }
  for (const error of validator.errors ?? []) {
    const path = pathOf(error, plain.values);
    if (isAmong(path, plain.unknownPaths)) continue;
    if (isAmong(path, plain.misplacedPaths) && error.keyword !== "asset") continue;
    if (error.data === "" && (error.parentSchema as { default?: unknown } | undefined)?.default === "")
      continue; // "" means unset
    if (error.keyword === "required" && plain.unknownPaths.some((unknown) => unknown.length === 0)) continue;
    const property = formatPath(path);
    if (!failures.has(property) || error.keyword === "asset") {
      failures.set(property, {
        property,
        reason: describe(error, path, shape, isAmong(path, plain.secretPaths)),
      });
    }
  }
  return [...failures.values()];
}

/** The JSON Schema of an object with these fields. */
function schemaOf(fields: Fields): SchemaObject {
  return {
    type: "object",
    properties: fields,
    required: Object.keys(fields).filter((name) => isRequired(fields[name]!)),
    additionalProperties: false,
  };
}

function pathOf(error: ErrorObject, root: unknown): PropertyPath {
  const path: PathStep[] = [];
  let value: unknown = root;
  for (const part of error.instancePath.split("/").slice(1)) {
    const name = part.replace(/~1/g, "/").replace(/~0/g, "~");
    path.push(Array.isArray(value) ? Number(name) : name);
    value = (value as { [name: string]: unknown } | undefined)?.[name];
  }
  if (error.keyword === "required") path.push(String(error.params["missingProperty"]));
  if (error.keyword === "additionalProperties") path.push(String(error.params["additionalProperty"]));
  return path;
}

const typeWords: { readonly [type: string]: string } = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function describe(error: ErrorObject, path: PropertyPath, shape: Shape, isSecret: boolean): string {
  const given = isSecret ? "" : `, not ${show(error.data)}`;
  const params = error.params as { readonly [name: string]: unknown };
  switch (error.keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
      return unknownName(
        String(path.at(-1)),
        error,
        path.length === 1 ? shape.outputs : undefined,
        shape.noun,
      );
    case "type": {
      const wanted = [params["type"]].flat().map((type) => typeWords[String(type)] ?? String(type));
      const isBare = params["type"] === "string" && ["number", "boolean"].includes(typeof error.data);
      return `must be ${wanted.join(" or ")}${given}${isBare && !isSecret ? ": write it in quotes" : ""}`;
    }
    case "enum":
      return `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}${given}`;
    case "minLength":
    case "maxLength": {
      const { minLength = 0, maxLength } = error.parentSchema as { minLength?: number; maxLength?: number };
      const length = isSecret ? "" : `, not ${[...String(error.data)].length}`;
      return maxLength === undefined
        ? `must have at least ${minLength} characters${length}`
        : `must have ${minLength} to ${maxLength} characters${length}`;
    }
    case "minimum":
    case "maximum": {
      const { minimum, maximum } = error.parentSchema as { minimum?: number; maximum?: number };
      if (minimum !== undefined && maximum !== undefined) return `must be ${minimum} to ${maximum}${given}`;
      return minimum !== undefined
        ? `must be at least ${minimum}${given}`
        : `must be at most ${maximum}${given}`;
    }
    case "minItems":
      return `must have at least ${params["limit"]} ${params["limit"] === 1 ? "item" : "items"}`;
    case "maxItems":
      return `must have at most ${params["limit"]} ${params["limit"] === 1 ? "item" : "items"}`;
    case "rules":
      return `${params["says"]}${given}`;
    case "asset": {
      const advice =
        "use fn::fileAsset (a file), fn::stringAsset or fn::remoteAsset, or the same of your SDK";
      return `must be an asset${given}: ${advice}`;
    }
    case "format":
      return `${formats[String(params["format"])]?.says}${given}`;
    default:
      return `is not valid (${error.keyword})${given}`;
  }
}

function unknownName(name: string, error: ErrorObject, outputs: Fields | undefined, noun: string): string {
  if (outputs && name in outputs) return "is made by the service and cannot be set; take it out";
  const known = Object.keys((error.parentSchema as { properties?: object }).properties ?? {});
  const near = nearest(name, known);
  const advice = near ? `did you mean "${near}"?` : `known here: ${known.join(", ")}`;
  return `is not a known ${noun}; ${advice}`;
}

/** A value for a message, cut to a readable length. */
export function show(value: unknown): string {
  if (isAsset(value)) return "an asset";
  if (isArchive(value)) return "an archive";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
