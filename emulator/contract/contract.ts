/** The operations of the service, read from its contract; knows nothing of HTTP connections or of what handlers do. */

import document from "../../schemas/service.openapi.json" with { type: "json" };
import { rateClasses } from "../http/rate-limit.ts";
import { type Schema, type Shape, shapeReader } from "./shape.ts";

export interface Parameter {
  readonly name: string;
  readonly integer: boolean;
  readonly required: boolean;
  readonly shape: Shape;
}

/** One operation of the contract. */
export interface Operation {
  /** `GET /domains/{domainId}`. */
  readonly key: string;
  readonly method: string;
  /** `/domains/{domainId}`, in the contract's word. */
  readonly template: string;
  /** The first tag: `objectstorage`. */
  readonly area: string;
  readonly path: readonly Parameter[];
  readonly query: readonly Parameter[];
  /** All are required of the token. */
  readonly scopes: readonly string[];
  readonly unrestricted: boolean;
  /** `anyone` needs no token, `maybe` answers with and without one, `token` needs one. */
  readonly access: "anyone" | "maybe" | "token";
  readonly body: Shape | undefined;
  readonly answer: Shape | undefined;
  /** True when an empty answer is 204 instead of `{}`. */
  readonly noContent: boolean;
  /** True when the answer is the list envelope (contract section 2.1). */
  readonly list: boolean;
  /** One element of a list. */
  readonly item: Shape | undefined;
  /** Attributes for X-Filter with their shape where it is known. */
  readonly filterable: ReadonlyMap<string, Shape | undefined>;
  /** A limit of its own (`volume-create`), beside the general ones. */
  readonly rateClass: string | undefined;
}

const methods = ["get", "post", "put", "delete"] as const;

interface Described {
  readonly [keyword: string]: unknown;
}

/** Release of the contract, as in `X-Spec-Version`. */
export const release: string = document.info.version;

/** Every operation in the contract's order. */
export const operations: readonly Operation[] = readOperations(document as unknown as Described);

function readOperations(contract: Described): Operation[] {
  const shape = shapeReader(contract);
  const found: Operation[] = [];
  for (const [template, entry] of Object.entries(contract["paths"] as { [path: string]: Described }))
    for (const method of methods) {
      const operation = entry[method] as Described | undefined;
      if (operation) found.push(readOperation(contract, shape, template, entry, method, operation));
    }
  return found;
}

function readOperation(
  contract: Described,
  shape: (schema: Schema) => Shape,
  template: string,
  entry: Described,
  method: string,
  operation: Described,
): Operation {
  const parameters = [...elements(entry["parameters"]), ...elements(operation["parameters"])].map(
    (parameter) => resolve(contract, parameter),
  );
  const ofKind = (kind: string): Parameter[] =>
    parameters
      .filter((parameter) => parameter["in"] === kind)
      .map((parameter) => {
        const described = shape(parameter["schema"] as Schema);
        return {
          name: parameter["name"] as string,
          integer: described.types.includes("integer"),
          required: parameter["required"] === true,
          shape: described,
        };
      });
  const security = operation["security"] as readonly Described[] | undefined;
  const responses = operation["responses"] as { [status: string]: Described };
  const answer = content(contract, shape, responses["200"]);
  const data = answer?.properties.get("data");
  const list = method === "get" && data?.items !== undefined && answer?.properties.has("pages") === true;
  const item = list ? data?.items : undefined;
  const rateClass = operation["x-rate-limit"] as string | undefined;
  if (rateClass !== undefined && !(rateClass in rateClasses))
    throw new Error(
      `${method} ${template}: x-rate-limit ${rateClass} is none of ${Object.keys(rateClasses)}`,
    );
  return {
    key: `${method.toUpperCase()} ${template}`,
    method: method.toUpperCase(),
    template,
    area: String(elements(operation["tags"])[0] ?? "this area"),
    path: ofKind("path"),
    query: ofKind("query"),
    scopes: (operation["x-scopes"] ?? []) as string[],
    unrestricted: operation["x-unrestricted"] === true,
    access:
      security === undefined
        ? "token"
        : security.length === 0
          ? "anyone"
          : security.some((way) => Object.keys(way).length === 0)
            ? "maybe"
            : "token",
    body: content(contract, shape, operation["requestBody"] as Described | undefined),
    answer,
    noContent: "204" in responses,
    list,
    item,
    filterable: item ? filterable(item, (operation["x-filterable"] ?? []) as string[]) : new Map(),
    rateClass,
  };
}

function elements(value: unknown): Described[] {
  return Array.isArray(value) ? value : [];
}

function resolve(contract: Described, described: Described): Described {
  const pointer = described["$ref"];
  if (typeof pointer !== "string") return described;
  let at: unknown = contract;
  for (const part of pointer.slice(2).split("/")) at = (at as Described)[part];
  return at as Described;
}

function content(
  contract: Described,
  shape: (schema: Schema) => Shape,
  described: Described | undefined,
): Shape | undefined {
  if (described === undefined) return undefined;
  const media = resolve(contract, described)["content"] as Described | undefined;
  const json = media?.["application/json"] as Described | undefined;
  return json?.["schema"] === undefined ? undefined : shape(json["schema"] as Schema);
}

/** Attributes marked in the item, nested ones dotted, and those that the operation adds by name. */
function filterable(item: Shape, named: readonly string[]): Map<string, Shape | undefined> {
  const found = new Map<string, Shape | undefined>();
  const walk = (shape: Shape, prefix: string) => {
    for (const [name, property] of shape.properties) {
      if (property.filterable) found.set(prefix + name, property);
      walk(property, `${prefix}${name}.`);
    }
  };
  walk(item, "");
  for (const name of named) {
    let at: Shape | undefined = item;
    for (const part of name.split(".")) at = at?.properties.get(part);
    found.set(name, at);
  }
  return found;
}
